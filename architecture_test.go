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
	"path/filepath"
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

// TestHotPathsAreMeasured holds the table of CONTRIBUTING.md against the benchmarks: rows are a path in backquotes and
// the names of benchmarks in backquotes, which must be in that directory.
func TestHotPathsAreMeasured(t *testing.T) {
	page, err := os.ReadFile("CONTRIBUTING.md")
	require.NoError(t, err)
	rows := regexp.MustCompile("(?m)^\\| `([^`]+)`[^|]*\\|(.*Benchmark.*)\\|$").FindAllStringSubmatch(string(page), -1)
	require.NotEmpty(t, rows, "no table of hot paths")
	for _, row := range rows {
		var tests strings.Builder
		files, err := filepath.Glob(filepath.Join(row[1], "*_test.go"))
		require.NoError(t, err)
		for _, f := range files {
			src, err := os.ReadFile(f)
			require.NoError(t, err)
			tests.Write(src)
		}
		for _, name := range regexp.MustCompile("`(Benchmark[^`]+)`").FindAllStringSubmatch(row[2], -1) {
			measured := strings.Contains(tests.String(), "func "+name[1]+"(") // the sources would fill the message
			require.True(t, measured, "%s has no %s", row[1], name[1])
		}
	}
}

// TestArchitectureRules breaks one rule at a time in a small valid module and expects that violation.
func TestArchitectureRules(t *testing.T) {
	const table = "| 1 | `top` | `side` | x |\n| 1 | `side` | | x |\n| 0 | `low` | | x |"
	valid := func() fstest.MapFS {
		return fstest.MapFS{
			"ARCHITECTURE.md":   text(table),
			"top/top.go":        text("// Package top is a package.", "package top", `import ("confab/low"; "confab/side")`, "var _ = low.A + side.B"),
			"side/side.go":      text("// Package side is a package.", "package side", "const B = 1"),
			"low/low.go":        text("// Package low is a package.", "package low", "const A = 1"),
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
		"import sideways":           {"side/b.go", []string{"package side", `import _ "confab/top"`}, "side imports top of its own layer, which its row does not name"},
		"behind a build tag":        {"low/up.go", []string{"//go:build never", "package low", `import _ "confab/side"`}, "low (layer 0) imports side (layer 1): imports point down"},
		"package without a row":     {"new/new.go", []string{"// Package new is one.", "package new", "const C = 1"}, "new has no row in ARCHITECTURE.md"},
		"row without a package":     {"low/low.go", nil, "low has a row in ARCHITECTURE.md and no package"},
		"unknown package in a row":  {"ARCHITECTURE.md", []string{strings.Replace(table, "`side` |", "`side`, `gone` |", 1)}, "top may import gone, which is not a package of its layer"},
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

// layerRow is a row of the table of packages.
type layerRow struct {
	layer     string
	mayImport []string // packages of its own layer
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
		r, ok := rows[name]
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

func (v *violations) checkRows(rows map[string]layerRow, pkgs map[string]*packageFacts) {
	for name, r := range rows {
		if pkgs[name] == nil {
			v.add("%s has a row in ARCHITECTURE.md and no package", name)
		}
		for _, b := range r.mayImport {
			if other, ok := rows[b]; !ok || other.layer != r.layer {
				v.add("%s may import %s, which is not a package of its layer", name, b)
			} else if p := pkgs[name]; p != nil && !p.imports[b] {
				v.add("%s may import %s and does not", name, b)
			}
		}
	}
}

func (v *violations) checkImports(name string, p *packageFacts, r layerRow, rows map[string]layerRow) {
	for dep := range p.imports {
		to, known := rows[dep]
		switch {
		case !known: // reported once, for the package itself
		case to.layer > r.layer:
			v.add("%s (layer %s) imports %s (layer %s): imports point down", name, r.layer, dep, to.layer)
		case to.layer == r.layer && !slices.Contains(r.mayImport, dep):
			v.add("%s imports %s of its own layer, which its row does not name", name, dep)
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

// readLayers takes the rows of the table of packages: a layer, a package, the packages of its layer that it may import.
func readLayers(t *testing.T, page string) map[string]layerRow {
	t.Helper()
	row := regexp.MustCompile("(?m)^\\| ([0-9]) \\| `([^`]+)` \\|([^|]*)\\|")
	name := regexp.MustCompile("`([^`]+)`")
	rows := map[string]layerRow{}
	for _, cells := range row.FindAllStringSubmatch(page, -1) {
		r := layerRow{layer: cells[1]}
		for _, b := range name.FindAllStringSubmatch(cells[3], -1) {
			r.mayImport = append(r.mayImport, b[1])
		}
		require.NotContains(t, rows, cells[2], "two rows for one package")
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
		p.goleak = p.goleak || strings.Contains(string(src), "goleak.") // Verify…, or Find where TestMain is taken
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
