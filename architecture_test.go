// Package confab_test holds the code against ARCHITECTURE.md: who may import whom, and the house rules that no linter
// knows. It parses the sources itself, since the go command's cache would hide a file that a build tag leaves out.
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

const (
	module   = "confab"
	maxLines = 300
)

func TestRoomsAgreeWithArchitecture(t *testing.T) {
	require.Empty(t, inspect(t, os.DirFS(".")))
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
			require.Contains(t, tests.String(), "func "+name[1]+"(", "the benchmark of %s", row[1])
		}
	}
}

// TestArchitectureIsHeld breaks one rule at a time in a small sound house and expects to hear of it.
func TestArchitectureIsHeld(t *testing.T) {
	sound := func() fstest.MapFS {
		return fstest.MapFS{
			"ARCHITECTURE.md":   text("| 1 | `top` | `side` | x | y |", "| 1 | `side` | | x | y |", "| 0 | `low` | | x | y |"),
			"top/top.go":        text("// Package top is a room.", "package top", `import ("confab/low"; "confab/side")`, "var _ = low.A + side.B"),
			"side/side.go":      text("// Package side is a room.", "package side", "const B = 1"),
			"low/low.go":        text("// Package low is a room.", "package low", "const A = 1"),
			"low/low_test.go":   text("package low", `import "confab/top"`),
			"low/testdata/x.go": text("package broken"),
		}
	}
	require.Empty(t, inspect(t, sound()))

	for name, c := range map[string]struct {
		file  string
		lines []string // none removes the file
		want  string
	}{
		"import up":                 {"low/up.go", []string{"package low", `import _ "confab/side"`}, "low (storey 0) imports side (storey 1): imports point down"},
		"import sideways":           {"side/b.go", []string{"package side", `import _ "confab/top"`}, "side imports top of its own storey, which its row does not name"},
		"behind a build tag":        {"low/up.go", []string{"//go:build never", "package low", `import _ "confab/side"`}, "low (storey 0) imports side (storey 1): imports point down"},
		"package without a row":     {"new/new.go", []string{"// Package new is one.", "package new", "const C = 1"}, "new has no row in ARCHITECTURE.md"},
		"row without a package":     {"low/low.go", nil, "low has a row in ARCHITECTURE.md and no package"},
		"beside names nothing":      {"ARCHITECTURE.md", []string{"| 1 | `top` | `side`, `gone` | x | y |", "| 1 | `side` | | x | y |", "| 0 | `low` | | x | y |"}, "top is beside gone, which is no room of its storey"},
		"beside is not used":        {"ARCHITECTURE.md", []string{"| 1 | `top` | `side` | x | y |", "| 1 | `side` | `top` | x | y |", "| 0 | `low` | | x | y |"}, "side is beside top and does not import it"},
		"empty package":             {"low/low.go", []string{"// Package low is a room.", "package low"}, "low declares nothing"},
		"no package comment":        {"low/low.go", []string{"package low", "const A = 1"}, "low has no package comment"},
		"long file":                 {"low/long.go", append([]string{"package low"}, make([]string, maxLines)...), "low/long.go has 301 lines, 300 are allowed"},
		"goroutine without goleak":  {"low/go.go", []string{"package low", "func f() { go f() }"}, "low starts goroutines and no test of it runs goleak"},
		"worker set without goleak": {"low/go.go", []string{"package low", `import "sync"`, "func f(w *sync.WaitGroup) { w.Go(func() {}) }"}, "low starts goroutines and no test of it runs goleak"},
	} {
		t.Run(name, func(t *testing.T) {
			house := sound()
			delete(house, c.file)
			if c.lines != nil {
				house[c.file] = text(c.lines...)
			}
			require.Equal(t, []string{c.want}, inspect(t, house))
		})
	}

	t.Run("goroutine with goleak", func(t *testing.T) {
		house := sound()
		house["low/go.go"] = text("package low", "func f() { go f() }")
		house["low/main_test.go"] = text("package low", `import "go.uber.org/goleak"`, "func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }")
		require.Empty(t, inspect(t, house))
	})
}

func text(lines ...string) *fstest.MapFile {
	return &fstest.MapFile{Data: []byte(strings.Join(lines, "\n") + "\n")}
}

// room is a row of the storey table.
type room struct {
	storey string
	beside []string
}

// pkg is what the sources of one directory say.
type pkg struct {
	imports   map[string]bool // of this module, without its name
	long      []string
	source    bool // has more than tests
	declares  bool
	comment   bool
	goroutine bool
	goleak    bool
}

