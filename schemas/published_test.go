package schemas_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/linkedin/goavro/v2"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"confab/schemas"
)

// avroField is as much of an Avro schema as these tests look at.
type avroField struct {
	Name    string
	Default any
	Type    any
}

func avroFields(t *testing.T, schema string) []avroField {
	t.Helper()
	var record struct{ Fields []avroField }
	require.NoError(t, json.Unmarshal([]byte(schema), &record))
	require.NotEmpty(t, record.Fields)
	return record.Fields
}

// The wire names of an interaction are a promise; this list is not derived from anything.
func TestInteractionAvro(t *testing.T) {
	_, err := goavro.NewCodec(schemas.InteractionAvro())
	require.NoError(t, err)
	defaults := map[string]any{
		"interaction_id": nil, "tenant": schemas.DefaultTenant, "service": "", "operation": "", "provider": "", "model": "",
		"occurred_at": 0.0, "trace_id": "", "span_id": "", "conversation_id": "", "tags": []any{}, "messages": []any{},
		"answer": nil, "finish_reason": "", "streamed": false, "temperature": float64(schemas.UnknownTemperature),
		"sources": []any{}, "response_schema": "", "attributes": map[string]any{}, "top_k": 0.0, "token_logprobs": "",
	}
	fields := avroFields(t, schemas.InteractionAvro())
	require.Len(t, fields, len(defaults))
	for _, f := range fields {
		want, known := defaults[f.Name]
		require.True(t, known, f.Name)
		require.Equal(t, want, f.Default, f.Name)
		if union, ok := f.Type.([]any); ok {
			require.Fail(t, "a union is slow to decode", "%s %v", f.Name, union)
		}
	}
	heavy := []string{"sources", "response_schema", "attributes", "top_k", "token_logprobs"}
	for i, name := range heavy {
		require.Equal(t, name, fields[len(fields)-len(heavy)+i].Name, "heavy optional fields come last")
	}
}

// An event in the published Avro form survives an independent codec.
func TestInteractionAvroEncodes(t *testing.T) {
	codec, err := goavro.NewCodec(schemas.InteractionAvro())
	require.NoError(t, err)
	native, _, err := codec.NativeFromTextual([]byte(`{"interaction_id":"i","answer":"a"}`))
	require.NoError(t, err)
	raw, err := codec.BinaryFromNative(nil, native)
	require.NoError(t, err)
	back, rest, err := codec.NativeFromBinary(raw)
	require.NoError(t, err)
	require.Empty(t, rest)
	got, ok := back.(map[string]any)
	require.True(t, ok)
	require.Equal(t, "a", got["answer"])
	require.Equal(t, "default", got["tenant"])
	require.InDelta(t, -1, got["temperature"], 0)
}

func TestFlagAvro(t *testing.T) {
	_, err := goavro.NewCodec(schemas.FlagAvro())
	require.NoError(t, err)
	var names []string
	for _, f := range avroFields(t, schemas.FlagAvro()) {
		names = append(names, f.Name)
	}
	require.Equal(t, []string{
		"incident_id", "pass", "interaction_id", "tenant", "service", "operation", "provider", "model", "trace_id", "span_id",
		"conversation_id", "tags", "occurred_at", "detected_at", "origin", "signals", "fired", "risk", "recommendation", "action",
		"alert", "grounding", "calibration", "worker_version", "truncated", "sampled", "sample_reason",
		"sample_probability", "id_source", "attributes", "sources_from", "question",
		"checked", "unchecked", "judge_model", "judge_prompt", "confirmed_by", "shape",
	}, names)
	require.Equal(t, names, jsonNames(t, reflect.TypeFor[schemas.Flag]()), "Avro and Go have the same fields in the same order")
}

// jsonNames are the names that a struct's fields have in JSON, in order.
func jsonNames(t *testing.T, typ reflect.Type) (names []string) {
	t.Helper()
	for f := range typ.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		require.NotEmpty(t, name, "%s.%s has no JSON name", typ, f.Name)
		names = append(names, name)
	}
	return names
}

// jsonObject is as much of a JSON Schema as these tests look at.
type jsonObject struct {
	Properties map[string]any
	Required   []string
	Defs       map[string]jsonObject `json:"$defs"`
}

