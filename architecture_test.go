// Package confab_test holds the code against ARCHITECTURE.md: layers and the house rules that no linter knows.
// It parses the sources itself: the cache of the go command hides files that a build tag leaves out.
package confab_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

const module = "confab"

func TestPackagesAgreeWithArchitecture(t *testing.T) {
	require.Empty(t, findViolations(t, os.DirFS(".")))
}

// TestArchitectureRules breaks one rule at a time in a small valid module and expects that violation.
func TestArchitectureRules(t *testing.T) {
	const table = "| 1 | `top` | `side` | x |\n| 1 | `side` | | x |\n| 0 | `low` | | x |\n| 0 | `low/special` | | x |"
	valid := func() fstest.MapFS {
		return fstest.MapFS{
			"ARCHITECTURE.md":   text(table),
			"top/top.go":        text("// Package top is a package.", "package top", `import ("confab/low"; "confab/side")`, "var _ = low.A + side.B"),
			"side/side.go":      text("// Package side is a package.", "package side", "const B = 1"),
			"low/low.go":        text("// Package low is a package.", "package low", `import "confab/low/part"`, "const A = part.A"),
			"low/part/part.go":  text("// Package part is a package.", "package part", "const A = 1"),
			"low/special/s.go":  text("// Package special has a row of its own.", "package special", "const A = 1"),
			"low/low_test.go":   text("package low", `import "confab/top"`),
			"low/testdata/x.go": text("package broken"),
		}
	}
	require.Empty(t, findViolations(t, valid()))

	for name, c := range map[string]struct {
		file  string
		lines []string // none removes the file
		want  string
	}{
		"import up":                 {"low/up.go", []string{"package low", `import _ "confab/side"`}, "low (layer 0) imports side (layer 1): imports point down"},
		"import sideways":           {"side/b.go", []string{"package side", `import _ "confab/top"`}, "side imports top of its own layer, which the row of side does not name"},
		"behind a build tag":        {"low/up.go", []string{"//go:build never", "package low", `import _ "confab/side"`}, "low (layer 0) imports side (layer 1): imports point down"},
		"package without a row":     {"new/new.go", []string{"// Package new is one.", "package new", "const C = 1"}, "new has no row in ARCHITECTURE.md"},
		"row without a package":     {"low/special/s.go", nil, "low/special has a row in ARCHITECTURE.md and no package"},
		"folder of its own row":     {"low/b.go", []string{"package low", `import _ "confab/low/special"`}, "low imports low/special of its own layer, which the row of low does not name"},
		"unknown package in a row":  {"ARCHITECTURE.md", []string{strings.Replace(table, "`side` |", "`side`, `gone` |", 1)}, "top may import gone, which is not a folder of its layer"},
		"unused import in a row":    {"ARCHITECTURE.md", []string{strings.Replace(table, "`side` | |", "`side` | `top` |", 1)}, "side may import top and does not"},
		"empty package":             {"low/low.go", []string{"// Package low is a package.", "package low"}, "low declares nothing"},
		"test of another package":   {"low/tagged_test.go", []string{"//go:build never", "package side"}, "low has files of the packages [low side]"},
		"no package comment":        {"low/low.go", []string{"package low", "const A = 1"}, "low has no package comment"},
		"goroutine without goleak":  {"low/go.go", []string{"package low", "func startAll() { go startAll() }"}, "low starts goroutines and no test of it runs goleak"},
		"worker set without goleak": {"low/go.go", []string{"package low", `import "sync"`, "func startAll(w *sync.WaitGroup) { w.Go(func() {}) }"}, "low starts goroutines and no test of it runs goleak"},
	} {
		t.Run(name, func(t *testing.T) {
			files := valid()
			delete(files, c.file)
			if c.lines != nil {
				files[c.file] = text(c.lines...)
			}
			require.Equal(t, []string{c.want}, findViolations(t, files))
		})
	}

	t.Run("goroutine with goleak", func(t *testing.T) {
		files := valid()
		files["low/go.go"] = text("package low", "func startAll() { go startAll() }")
		files["low/main_test.go"] = text("package low", `import "go.uber.org/goleak"`, "func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }")
		require.Empty(t, findViolations(t, files))
	})
}

func text(lines ...string) *fstest.MapFile {
	return &fstest.MapFile{Data: []byte(strings.Join(lines, "\n") + "\n")}
}

// layerRow is a row of the table of folders.
type layerRow struct {
	folder    string
	layer     string
	mayImport []string // folders of its own layer
}

// layers are the rows by folder.
type layers map[string]layerRow

// of is the row of the longest folder that holds the package.
func (l layers) of(pkg string) (layerRow, bool) {
	for {
		if r, ok := l[pkg]; ok {
			return r, true
		}
		cut := strings.LastIndexByte(pkg, '/')
		if cut < 0 {
			return layerRow{}, false
		}
		pkg = pkg[:cut]
	}
}

// packageFacts is what the sources of one directory say.
type packageFacts struct {
	imports   map[string]bool // of this module, without its name
	clauses   map[string]bool // package names of all files, also behind build tags; without the suffix _test
	files     int             // without tests
	declares  bool
	comment   bool
	goroutine bool
	goleak    bool
}

