package records

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/consumer"
	"confab/internal/kafka"
	"confab/internal/kafka/schemaregistry"
	"confab/internal/worker/config"
	"confab/schemas"
	"confab/schemas/avro"
)

// A value in another form than one JSON object is read where that is safe; each object has an id and a copy of its own.
func TestCodecReadsOtherForms(t *testing.T) {
	const a, b, bad = `{"answer":"a"}`, `{"answer":"b"}`, `{"reply":"c"}`
	for name, tt := range map[string]struct {
		value    string
		answers  []string
		rejected string // the letters
	}{
		"byte order mark":       {"\xef\xbb\xbf" + a, []string{"a"}, ""},
		"a list":                {"[" + a + ", " + b + "]", []string{"a", "b"}, ""},
		"a list with a bad one": {"[" + a + "," + bad + "," + b + "]", []string{"a", "b"}, bad},
		"lines":                 {a + "\n" + b + "\n", []string{"a", "b"}, ""},
		"encoded twice":         {`"{\"answer\":\"a\"}"`, []string{"a"}, ""},
		"a log line":            {"2026-01-02 INFO llm " + a, []string{"a"}, ""},
		"NaN":                   {`{"answer":"a","temperature":NaN}`, []string{"a"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			c := NewInteractionCodec([]config.Input{config.DefaultInput("in")}, "c", 1<<20)
			raw := &consumer.Raw{Topic: "in", Offset: 7, Value: []byte(tt.value)}
			got, err := c.Decode(t.Context(), raw, nil)
			require.NoError(t, err)
			copies := NewSampledCodec([]config.Input{config.DefaultInput("in")}, "c", 1<<20)
			for i, in := range got {
				require.Equal(t, fmt.Sprintf("c/in/0/7/%d", raw.IndexOf(i)), in.ID)
				value, _, err := c.Copy(&consumer.Record[*schemas.Interaction]{Topic: "in", Value: in, Raw: raw.Value})
				require.NoError(t, err)
				again := decodeCopy(t, copies, &schemas.Origin{Topic: "in", Offset: 7, Index: raw.IndexOf(i)}, value, nil)
				require.Equal(t, in.ID, again.ID)
				require.Equal(t, in.Answer, again.Answer)
			}
			require.Equal(t, tt.answers, answersOf(got))
			if tt.rejected == "" {
				require.Empty(t, raw.Rejected)
				return
			}
			require.Len(t, raw.Rejected, 1)
			require.Equal(t, tt.rejected, string(raw.Rejected[0].Value))
			require.Equal(t, "missing_answer", raw.Rejected[0].Err.Reason)
		})
	}
}

func answersOf(list []*schemas.Interaction) (answers []string) {
	for _, in := range list {
		answers = append(answers, in.Answer)
	}
	return answers
}

func decodeCopy(t *testing.T, c SampledCodec, origin *schemas.Origin, value []byte, headers []kafka.Header) *schemas.Interaction {
	t.Helper()
	headers = append(headers, kafka.Header{Key: "confab-origin", Value: origin.Header("default")})
	got, err := c.Decode(t.Context(), &consumer.Raw{Topic: "copies", Value: value, Headers: headers}, nil)
	require.NoError(t, err)
	require.Len(t, got, 1)
	return got[0]
}

// Bombs are refused as what they are, with little memory.
func TestCodecRefusesBombs(t *testing.T) {
	for name, tt := range map[string]struct {
		value  []byte
		reason string
	}{
		"objects":           {[]byte(strings.Repeat("{}", 1<<19)), "too_many"},
		"a deep list":       {[]byte(strings.Repeat("[", 1<<20)), "unknown_format"},
		"a deep text":       {[]byte(`"` + strings.Repeat("[", 1<<19) + `"`), "unknown_format"},
		"a text of nothing": {[]byte(`"` + strings.Repeat(`\u0000`, 1<<17) + `"`), "unknown_format"},
	} {
		t.Run(name, func(t *testing.T) {
			c := NewInteractionCodec([]config.Input{config.DefaultInput("in")}, "c", 1<<20)
			raw := &consumer.Raw{Topic: "in", Value: tt.value}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			got, err := c.Decode(t.Context(), raw, nil)
			runtime.ReadMemStats(&after)
			var bad *consumer.PoisonError
			require.ErrorAs(t, err, &bad)
			require.Equal(t, tt.reason, bad.Reason)
			require.Empty(t, got)
			require.Empty(t, raw.Rejected)
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(16<<20))
		})
	}
}

