package config

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"confab/internal/golden"
	"confab/internal/strictyaml"
)

// The committed schema equals the one generated from the structs.
func TestSchemaIsCurrent(t *testing.T) {
	root := jsonSchemaOf(fieldComments(t), reflect.ValueOf(Default()).Elem(), strictyaml.Rules{})
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = "confab.yaml"
	root["description"] = "The configuration of Confab. Generated from the Config structs."
	root["$defs"] = map[string]any{"reference": map[string]any{
		"type": "string", "pattern": `\$\{`, "description": "A value from the environment: ${VAR} or ${VAR:-default}.",
	}}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	require.NoError(t, enc.Encode(root))
	golden.Equal(t, "confab.schema.json", out.Bytes())
	if !golden.Update() { // this binary embeds the older one
		require.Equal(t, out.String(), string(JSONSchema()))
	}
}

func compiledSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(JSONSchema()))
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	require.NoError(t, c.AddResource("confab.schema.json", doc))
	schema, err := c.Compile("confab.schema.json")
	require.NoError(t, err)
	return schema
}

// asJSON converts YAML as an editor does before it applies a schema.
func asJSON(t *testing.T, text []byte) any {
	t.Helper()
	var v any
	require.NoError(t, yaml.Unmarshal(text, &v))
	data, err := json.Marshal(v)
	require.NoError(t, err)
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	require.NoError(t, err)
	return doc
}

// The schema accepts everything that the loader accepts.
func TestSchemaAccepts(t *testing.T) {
	printed, err := Default().YAML()
	require.NoError(t, err)
	files := map[string][]byte{
		"example": Example(),
		"empty":   []byte("{}"),
		"null":    []byte("kafka:\nalerting:\n  muted:\n"),
		"expanded": []byte("workers: ${N:-2}\nadmin: {pprof: \"${P:-true}\"}\nkafka: {seed_brokers: \"${B:-a:1,b:2}\", max_record_bytes: 1048576}\n" +
			"sampling: {rate: \"${R:-0}\"}\nshutdown_grace: ${G:-20s}\n"),
		"map": []byte("kafka:\n  inputs:\n    - {topic: t, map: {answer: /a, occurred_at: required /t, attributes.a.b: \"${P:-/x}\"}}\n" +
			"    - {topic: u, map: }\n"),
		"numbers": []byte("kafka: {client_id: 7, session_timeout: 1m30s, max_record_bytes: 512 KiB}\nalerting: {min_risk: 0, weights: {}}"),
	}
	schema := compiledSchema(t)
	for name, text := range files {
		_, err := loadText(text, LoadOptions{})
		require.NoError(t, err, name)
		require.NoError(t, schema.Validate(asJSON(t, text)), name)
	}
	require.NoError(t, schema.Validate(asJSON(t, printed)))
}

// The schema rejects unknown keys, wrong types, unknown enumeration values and values out of limits.
func TestSchemaRefuses(t *testing.T) {
	schema := compiledSchema(t)
	for _, name := range []string{
		"unknown_key", "unknown_key_listed", "unknown_section", "wrong_types", "enum", "not_a_mapping", "out_of_range", "empty_value", "bad_map",
	} {
		text, err := os.ReadFile(filepath.Join("testdata/config", name+".yaml"))
		require.NoError(t, err)
		require.Error(t, schema.Validate(asJSON(t, text)), name)
	}
}

// The example needs no environment, names its schema on the first line and mentions every section.
func TestExample(t *testing.T) {
	cfg, err := loadText(Example(), LoadOptions{})
	require.NoError(t, err)
	cfg.Unset = nil
	require.Empty(t, cmp.Diff(Default(), cfg), "the example changes no default")
	first, _, _ := strings.Cut(string(Example()), "\n")
	require.True(t, strings.HasPrefix(first, "# yaml-language-server: $schema="), first)
	for _, f := range strictyaml.Fields(reflect.ValueOf(cfg).Elem()) {
		if t2 := f.Value.Type(); !strictyaml.IsScalar(t2) && f.Name != "roles" {
			require.Regexp(t, `(?m)^(# )?`+f.Name+`:`, string(Example()))
		}
	}
}

// The smallest example loads, has a sink, and is the file in examples/.
func TestMinimalExample(t *testing.T) {
	cfg, err := loadText(MinimalExample(), LoadOptions{})
	require.NoError(t, err)
	require.Contains(t, cfg.ActiveRoles(), RoleAlert)
	file, err := os.ReadFile(filepath.Join("..", "..", "..", "examples", "confab.yaml"))
	require.NoError(t, err)
	require.Equal(t, string(file), string(MinimalExample()))
}
