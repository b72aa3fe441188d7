package records

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/consumer"
	"confab/internal/worker/config"
)

// Every remedy is tried: what it says is done to the record or to its input, and then the record is read. A remedy that names no such
// change says that the record cannot be read.
func TestRemediesHelp(t *testing.T) {
	const completion = `{"id":"c","choices":[{"message":{"content":"a"}}]}`
	preset := func(name string) func(*config.Input) {
		return func(in *config.Input) { in.Map = map[string]string{"preset": name} }
	}
	with := func(entries ...string) func(*config.Input) {
		return func(in *config.Input) {
			m := map[string]string{}
			maps.Copy(m, in.Map)
			for i := 0; i < len(entries); i += 2 {
				m[entries[i]] = entries[i+1]
			}
			in.Map = m
		}
	}
	value := func(to string) func([]byte) []byte { return func([]byte) []byte { return []byte(to) } }
	tests := []struct {
		name, value string
		input       func(*config.Input)
		want        string
		mend        func(*config.Input)
		write       func([]byte) []byte
	}{
		{"a completion", completion, nil, "set map: {preset: openai}", preset("openai"), nil},
		{"a response", `{"id":"r","object":"response","output":[{"content":[{"text":"a"}]}]}`, nil, "set map: {preset: openai}", preset("openai"), nil},
		{
			"a response whose answer is fourth", `{"id":"r","object":"response","output":[{"type":"a"},{"type":"b"},{"type":"c"},{"content":[{"text":"a"}]}]}`,
			preset("openai"), "the preset openai finds no answer in this record: name its place beside the preset, as in map: {preset: openai, answer: /POINTER}",
			with("answer", "/output/3/content"), nil,
		},
		{
			"a completion without an id", `{"choices":[{"message":{"content":"a"}}]}`, preset("openai"),
			"map: {preset: openai, interaction_id: /POINTER}", with("interaction_id", "/choices/0/message/content"), nil,
		},
		{"another map", completion, with("answer", "/reply"), "set map: {preset: openai}", preset("openai"), nil},
		{
			"the preset with a wrong entry", completion, func(in *config.Input) { preset("openai")(in); with("answer", "/reply")(in) },
			"which the preset openai reads: correct the other entries", preset("openai"), nil,
		},
		{"own names", `{"reply":"a"}`, nil, "name its place in kafka.inputs[].map", with("answer", "/reply"), nil},
		{"damaged gzip", "\x1f\x8b\x08\x00", nil, "the value is gzip: it cannot be unpacked", nil, value(`{"answer":"a"}`)},
		{"damaged zstd", "\x28\xb5\x2f\xfd\x00", nil, "the value is zstd: it cannot be unpacked", nil, value(`{"answer":"a"}`)},
		{"snappy", "\xff\x06\x00\x00sNaPpY\x00", nil, "the value is snappy: write it uncompressed or with gzip", nil, func([]byte) []byte { return gzipped(`{"answer":"a"}`) }},
		{"UTF-16", "\xff\xfe{\x00}\x00", nil, "the value is UTF-16: write UTF-8", nil, value(`{"answer":"a"}`)},
		{"single-object Avro", "\xc3\x01abcdefgh\x02a", nil, "behind the id of its schema", nil, value(`{"answer":"a"}`)},
		{"a list of texts", `["a"]`, nil, "not one of objects: write objects", nil, value(`[{"answer":"a"}]`)},
		{"a text in JSON", `"a"`, nil, "write the object itself", nil, value(`{"answer":"a"}`)},
		{"one of two", `[{"reply":"a"},{"answer":"b"}]`, nil, "name its place in kafka.inputs[].map", nil, value(`[{"answer":"a"},{"answer":"b"}]`)},
		{"blanks", "  ", nil, "the value is empty", nil, value(`{"answer":"a"}`)},
		{
			"JSON as Avro", `{"answer":"a"}`, func(in *config.Input) { in.Format = config.FormatAvro }, "set it to auto or json",
			func(in *config.Input) { in.Format = config.FormatAuto }, nil,
		},
		{"a Python dict", `{'answer': 'a'}`, nil, "json.dumps", nil, value(`{"answer": "a"}`)},
		{"another case", `{"Answer":"a","answer":"b"}`, nil, "write the field's name in lower case", nil, value(`{"answer":"a"}`)},
		{"a number", `{"answer":5}`, nil, "correct the producer", nil, value(`{"answer":"5"}`)},
		{"broken", `{"answer":`, nil, "correct the producer", nil, value(`{"answer":"5"}`)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := config.DefaultInput("in")
			if tt.input != nil {
				tt.input(&in)
			}
			poison, letter := decodeOne(t, in, []byte(tt.value))
			require.NotNil(t, poison, "the record is refused")
			c := config.Default()
			c.Kafka.Inputs = []config.Input{in}
			require.Contains(t, NewRemedy(c)("in", poison.Stage, poison.Reason, letter), tt.want)
			raw := []byte(tt.value)
			if tt.mend != nil {
				tt.mend(&in)
			}
			if tt.write != nil {
				raw = tt.write(raw)
			}
			poison, _ = decodeOne(t, in, raw)
			require.Nil(t, poison, "after the remedy")
		})
	}
}

// decodeOne decodes a value of an input, and returns why it, or the part of it that becomes a dead letter, is refused; nil if all is read.
func decodeOne(t *testing.T, in config.Input, value []byte) (why *consumer.PoisonError, letter []byte) {
	t.Helper()
	raw := &consumer.Raw{Topic: in.Topic, Value: value}
	_, err := NewInteractionCodec([]config.Input{in}, "c", 0).Decode(t.Context(), raw, nil)
	switch {
	case err != nil:
		require.ErrorAs(t, err, &why)
		return why, value
	case len(raw.Rejected) > 0:
		return raw.Rejected[0].Err, raw.Rejected[0].Value
	}
	return nil, nil
}

// What cannot be read is said as such.
func TestRemediesOfUnreadableRecords(t *testing.T) {
	require.Contains(t, remedyOf("in", "decode", "missing_answer", []byte("\x00\x00\x00\x00\x01\x02a")), "name the answer's place in kafka.inputs[].map")
	require.Contains(t, remedyOf("in", "decode", "unknown_schema", []byte("\x00\x00\x00\x00\x00\x00\x00\x00\x07\x02a")), "apicurio_ids")
	require.Contains(t, remedyOf("in", "decode", "unknown_format", []byte("\x00\x00\x00\x00\x01\x02a")), "set schema_registry.url to the producer's")
	langsmith := `{"id":"1","run_type":"chain","inputs":{"question":"q"},"outputs":{"answer":"a"}}`
	said := remedyOf("in", "decode", "missing_answer", []byte(langsmith))
	require.Contains(t, said, "the preset langchain skips this record")
	require.NotContains(t, said, "set map: {preset")
}