// The id of a value's schema is read wherever serializers write it; an id of four bytes is never taken for one of eight.
func TestSchemaIDs(t *testing.T) {
	const guid = "89791762-2336-4186-9674-299b90a802e2"
	raw, err := hex.DecodeString(strings.ReplaceAll(guid, "-", ""))
	require.NoError(t, err)
	long := binary.BigEndian.AppendUint64(nil, 7)
	with := func(pairs ...string) (headers []kafka.Header) {
		for i := 0; i < len(pairs); i += 2 {
			headers = append(headers, kafka.Header{Key: pairs[i], Value: []byte(pairs[i+1])})
		}
		return headers
	}
	value := "\x02a"
	type id = schemaregistry.ID
	for name, tt := range map[string]struct {
		value   string
		headers []kafka.Header
		id      id
		body    string
		err     string
	}{
		"JSON":                        {`{"a":1}`, nil, id{}, `{"a":1}`, ""},
		"four bytes":                  {"\x00\x00\x00\x00\x07" + value, nil, id{Number: 7}, value, ""},
		"four bytes before zeros":     {"\x00\x00\x00\x00\x01\x00\x00\x00\x07" + value, nil, id{Number: 1}, "\x00\x00\x00\x07" + value, ""},
		"eight bytes":                 {"\x00" + string(long) + value, nil, id{Global: 7}, value, ""},
		"eight zeros":                 {"\x00" + strings.Repeat("\x00", 8) + value, nil, id{}, "", "the schema id is not positive"},
		"GUID":                        {value, with("__value_schema_id", "\x01"+string(raw)), id{GUID: guid}, value, ""},
		"GUID of Protobuf":            {value, with("__value_schema_id", "\x01"+string(raw)+"\x00"), id{GUID: guid}, value, ""},
		"a number in the header":      {value, with("__value_schema_id", "\x00\x00\x00\x00\x07"), id{Number: 7}, value, ""},
		"the key's header":            {"\x00\x00\x00\x00\x07" + value, with("__key_schema_id", "\x01"+string(raw)), id{Number: 7}, value, ""},
		"the header before the value": {"\x00\x00\x00\x00\x07" + value, with("__value_schema_id", "\x01"+string(raw)), id{GUID: guid}, "\x00\x00\x00\x00\x07" + value, ""},
		"a bad header":                {value, with("__value_schema_id", "\x01short"), id{}, "", "neither an id nor a GUID"},
		"JSON with a GUID":            {`{"a":1}`, with("__value_schema_id", "\x01"+string(raw)), id{}, `{"a":1}`, ""},
		"global":                      {value, with("apicurio.value.globalId", string(long), "apicurio.value.encoding", "BINARY"), id{Global: 7}, value, ""},
		"content":                     {value, with("apicurio.value.contentId", string(long), "apicurio.value.encoding", "BINARY"), id{Content: 7}, value, ""},
		"Apicurio's JSON":             {`{"a":1}`, with("apicurio.value.globalId", string(long), "apicurio.value.messageType", "M"), id{}, `{"a":1}`, ""},
		"names instead of an id":      {value, with("apicurio.value.artifactId", "a"), id{}, "", "apicurio.registry.use-id: contentId"},
		"a short id":                  {value, with("apicurio.value.globalId", "\x07"), id{}, "", "without an id"},
		"a negative id":               {value, with("apicurio.value.globalId", strings.Repeat("\xff", 8)), id{}, "", "without an id"},
		"another form":                {"\x04\x22\x4d\x18", nil, id{}, "", "the value is lz4"},
	} {
		t.Run(name, func(t *testing.T) {
			got, body, err := schemaID(config.FormatAuto, &consumer.Raw{Value: []byte(tt.value), Headers: tt.headers})
			if tt.err != "" {
				require.ErrorContains(t, err, tt.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tt.id, got)
			require.Equal(t, tt.body, string(body))
		})
	}
	_, body, err := schemaID(config.FormatJSON, &consumer.Raw{Value: []byte("{}"), Headers: with("__value_schema_id", "x")})
	require.NoError(t, err)
	require.Equal(t, "{}", string(body), "of JSON no header counts")
}

const envelope = `{"type":"record","name":"E","fields":[{"name":"OP","type":"string"},{"name":"ROW","type":["null",{"type":"record","name":"R","fields":[
	{"name":"REPLY","type":"string"},{"name":"DOCS","type":{"type":"array","items":"string"}},{"name":"TS","type":{"type":"long","logicalType":"timestamp-micros"}}]}]}]}`

// A map reads Avro as it reads JSON, of any schema; without one, what is not ours is refused.
func TestMapsReadAvro(t *testing.T) {
	body := []byte("\x02c\x02\x0aparis\x02\x04in\x00")
	body = binary.AppendVarint(body, 1_795_255_200_123_000)
	value := avro.Frame(nil, 1, body)
	deleted := avro.Frame(nil, 1, []byte("\x02d\x00"))
	input := config.DefaultInput("in")
	decode := func(value []byte) ([]*schemas.Interaction, error) {
		c := NewInteractionCodec([]config.Input{input}, "c", 1<<20)
		c.writers = cacheSchemas(&fakeRegistry{schemas: map[uint32]schemaregistry.WriterSchema{1: {Type: "AVRO", Text: envelope}, 2: {Type: "AVRO", Text: older}, 3: {Type: "AVRO", Text: `{"type":"record","name":"K","fields":[{"name":"ANSWER","type":"string"},{"name":"X","type":"string"}]}`}}})
		got, err := c.Decode(t.Context(), &consumer.Raw{Topic: "in", Value: value}, nil)
		for _, in := range got { // a copy is read the same
			record, _, err := c.Copy(&consumer.Record[*schemas.Interaction]{Topic: "in", Value: in, Raw: value})
			require.NoError(t, err)
			copies := NewSampledCodec([]config.Input{input}, "c", 1<<20)
			copies.writers = c.writers
			require.Equal(t, in.Answer, decodeCopy(t, copies, &schemas.Origin{Topic: "in"}, record, nil).Answer)
		}
		return got, err
	}
	_, err := decode(value)
	require.ErrorContains(t, err, "missing_answer")
	for _, format := range []string{config.FormatAuto, config.FormatAvro} {
		input.Format = format
		input.Map = map[string]string{"answer": "/ROW/REPLY", "sources": "/ROW/DOCS", "occurred_at": "/ROW/TS"}
		input.Where = map[string][]string{"/OP": {"c", "u"}}
		got, err := decode(value)
		require.NoError(t, err)
		require.Equal(t, "paris", got[0].Answer)
		require.Equal(t, "in", got[0].Sources[0].Text)
		require.Equal(t, int64(1_795_255_200_123), got[0].OccurredAt.UnixMilli())
		got, err = decode(deleted)
		require.NoError(t, err)
		require.Empty(t, got, "the filter leaves it out")
	}
	capitals := avro.Frame(nil, 3, []byte("\x02a\x02b"))
	input.Map, input.Where = nil, nil
	got, err := decode(capitals)
	require.NoError(t, err)
	require.Equal(t, "a", got[0].Answer, "without a map, capitals are lower case")
	input.Map = map[string]string{"answer": "/X"}
	got, err = decode(capitals)
	require.NoError(t, err)
	require.Equal(t, "b", got[0].Answer, "a map has the schema's names")
	input.Map, input.Where = map[string]string{"answer": "/interaction_id"}, nil
	got, err = decode(avro.Frame(nil, 2, []byte("\x06i-1\x06yes")))
	require.NoError(t, err)
	require.Equal(t, "i-1", got[0].Answer, "the map outweighs our names")
	c := avroCodec(fakeSchemas(), config.FormatAuto)
	_, err = c.Decode(t.Context(), &consumer.Raw{Topic: "in", Value: []byte(` x {"answer":"a"}`), Headers: []kafka.Header{{Key: confluentHeader, Value: []byte("\x00\x00\x00\x00\x02")}}}, nil)
	require.ErrorContains(t, err, "syntax", "damaged Avro is no log line")
}

// An envelope in Avro is that of JSON: the new row of Debezium is read, a deleted one is skipped.
func TestAvroEnvelopes(t *testing.T) {
	const schema = `{"type":"record","name":"E","fields":[{"name":"before","type":["null",{"type":"record","name":"R","fields":[
		{"name":"ANSWER","type":"string"},{"name":"INTERACTION_ID","type":"string"}]}]},{"name":"after","type":["null","R"]},{"name":"op","type":"string"}]}`
	c := NewInteractionCodec([]config.Input{config.DefaultInput("in")}, "c", 1<<20)
	c.writers = cacheSchemas(&fakeRegistry{schemas: map[uint32]schemaregistry.WriterSchema{1: {Type: "AVRO", Text: schema}}})
	for body, want := range map[string][]string{
		"\x00\x02\x02a\x02i\x02c":           {"a"},
		"\x02\x02b\x02i\x02\x02a\x02i\x02u": {"a"},
		"\x02\x02b\x02i\x00\x02d":           nil,
	} {
		got, err := c.Decode(t.Context(), &consumer.Raw{Topic: "in", Value: avro.Frame(nil, 1, []byte(body))}, nil)
		require.NoError(t, err)
		require.Equal(t, want, answersOf(got))
	}
}
