package avro

import (
	"bytes"
	"encoding/binary"
	"math"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"confab/internal/recordformat"
	"confab/schemas"
	"confab/schemas/json/scan"
)

// varintBytes are Avro's longs, one behind the other.
func varintBytes(values ...int64) (b []byte) {
	for _, v := range values {
		b = binary.AppendVarint(b, v)
	}
	return b
}

// malformed comes before the name of an optional field that is lost; the record is read.
const malformed = "malformed "

// secretText stands for payload in the values below: no error may hold it.
const secretText = "hunter2"

// hostileSchemas are values that no writer of the schema has written, or that a reader should not believe.
func hostileSchemas() map[string]struct {
	fields string // of the schema, behind a string answer
	body   []byte // behind the answer
	want   string
} {
	type c = struct {
		fields string
		body   []byte
		want   string
	}
	array := func(items string) string { return `{"name":"tags","type":{"type":"array","items":` + items + `}}` }
	dict := func(values string) string {
		return `{"name":"attributes","type":{"type":"map","values":` + values + `}}`
	}
	unknown := func(typ string) string { return `{"name":"x","type":` + typ + `}` }
	long := unknown(`"long"`)
	tiny := bytes.Repeat([]byte{0}, MaxItems+1)
	return map[string]c{
		"array of 1e8":               {array(`"string"`), varintBytes(1e8), scan.ReasonSyntax},
		"array of 1e8, by size":      {array(`"string"`), varintBytes(-1e8, 1), scan.ReasonSyntax},
		"map of 2e7":                 {dict(`"string"`), varintBytes(2e7), scan.ReasonSyntax},
		"count of MinInt64":          {array(`"string"`), varintBytes(math.MinInt64, 0), scan.ReasonSyntax},
		"count of MaxInt64":          {array(`"string"`), varintBytes(math.MaxInt64), scan.ReasonSyntax},
		"arrays in arrays":           {unknown(strings.Repeat(`{"type":"array","items":`, 20) + `"int"` + strings.Repeat("}", 20)), bytes.Repeat(varintBytes(65536), 20), scan.ReasonSyntax},
		"65,537 items":               {unknown(`{"type":"array","items":"int"}`), append(append(varintBytes(MaxItems+1), tiny...), 0), scan.ReasonTooMany},
		"two blocks of 65,536 items": {unknown(`{"type":"array","items":"int"}`), append(append(append(varintBytes(MaxItems), tiny[1:]...), append(varintBytes(MaxItems), tiny[1:]...)...), 0), scan.ReasonTooMany},
		"65,536 records":             {unknown(`{"type":"array","items":{"type":"record","name":"I","fields":[{"name":"b","type":"boolean"}]}}`), append(append(varintBytes(MaxItems), tiny[1:]...), 0), scan.ReasonTooMany},
		"block lies about its size":  {array(`"string"`), append(varintBytes(-1, 5), 2, 'a', 0), scan.ReasonSyntax},
		"block size is negative":     {array(`"string"`), append(varintBytes(-1, -2), 2, 'a', 0), scan.ReasonSyntax},
		"no end of the array":        {array(`"string"`), varintBytes(1, 0), scan.ReasonSyntax},
		"string of 2^62":             {unknown(`"string"`), varintBytes(1 << 62), scan.ReasonSyntax},
		"string of -1":               {unknown(`"string"`), varintBytes(-1), scan.ReasonSyntax},
		"string of MaxInt64":         {unknown(`"string"`), varintBytes(math.MaxInt64), scan.ReasonSyntax},
		"bytes of 2^62":              {unknown(`"bytes"`), varintBytes(1 << 62), scan.ReasonSyntax},
		"fixed cut short":            {unknown(`{"type":"fixed","name":"F","size":4}`), []byte{1, 2, 3}, scan.ReasonSyntax},
		"double cut short":           {unknown(`"double"`), make([]byte, 7), scan.ReasonSyntax},
		"union of 2":                 {unknown(`["null","string"]`), varintBytes(2), scan.ReasonSyntax},
		"union of -1":                {unknown(`["null","string"]`), varintBytes(-1), scan.ReasonSyntax},
		"enum of 1":                  {unknown(`{"type":"enum","name":"E","symbols":["A"]}`), varintBytes(1), scan.ReasonSyntax},
		"enum of -1":                 {unknown(`{"type":"enum","name":"E","symbols":["A"]}`), varintBytes(-1), scan.ReasonSyntax},
		"bool of 2":                  {unknown(`"boolean"`), []byte{2}, scan.ReasonSyntax},
		"int of 33 bits":             {unknown(`"int"`), varintBytes(math.MaxInt32 + 1), scan.ReasonSyntax},
		"long of 12 bytes":           {long, append(bytes.Repeat([]byte{0x80}, 11), 0), scan.ReasonSyntax},
		"long of 65 bits":            {long, append(bytes.Repeat([]byte{0xff}, 9), 2), scan.ReasonSyntax},
		"int of 6 bytes":             {unknown(`"int"`), append(bytes.Repeat([]byte{0x80}, 5), 0), scan.ReasonSyntax},
		"long without end":           {long, []byte{0x80}, scan.ReasonSyntax},
		"nothing behind":             {long, nil, scan.ReasonSyntax},
		"bytes behind":               {long, []byte{2, 0}, scan.ReasonTrailingBytes},
		"a second value":             {"", append(varintBytes(1), 'a'), scan.ReasonTrailingBytes},
		"not UTF-8":                  {unknown(`"string"`), []byte{2, 0xff}, scan.ReasonBadUTF8},
		"surrogate":                  {unknown(`"string"`), []byte{6, 0xed, 0xa0, 0x80}, scan.ReasonBadUTF8},
		"overlong NUL":               {unknown(`"string"`), []byte{4, 0xc0, 0x80}, scan.ReasonBadUTF8},
		"key is not UTF-8":           {dict(`"string"`), []byte{2, 2, 0xff, 0, 0}, scan.ReasonBadUTF8},
		"bytes are not UTF-8":        {`{"name":"model","type":"bytes"}`, []byte{2, 0xff}, scan.ReasonBadUTF8},
		"key twice":                  {dict(`"string"`), append(append(varintBytes(2, 7), secretText+"\x00\x0e"+secretText+"\x00"...), 0), scan.ReasonDuplicateKey},
		"tags of 1,025":              {array(`"string"`), append(append(varintBytes(1025), tiny[:1025]...), 0), scan.ReasonTooMany},
		"calls of 1,025":             {`{"name":"tool_calls","type":{"type":"array","items":{"type":"record","name":"C","fields":[{"name":"name","type":"string"}]}}}`, append(append(varintBytes(1025), tiny[:1025]...), 0), malformed + "tool_calls"},
		"calls without a name":       {`{"name":"tool_calls","type":{"type":"array","items":{"type":"record","name":"C","fields":[{"name":"name","type":"string"}]}}}`, append(varintBytes(1), 0, 0), malformed + "tool_calls"},
		"tools are strings":          {`{"name":"tools","type":{"type":"array","items":"string"}}`, append(append(varintBytes(1, 7), secretText...), 0), malformed + "tools"},
		"tag is null":                {array(`["null","string"]`), append(append(varintBytes(1), 0), 0), malformed + "tags"},
		"tags are a string":          {`{"name":"tags","type":"string"}`, append(varintBytes(7), secretText...), malformed + "tags"},
		"model is a number":          {`{"name":"model","type":"int"}`, varintBytes(1), malformed + "model"},
		"model is a fixed":           {`{"name":"model","type":{"type":"fixed","name":"F","size":1}}`, []byte{'a'}, malformed + "model"},
		"model is a record":          {`{"name":"model","type":{"type":"record","name":"M","fields":[]}}`, nil, malformed + "model"},
		"message is a string":        {`{"name":"messages","type":{"type":"array","items":"string"}}`, append(append(varintBytes(1, 7), secretText...), 0), malformed + "messages"},
		"source is null":             {`{"name":"sources","type":{"type":"array","items":["null","int"]}}`, append(append(varintBytes(1), 0), 0), malformed + "sources"},
		"attributes are a record":    {`{"name":"attributes","type":{"type":"record","name":"M","fields":[]}}`, nil, malformed + "attributes"},
		"attribute is a list":        {dict(`{"type":"array","items":"int"}`), []byte{2, 0, 0, 0}, malformed + "attributes"},
		"streamed is a number":       {`{"name":"streamed","type":"int"}`, varintBytes(1), malformed + "streamed"},
		"temperature is a string":    {`{"name":"temperature","type":"string"}`, append(varintBytes(7), secretText...), malformed + "temperature"},
		"temperature is NaN":         {`{"name":"temperature","type":"float"}`, float32s(float32(math.NaN())), malformed + "temperature"},
		"attribute is NaN":           {dict(`"float"`), append(append([]byte{2, 0}, float32s(float32(math.NaN()))...), 0), malformed + "attributes"},
		"score is infinite":          {`{"name":"sources","type":{"type":"array","items":{"type":"record","name":"S","fields":[{"name":"score","type":"float"}]}}}`, append(append(varintBytes(1), float32s(float32(math.Inf(1)))...), 0), malformed + "sources.score"},
		"time is a string":           {`{"name":"occurred_at","type":"string"}`, append(varintBytes(7), secretText...), malformed + "occurred_at"},
		"time past year 9999":        {`{"name":"occurred_at","type":"long"}`, varintBytes(recordformat.MaxMillis + 1), malformed + "occurred_at"},
		"micros past year 9999":      {`{"name":"occurred_at","type":{"type":"long","logicalType":"timestamp-micros"}}`, varintBytes(1000 * (recordformat.MaxMillis + 1)), malformed + "occurred_at"},
		"top_k of 129":               {`{"name":"top_k","type":"long"}`, varintBytes(recordformat.MaxTopK + 1), malformed + "top_k"},
		"top_k of -1":                {`{"name":"top_k","type":"long"}`, varintBytes(-1), malformed + "top_k"},
		"top_k is a double":          {`{"name":"top_k","type":"double"}`, make([]byte, 8), malformed + "top_k"},
		"half a row":                 {`{"name":"top_k","type":"int"},{"name":"token_logprobs","type":"bytes"}`, append(varintBytes(1, 4), make([]byte, 4)...), malformed + "token_logprobs"},
		"logprobs as base64":         {`{"name":"token_logprobs","type":"string"}`, append(varintBytes(8), "AACAvw=="...), malformed + "token_logprobs"},
		"logprobs as an array":       {`{"name":"token_logprobs","type":{"type":"array","items":"float"}}`, varintBytes(0), malformed + "token_logprobs"},
	}
}