// findViolations lists every difference between the module and its rules, sorted.
func findViolations(t *testing.T, files fs.FS) []string {
	t.Helper()
	page, err := fs.ReadFile(files, "ARCHITECTURE.md")
	require.NoError(t, err)
	rows := readLayers(t, string(page))
	pkgs := readPackages(t, files)
	v := &violations{}
	v.checkRows(rows, pkgs)
	for name, p := range pkgs {
		r, ok := rows.of(name)
		if !ok {
			v.add("%s has no row in ARCHITECTURE.md", name)
			continue
		}
		v.checkImports(name, p, r, rows)
		v.checkPackage(name, p)
	}
	slices.Sort(v.list)
	return v.list
}

type violations struct{ list []string }

func (v *violations) add(format string, args ...any) {
	v.list = append(v.list, fmt.Sprintf(format, args...))
}

// checkRows finds rows without a package and permissions that no package uses.
func (v *violations) checkRows(rows layers, pkgs map[string]*packageFacts) {
	used := map[string]bool{} // "folder imported folder"
	has := map[string]bool{}
	for name, p := range pkgs {
		from, _ := rows.of(name)
		has[from.folder] = true
		for dep := range p.imports {
			to, _ := rows.of(dep)
			used[from.folder+" "+to.folder] = true
		}
	}
	for name, r := range rows {
		if !has[name] {
			v.add("%s has a row in ARCHITECTURE.md and no package", name)
		}
		for _, b := range r.mayImport {
			if other, ok := rows[b]; !ok || other.layer != r.layer {
				v.add("%s may import %s, which is not a folder of its layer", name, b)
			} else if !used[name+" "+b] {
				v.add("%s may import %s and does not", name, b)
			}
		}
	}
}

func (v *violations) checkImports(name string, p *packageFacts, r layerRow, rows layers) {
	for dep := range p.imports {
		to, known := rows.of(dep)
		switch {
		case !known || to.folder == r.folder: // one without a row is reported once, for the package itself
		case to.layer > r.layer:
			v.add("%s (layer %s) imports %s (layer %s): imports point down", name, r.layer, dep, to.layer)
		case to.layer == r.layer && !slices.Contains(r.mayImport, to.folder):
			v.add("%s imports %s of its own layer, which the row of %s does not name", name, dep, r.folder)
		}
	}
}

func (v *violations) checkPackage(name string, p *packageFacts) {
	if len(p.clauses) > 1 {
		v.add("%s has files of the packages %v", name, slices.Sorted(maps.Keys(p.clauses)))
	}
	if !p.declares {
		v.add("%s declares nothing", name)
	}
	if !p.comment {
		v.add("%s has no package comment", name)
	}
	if p.goroutine && !p.goleak {
		v.add("%s starts goroutines and no test of it runs goleak", name)
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

// readPackages parses every Go file of the module. Nested modules, testdata and hidden directories are left out, as the
// go command does. The package at the root has the name of the module.
func readPackages(t *testing.T, files fs.FS) map[string]*packageFacts {
	t.Helper()
	pkgs := map[string]*packageFacts{}
	err := fs.WalkDir(files, ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		dir, base := path.Split(file)
		if d.IsDir() {
			_, nested := fs.Stat(files, path.Join(file, "go.mod"))
			if file != "." && (nested == nil || base == "testdata" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_")) {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(base, ".go") {
			return nil
		}
		src, err := fs.ReadFile(files, file)
		if err != nil {
			return err
		}
		if dir = path.Clean(dir); dir == "." {
			dir = module
		}
		if pkgs[dir] == nil {
			pkgs[dir] = &packageFacts{imports: map[string]bool{}, clauses: map[string]bool{}}
		}
		return pkgs[dir].read(file, src)
	})
	require.NoError(t, err)
	maps.DeleteFunc(pkgs, func(_ string, p *packageFacts) bool { return p.files == 0 })
	return pkgs
}

func (p *packageFacts) read(file string, src []byte) error {
	clause, err := parser.ParseFile(token.NewFileSet(), file, src, parser.PackageClauseOnly)
	if err != nil {
		return fmt.Errorf("parse %s: %w", file, err)
	}
	p.clauses[strings.TrimSuffix(clause.Name.Name, "_test")] = true
	if strings.HasSuffix(file, "_test.go") {
		p.goleak = p.goleak || strings.Contains(string(src), "goleak.")     // Verify…, or Find where TestMain is taken
		p.declares = p.declares || strings.Contains(string(src), "\nfunc ") // a package of tests has a page only
		return nil
	}
	f, err := parser.ParseFile(token.NewFileSet(), file, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return fmt.Errorf("parse %s: %w", file, err)
	}
	p.files++
	p.comment = p.comment || f.Doc != nil
	for _, i := range f.Imports {
		dep := strings.Trim(i.Path.Value, `"`)
		if below, ok := strings.CutPrefix(dep, module+"/"); ok {
			dep = below
		} else if dep != module {
			continue
		}
		p.imports[dep] = true
	}
	p.readDeclarations(f)
	return nil
}

func (p *packageFacts) readDeclarations(f *ast.File) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			p.declares = true
		case *ast.GenDecl:
			p.declares = p.declares || d.Tok != token.IMPORT
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			p.goroutine = true
		case *ast.CallExpr: // sync.WaitGroup.Go and its kind
			if sel, ok := n.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "Go" {
				p.goroutine = true
			}
		}
		return true
	})
}