// Every Go type of a record has exactly the properties of its JSON Schema, and what is always written is required.
func TestJSONSchemasMatchTypes(t *testing.T) {
	var flag, state, feedback, observation jsonObject
	require.NoError(t, json.Unmarshal(jsonSchema(t, "flag"), &flag))
	require.NoError(t, json.Unmarshal(jsonSchema(t, "alert_state"), &state))
	require.NoError(t, json.Unmarshal(jsonSchema(t, "feedback"), &feedback))
	require.NoError(t, json.Unmarshal(jsonSchema(t, "observation"), &observation))
	for _, c := range []struct {
		typ    reflect.Type
		schema jsonObject
	}{
		{reflect.TypeFor[schemas.Flag](), flag},
		{reflect.TypeFor[schemas.Origin](), flag.Defs["origin"]},
		{reflect.TypeFor[schemas.Signal](), flag.Defs["signal"]},
		{reflect.TypeFor[schemas.Evidence](), flag.Defs["evidence"]},
		{reflect.TypeFor[schemas.Statement](), flag.Defs["statement"]},
		{reflect.TypeFor[schemas.Grounding](), flag.Defs["grounding"]},
		{reflect.TypeFor[schemas.Claim](), flag.Defs["claim"]},
		{reflect.TypeFor[schemas.AlertState](), state},
		{reflect.TypeFor[schemas.AlertMember](), state.Defs["member"]},
		{reflect.TypeFor[schemas.AlertGroupState](), state.Defs["group"]},
		{reflect.TypeFor[schemas.AlertGroupLabels](), state.Defs["labels"]},
		{reflect.TypeFor[schemas.Silence](), state.Defs["silence"]},
		{reflect.TypeFor[schemas.Feedback](), feedback},
		{reflect.TypeFor[schemas.Observation](), observation},
	} {
		t.Run(c.typ.Name(), func(t *testing.T) {
			var published, always []string
			for name := range c.schema.Properties {
				published = append(published, name)
			}
			for f := range c.typ.Fields() {
				name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
				if name != "-" && !strings.Contains(options, "omit") {
					always = append(always, name)
				}
			}
			require.ElementsMatch(t, jsonNames(t, c.typ), published)
			require.ElementsMatch(t, always, c.schema.Required)
		})
	}
}

func jsonSchema(t *testing.T, record string) []byte {
	t.Helper()
	text, err := os.ReadFile(record + ".schema.json")
	require.NoError(t, err)
	return text
}

func compile(t *testing.T, text string) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	require.NoError(t, c.AddResource("urn:test", doc))
	s, err := c.Compile("urn:test")
	require.NoError(t, err)
	return s
}

// Every record that was ever published is valid under today's schemas.
func TestGoldensAreValid(t *testing.T) {
	for _, prefix := range []string{"interaction", "flag", "alert_state", "feedback", "observation"} {
		s := compile(t, string(jsonSchema(t, prefix)))
		files, err := filepath.Glob(filepath.Join("testdata", "compat", "v*", prefix+"_*.json"))
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, name := range files {
			t.Run(filepath.Base(name), func(t *testing.T) {
				raw, err := os.ReadFile(name)
				require.NoError(t, err)
				doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(raw)))
				require.NoError(t, err)
				require.NoError(t, s.Validate(doc))
			})
		}
	}
}

// The schemas refuse what the decoder refuses, as far as a schema can.
func TestInteractionSchemaRefuses(t *testing.T) {
	s := compile(t, string(jsonSchema(t, "interaction")))
	for _, raw := range []string{
		`{}`, `{"answer":null}`, `{"answer":5}`, `{"answer":"a","interaction_id":7}`, `{"answer":"a","tags":"medical"}`,
		`{"answer":"a","occurred_at":"yesterday"}`, `{"answer":"a","sources":[null]}`, `{"answer":"a","sources":{"a":1}}`,
		`{"answer":"a","top_k":-1}`, `{"answer":"a","attributes":{"a":[]}}`, `{"answer":"a","messages":["hi"]}`,
		`{"answer":"a","logprobs":[]}`, `{"answer":"a","logprobs":{"content":[{"logprob":"NaN"}]}}`,
	} {
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(raw))
		require.NoError(t, err)
		require.Error(t, s.Validate(doc), raw)
	}
}