func TestRefuses(t *testing.T) {
	for name, c := range hostileSchemas() {
		t.Run(name, func(t *testing.T) {
			schema := recordOf(strings.TrimSuffix(`{"name":"answer","type":"string"},`+c.fields, ","))
			s := loadSchema(t, schema)
			body := append(append(varintBytes(7), secretText...), c.body...)
			var in schemas.Interaction
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := s.DecodeInteraction(body, &in)
			runtime.ReadMemStats(&after)
			if field, optional := strings.CutPrefix(c.want, malformed); optional {
				require.NoError(t, err)
				want := schemas.Interaction{Answer: secretText, Temperature: schemas.UnknownTemperature, Malformed: []string{field}}
				if field == "sources.score" {
					want.Sources = []schemas.Source{{}}
				}
				require.Empty(t, cmp.Diff(want, in, requireEqual()))
				return
			}
			require.Equal(t, c.want, errorReason(t, err))
			require.NotContains(t, err.Error(), secretText)
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(16<<20))
		})
	}
}

func TestMissingAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		fields string
		body   []byte
		want   scan.Error
	}{
		"none":    {`{"name":"model","type":"string"}`, varintBytes(0), scan.Error{Reason: scan.ReasonMissingAnswer, Field: "answer"}},
		"null":    {`{"name":"answer","type":["null","string"]}`, varintBytes(0), scan.Error{Reason: scan.ReasonMissingAnswer, Field: "answer"}},
		"a long":  {`{"name":"answer","type":"long"}`, varintBytes(0), scan.Error{Reason: scan.ReasonWrongType, Field: "answer"}},
		"a list":  {`{"name":"answer","type":{"type":"array","items":"string"}}`, varintBytes(0), scan.Error{Reason: scan.ReasonWrongType, Field: "answer"}},
		"a union": {`{"name":"answer","type":["null","int"]}`, varintBytes(1, 0), scan.Error{Reason: scan.ReasonWrongType, Field: "answer"}},
	} {
		t.Run(name, func(t *testing.T) {
			var in schemas.Interaction
			var refused *scan.Error
			require.ErrorAs(t, loadSchema(t, recordOf(c.fields)).DecodeInteraction(c.body, &in), &refused)
			refused.Detail = ""
			require.Equal(t, c.want, *refused)
		})
	}
}

