package standard_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/internal/hostile"
	"confab/schemas"
)

// maxSchemaWork is the work limit of one schema and its answer.
const maxSchemaWork = 3_000_000

// doublingSchema returns a chain of definitions, each of which applies the next one twice: 2 to the n applications.
func doublingSchema(n int, apply string) string {
	var defs []string
	for i := range n {
		defs = append(defs, fmt.Sprintf(`"d%d": `+apply, i, i+1))
	}
	return fmt.Sprintf(`{"$ref": "#/$defs/d0", "$defs": {%s, "d%d": {"minLength": 3}}}`, strings.Join(defs, ", "), n)
}

// TestSchemaWorkIsBounded validates pairs of schema and answer that take an unlimited validator minutes, gigabytes or its
// stack. The counted work is within the limit, and the same when the schema is cached.
func TestSchemaWorkIsBounded(t *testing.T) {
	const work, pattern, invalid, chain = "too much work", "pattern is not supported", "not valid", "chain of references"
	numbers := "[" + strings.Repeat("1,", 60_000) + "1]"
	objects := "[" + strings.Repeat("{},", 40_000) + "{}]"
	var names, enum []string
	for i := range 3000 {
		names, enum = append(names, fmt.Sprintf(`"n%d"`, i)), append(enum, strconv.Itoa(i+2))
	}
	nested := strings.Repeat(`{"a":`, 60) + "1" + strings.Repeat("}", 60)
	tests := map[string]struct{ schema, answer, want string }{
		"allOf doubling":       {doublingSchema(40, `{"allOf": [{"$ref": "#/$defs/d%[2]d"}, {"$ref": "#/$defs/d%[2]d"}]}`), `"abc"`, work},
		"anyOf doubling":       {doublingSchema(40, `{"anyOf": [{"$ref": "#/$defs/d%[2]d"}, {"$ref": "#/$defs/d%[2]d"}]}`), `"a"`, work},
		"not doubling":         {doublingSchema(40, `{"not": {"allOf": [{"not": {"$ref": "#/$defs/d%[2]d"}}, {"not": {"$ref": "#/$defs/d%[2]d"}}]}}`), `"a"`, ""},
		"doubling with depth":  {`{"properties": {"a": {"allOf": [{"$ref": "#"}, {"$ref": "#"}]}}}`, nested, work},
		"dynamic doubling":     {`{"$dynamicAnchor": "x", "properties": {"a": {"allOf": [{"$dynamicRef": "#x"}, {"$dynamicRef": "#x"}]}}}`, nested, "$dynamicRef"},
		"unevaluated doubling": {`{"unevaluatedProperties": {"allOf": [{"$ref": "#"}, {"$ref": "#"}]}}`, nested, work},
		"wide enum":            {`{"items": {"enum": [` + strings.Join(enum, ",") + `]}}`, numbers, work},
		"wide required":        {`{"items": {"required": [` + strings.Join(names, ",") + `]}}`, objects, work},
		"wide allOf":           {`{"items": {"allOf": [` + strings.Repeat(`{"type":"null"},`, 2000) + `true]}}`, numbers, "more than 2,000"},
		"all elements wrong":   {`{"items": {"type": "string"}}`, numbers, work},
		"many elements wrong":  {`{"items": {"type": "string"}}`, "[" + strings.Repeat("1,", 15_000) + "1]", "1"},
		"unique":               {`{"uniqueItems": true}`, "[" + strings.Join(enum, ",") + `, 2.0]`, work},
		"unique again":         {`{"allOf": [` + strings.Repeat(`{"uniqueItems": true},`, 100) + `true]}`, "[" + strings.Join(enum, ",") + "]", work},
		"wide unevaluated":     {`{"allOf": [` + strings.Repeat(`true,`, 300) + `true], "unevaluatedProperties": true}`, "{" + strings.Join(names, ": 1, ") + ": 1}", work},
		"refused unevaluated":  {`{"anyOf": [` + strings.Repeat(`{"items": {"type": "null", "unevaluatedProperties": true}},`, 300) + `true]}`, "[{" + strings.Join(names, ": 1, ") + ": 1}]", work},
		"long chain":           {doublingSchema(1500, `{"$ref": "#/$defs/d%[2]d"}`), nested, "more than 2,000"},
		"chain":                {doublingSchema(200, `{"$ref": "#/$defs/d%[2]d"}`), nested, chain},
		"reference to itself":  {`{"$ref": "#"}`, `1`, chain},
		"reference cycle":      {`{"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}`, `1`, chain},
		"cyclic metaschema":    {`{"$schema": "confab:///schema.json"}`, `1`, invalid},
		"catastrophic pattern": {`{"pattern": "^(a+)+$"}`, `"` + strings.Repeat("a", 50_000) + `!"`, "1"},
		"huge program":         {`{"pattern": "` + strings.Repeat("(a{0,900}){0,1}", 200) + `$"}`, `"a"`, pattern},
		"costly match":         {`{"pattern": "` + strings.Repeat("(a{0,700}){0,1}", 3) + `$"}`, `"` + strings.Repeat("a", 150_000) + `"`, work},
		"many programs":        {`{"allOf": [` + strings.Repeat(`{"pattern":"a{1000}"},`, 1800) + `true]}`, `1`, pattern},
		"repeated repeats":     {`{"pattern": "((a{1000}){1000}){1000}"}`, `"a"`, pattern},
		"long pattern":         {`{"pattern": "` + strings.Repeat("a", 10_000) + `"}`, `"a"`, pattern},
		"lookahead":            {`{"pattern": "^(?=.*[A-Z])"}`, `"a"`, pattern},
		"back-reference":       {`{"pattern": "(a)\\1"}`, `"aa"`, pattern},
		"deep schema":          {strings.Repeat(`{"not":`, 100) + "{}" + strings.Repeat("}", 100), `1`, "not JSON"},
		"long schema":          {`{"title": "` + strings.Repeat("a", 64<<10) + `"}`, `1`, "longer than 64 KiB"},
		"huge number":          {`{"multipleOf": 1e-1000000}`, `1`, "not JSON"},
		"tiny step":            {`{"multipleOf": 1e-400}`, `1e400`, "0"},
		"schema is a number":   {`1`, `1`, invalid},
		"schema is null":       {`null`, `1`, invalid},
		"unknown draft":        {`{"$schema": "http://example.com/draft"}`, `1`, "leads out"},
		"bad anchor":           {`{"$ref": "#nowhere"}`, `1`, invalid},
		"bad pointer":          {`{"$ref": "#/$defs/~9"}`, `1`, invalid},
		"duplicate key":        {`{"type": "null", "type": "number"}`, `1`, "not JSON"},
	}
	d := schemaDetector(t, nil)
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			in := interactionWithSchema(tt.schema, tt.answer)
			first, spent := verdictAndWork(d, in)
			require.Contains(t, first, tt.want)
			require.NotContains(t, first, "failed")
			require.LessOrEqual(t, spent, int64(maxSchemaWork))
			second, again := verdictAndWork(d, in)
			require.Equal(t, first, second, "the second time")
			require.Equal(t, spent, again, "the second time")
		})
	}
}

