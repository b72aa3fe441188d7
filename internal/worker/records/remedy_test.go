package records

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/consumer"
	"confab/internal/kafka/schemaregistry"
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
		{"a map in the way of a shape", completion, with("answer", "/reply"), "such a record is read without a map: remove map and where", func(in *config.Input) { in.Map = nil }, nil},
		{"another preset", completion, func(in *config.Input) { preset("langfuse")(in) }, "such a record is read without a map", func(in *config.Input) { in.Map = nil }, nil},
		{"spans", `{"resourceSpans":[]}`, nil, "set format: otlp_json of the input", func(in *config.Input) { in.Format = config.FormatOTLPJSON }, nil},
		{"a request alone", `{"messages":[{"role":"user","content":"q"}]}`, nil, "log the response in the same record", nil, value(`{"messages":[{"role":"user","content":"q"}],"response":"a"}`)},
		{"a required field", `{"reply":"a"}`, with("answer", "/reply", "model", "required /m"), "correct kafka.inputs[].map", with("answer", "/reply", "model", "/m"), nil},
		{"two values", `{"answer":"a"} x`, nil, "only objects may follow an object", nil, value(`{"answer":"a"}`)},
		{"a required time without a zone", `{"reply":"a","t":"2026-01-01T10:00:00"}`, with("answer", "/reply", "occurred_at", "required /t"), "set kafka.inputs[].time_zone", func(in *config.Input) { in.TimeZone = "UTC" }, nil},
		{"deep", `{"answer":"a","x":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`, nil, "write smaller records", nil, value(`{"answer":"a"}`)},
		{"many sources", `{"answer":"a","sources":[` + strings.Repeat(`"s",`, 9000) + `"s"]}`, nil, "write smaller records", nil, value(`{"answer":"a","sources":["s"]}`)},
		{"Latin-1", "{\"answer\":\"\xdf\"}", nil, "texts must be UTF-8", nil, value(`{"answer":"ß"}`)},
		{"a raw control character", "{\"answer\":\"a\nb\"}", nil, "write control characters as JSON escapes", nil, value(`{"answer":"a\nb"}`)},
		{"a name twice", `{"answer":"a","answer":"b"}`, nil, "names a key twice", nil, value(`{"answer":"a"}`)},
		{"own names", `{"reply":"a"}`, nil, "name its place in kafka.inputs[].map", with("answer", "/reply"), nil},
		{"gzip", "\x1f\x8b\x08\x00", nil, "the value is gzip: write it uncompressed", nil, value(`{"answer":"a"}`)},
		{"zstd", "\x28\xb5\x2f\xfd\x00", nil, "the value is zstd: write it uncompressed", nil, value(`{"answer":"a"}`)},
		{"snappy", "\xff\x06\x00\x00sNaPpY\x00", nil, "the value is snappy: write it uncompressed", nil, value(`{"answer":"a"}`)},
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
		{"log-probabilities", `{"answer":"a","lp":"x","k":0}`, with("answer", "/answer", "token_logprobs", "required /lp", "top_k", "/k"), "base64 of float32", nil, value(`{"answer":"a","lp":"AACAvw==","k":0}`)},
		{"required log-probabilities", `{"answer":"a","lp":"x","k":0}`, with("answer", "/answer", "token_logprobs", "required /lp", "top_k", "/k"), "take required off", with("answer", "/answer", "token_logprobs", "/lp", "top_k", "/k"), nil},
		{"a number", `{"answer":5}`, nil, "correct the producer", nil, value(`{"answer":"5"}`)},
		{"broken", `{"answer":`, nil, "correct the producer", nil, value(`{"answer":"5"}`)},
	}
	tried := map[string]bool{}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := config.DefaultInput("in")
			if tt.input != nil {
				tt.input(&in)
			}
			poison, letter := decodeOne(t, in, []byte(tt.value))
			require.NotNil(t, poison, "the record is refused")
			tried[poison.Reason] = true
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
	// The others need a registry, a limit, or spans: TestRemediesOfFrames, TestRemediesOfLimits.
	elsewhere := []string{"bad_frame", "bad_schema", "unknown_schema", "too_large", "bad_answer"}
	for _, reason := range LetterReasons(config.RoleDetect)[stageDecode] {
		require.Equal(t, !slices.Contains(elsewhere, reason), tried[reason], reason)
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
	require.Contains(t, remedyOf("in", "decode", "unknown_format", []byte("\x00\x00\x00\x00\x01\x02a")), "set schema_registry.url to the producer's")
}

