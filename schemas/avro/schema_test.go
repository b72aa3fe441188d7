package avro

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/schemas"
	"confab/schemas/json/scan"
)

func nestedSchema(depth int) string {
	typ := `"int"`
	for range depth {
		typ = `{"type":"array","items":` + typ + `}`
	}
	return recordOf(`{"name":"f","type":` + typ + `}`)
}

// doublingSchema names a record twice in the next, so that a few hundred bytes stand for 2^n types.
func doublingSchema(n int) string {
	fields := []string{`{"name":"f0","type":{"type":"record","name":"R0","fields":[{"name":"n","type":"null"}]}}`}
	for i := 1; i < n; i++ {
		fields = append(fields, fmt.Sprintf(
			`{"name":"f%d","type":{"type":"record","name":"R%d","fields":[{"name":"a","type":"R%d"},{"name":"b","type":"R%d"}]}}`, i, i, i-1, i-1))
	}
	return recordOf(strings.Join(fields, ","))
}

func TestNewSchema(t *testing.T) {
	for name, c := range map[string]struct {
		text   string
		detail string // of the refusal, "" for none
	}{
		"ours":                    {schemas.InteractionAvro(), ""},
		"flags":                   {schemas.FlagAvro(), ""},
		"no fields":               {recordOf(""), ""},
		"an error record":         {`{"type":"error","name":"R","fields":[]}`, ""},
		"wrapped":                 {`{"type":{"type":"record","name":"R","fields":[]}}`, ""},
		"name used twice":         {recordOf(`{"name":"a","type":{"type":"enum","name":"E","symbols":["A"]}},{"name":"b","type":"E"}`), ""},
		"namespaces":              {`{"type":"record","name":"x.R","fields":[{"name":"a","type":{"type":"fixed","name":"F","size":2}},{"name":"b","type":"x.F"},{"name":"c","type":"F"}]}`, ""},
		"same name, other space":  {`{"type":"record","name":"x.R","fields":[{"name":"a","type":{"type":"record","name":"R","namespace":"y","fields":[]}}]}`, ""},
		"default goavro refuses":  {recordOf(`{"name":"a","type":{"type":"int","logicalType":"date"},"default":0},{"name":"b","type":["null",{"type":"bytes","logicalType":"decimal","precision":4,"scale":2}],"default":null}`), ""},
		"null in a union of list": {recordOf(`{"name":"a","type":{"type":"array","items":["null","string"]}}`), ""},
		"32 levels":               {nestedSchema(30), ""},
		"not JSON":                {`{`, "not JSON"},
		"nothing":                 {``, "not JSON"},
		"two schemas":             {`"int" "int"`, "not JSON"},
		"a number":                {`7`, "a type is"},
		"no record":               {`"string"`, "is a record"},
		"an array":                {`{"type":"array","items":"int"}`, "is a record"},
		"a union":                 {`["null",` + recordOf("") + `]`, "is a record"},
		"unknown type":            {recordOf(`{"name":"a","type":"Other"}`), "not defined"},
		"no type":                 {recordOf(`{"name":"a"}`), "a type is"},
		"no list of fields":       {`{"type":"record","name":"R"}`, "list of fields"},
		"no name":                 {`{"type":"record","fields":[]}`, "no name"},
		"name taken":              {recordOf(`{"name":"a","type":{"type":"fixed","name":"R","size":1}}`), "taken"},
		"field is not an object":  {recordOf(`"a"`), "no name"},
		"enum without symbols":    {recordOf(`{"name":"a","type":{"type":"enum","name":"E","symbols":[]}}`), "non-empty array"},
		"bad symbol":              {recordOf(`{"name":"a","type":{"type":"enum","name":"E","symbols":["a b"]}}`), `Record "R" field 1 ought to be valid Avro named type: Enum "E" symbol 1`},
		"fixed 0":                 {recordOf(`{"name":"a","type":{"type":"fixed","name":"F","size":0}}`), "size"},
		"empty union":             {recordOf(`{"name":"a","type":[]}`), "one or more members"},
		"union in union":          {recordOf(`{"name":"a","type":["null",["int"]]}`), "holds a union"},
		"union of two strings":    {recordOf(`{"name":"a","type":["string","string"]}`), "unique type"},
		"recursive":               {recordOf(`{"name":"a","type":["null","R"]}`), "recursive"},
		"recursive, wrapped":      {recordOf(`{"name":"a","type":{"type":"R"}}`), "recursive"},
		"recursive by an array":   {recordOf(`{"name":"a","type":{"type":"array","items":"R"}}`), "recursive"},
		"33 levels":               {nestedSchema(31), "32 deep"},
		"40,000 levels":           {nestedSchema(1500), "32 deep"},
		"more than 64 KiB":        {recordOf("") + strings.Repeat(" ", MaxSchemaBytes), "64 KiB"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := NewSchema(c.text)
			if c.detail == "" {
				require.NoError(t, err)
				return
			}
			require.Equal(t, ReasonBadSchema, errorReason(t, err))
			require.Contains(t, err.Error(), c.detail)
			require.Less(t, len(err.Error()), 300)
		})
	}
}

