package records

import (
	"compress/gzip"
	stdjson "encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"confab/consumer"
	"confab/internal/kafka"
	"confab/internal/worker/config"
	"confab/internal/worker/resources"
	"confab/schemas"
)

const (
	schemasDir   = "../../../schemas"
	asyncAPIFile = schemasDir + "/asyncapi.yaml"
)

// asyncDocument is what these tests read of schemas/asyncapi.yaml.
type asyncDocument struct {
	Channels map[string]struct {
		Address  string
		Messages map[string]any
		Bindings struct {
			Kafka struct {
				Partitions         int
				TopicConfiguration struct {
					Cleanup   []string `yaml:"cleanup.policy"`
					Retention int64    `yaml:"retention.ms"`
				} `yaml:"topicConfiguration"`
			}
		}
	}
	Components struct {
		Schemas map[string]struct {
			Required   []string
			Properties map[string]struct{ Enum []string }
		}
	}
}

func readAsyncDocument(t *testing.T) (doc asyncDocument, tree any) {
	t.Helper()
	text, err := os.ReadFile(asyncAPIFile)
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(text, &doc))
	require.NoError(t, yaml.Unmarshal(text, &tree))
	raw, err := stdjson.Marshal(tree)
	require.NoError(t, err)
	tree, err = jsonschema.UnmarshalJSON(strings.NewReader(string(raw)))
	require.NoError(t, err)
	return doc, tree
}

// The document satisfies the JSON Schema that the AsyncAPI project publishes, which is under Apache-2.0.
func TestAsyncAPIDocumentIsValid(t *testing.T) {
	file, err := os.Open("testdata/asyncapi-3.0.0.schema.json.gz")
	require.NoError(t, err)
	defer file.Close()
	plain, err := gzip.NewReader(file)
	require.NoError(t, err)
	definition, err := jsonschema.UnmarshalJSON(plain)
	require.NoError(t, err)
	compiler := jsonschema.NewCompiler()
	require.NoError(t, compiler.AddResource("asyncapi.json", definition))
	schema, err := compiler.Compile("asyncapi.json")
	require.NoError(t, err)

	_, tree := readAsyncDocument(t)
	require.NoError(t, schema.Validate(tree))

	channels := tree.(map[string]any)["channels"].(map[string]any)
	channels["incidents"].(map[string]any)["topic"] = "llm.incidents"
	require.Error(t, schema.Validate(tree), "an unknown member is found")
}

func TestAsyncAPIReferencesResolve(t *testing.T) {
	_, tree := readAsyncDocument(t)
	files := map[string]bool{}
	var visit func(node any)
	visit = func(node any) {
		switch node := node.(type) {
		case []any:
			for _, n := range node {
				visit(n)
			}
		case map[string]any:
			for key, n := range node {
				if key != "$ref" {
					visit(n)
					continue
				}
				ref := n.(string)
				pointer, local := strings.CutPrefix(ref, "#/")
				if !local {
					files[ref] = true
					continue
				}
				at := tree
				for part := range strings.SplitSeq(pointer, "/") {
					at = at.(map[string]any)[part]
				}
				require.NotNil(t, at, ref)
			}
		}
	}
	visit(tree)
	published := map[string]bool{}
	for _, pattern := range []string{"*.avsc", "*.schema.json"} {
		paths, err := filepath.Glob(filepath.Join(schemasDir, pattern))
		require.NoError(t, err)
		for _, p := range paths {
			published[filepath.Base(p)] = true
		}
	}
	require.Equal(t, published, files, "every published schema is the payload of a message, and each payload is a published schema")
}

// Topics, partitions and retention are those that `confab topics apply` creates.
func TestAsyncAPIChannelsAreTheTopics(t *testing.T) {
	doc, _ := readAsyncDocument(t)
	got := map[string]kafka.TopicSpec{}
	for name, c := range doc.Channels {
		settings := map[string]string{"cleanup.policy": strings.Join(c.Bindings.Kafka.TopicConfiguration.Cleanup, ",")}
		if ms := c.Bindings.Kafka.TopicConfiguration.Retention; ms != 0 {
			settings["retention.ms"] = strconv.FormatInt(ms, 10)
		}
		got[c.Address] = kafka.TopicSpec{Name: c.Address, Partitions: c.Bindings.Kafka.Partitions, Configs: settings}
		require.NotEmpty(t, c.Messages, name)
	}
	want := map[string]kafka.TopicSpec{}
	c := config.Default()
	c.Export.Evaluations, c.Observations.Enabled = true, true
	for _, s := range resources.TopicSpecs(c, resources.Sizing{Partitions: 12}) {
		delete(s.Configs, "max.message.bytes")
		delete(s.Configs, "max.compaction.lag.ms")
		want[s.Name] = s
	}
	require.Equal(t, want, got)
}

func TestAsyncAPIHeadersAreThoseOfTheWorker(t *testing.T) {
	doc, _ := readAsyncDocument(t)
	require.Equal(t, headerConstants(t, "../../../internal/kafka/deadletter/deadletter.go"), headerNames(doc, "deadLetterHeaders"))
	require.Equal(t, headerConstants(t, "../../../sampling/sampler.go"), headerNames(doc, "sampledHeaders"))

	var publisher Publisher
	flag := schemas.Flag{IncidentID: strings.Repeat("a", 64), Pass: schemas.PassFast}
	record := consumer.Record[*schemas.Interaction]{Value: &schemas.Interaction{}}
	quiet := headersOf(&publisher, &flag, &record)
	require.Equal(t, slices.Sorted(slices.Values(doc.Components.Schemas["flagHeaders"].Required)), quiet)
	flag.Fired = []string{"facts"}
	record.Headers = []kafka.Header{{Key: "traceparent", Value: []byte("00-" + strings.Repeat("1", 32) + "-" + strings.Repeat("2", 16) + "-01")}}
	require.Equal(t, headersOf(&publisher, &flag, &record), headerNames(doc, "flagHeaders"))
	require.Equal(t, []string{eventDetected, eventDetectedStreaming}, doc.Components.Schemas["flagHeaders"].Properties["confab-event-type"].Enum)
}

func headerNames(doc asyncDocument, name string) []string {
	return slices.Sorted(maps.Keys(doc.Components.Schemas[name].Properties))
}

func headersOf(p *Publisher, f *schemas.Flag, r *consumer.Record[*schemas.Interaction]) []string {
	var names []string
	for _, h := range p.headers(f, r) {
		names = append(names, h.Key)
	}
	slices.Sort(names)
	return names
}

// headerConstants are the values of the constants Header… of a source file, so that a new one is not forgotten here.
func headerConstants(t *testing.T, path string) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	require.NoError(t, err)
	var names []string
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || !strings.HasPrefix(spec.Names[0].Name, "Header") || len(spec.Values) == 0 {
			return true
		}
		value, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		require.NoError(t, err)
		names = append(names, value)
		return true
	})
	require.NotEmpty(t, names)
	slices.Sort(names)
	return names
}