// Remedies for values behind a schema's id: the producer's prefix, another schema, the producer's registry.
func TestRemediesOfFrames(t *testing.T) {
	const body = "\x06i-1\x06yes"
	whole := fakeSchemas().schemas[olderID]
	for name, tt := range map[string]struct {
		value        []byte
		reason, want string
		mend         func(*fakeRegistry)
		write        []byte
	}{
		"no id":            {[]byte("\x00\x00"), "bad_frame", "a zero byte and the schema's id", nil, framedValue(olderID, body)},
		"id 0":             {framedValue(0, "x"), "bad_frame", "a zero byte and the schema's id", nil, framedValue(olderID, body)},
		"refers to others": {framedValue(refersID, body), "bad_schema", "in one piece", nil, framedValue(olderID, body)},
		"no record":        {framedValue(numberID, "\x02"), "bad_schema", "a record", nil, framedValue(olderID, body)},
		"another registry": {framedValue(99, body), "unknown_schema", "they must be the same", func(r *fakeRegistry) { r.schemas[99] = whole }, framedValue(99, body)},
	} {
		t.Run(name, func(t *testing.T) {
			r := fakeSchemas()
			r.err = schemaregistry.ErrUnknownSchema
			decode := func(value []byte) error {
				_, err := avroCodec(r, config.FormatAuto).Decode(t.Context(), &consumer.Raw{Topic: "in", Value: value}, nil)
				return err
			}
			var poison *consumer.PoisonError
			require.ErrorAs(t, decode(tt.value), &poison)
			require.Equal(t, tt.reason, poison.Reason)
			require.Contains(t, remedyOf("in", poison.Stage, poison.Reason, tt.value), tt.want)
			if tt.mend != nil {
				tt.mend(r)
			}
			require.NoError(t, decode(tt.write), "after the remedy")
		})
	}
}

// Remedies that are a limit of the configuration, or of the application that writes spans.
func TestRemediesOfLimits(t *testing.T) {
	span := func(answer string) string {
		quoted, err := json.Marshal(answer)
		require.NoError(t, err)
		return `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"00000000000000000000000000000001","spanId":"0000000000000001","name":"chat","attributes":[` +
			`{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}},{"key":"gen_ai.output.messages","value":{"stringValue":` + string(quoted) + `}}]}]}]}]}`
	}
	const whole = `[{"role":"assistant","parts":[{"type":"text","content":"Within 90 days."}]}]`
	long := `{"answer":"` + strings.Repeat("a", 2000) + `"}`
	for name, tt := range map[string]struct {
		value        string
		maxBytes     int
		reason, want string
		write        string
		raised       int
	}{
		"a higher limit":     {long, 1000, "too_large", "raise kafka.max_record_bytes", long, 4000},
		"a smaller record":   {long, 1000, "too_large", "or write smaller records", `{"answer":"a"}`, 1000},
		"a whole attribute":  {span(whole[:20]), 0, "bad_answer", "raise OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT", span(whole), 0},
		"spans of less text": {span(whole), 100, "too_large", "raise kafka.max_record_bytes", span(whole), 4000},
	} {
		t.Run(name, func(t *testing.T) {
			in := config.DefaultInput("in")
			if strings.HasPrefix(tt.value, `{"resourceSpans"`) {
				in.Format = config.FormatOTLPJSON
			}
			decode := func(maxBytes int, value string) (why *consumer.PoisonError) {
				raw := &consumer.Raw{Topic: "in", Value: []byte(value)}
				if _, err := NewInteractionCodec([]config.Input{in}, "c", maxBytes).Decode(t.Context(), raw, nil); err != nil {
					require.ErrorAs(t, err, &why)
				} else if len(raw.Rejected) > 0 {
					why = raw.Rejected[0].Err
				}
				return why
			}
			poison := decode(tt.maxBytes, tt.value)
			require.NotNil(t, poison)
			require.Equal(t, tt.reason, poison.Reason)
			require.Contains(t, remedyOf("in", poison.Stage, poison.Reason, []byte(tt.value)), tt.want)
			require.Nil(t, decode(tt.raised, tt.write), "after the remedy")
		})
	}
}