// TestSchemaWorkOfKindsIsBounded does the same for every hostile kind, at two sizes.
func TestSchemaWorkOfKindsIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	d := schemaDetector(t, nil)
	for name, want := range schemaOutcomes() {
		t.Run(name, func(t *testing.T) {
			k, known := hostile.Find(name)
			require.True(t, known)
			var spent [2]int64
			for i, n := range []int{k.Full / 2, k.Full} {
				in := k.Record(n, 0).Interaction
				require.Less(t, len(in.ResponseSchema), hostile.SchemaCap)
				require.LessOrEqual(t, len(in.Answer), detectors.MaxTextBytes)
				var verdict string
				verdict, spent[i] = verdictAndWork(d, interactionWithSchema(in.ResponseSchema, in.Answer))
				require.NotContains(t, verdict, "failed")
				require.LessOrEqual(t, spent[i], int64(maxSchemaWork), n)
				if n == k.Full {
					require.Contains(t, verdict, want)
				}
			}
			if want != overCap { // which is refused before the work
				require.LessOrEqual(t, spent[0], spent[1])
			}
			if want == overBudget {
				require.EqualValues(t, maxSchemaWork, spent[1], "all of it is charged, however far the work came")
			}
		})
	}
}

// TestSchemaValidatesOrdinaryRecords requires that ordinary records are within the limit.
func TestSchemaValidatesOrdinaryRecords(t *testing.T) {
	d := schemaDetector(t, nil)
	for name, r := range ordinaryRecords() {
		t.Run(name, func(t *testing.T) {
			verdict, spent := verdictAndWork(d, interactionWithSchema(r[0], r[1]))
			require.Equal(t, "0", verdict)
			require.Positive(t, spent)
			require.Less(t, spent, int64(maxSchemaWork))
		})
	}
}

// verdictAndWork returns the verdict and the charged work.
func verdictAndWork(d detectors.Detector, in *schemas.Interaction) (string, int64) {
	doc := new(detectors.Document)
	doc.Reset(in)
	f, err := d.Detect(context.Background(), doc)
	return verdictOfFinding(f, err), doc.Work().Spent()
}

// TestSchemaLoadsNothing requires that no $ref opens a file or a connection.
func TestSchemaLoadsNothing(t *testing.T) {
	file := filepath.Join(t.TempDir(), "open.json")
	require.NoError(t, os.WriteFile(file, []byte(`{"type": "null"}`), 0o600))
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	dialed := make(chan struct{}, 1)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if c, err := listener.Accept(); err == nil {
			c.Close()
			dialed <- struct{}{}
		}
	}()
	address := listener.Addr().String()
	d := schemaDetector(t, nil)
	for _, target := range []string{
		"file://" + file, file, "other.json", "../../../../../../../etc/passwd", "http://" + address + "/x", "https://" + address + "/x",
		"http://169.254.169.254/latest/meta-data", "http://[::ffff:127.0.0.1]/x", "http://2130706433/x", "http://localhost/x",
		"//" + address + "/x", "ftp://" + address + "/x", "data:application/json,{}", "urn:example:x", "jar:file:" + file, "https://json-schema.org/other",
	} {
		for _, schema := range []string{`{"$ref": %q}`, `{"$dynamicRef": %q}`, `{"$schema": %q}`, `{"$id": "http://` + address + `/base", "allOf": [{"$ref": %q}]}`} {
			require.Contains(t, verdictOf(d, interactionWithSchema(fmt.Sprintf(schema, target), "1")), "schema: ", "%s in %s", target, schema)
		}
	}
	require.NoError(t, listener.Close())
	<-done
	require.Empty(t, dialed)
	require.Equal(t, "0", verdictOf(d, interactionWithSchema(`{"$ref": "http://json-schema.org/draft-07/schema#"}`, `{}`)), "the drafts themselves are built in")
}
