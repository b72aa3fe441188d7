package standard

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEveryDetectorIsListed fails when a package below detectors has a type with a Detect method and standard.go does not
// list it.
func TestEveryDetectorIsListed(t *testing.T) {
	list, err := os.ReadFile("standard.go")
	require.NoError(t, err)
	detect := regexp.MustCompile(`(?m)^func \(.*\) Detect\(.*\) \(detectors\.Finding, error\) \{`)
	found := 0
	files, err := fs.Glob(os.DirFS(".."), "*/*.go")
	require.NoError(t, err)
	for _, file := range files {
		pkg := path.Dir(file)
		if strings.HasSuffix(file, "_test.go") || pkg == "detectortest" {
			continue
		}
		text, err := os.ReadFile(path.Join("..", file))
		require.NoError(t, err)
		if detect.Match(text) {
			found++
			require.Regexp(t, `\b`+pkg+`\.(New|Name)\b`, string(list), "%s is listed", file)
		}
	}
	require.Len(t, Names(), found)
}

// homonyms are files and directories in which a detector's name means something else: a field, a command, a relation, sample
// data, a group of columns, a field of records. A preset of the alert rule weighs detectors by name, messages have words for grounding, and tuning starts
// from a table of scores by name.
var homonyms = []string{
	"alerting/alerttest/", "alerting/card/passage.go", "alerting/preset.go", "calibration/load.go", "calibration/starting.go", "calibration/tune/prior.go", "cmd/worker/config.go", "cmd/worker/schema.go", "detectors/grounding/columns.go", "internal/cli/topics/",
	"integration/", "internal/llm/", "internal/promptsources/", "internal/worker/records/field_counts.go", "sampling/", "schemas/",
}

// TestADetectorIsOnePackageAndOneLine fails when a file outside a detector's package names the detector, except for its line
// in standard.go and the fusion, which knows the scores that count both ways.
func TestADetectorIsOnePackageAndOneLine(t *testing.T) {
	literals := stringLiterals(t, os.DirFS("../.."))
	for _, e := range allDetectors(t) {
		own := strings.TrimPrefix(reflect.TypeOf(buildDetector(t, e)).Elem().PkgPath(), "confab/") + "/"
		lines := 0
		for file, texts := range literals {
			for _, text := range texts {
				name, _, qualified := strings.Cut(text, ".")
				switch {
				case name != e.Name || strings.HasPrefix(file, own):
				case file == "detectors/standard/standard.go":
					lines++
				case !qualified || strings.HasPrefix(file, "detectors/"):
					require.Equal(t, "detectors/fusion/fusion.go", file, "names the detector %s: %q", e.Name, text)
				}
			}
		}
		require.Equal(t, 1, lines, "lines of %s in standard.go", e.Name)
	}
}

// stringLiterals returns the string literals of the non-test Go files, by file.
func stringLiterals(t *testing.T, root fs.FS) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	require.NoError(t, fs.WalkDir(root, ".", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && file != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata"):
			return fs.SkipDir
		case d.IsDir(), !strings.HasSuffix(file, ".go"), strings.HasSuffix(file, "_test.go"), hasPrefix(file, homonyms):
			return nil
		}
		text, err := fs.ReadFile(root, file)
		require.NoError(t, err)
		parsed, err := parser.ParseFile(token.NewFileSet(), file, text, parser.SkipObjectResolution)
		require.NoError(t, err)
		ast.Inspect(parsed, func(n ast.Node) bool {
			if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
				value, err := strconv.Unquote(literal.Value)
				require.NoError(t, err)
				all[file] = append(all[file], value)
			}
			return true
		})
		return nil
	}))
	return all
}

func hasPrefix(file string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(file, p) {
			return true
		}
	}
	return false
}

// TestDetectorsAreIndependent fails when a detector imports the package of another one: it could read its findings, and two that
// fire would not be two methods.
func TestDetectorsAreIndependent(t *testing.T) {
	own := map[string]bool{}
	for _, e := range allDetectors(t) {
		own[reflect.TypeOf(buildDetector(t, e)).Elem().PkgPath()] = true
	}
	require.Greater(t, len(own), 5)
	for pkg := range own {
		files, err := fs.Glob(os.DirFS("../.."), strings.TrimPrefix(pkg, "confab/")+"/*.go")
		require.NoError(t, err)
		require.NotEmpty(t, files, pkg)
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), path.Join("../..", file), nil, parser.ImportsOnly)
			require.NoError(t, err)
			for _, i := range parsed.Imports {
				other, err := strconv.Unquote(i.Path.Value)
				require.NoError(t, err)
				require.False(t, own[other], "%s imports the detector %s", file, other)
			}
		}
	}
}
