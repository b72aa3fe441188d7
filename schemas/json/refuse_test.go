package json

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"confab/schemas"
)

// nested is an unknown field of n lists within each other, in an interaction.
func nested(n int) string {
	return `{"answer":"a","x":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}`
}

// numbered is n members with names of their own, each an empty string.
// manyMembers is more than the scanner compares one by one.
const manyMembers = 41

func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"%d":""`, i)
	}
	return b.String()[1:]
}

func TestDecodeRefuses(t *testing.T) {
	many := func(item string, n int) string { return strings.TrimSuffix(strings.Repeat(item+",", n), ",") }
	cases := []struct{ name, raw, reason, field string }{
		{"nothing", "", ReasonSyntax, ""},
		{"white space", " \n", ReasonSyntax, ""},
		{"null", "null", ReasonWrongType, ""},
		{"list", "[]", ReasonWrongType, ""},
		{"string", `"x"`, ReasonWrongType, ""},
		{"words", "hello", ReasonSyntax, ""},
		{"byte order mark", "\xef\xbb\xbf{}", ReasonSyntax, ""},
		{"UTF-16", "{\x00\"\x00}\x00", ReasonSyntax, ""},
		{"open object", `{"answer":"a"`, ReasonSyntax, ""},
		{"open string", `{"answer":"a`, ReasonSyntax, "answer"},
		{"open escape", `{"answer":"a\`, ReasonSyntax, "answer"},
		{"no such escape", `{"answer":"\x41"}`, ReasonSyntax, "answer"},
		{"short unicode escape", `{"answer":"\u12"}`, ReasonSyntax, "answer"},
		{"trailing comma", `{"answer":"a",}`, ReasonSyntax, ""},
		{"trailing comma in a list", `{"answer":"a","tags":["x",]}`, ReasonSyntax, "tags"},
		{"leading comma", `{,"answer":"a"}`, ReasonSyntax, ""},
		{"single quotes", `{'answer':'a'}`, ReasonSyntax, ""},
		{"no colon", `{"answer" "a"}`, ReasonSyntax, ""},
		{"comment", `{"answer":"a"/*x*/}`, ReasonSyntax, ""},
		{"NaN", `{"answer":"a","temperature":NaN}`, ReasonSyntax, "temperature"},
		{"Infinity", `{"answer":"a","x":Infinity}`, ReasonSyntax, ""},
		{"minus infinity", `{"answer":"a","temperature":-Infinity}`, ReasonSyntax, "temperature"},
		{"leading zero", `{"answer":"a","temperature":01}`, ReasonSyntax, "temperature"},
		{"plus sign", `{"answer":"a","temperature":+1}`, ReasonSyntax, "temperature"},
		{"bare point", `{"answer":"a","temperature":1.}`, ReasonSyntax, "temperature"},
		{"bare exponent", `{"answer":"a","temperature":1e}`, ReasonSyntax, "temperature"},
		{"bare minus", `{"answer":"a","x":-}`, ReasonSyntax, ""},
		{"half a word", `{"answer":"a","streamed":tru}`, ReasonSyntax, "streamed"},
		{"trailing value", `{"answer":"a"}{}`, ReasonTrailingBytes, ""},
		{"trailing NUL", "{\"answer\":\"a\"}\x00", ReasonTrailingBytes, ""},
		{"too large", `{"answer":"` + strings.Repeat("a", DefaultMaxBytes) + `"}`, ReasonTooLarge, ""},
		{"too deep", nested(DefaultMaxDepth), ReasonTooDeep, ""},
		{"much too deep", `{"x":` + strings.Repeat("[", 500_000), ReasonTooDeep, ""},
		{"too many tags", `{"answer":"a","tags":[` + many(`""`, MaxTags+1) + `]}`, ReasonTooMany, "tags"},
		{"too many sources", `{"answer":"a","sources":[` + many(`""`, MaxSources+1) + `]}`, ReasonTooMany, "sources"},
		{"too many messages", `{"answer":"a","messages":[` + many(`{}`, MaxMessages+1) + `]}`, ReasonTooMany, "messages"},
		{"no UTF-8", "{\"answer\":\"a\xff\"}", ReasonBadUTF8, "answer"},
		{"overlong", "{\"answer\":\"\xc0\xaf\"}", ReasonBadUTF8, "answer"},
		{"surrogate bytes", "{\"answer\":\"\xed\xa0\x80\"}", ReasonBadUTF8, "answer"},
		{"cut character", "{\"answer\":\"\xe2\x82\"}", ReasonBadUTF8, "answer"},
		{"character cut by an escape", "{\"answer\":\"\xe2\x82\\n\"}", ReasonBadUTF8, "answer"},
		{"no UTF-8 in what is ignored", "{\"answer\":\"a\",\"x\":[\"\xff\"]}", ReasonBadUTF8, ""},
		{"no UTF-8 in a name", "{\"answer\":\"a\",\"\xff\":1}", ReasonBadUTF8, ""},
		{"line break in a string", "{\"answer\":\"a\nb\"}", ReasonControlCharacter, "answer"},
		{"control character after an escape", "{\"answer\":\"\\n\x01\"}", ReasonControlCharacter, "answer"},
		{"duplicate answer", `{"answer":"a","answer":"b"}`, ReasonDuplicateKey, "answer"},
		{"duplicate by escape", `{"tenant":"a","answer":"a","\u0074enant":"b"}`, ReasonDuplicateKey, "tenant"},
		{"duplicate of null", `{"tenant":null,"answer":"a","tenant":"b"}`, ReasonDuplicateKey, "tenant"},
		{"duplicate unknown", `{"answer":"a","x":1,"x":2}`, ReasonDuplicateKey, ""},
		{"duplicate in a source", `{"answer":"a","sources":[{"id":"1","id":"2"}]}`, ReasonDuplicateKey, "sources"},
		{"duplicate source", `{"answer":"a","sources":{"1":"x","1":"y"}}`, ReasonDuplicateKey, "sources"},
		{"duplicate attribute", `{"answer":"a","attributes":{"k":null,"k":"v"}}`, ReasonDuplicateKey, "attributes"},
		{"duplicate in what is ignored", `{"answer":"a","x":{"k":{"a":1,"a":2}}}`, ReasonDuplicateKey, ""},
		{"case variant", `{"answer":"a","Tenant":"other"}`, ReasonCaseVariant, "tenant"},
		{"case variant beside it", `{"answer":"a","ANSWER":"b"}`, ReasonCaseVariant, "answer"},
		{"case variant by a fold", `{"answer":"a","ſervice":"x"}`, ReasonCaseVariant, "service"},
		{"no answer", `{"interaction_id":"i"}`, ReasonMissingAnswer, "answer"},
		{"null answer", `{"answer":null}`, ReasonMissingAnswer, "answer"},
		{"numeric answer", `{"answer":5}`, ReasonWrongType, "answer"},
		{"structured answer", `{"answer":{"text":"a"}}`, ReasonWrongType, "answer"},
		{"numeric id", `{"answer":"a","interaction_id":7}`, ReasonWrongType, "interaction_id"},
		{"numeric source id", `{"answer":"a","sources":[{"id":7}]}`, ReasonWrongType, "sources"},
		{"null source", `{"answer":"a","sources":[null]}`, ReasonWrongType, "sources"},
		{"numeric sources", `{"answer":"a","sources":7}`, ReasonWrongType, "sources"},
		{"tags string", `{"answer":"a","tags":"medical"}`, ReasonWrongType, "tags"},
		{"null tag", `{"answer":"a","tags":[null]}`, ReasonWrongType, "tags"},
		{"messages string", `{"answer":"a","messages":"hi"}`, ReasonWrongType, "messages"},
		{"message string", `{"answer":"a","messages":["hi"]}`, ReasonWrongType, "messages"},
		{"content number", `{"answer":"a","messages":[{"content":1}]}`, ReasonWrongType, "messages"},
		{"prompt list", `{"answer":"a","prompt":["p"]}`, ReasonWrongType, "prompt"},
		{"streamed string", `{"answer":"a","streamed":"true"}`, ReasonWrongType, "streamed"},
		{"temperature string", `{"answer":"a","temperature":"0.7"}`, ReasonWrongType, "temperature"},
		{"temperature beyond floats", `{"answer":"a","temperature":1e400}`, ReasonOutOfRange, "temperature"},
		{"score beyond floats", `{"answer":"a","sources":[{"score":-1e400}]}`, ReasonOutOfRange, "sources"},
		{"attribute list", `{"answer":"a","attributes":{"k":[]}}`, ReasonWrongType, "attributes"},
		{"attributes list", `{"answer":"a","attributes":[]}`, ReasonWrongType, "attributes"},
		{"too many attributes", `{"answer":"a","attributes":{` + numbered(MaxAttributes+1) + `}}`, ReasonTooMany, "attributes"},
		{"too many named sources", `{"answer":"a","sources":{` + numbered(MaxSources+1) + `}}`, ReasonTooMany, "sources"},
		{"duplicate among many", `{"answer":"a","x":{` + numbered(manyMembers) + `,"` + strconv.Itoa(manyMembers-4) + `":""}}`, ReasonDuplicateKey, ""},
		{"duplicate of the first among many", `{"answer":"a","x":{` + numbered(manyMembers) + `,"0":""}}`, ReasonDuplicateKey, ""},
		{"short data after \\u", `{"answer":"\u1`, ReasonSyntax, "answer"},
		{"time list", `{"answer":"a","occurred_at":[]}`, ReasonWrongType, "occurred_at"},
		{"time fraction", `{"answer":"a","occurred_at":1.5}`, ReasonWrongType, "occurred_at"},
		{"time with a broken text", "{\"answer\":\"a\",\"occurred_at\":\"2026\n\"}", ReasonControlCharacter, "occurred_at"},
		{"top_k string", `{"answer":"a","top_k":"5"}`, ReasonWrongType, "top_k"},
		{"top_k no number", `{"answer":"a","top_k":-}`, ReasonSyntax, "top_k"},
		{"top_k fraction", `{"answer":"a","top_k":1.0}`, ReasonWrongType, "top_k"},
		{"top_k negative", `{"answer":"a","top_k":-1}`, ReasonOutOfRange, "top_k"},
		{"top_k beyond integers", `{"answer":"a","top_k":99999999999999999999}`, ReasonOutOfRange, "top_k"},
		{"packed no base64", `{"answer":"a","token_logprobs":"*"}`, ReasonBadLogprobs, "token_logprobs"},
		{"packed half a value", `{"answer":"a","token_logprobs":"AAA="}`, ReasonBadLogprobs, "token_logprobs"},
		{"packed half a row", `{"answer":"a","top_k":1,"token_logprobs":"AACAvw=="}`, ReasonBadLogprobs, "token_logprobs"},
		{"logprobs list", `{"answer":"a","logprobs":[]}`, ReasonWrongType, "logprobs"},
		{"logprob string", `{"answer":"a","logprobs":{"content":[{"logprob":"NaN"}]}}`, ReasonWrongType, "logprobs"},
		{"logprob NaN", `{"answer":"a","logprobs":{"content":[{"logprob":NaN}]}}`, ReasonSyntax, "logprobs"},
		{"token bytes out of range", `{"answer":"a","logprobs":{"content":[{"bytes":[256]}]}}`, ReasonOutOfRange, "logprobs"},
	}
	d := NewDecoder(Options{})
	var in schemas.Interaction // one for all: a refused record leaves no trace in the next
	seen := map[string]bool{}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			err := d.Decode([]byte(c.raw), &in)
			require.Equal(t, c.reason, reason(t, err))
			var refused *Error
			require.ErrorAs(t, err, &refused)
			require.Equal(t, c.field, refused.Field)
			require.LessOrEqual(t, refused.Offset, len(c.raw))
			seen[c.reason] = true
			require.NoError(t, d.Decode([]byte(`{"answer":"a"}`), &in))
			require.Empty(t, cmp.Diff(interaction(func(*schemas.Interaction) {}), in, same()))
			require.Error(t, oracleDecode([]byte(c.raw), &schemas.Interaction{}))
		})
	}
	seen[ReasonUnmapped] = true // of mappings alone: TestMappingRefusesRecords
	for _, r := range Reasons() {
		require.True(t, seen[r], "no case for the reason %s", r)
	}
}