func TestMatch(t *testing.T) {
	type known struct {
		ID     string `avro:"interaction_id"`
		TopK   int    `json:"top_k,omitempty"`
		Answer string `avro:"answer"`
		Other  string
	}
	for name, c := range map[string]struct {
		fields []typeField
		want   []int
	}{
		"own names":              {[]typeField{{name: "answer"}, {name: "other"}}, []int{2, -1}},
		"a name before an alias": {[]typeField{{name: "a", aliases: []string{"answer"}}, {name: "answer"}}, []int{-1, 2}},
		"an alias before camel":  {[]typeField{{name: "topK"}, {name: "k", aliases: []string{"x.top_k"}}}, []int{-1, 1}},
		"the first alias known":  {[]typeField{{name: "a", aliases: []string{"b", "top_k", "answer"}}}, []int{1}},
		"two of one":             {[]typeField{{name: "a", aliases: []string{"answer"}}, {name: "b", aliases: []string{"answer"}}}, []int{2, -1}},
		"camel case":             {[]typeField{{name: "interactionId"}, {name: "topK"}}, []int{0, 1}},
		"capitals":               {[]typeField{{name: "ANSWER"}, {name: "Answer"}}, []int{-1, 2}},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, (&schemaType{fields: c.fields}).match(reflect.TypeFor[known]()))
		})
	}
}

// Every field of the published schemas has one in our records, at every level, in the order in which it is written.
func TestPublishedIsBound(t *testing.T) {
	var check func(path string, b *target)
	check = func(path string, b *target) {
		if b.item != nil {
			check(path, b.item)
		}
		for _, choice := range b.choices {
			check(path, choice)
		}
		if b.typ.kind == kindRecord {
			require.Len(t, b.fields, len(b.typ.fields), path)
		}
		for _, f := range b.fields {
			check(path+"."+f.name, f.target)
		}
	}
	interaction, flag := published()
	check("flag", flag.flag)
	both := *interaction.interaction
	both.fields = slices.Concat(both.fields, interaction.logprobs.fields)
	check("interaction", &both)
	for i, f := range both.fields {
		require.Equal(t, i, f.at)
	}
}

// One vocabulary of reasons for both formats.
func TestAgreesWithJSON(t *testing.T) {
	for _, r := range []string{
		ReasonSyntax, ReasonTrailingBytes, ReasonTooLarge, ReasonTooMany, ReasonBadUTF8, ReasonDuplicateKey, ReasonMissingAnswer,
		ReasonWrongType, ReasonOutOfRange,
	} {
		require.Contains(t, scan.Reasons(), r)
	}
	require.Len(t, Reasons(), 11)
}
