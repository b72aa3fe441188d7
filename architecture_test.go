// Package confab_test holds the code against ARCHITECTURE.md: layers and the house rules that no linter knows.
package confab_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "confab"

func TestPackagesAgreeWithArchitecture(t *testing.T) {
	page, err := os.ReadFile("ARCHITECTURE.md")
	require.NoError(t, err)
	require.Empty(t, findViolations(readLayers(t, string(page)), listPackages(t)))
}

// TestArchitectureRules breaks one rule at a time in a small valid module and expects that violation.
func TestArchitectureRules(t *testing.T) {
	const page = "| 1 | `top` | `side` | x |\n| 1 | `side` | | x |\n| 0 | `low` | | x |\n| 0 | `low/special` | | x |"
	valid := func() []goPackage {
		return []goPackage{
			{ImportPath: "confab/top", Doc: "x", Imports: []string{"confab/low", "confab/side", "fmt"}},
			{ImportPath: "confab/side", Doc: "x"},
			{ImportPath: "confab/low", Doc: "x", Imports: []string{"confab/low/part"}},
			{ImportPath: "confab/low/part", Doc: "x"},
			{ImportPath: "confab/low/special", Doc: "x"},
		}
	}
	require.Empty(t, findViolations(readLayers(t, page), valid()))
	for name, c := range map[string]struct {
		pkg     int
		changed goPackage
		page    string
		want    string
	}{
		"import up":                {2, goPackage{ImportPath: "confab/low", Doc: "x", Imports: []string{"confab/side"}}, page, "low (layer 0) imports side (layer 1): imports point down"},
		"import sideways":          {1, goPackage{ImportPath: "confab/side", Doc: "x", Imports: []string{"confab/top"}}, page, "side imports top of its own layer, which the row of side does not name"},
		"folder of its own row":    {2, goPackage{ImportPath: "confab/low", Doc: "x", Imports: []string{"confab/low/special"}}, page, "low imports low/special of its own layer, which the row of low does not name"},
		"package without a row":    {1, goPackage{ImportPath: "confab/new", Doc: "x"}, strings.Replace(page, "`side` | |", "`low/part` | |", 1), "new has no row in ARCHITECTURE.md"},
		"row without a package":    {4, goPackage{ImportPath: "confab/low/part", Doc: "x"}, page, "low/special has a row in ARCHITECTURE.md and no package"},
		"unknown folder in a row":  {1, valid()[1], strings.Replace(page, "`side` |", "`side`, `gone` |", 1), "top may import gone, which is not a folder of its layer"},
		"unused import in a row":   {1, valid()[1], strings.Replace(page, "`side` | |", "`side` | `top` |", 1), "side may import top and does not"},
		"no package comment":       {1, goPackage{ImportPath: "confab/side"}, page, "side has no package comment"},
		"goroutine without goleak": {1, goPackage{ImportPath: "confab/side", Doc: "x", source: "\tgo work()\n"}, page, "side starts goroutines and no test of it runs goleak"},
		"wait group":               {1, goPackage{ImportPath: "confab/side", Doc: "x", source: "\tw.Go(work)\n"}, page, "side starts goroutines and no test of it runs goleak"},
	} {
		t.Run(name, func(t *testing.T) {
			pkgs := valid()
			pkgs[c.pkg] = c.changed
			require.Contains(t, findViolations(readLayers(t, c.page), pkgs), c.want)
		})
	}
	tested := valid()
	tested[1].source, tested[1].tests = "\tgo work()\n", "goleak.VerifyTestMain(m)"
	require.Empty(t, findViolations(readLayers(t, page), tested))
}

// goPackage is a package as the go command lists it.
type goPackage struct {
	Dir, ImportPath, Doc                        string
	Imports, GoFiles, TestGoFiles, XTestGoFiles []string

	source, tests string // text of its files
}

// name is the import path within the module; the package at its root has the module's name.
func (p *goPackage) name() string { return strings.TrimPrefix(p.ImportPath, module+"/") }

// listPackages asks the go command for the module's packages without and with the build tags that hide files.
func listPackages(t *testing.T) []goPackage {
	t.Helper()
	var pkgs []goPackage
	for _, tags := range []string{"", "integration,crashtest,race"} {
		out, err := exec.CommandContext(t.Context(), "go", "list", "-tags", tags, "-json=Dir,ImportPath,Doc,Imports,GoFiles,TestGoFiles,XTestGoFiles", "./...").Output()
		require.NoError(t, err)
		for d := json.NewDecoder(strings.NewReader(string(out))); ; {
			var p goPackage
			if err := d.Decode(&p); errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err)
			if len(p.GoFiles) > 0 {
				p.source, p.tests = readFiles(t, p.Dir, p.GoFiles), readFiles(t, p.Dir, append(p.TestGoFiles, p.XTestGoFiles...))
				pkgs = append(pkgs, p)
			}
		}
	}
	return pkgs
}

