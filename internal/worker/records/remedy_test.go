package records

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/consumer"
	"confab/internal/kafka"
	"confab/internal/worker/config"
	"confab/schemas"
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
		{"another map", completion, with("answer", "/reply"), "openai.chat, which is read without map and where", func(in *config.Input) { in.Map = nil }, nil},
		{"another preset", completion, func(in *config.Input) { preset("langfuse")(in) }, "write map: {preset: openai}", preset("openai"), nil},
		{
			"the preset with a wrong entry", completion, func(in *config.Input) { preset("openai")(in); with("response", "/reply")(in) },
			"write map: {preset: openai}", preset("openai"), nil,
		},
		{"own names", `{"reply":"a"}`, nil, "name its place in kafka.inputs[].map", with("answer", "/reply"), nil},
		{"compressed", "\x1f\x8b\x08\x00", nil, "compressed with gzip: write it uncompressed", nil, value(`{"answer":"a"}`)},
		{
			"a byte order mark", "\xef\xbb\xbf{\"answer\":\"a\"}", nil, "byte order mark: write UTF-8 without one", nil,
			func(raw []byte) []byte { return raw[3:] },
		},
		{"encoded twice", `"{\"answer\":\"a\"}"`, nil, "encode it once", nil, value(`{"answer":"a"}`)},
		{"a list", `[{"answer":"a"}]`, nil, "one record for each of its items", nil, func(raw []byte) []byte { return raw[1 : len(raw)-1] }},
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
			poison := decodeOne(t, in, []byte(tt.value))
			require.NotNil(t, poison, "the record is refused")
			c := config.Default()
			c.Kafka.Inputs = []config.Input{in}
			require.Contains(t, NewRemedy(c)("in", poison.Stage, poison.Reason, []byte(tt.value)), tt.want)
			raw := []byte(tt.value)
			if tt.mend != nil {
				tt.mend(&in)
			}
			if tt.write != nil {
				raw = tt.write(raw)
			}
			require.Nil(t, decodeOne(t, in, raw), "after the remedy")
		})
	}
}

// decodeOne decodes a JSON value of an input; nil if it is read.
func decodeOne(t *testing.T, in config.Input, raw []byte) *consumer.PoisonError {
	t.Helper()
	framed, err := isFramed(in.Format, &consumer.Raw{Topic: in.Topic, Value: raw})
	if err == nil {
		require.False(t, framed)
		d, fault := newInputDecoder(&in, 0, 0)
		require.NoError(t, fault)
		var out schemas.Interaction
		err = asPoisonError(d.values.Decode(raw, &out))
	}
	if err == nil {
		return nil
	}
	var poison *consumer.PoisonError
	require.ErrorAs(t, err, &poison)
	return poison
}

// What cannot be read is said as such.
func TestRemediesOfUnreadableRecords(t *testing.T) {
	require.Contains(t, remedyOf("in", "decode", "missing_answer", []byte("\x00\x00\x00\x00\x01\x02a")), "ExtractNewRecordState")
	require.NotContains(t, remedyOf("in", "decode", "missing_answer", []byte("\x00\x00\x00\x00\x01\x02a")), "kafka.inputs[].map")
	require.Contains(t, remedyOf("in", "decode", "bad_frame", []byte("\x00\x00\x00\x00\x00\x00\x00\x00\x07\x02a")), "Apicurio")
	_, err := isFramed(config.FormatAuto, &consumer.Raw{Value: []byte("x"), Headers: []kafka.Header{{Key: "apicurio.value.globalId"}}})
	require.ErrorContains(t, err, "Apicurio")
}
