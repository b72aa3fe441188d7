package json

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"confab/internal/recordformat"
	"confab/schemas"
	"confab/schemas/json/scan"
)

// nestedJSON is an unknown field of n lists within each other, in an interaction.
func nestedJSON(n int) string {
	return `{"answer":"a","x":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}`
}

// numbered is n members with names of their own, each an empty string.
// manyMembers is more than the scanner compares one by one.
const manyMembers = 41

func numberedMembers(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"%d":""`, i)
	}
	return b.String()[1:]
}

func TestDecodeRefuses(t *testing.T) {
	many := func(item string, n int) string { return strings.TrimSuffix(strings.Repeat(item+",", n), ",") }
	cases := []struct{ name, raw, reason, field string }{
		{"nothing", "", scan.ReasonSyntax, ""},
		{"white space", " \n", scan.ReasonSyntax, ""},
		{"null", "null", scan.ReasonWrongType, ""},
		{"list", "[]", scan.ReasonWrongType, ""},
		{"string", `"x"`, scan.ReasonWrongType, ""},
		{"words", "hello", scan.ReasonSyntax, ""},
		{"byte order mark", "\xef\xbb\xbf{}", scan.ReasonSyntax, ""},
		{"UTF-16", "{\x00\"\x00}\x00", scan.ReasonSyntax, ""},
		{"open object", `{"answer":"a"`, scan.ReasonSyntax, ""},
		{"open string", `{"answer":"a`, scan.ReasonSyntax, "answer"},
		{"open time", `{"occurred_at":"`, scan.ReasonSyntax, "occurred_at"},
		{"open escape", `{"answer":"a\`, scan.ReasonSyntax, "answer"},
		{"no such escape", `{"answer":"\x41"}`, scan.ReasonSyntax, "answer"},
		{"short unicode escape", `{"answer":"\u12"}`, scan.ReasonSyntax, "answer"},
		{"trailing comma", `{"answer":"a",}`, scan.ReasonSyntax, ""},
		{"trailing comma in a list", `{"answer":"a","tags":["x",]}`, scan.ReasonSyntax, "tags"},
		{"leading comma", `{,"answer":"a"}`, scan.ReasonSyntax, ""},
		{"single quotes", `{'answer':'a'}`, scan.ReasonSyntax, ""},
		{"no colon", `{"answer" "a"}`, scan.ReasonSyntax, "answer"},
		{"comment", `{"answer":"a"/*x*/}`, scan.ReasonSyntax, ""},
		{"NaN", `{"answer":"a","temperature":NaN}`, scan.ReasonSyntax, "temperature"},
		{"Infinity", `{"answer":"a","x":Infinity}`, scan.ReasonSyntax, ""},
		{"minus infinity", `{"answer":"a","temperature":-Infinity}`, scan.ReasonSyntax, "temperature"},
		{"leading zero", `{"answer":"a","temperature":01}`, scan.ReasonSyntax, ""},
		{"plus sign", `{"answer":"a","temperature":+1}`, scan.ReasonSyntax, "temperature"},
		{"bare point", `{"answer":"a","temperature":1.}`, scan.ReasonSyntax, "temperature"},
		{"bare exponent", `{"answer":"a","temperature":1e}`, scan.ReasonSyntax, "temperature"},
		{"bare minus", `{"answer":"a","x":-}`, scan.ReasonSyntax, ""},
		{"half a word", `{"answer":"a","streamed":tru}`, scan.ReasonSyntax, "streamed"},
		{"trailing value", `{"answer":"a"}{}`, scan.ReasonTrailingBytes, ""},
		{"trailing NUL", "{\"answer\":\"a\"}\x00", scan.ReasonTrailingBytes, ""},
		{"too large", `{"answer":"` + strings.Repeat("a", DefaultMaxBytes) + `"}`, scan.ReasonTooLarge, ""},
		{"too deep", nestedJSON(DefaultMaxDepth), scan.ReasonTooDeep, ""},
		{"much too deep", `{"x":` + strings.Repeat("[", 500_000), scan.ReasonTooDeep, ""},
		{"too many tags", `{"answer":"a","tags":[` + many(`""`, recordformat.MaxTags+1) + `]}`, scan.ReasonTooMany, "tags"},
		{"too many sources", `{"answer":"a","sources":[` + many(`""`, recordformat.MaxSources+1) + `]}`, scan.ReasonTooMany, "sources"},
		{"too many messages", `{"answer":"a","messages":[` + many(`{}`, recordformat.MaxMessages+1) + `]}`, scan.ReasonTooMany, "messages"},
		{"not UTF-8", "{\"answer\":\"a\xff\"}", scan.ReasonBadUTF8, "answer"},
		{"overlong", "{\"answer\":\"\xc0\xaf\"}", scan.ReasonBadUTF8, "answer"},
		{"surrogate bytes", "{\"answer\":\"\xed\xa0\x80\"}", scan.ReasonBadUTF8, "answer"},
		{"cut character", "{\"answer\":\"\xe2\x82\"}", scan.ReasonBadUTF8, "answer"},
		{"character cut by an escape", "{\"answer\":\"\xe2\x82\\n\"}", scan.ReasonBadUTF8, "answer"},
		{"not UTF-8 in what is ignored", "{\"answer\":\"a\",\"x\":[\"\xff\"]}", scan.ReasonBadUTF8, ""},
		{"not UTF-8 in a name", "{\"answer\":\"a\",\"\xff\":1}", scan.ReasonBadUTF8, ""},
		{"line break in a string", "{\"answer\":\"a\nb\"}", scan.ReasonControlCharacter, "answer"},
		{"control character after an escape", "{\"answer\":\"\\n\x01\"}", scan.ReasonControlCharacter, "answer"},
		{"duplicate answer", `{"answer":"a","answer":"b"}`, scan.ReasonDuplicateKey, "answer"},
		{"duplicate by escape", `{"tenant":"a","answer":"a","\u0074enant":"b"}`, scan.ReasonDuplicateKey, "tenant"},
		{"duplicate of null", `{"tenant":null,"answer":"a","tenant":"b"}`, scan.ReasonDuplicateKey, "tenant"},
		{"duplicate unknown", `{"answer":"a","x":1,"x":2}`, scan.ReasonDuplicateKey, ""},
		{"duplicate in a source", `{"answer":"a","sources":[{"id":"1","id":"2"}]}`, scan.ReasonDuplicateKey, "sources"},
		{"duplicate source", `{"answer":"a","sources":{"1":"x","1":"y"}}`, scan.ReasonDuplicateKey, "sources"},
		{"duplicate attribute", `{"answer":"a","attributes":{"k":null,"k":"v"}}`, scan.ReasonDuplicateKey, "attributes"},
		{"duplicate in what is ignored", `{"answer":"a","x":{"k":{"a":1,"a":2}}}`, scan.ReasonDuplicateKey, ""},
		{"case variant", `{"answer":"a","Tenant":"other"}`, scan.ReasonCaseVariant, "tenant"},
		{"case variant beside it", `{"answer":"a","ANSWER":"b"}`, scan.ReasonCaseVariant, "answer"},
		{"case variant by a fold", `{"answer":"a","ſervice":"x"}`, scan.ReasonCaseVariant, "service"},
		{"no answer", `{"interaction_id":"i"}`, scan.ReasonMissingAnswer, "answer"},
		{"null answer", `{"answer":null}`, scan.ReasonMissingAnswer, "answer"},
		{"numeric answer", `{"answer":5}`, scan.ReasonWrongType, "answer"},
		{"structured answer", `{"answer":{"text":"a"}}`, scan.ReasonWrongType, "answer"},
		{"numeric id", `{"answer":"a","interaction_id":[7]}`, scan.ReasonWrongType, "interaction_id"},
		{"too many attributes", `{"answer":"a","attributes":{` + numberedMembers(recordformat.MaxAttributes+1) + `}}`, scan.ReasonTooMany, "attributes"},
		{"too many named sources", `{"answer":"a","sources":{` + numberedMembers(recordformat.MaxSources+1) + `}}`, scan.ReasonTooMany, "sources"},
		{"duplicate among many", `{"answer":"a","x":{` + numberedMembers(manyMembers) + `,"` + strconv.Itoa(manyMembers-4) + `":""}}`, scan.ReasonDuplicateKey, ""},
		{"duplicate of the first among many", `{"answer":"a","x":{` + numberedMembers(manyMembers) + `,"0":""}}`, scan.ReasonDuplicateKey, ""},
		{"short data after \\u", `{"answer":"\u1`, scan.ReasonSyntax, "answer"},
		{"time with a broken text", "{\"answer\":\"a\",\"occurred_at\":\"2026\n\"}", scan.ReasonControlCharacter, "occurred_at"},
		{"top_k no number", `{"answer":"a","top_k":-}`, scan.ReasonSyntax, "top_k"},
		{"logprob NaN", `{"answer":"a","logprobs":{"content":[{"logprob":NaN}]}}`, scan.ReasonSyntax, "logprobs"},
	}
	d := NewDecoder(Options{})
	var in schemas.Interaction // one for all: a refused record leaves no trace in the next
	seen := map[string]bool{}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			err := d.Decode([]byte(c.raw), &in)
			require.Equal(t, c.reason, errorReason(t, err))
			var refused *scan.Error
			require.ErrorAs(t, err, &refused)
			require.Equal(t, c.field, refused.Field)
			require.LessOrEqual(t, refused.Offset, len(c.raw))
			seen[c.reason] = true
			require.NoError(t, d.Decode([]byte(`{"answer":"a"}`), &in))
			require.Empty(t, cmp.Diff(decodeText(func(*schemas.Interaction) {}), in, requireEqual()))
			require.Error(t, oracleDecode([]byte(c.raw), &schemas.Interaction{}))
		})
	}
	for _, r := range []string{scan.ReasonUnmapped, scan.ReasonOutOfRange, scan.ReasonBadLogprobs, scan.ReasonBadFrame, scan.ReasonBadSchema} {
		seen[r] = true // of mappings alone, TestMappingRefusesRecords, TestMappingRefusesMalformedRequired; the last two of Avro
	}
	for _, r := range scan.Reasons() {
		require.True(t, seen[r], "no case for the reason %s", r)
	}
}

func TestDecodeLimits(t *testing.T) {
	var in schemas.Interaction
	d := NewDecoder(Options{})
	require.NoError(t, d.Decode([]byte(nestedJSON(DefaultMaxDepth-1)), &in))
	small := NewDecoder(Options{MaxBytes: 14, MaxDepth: 1})
	require.NoError(t, small.Decode([]byte(`{"answer":"a"}`), &in))
	require.Equal(t, scan.ReasonTooLarge, errorReason(t, small.Decode([]byte(`{"answer":"ab"}`), &in)))
	require.Equal(t, scan.ReasonTooDeep, errorReason(t, NewDecoder(Options{MaxDepth: 1}).Decode([]byte(`{"answer":"a","tags":[]}`), &in)))
}

// The errors reach logs and dead-letter headers: none may carry what the record said.
func TestErrorHoldsNoPayload(t *testing.T) {
	const secret = "hunter2"
	d := NewDecoder(Options{})
	for _, raw := range []string{
		`{"answer":"a","` + secret + `":1,"` + secret + `":2}`,
		`{"answer":"` + secret + "\x01",
		`{"answer":["` + secret + `"]}`,
		`{"answer":"a","occurred_at":"` + secret + `"}`,
		`{"answer":"a","temperature":"` + secret + `"}`,
		`{"answer":"a","token_logprobs":"` + secret + `"}`,
		`{"answer":"` + secret + `"} ` + secret,
	} {
		var in schemas.Interaction
		err := d.Decode([]byte(raw), &in)
		if err == nil {
			require.NotEmpty(t, in.Malformed)
			require.NotContains(t, in.Malformed, secret)
			continue
		}
		require.NotContains(t, err.Error(), secret)
		require.NotContains(t, err.Error(), `\x`)
	}
	var f schemas.Flag
	for _, raw := range []string{
		`{"detected_at":"` + secret + `"}`, `{"pass":{"` + secret + `":1}}`,
		`{"origin":{"partition":31337.5}}`, `{"attributes":{"` + secret + `":1}}`,
	} {
		err := DecodeFlag([]byte(raw), &f)
		errorReason(t, err)
		require.Error(t, err)
		require.NotContains(t, err.Error(), secret)
		require.NotContains(t, err.Error(), "31337")
	}
}

// TestManyMembersAgain reads records with the same names, in objects of which the names are hashed.
func TestManyMembersAgain(t *testing.T) {
	d := NewDecoder(Options{})
	for _, n := range []int{manyMembers, manyMembers, 5_000, manyMembers} {
		var in schemas.Interaction
		raw := `{"answer":"a","x":{` + numberedMembers(n) + `},"y":{` + numberedMembers(n) + `}}`
		require.NoError(t, d.Decode([]byte(raw), &in), "%d names", n)
	}
}