// Malformed values are lost alone, and what follows is read; log probabilities mean nothing without top_k.
func TestMalformedTogether(t *testing.T) {
	s := loadSchema(t, recordOf(`{"name":"answer","type":"string"},{"name":"tags","type":{"type":"array","items":["null","string"]}},
		{"name":"attributes","type":{"type":"map","values":"float"}},{"name":"top_k","type":"long"},{"name":"token_logprobs","type":"bytes"},
		{"name":"service","type":"string"}`))
	body := []byte{2, 'a'}
	body = append(body, append(varintBytes(2, 1, 1), 'x', 0, 0)...) // a tag and a null one
	body = append(append(append(body, 2, 0), float32s(float32(math.NaN()))...), 0)
	body = append(append(append(body, varintBytes(-1)...), varintBytes(4)...), float32s(-1)...)
	body = append(body, 2, 's')
	var in schemas.Interaction
	require.NoError(t, s.DecodeInteraction(body, &in))
	want := schemas.Interaction{
		Answer: "a", Service: "s", Tags: []string{"x"}, Temperature: schemas.UnknownTemperature,
		Malformed: []string{"tags", "attributes", "top_k"},
	}
	require.Empty(t, cmp.Diff(want, in, requireEqual()))
}

// Names of unknown fields are those of the writer's schema, the first ones only.
func TestUnknownNames(t *testing.T) {
	fields := `{"name":"answer","type":"string"}`
	for i := range schemas.MaxUnknownNames + 2 {
		fields += `,{"name":"x` + strconv.Itoa(i) + `","type":"null"}`
	}
	var in schemas.Interaction
	require.NoError(t, loadSchema(t, recordOf(fields)).DecodeInteraction([]byte{0}, &in))
	require.Equal(t, schemas.MaxUnknownNames+2, in.UnknownFields)
	require.Len(t, in.UnknownNames, schemas.MaxUnknownNames)
	require.Equal(t, "x0", in.UnknownNames[0])
}