func TestDecodeLimits(t *testing.T) {
	var in schemas.Interaction
	d := NewDecoder(Options{})
	require.NoError(t, d.Decode([]byte(nested(DefaultMaxDepth-1)), &in))
	small := NewDecoder(Options{MaxBytes: 14, MaxDepth: 1})
	require.NoError(t, small.Decode([]byte(`{"answer":"a"}`), &in))
	require.Equal(t, ReasonTooLarge, reason(t, small.Decode([]byte(`{"answer":"ab"}`), &in)))
	require.Equal(t, ReasonTooDeep, reason(t, NewDecoder(Options{MaxDepth: 1}).Decode([]byte(`{"answer":"a","tags":[]}`), &in)))
}

// The errors reach logs and dead-letter headers: none may carry what the record said.
func TestErrorHoldsNoPayload(t *testing.T) {
	const secret = "hunter2"
	d := NewDecoder(Options{})
	for _, raw := range []string{
		`{"answer":"a","` + secret + `":1,"` + secret + `":2}`,
		`{"answer":"` + secret + "\x01",
		`{"answer":"a","occurred_at":"` + secret + `"}`,
		`{"answer":"a","temperature":"` + secret + `"}`,
		`{"answer":"a","token_logprobs":"` + secret + `"}`,
		`{"answer":"` + secret + `"} ` + secret,
	} {
		var in schemas.Interaction
		err := d.Decode([]byte(raw), &in)
		require.Error(t, err)
		require.NotContains(t, err.Error(), secret)
		require.NotContains(t, err.Error(), `\x`)
	}
	var f schemas.Flag
	for _, raw := range []string{
		`{"detected_at":"` + secret + `"}`, `{"pass":{"` + secret + `":1}}`, `{"shed_level":"` + secret + `"}`,
		`{"shed_level":31337.5}`, `{"attributes":{"` + secret + `":1}}`,
	} {
		err := DecodeFlag([]byte(raw), &f)
		reason(t, err)
		require.Error(t, err)
		require.NotContains(t, err.Error(), secret)
		require.NotContains(t, err.Error(), "31337")
	}
}
