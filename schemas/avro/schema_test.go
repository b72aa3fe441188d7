package avro

import (
	"fmt"
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

// chainedSchema names each record in the next: flat as text, deep as a type.
func chainedSchema(n int) string {
	fields := []string{`{"name":"f0","type":{"type":"record","name":"R0","fields":[]}}`}
	for i := 1; i < n; i++ {
		fields = append(fields, fmt.Sprintf(`{"name":"f%d","type":{"type":"record","name":"R%d","fields":[{"name":"a","type":"R%d"}]}}`, i, i, i-1))
	}
	return recordOf(strings.Join(fields, ","))
}

func TestNewSchema(t *testing.T) {
	nulls := strings.TrimSuffix(strings.Repeat(`{"name":"n%d","type":"null"},`, 40), ",")
	numbers := make([]any, 40)
	for i := range numbers {
		numbers[i] = i
	}
	wide := fmt.Sprintf(nulls, numbers...)
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
		"field twice":             {recordOf(`{"name":"a","type":"int"},{"name":"a","type":"int"}`), "taken"},
		"field is not an object":  {recordOf(`"a"`), "no name"},
		"enum without symbols":    {recordOf(`{"name":"a","type":{"type":"enum","name":"E","symbols":[]}}`), "no symbols"},
		"bad symbol":              {recordOf(`{"name":"a","type":{"type":"enum","name":"E","symbols":["a b"]}}`), "does not allow"},
		"fixed 0":                 {recordOf(`{"name":"a","type":{"type":"fixed","name":"F","size":0}}`), "positive"},
		"fixed 1.5":               {recordOf(`{"name":"a","type":{"type":"fixed","name":"F","size":1.5}}`), "positive"},
		"fixed of all":            {recordOf(`{"name":"a","type":{"type":"fixed","name":"F","size":1e18}}`), "positive"},
		"empty union":             {recordOf(`{"name":"a","type":[]}`), "no types"},
		"union in union":          {recordOf(`{"name":"a","type":["null",["int"]]}`), "holds a union"},
		"union of two strings":    {recordOf(`{"name":"a","type":["string","string"]}`), "twice"},
		"recursive":               {recordOf(`{"name":"a","type":["null","R"]}`), "recursive"},
		"recursive, wrapped":      {recordOf(`{"name":"a","type":{"type":"R"}}`), "recursive"},
		"recursive by an array":   {recordOf(`{"name":"a","type":{"type":"array","items":"R"}}`), "recursive"},
		"array of null":           {recordOf(`{"name":"a","type":{"type":"array","items":"null"}}`), "no bytes"},
		"map of null":             {recordOf(`{"name":"a","type":{"type":"map","values":"null"}}`), "no bytes"},
		"array of empty records":  {recordOf(`{"name":"a","type":{"type":"array","items":{"type":"record","name":"E","fields":[]}}}`), "no bytes"},
		"array of many nulls": {
			recordOf(`{"name":"a","type":{"type":"array","items":{"type":"record","name":"E","fields":[{"name":"i","type":"int"},` + wide + `]}}}`),
			"no bytes",
		},
		"33 levels":        {nestedSchema(31), "32 deep"},
		"31 names deep":    {chainedSchema(31), ""},
		"33 names deep":    {chainedSchema(32), "32 deep"},
		"40,000 levels":    {nestedSchema(1500), "32 deep"},
		"types doubled":    {doublingSchema(25), "4,096 types"},
		"more than 64 KiB": {recordOf("") + strings.Repeat(" ", MaxSchemaBytes), "64 KiB"},
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

func TestTargets(t *testing.T) {
	s := knownFields{"interaction_id": nil, "top_k": nil, "answer": nil}
	for name, c := range map[string]struct {
		fields []typeField
		want   []string
	}{
		"own names":              {[]typeField{{name: "answer"}, {name: "other"}}, []string{"answer", ""}},
		"a name before an alias": {[]typeField{{name: "a", aliases: []string{"answer"}}, {name: "answer"}}, []string{"", "answer"}},
		"an alias before camel":  {[]typeField{{name: "topK"}, {name: "k", aliases: []string{"x.top_k"}}}, []string{"", "top_k"}},
		"the first alias known":  {[]typeField{{name: "a", aliases: []string{"b", "top_k", "answer"}}}, []string{"top_k"}},
		"two of one":             {[]typeField{{name: "a", aliases: []string{"answer"}}, {name: "b", aliases: []string{"answer"}}}, []string{"answer", ""}},
		"camel case":             {[]typeField{{name: "interactionId"}, {name: "topK"}}, []string{"interaction_id", "top_k"}},
		"capitals":               {[]typeField{{name: "ANSWER"}, {name: "Answer"}}, []string{"", "answer"}},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, s.targets(c.fields)) })
	}
}

// The fields of our shapes are those of the published schemas, at every level.
func TestShapesArePublished(t *testing.T) {
	var check func(t *testing.T, path string, n *schemaType, s knownFields)
	check = func(t *testing.T, path string, n *schemaType, s knownFields) {
		for n.kind == kindArray {
			n = n.items
		}
		for _, b := range n.branches {
			if b.kind == kindRecord {
				n = b
			}
		}
		if n.kind != kindRecord {
			require.Empty(t, s, path)
			return
		}
		require.Len(t, s, len(n.fields), path)
		for _, f := range n.fields {
			require.Contains(t, s, f.name, path)
			check(t, path+"."+f.name, f.typ, s[f.name])
		}
	}
	for text, s := range map[string]knownFields{schemas.InteractionAvro(): interactionFields(), schemas.FlagAvro(): flagFields()} {
		root, err := parseSchema(text)
		require.NoError(t, err)
		check(t, "", root, s)
	}
}

// One vocabulary of reasons for both formats.
func TestAgreesWithJSON(t *testing.T) {
	for _, r := range []string{
		ReasonSyntax, ReasonTrailingBytes, ReasonTooLarge, ReasonTooMany, ReasonBadUTF8, ReasonDuplicateKey, ReasonMissingAnswer,
		ReasonWrongType, ReasonOutOfRange, ReasonBadLogprobs,
	} {
		require.Contains(t, scan.Reasons(), r)
	}
	require.Len(t, Reasons(), 12)
}