func readFiles(t *testing.T, dir string, names []string) string {
	t.Helper()
	var all strings.Builder
	for _, name := range names {
		content, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		all.Write(content)
	}
	return all.String()
}

// layerRow is a row of the table of folders.
type layerRow struct {
	folder, layer string
	mayImport     []string // folders of its own layer
}

// layers are the rows by folder.
type layers map[string]layerRow

// of is the row of the longest folder that holds the package.
func (l layers) of(pkg string) (layerRow, bool) {
	for ; ; pkg = pkg[:strings.LastIndexByte(pkg, '/')] {
		if r, ok := l[pkg]; ok {
			return r, true
		}
		if !strings.Contains(pkg, "/") {
			return layerRow{}, false
		}
	}
}

// readLayers takes the rows of the table of folders: a layer, a folder, the folders of its layer that it may import.
func readLayers(t *testing.T, page string) layers {
	t.Helper()
	row := regexp.MustCompile("(?m)^\\| ([0-9]) \\| `([^`]+)` \\|([^|]*)\\|")
	name := regexp.MustCompile("`([^`]+)`")
	rows := layers{}
	for _, cells := range row.FindAllStringSubmatch(page, -1) {
		r := layerRow{folder: cells[2], layer: cells[1]}
		for _, b := range name.FindAllStringSubmatch(cells[3], -1) {
			r.mayImport = append(r.mayImport, b[1])
		}
		require.NotContains(t, rows, cells[2], "two rows for one folder")
		rows[cells[2]] = r
	}
	require.NotEmpty(t, rows, "no table of layers in ARCHITECTURE.md")
	return rows
}

var startsGoroutine = regexp.MustCompile(`(?m)^\s*go (func|[a-zA-Z_.]+)\(|\.Go\(`)

// findViolations lists every difference between the packages and the rules, sorted.
func findViolations(rows layers, pkgs []goPackage) []string {
	var found []string
	add := func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) }
	has, used := map[string]bool{}, map[string]bool{} // folders; "folder imported folder"
	for _, p := range pkgs {
		r, ok := rows.of(p.name())
		if !ok {
			add("%s has no row in ARCHITECTURE.md", p.name())
			continue
		}
		has[r.folder] = true
		for _, path := range p.Imports {
			dep, ours := strings.CutPrefix(path, module+"/")
			to, known := rows.of(dep)
			if used[r.folder+" "+to.folder] = true; known && (ours || path == module) {
				found = append(found, r.refuses(p.name(), dep, to)...)
			}
		}
		if p.Doc == "" {
			add("%s has no package comment", p.name())
		}
		if startsGoroutine.MatchString(p.source) && !strings.Contains(p.tests, "goleak.") {
			add("%s starts goroutines and no test of it runs goleak", p.name())
		}
	}
	found = append(found, rows.unused(has, used)...)
	slices.Sort(found)
	return slices.Compact(found)
}

// refuses says what is wrong with the import of a package of the folder to by one of the row's folder.
func (r layerRow) refuses(name, dep string, to layerRow) []string {
	switch {
	case to.folder == r.folder:
	case to.layer > r.layer:
		return []string{fmt.Sprintf("%s (layer %s) imports %s (layer %s): imports point down", name, r.layer, dep, to.layer)}
	case to.layer == r.layer && !slices.Contains(r.mayImport, to.folder):
		return []string{fmt.Sprintf("%s imports %s of its own layer, which the row of %s does not name", name, dep, r.folder)}
	}
	return nil
}

// unused lists rows without a package and permissions that no package uses.
func (l layers) unused(has, used map[string]bool) []string {
	var found []string
	for name, r := range l {
		if !has[name] {
			found = append(found, name+" has a row in ARCHITECTURE.md and no package")
		}
		for _, b := range r.mayImport {
			if l[b].layer != r.layer {
				found = append(found, fmt.Sprintf("%s may import %s, which is not a folder of its layer", name, b))
			} else if !used[name+" "+b] {
				found = append(found, fmt.Sprintf("%s may import %s and does not", name, b))
			}
		}
	}
	return found
}