// inspect lists every difference between the house and its rules.
func inspect(t *testing.T, house fs.FS) []string {
	t.Helper()
	rooms := readRooms(t, house)
	pkgs := readPackages(t, house)
	var faults []string
	add := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	for name, r := range rooms {
		if pkgs[name] == nil {
			add("%s has a row in ARCHITECTURE.md and no package", name)
		}
		for _, b := range r.beside {
			if other, ok := rooms[b]; !ok || other.storey != r.storey {
				add("%s is beside %s, which is no room of its storey", name, b)
			} else if p := pkgs[name]; p != nil && !p.imports[b] {
				add("%s is beside %s and does not import it", name, b)
			}
		}
	}
	for name, p := range pkgs {
		r, ok := rooms[name]
		if !ok {
			add("%s has no row in ARCHITECTURE.md", name)
			continue
		}
		for dep := range p.imports {
			to, known := rooms[dep]
			switch {
			case !known: // said once, for the package itself
			case to.storey > r.storey:
				add("%s (storey %s) imports %s (storey %s): imports point down", name, r.storey, dep, to.storey)
			case to.storey == r.storey && !slices.Contains(r.beside, dep):
				add("%s imports %s of its own storey, which its row does not name", name, dep)
			}
		}
		if !p.declares {
			add("%s declares nothing", name)
		}
		if !p.comment {
			add("%s has no package comment", name)
		}
		if p.goroutine && !p.goleak {
			add("%s starts goroutines and no test of it runs goleak", name)
		}
		for _, file := range p.long {
			add("%s lines, %d are allowed", file, maxLines)
		}
	}
	slices.Sort(faults)
	return faults
}

// readRooms takes the rows of the storey table: a digit, a room in backquotes, the rooms beside it in backquotes.
func readRooms(t *testing.T, house fs.FS) map[string]room {
	t.Helper()
	page, err := fs.ReadFile(house, "ARCHITECTURE.md")
	require.NoError(t, err)
	row := regexp.MustCompile("(?m)^\\| ([0-9]) \\| `([^`]+)` \\|([^|]*)\\|")
	name := regexp.MustCompile("`([^`]+)`")
	rooms := map[string]room{}
	for _, cells := range row.FindAllStringSubmatch(string(page), -1) {
		r := room{storey: cells[1]}
		for _, b := range name.FindAllStringSubmatch(cells[3], -1) {
			r.beside = append(r.beside, b[1])
		}
		require.NotContains(t, rooms, cells[2], "two rows for one room")
		rooms[cells[2]] = r
	}
	require.NotEmpty(t, rooms, "no storey table in ARCHITECTURE.md")
	return rooms
}

// readPackages parses every Go file of the module but the one at its root; nested modules, testdata and hidden
// directories are left out, as the go command does.
func readPackages(t *testing.T, house fs.FS) map[string]*pkg {
	t.Helper()
	pkgs := map[string]*pkg{}
	err := fs.WalkDir(house, ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		dir, base := path.Split(file)
		if d.IsDir() {
			_, nested := fs.Stat(house, path.Join(file, "go.mod"))
			if file != "." && (nested == nil || base == "testdata" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_")) {
				return fs.SkipDir
			}
			return nil
		}
		if dir = path.Clean(dir); dir == "." || !strings.HasSuffix(base, ".go") {
			return nil
		}
		src, err := fs.ReadFile(house, file)
		if err != nil {
			return err
		}
		if pkgs[dir] == nil {
			pkgs[dir] = &pkg{imports: map[string]bool{}}
		}
		return pkgs[dir].read(file, src)
	})
	require.NoError(t, err)
	maps.DeleteFunc(pkgs, func(_ string, p *pkg) bool { return !p.source })
	return pkgs
}

func (p *pkg) read(file string, src []byte) error {
	if strings.HasSuffix(file, "_test.go") {
		p.goleak = p.goleak || strings.Contains(string(src), "goleak.") // Verify…, or Find where TestMain is taken
		return nil
	}
	f, err := parser.ParseFile(token.NewFileSet(), file, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return fmt.Errorf("parse %s: %w", file, err)
	}
	p.source = true
	if n := strings.Count(string(src), "\n"); n > maxLines {
		p.long = append(p.long, fmt.Sprintf("%s has %d", file, n))
	}
	p.comment = p.comment || f.Doc != nil
	for _, i := range f.Imports {
		if dep, ok := strings.CutPrefix(strings.Trim(i.Path.Value, `"`), module+"/"); ok {
			p.imports[dep] = true
		}
	}
	for _, d := range f.Decls {
		if g, ok := d.(*ast.GenDecl); !ok || g.Tok != token.IMPORT {
			p.declares = true
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
	return nil
}