// The field that an error names is the top-level one, ours, wherever below it the fault was.
func TestErrorNamesField(t *testing.T) {
	s := loadSchema(t, recordOf(`{"name":"answer","type":"string"},{"name":"sources","type":{"type":"array","items":
		{"type":"record","name":"S","fields":[{"name":"text","type":"bytes"}]}}}`))
	var in schemas.Interaction
	err := s.DecodeInteraction([]byte{0, 2, 2, 0xff, 0}, &in)
	require.EqualError(t, err, "bad_utf8 in sources: bytes in place of a string are UTF-8")
}

func TestTooLarge(t *testing.T) {
	var in schemas.Interaction
	require.Equal(t, scan.ReasonTooLarge, errorReason(t, loadSchema(t, recordOf("")).DecodeInteraction(make([]byte, MaxBytes+1), &in)))
}

// A long with needless bytes is read as its value, as every reader does; at most ten bytes of it.
func TestPaddedLong(t *testing.T) {
	s := loadSchema(t, recordOf(`{"name":"answer","type":"string"},{"name":"top_k","type":"int"}`))
	var in schemas.Interaction
	require.NoError(t, s.DecodeInteraction([]byte{0x82, 0x00, 'a', 0x80, 0x80, 0x00}, &in))
	require.Equal(t, "a", in.Answer)
}

// The most that few bytes can be made into is bounded too.
func TestManyItemsAreBounded(t *testing.T) {
	nulls := strings.Repeat(`{"name":"n%","type":"null"},`, 15)
	for i := range 15 {
		nulls = strings.Replace(nulls, "%", strconv.Itoa(i), 1)
	}
	s := loadSchema(t, recordOf(`{"name":"answer","type":"string"},{"name":"x","type":{"type":"array","items":{"type":"record","name":"I","fields":[`+
		nulls+`{"name":"b","type":"boolean"}]}}}`))
	body := append(append(append([]byte{0}, varintBytes(3800)...), make([]byte, 3800)...), 0)
	var in schemas.Interaction
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	require.NoError(t, s.DecodeInteraction(body, &in))
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(16<<20))
}

// Blocks may say their size, and a list may come in several.
func TestBlocks(t *testing.T) {
	s := loadSchema(t, recordOf(`{"name":"answer","type":"string"},{"name":"tags","type":{"type":"array","items":"string"}},
		{"name":"attributes","type":{"type":"map","values":"string"}}`))
	body := []byte{0}
	body = append(append(body, varintBytes(-2, 4)...), 2, 'a', 2, 'b', 2, 2, 'c', 0)
	body = append(append(body, varintBytes(-1, 4)...), 2, 'k', 2, 'v', 2, 2, 'l', 2, 'w', 0)
	var in schemas.Interaction
	require.NoError(t, s.DecodeInteraction(body, &in))
	require.Equal(t, []string{"a", "b", "c"}, in.Tags)
	require.Equal(t, map[string]string{"k": "v", "l": "w"}, in.Attributes)
}

// A member of a source or a message costs only itself, an item without its text only the item, as in JSON.
func TestSideValues(t *testing.T) {
	s := loadSchema(t, recordOf(`{"name":"answer","type":"string"},{"name":"sources","type":{"type":"array","items":["null",
		{"type":"record","name":"S","fields":[{"name":"text","type":["string","int"]},{"name":"score","type":["double","string"]}]}]}}`))
	double := []byte{0, 0, 0, 0, 0, 0, 0, 0xe0, 0x3f}
	body := append([]byte{0, 8, 2, 0, 2, 't'}, double...)      // sound
	body = append(body, 0)                                     // null
	body = append(body, 2, 0, 2, 'u', 2, 4, 'h', 'i')          // the score is a text
	body = append(append(append(body, 2, 2, 2), double...), 0) // the text is a number
	var in schemas.Interaction
	require.NoError(t, s.DecodeInteraction(body, &in))
	require.Equal(t, []schemas.Source{{Text: "t", Score: 0.5}, {Text: "u"}}, in.Sources)
	require.Equal(t, []string{"sources.score", "sources.text"}, in.Malformed)
}
