package serve

import (
	stdjson "encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"confab/internal/worker/recordshape"
)

type apiDescription struct {
	Paths map[string]map[string]struct {
		Responses map[string]any `yaml:"responses"`
	} `yaml:"paths"`
	Components struct {
		Parameters map[string]struct {
			Schema struct {
				Enum []string `yaml:"enum"`
			} `yaml:"schema"`
		} `yaml:"parameters"`
		Schemas map[string]any `yaml:"schemas"`
	} `yaml:"components"`
}

func readDescription(t *testing.T) (d apiDescription) {
	t.Helper()
	require.NoError(t, yaml.Unmarshal(openAPI, &d))
	return d
}

// The description has the routes, the presets and the statuses of the code.
func TestDescriptionIsComplete(t *testing.T) {
	d := readDescription(t)
	var paths []string
	for _, r := range apiRoutes() {
		paths = append(paths, r.path)
		op, ok := d.Paths[r.path][strings.ToLower(r.method)]
		require.True(t, ok, r.path)
		if !r.open {
			require.Equal(t, statuses(t), slices.Sorted(maps.Keys(op.Responses)), r.path)
		}
	}
	require.ElementsMatch(t, paths, slices.Collect(maps.Keys(d.Paths)))
	require.Equal(t, recordshape.PresetNames(), d.Components.Parameters["preset"].Schema.Enum)
}

// statuses are those that the package's refusals name, with 200.
func statuses(t *testing.T) (codes []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "problem.go", nil, 0)
	require.NoError(t, err)
	byName := map[string]int{
		"StatusBadRequest": 400, "StatusUnauthorized": 401, "StatusForbidden": 403, "StatusMethodNotAllowed": 405, "StatusRequestTimeout": 408,
		"StatusRequestEntityTooLarge": 413, "StatusUnsupportedMediaType": 415, "StatusTooManyRequests": 429,
		"StatusInternalServerError": 500, "StatusServiceUnavailable": 503, "StatusNotFound": 0, "StatusBadGateway": 0, // of other paths
	}
	seen := map[int]bool{http.StatusOK: true}
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && strings.HasPrefix(s.Sel.Name, "Status") {
			code, known := byName[s.Sel.Name]
			require.True(t, known, s.Sel.Name)
			seen[code] = true
		}
		return true
	})
	delete(seen, 0)
	for _, code := range slices.Sorted(maps.Keys(seen)) {
		codes = append(codes, strconv.Itoa(code))
	}
	return codes
}

// Responses follow their schemas.
func TestResponsesFollowDescription(t *testing.T) {
	_, url, _ := newServer(t, blockAll)
	for name, a := range map[string]*answer{
		"Flag":    send(t, "POST", url+"/v1/check", right),
		"Blocked": send(t, "POST", url+"/v1/check", wrong),
		"Error":   send(t, "POST", url+"/v1/check", "no JSON"),
	} {
		require.NoError(t, schemaOf(t, name).Validate(parse(t, a.body)), "%s: %s", name, a.body)
	}
}

func schemaOf(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	all, err := stdjson.Marshal(map[string]any{"components": map[string]any{"schemas": readDescription(t).Components.Schemas}})
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	require.NoError(t, c.AddResource("api.json", parse(t, string(all))))
	s, err := c.Compile("api.json#/components/schemas/" + name)
	require.NoError(t, err)
	return s
}

func parse(t *testing.T, text string) any {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	require.NoError(t, err)
	return v
}
