package standard_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/detectors/jsonschema"
	"confab/detectors/standard"
	"confab/schemas"
)

const (
	draft7 = `"$schema": "http://json-schema.org/draft-07/schema#"`
	person = `{"type": "object", "required": ["name", "age"], "additionalProperties": false, "properties": {` +
		`"name": {"type": "string", "pattern": "^\\S"}, "age": {"type": "integer", "minimum": 0}, ` +
		`"mail": {"type": "string", "format": "email"}, "tags": {"type": "array", "items": {"enum": ["a", "b"]}}}}`
)

func interactionWithSchema(schema, answer string) *schemas.Interaction {
	return &schemas.Interaction{ResponseSchema: schema, Answer: answer, FinishReason: "stop"}
}

func schemaDetector(t testing.TB, change func(*jsonschema.Options)) detectors.Detector {
	t.Helper()
	o := jsonschema.DefaultOptions()
	if change != nil {
		change(&o)
	}
	return buildConfidence(t, "schema", &o, standard.Dependencies{})
}

func TestSchema(t *testing.T) {
	tests := map[string]struct {
		schema, answer string
		score          float64
		notes          []string // one an error, in order
		places         []string // what the evidence shows, "" for no place
	}{
		"valid":                {person, `{"name": "Ann", "age": 3, "tags": ["a"]}`, 0, nil, nil},
		"white space":          {person, "\n {\"name\":\"Ann\",\t\"age\":3}\r\n", 0, nil, nil},
		"wrong type":           {person, `{"name": "Ann", "age": "3"}`, 1, []string{"/age: got string, want integer"}, []string{`"3"`}},
		"missing":              {person, `{"name": "Ann"}`, 1, []string{"/: missing property 'age'"}, []string{""}},
		"one too many":         {person, `{"name": "Ann", "age": 3, "x": [1]}`, 1, []string{"/: additional properties 'x' not allowed"}, []string{"[1]"}},
		"pattern":              {person, `{"name": " Ann", "age": 3}`, 1, []string{"/name: ' Ann' does not match pattern '^\\\\S'"}, []string{`" Ann"`}},
		"format":               {person, `{"name": "Ann", "age": 3, "mail": "ann"}`, 1, []string{"/mail: 'ann' is not valid email"}, []string{`"ann"`}},
		"array element":        {person, `{"tags": ["a", "c"], "name": "Ann", "age": 3}`, 1, []string{"/tags/1: value must be one of 'a', 'b'"}, []string{`"c"`}},
		"three of four":        {`{"items": {"type": "null"}}`, `[1, null, 2, 3, 4]`, 1, []string{"/0: got number, want null", "/2: ", "/3: "}, []string{"1", "2", "3"}},
		"deepest alternative":  {`{"anyOf": [{"type": "null"}, {"properties": {"a": {"type": "string"}}}]}`, `{"a": 1}`, 1, []string{"/a: got number, want string"}, []string{"1"}},
		"no alternative":       {`{"anyOf": [{"type": "null"}, {"type": "array"}]}`, `1`, 1, []string{"/: 'anyOf' failed"}, []string{"1"}},
		"odd keys":             {`{"properties": {"a/b~": {"type": "null"}}}`, `{"a/b~": 1}`, 1, []string{"/a~1b~0: got number, want null"}, []string{"1"}},
		"escaped key":          {`{"properties": {"é": {"type": "null"}}}`, `{"\u00e9": "\ud83d\ude00"}`, 1, []string{"/é: got string, want null"}, []string{`"\ud83d\ude00"`}},
		"property names":       {`{"propertyNames": {"maxLength": 1}}`, `{"ab": 1}`, 1, []string{"invalid propertyName 'ab'"}, []string{""}},
		"false":                {`false`, `1`, 1, []string{"/: false schema"}, []string{"1"}},
		"draft 7":              {`{` + draft7 + `, "items": [{"type": "null"}], "additionalItems": false}`, `[null, 1]`, 1, []string{"/: "}, []string{"[null, 1]"}},
		"2020-12 by default":   {`{"items": [{"type": "null"}]}`, `[1]`, -1, nil, nil}, // an array of schemas is draft 7's
		"numbers are exact":    {`{"const": 0.1}`, `0.10000000000000000001`, 1, []string{"/: value must be 0.1"}, []string{"0.10000000000000000001"}},
		"numbers, other forms": {`{"const": 100, "type": "integer"}`, `1.0e2`, 0, nil, nil},
		"recursive":            {`{"properties": {"a": {"$ref": "#"}}, "additionalProperties": false}`, `{"a": {"a": {"b": 1}}}`, 1, []string{"/a/a: additional properties 'b' not allowed"}, []string{"1"}},
	}
	d := schemaDetector(t, nil)
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			in := interactionWithSchema(tt.schema, tt.answer)
			if tt.score < 0 {
				require.Contains(t, verdictOf(d, in), "schema: the schema is not valid")
				return
			}
			f := detectOnce(t, d, in)
			require.InDelta(t, tt.score, f.Score, 0)
			require.Len(t, f.Evidence, len(tt.notes))
			for i, note := range tt.notes {
				require.Contains(t, f.Evidence[i].Note, note)
				place := ""
				if e := f.Evidence[i]; e.Start != schemas.NoPlace {
					place = tt.answer[e.Start:e.End]
				}
				require.Equal(t, tt.places[i], place)
			}
			if tt.score == 1 {
				require.Equal(t, schemas.Format, f.Type)
				require.NotEmpty(t, f.Reason)
				require.GreaterOrEqual(t, measureMap(f)["errors"], float64(len(tt.notes)))
			}
		})
	}
}

func TestSchemaRejectsInvalidJSON(t *testing.T) {
	digits := strings.Repeat("9", 401)
	tests := map[string]struct{ answer, note, shows string }{
		"prose":              {"Sure! Here it is.", "no JSON value", "Sure! Here it is."},
		"empty":              {"", "no JSON value", ""},
		"text after":         {`{"a": 1} Hope it helps`, "text after the JSON value", "Hope it helps"},
		"two values":         {`1 2`, "text after the JSON value", "2"},
		"duplicate key":      {`{"a": 1, "a": 2}`, "a key occurs twice", `"a": 2}`},
		"duplicate, escaped": {`{"a": 1, "\u0061": 2}`, "a key occurs twice", `"\u0061": 2}`},
		"trailing comma":     {`[1,]`, "no JSON value", ",]"},
		"single quotes":      {`{'a': 1}`, "missing quoted key", "'a': 1}"},
		"comment":            {"[1] // one", "text after the JSON value", "// one"},
		"missing comma":      {`[1 2]`, "no comma or closing bracket after an element", "2]"},
		"missing colon":      {`{"a" 1}`, "no colon after a key", "1}"},
		"leading zero":       {`01`, "text after the JSON value", "1"},
		"bare point":         {`1.`, "not a JSON number", "1."},
		"bare exponent":      {`1e+`, "not a JSON number", "1e+"},
		"plus":               {`+1`, "no JSON value", "+1"},
		"NaN":                {`NaN`, "no JSON value", "NaN"},
		"True":               {`True`, "no JSON value", "True"},
		"huge exponent":      {`[1e1000000000]`, "a number that JSON parsers cannot hold", "1e1000000000]"},
		"too many digits":    {digits, "a number that JSON parsers cannot hold", digits[:40]},
		"control character":  {"\"a\nb\"", "a control character in a string", "\nb\""},
		"unknown escape":     {`"\x41"`, "an unknown escape in a string", `\x41"`},
		"too deep":           {strings.Repeat("[", 65) + strings.Repeat("]", 65), "more than 64 levels deep", "[" + strings.Repeat("]", 39)},
		"fence":              {"```json\n1\n```", "no JSON value", "```json\n1\n```"},
		"byte order mark":    {"\ufeff1", "starts with a byte order mark: write UTF-8 without one", "\ufeff1"},
	}
	d := schemaDetector(t, nil)
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			f := detectOnce(t, d, interactionWithSchema("{}", tt.answer))
			require.InDelta(t, 1, f.Score, 0)
			require.Equal(t, "the answer is not valid JSON", f.Reason)
			require.Len(t, f.Evidence, 1)
			require.Equal(t, tt.note, f.Evidence[0].Note)
			if tt.shows == "" {
				require.Equal(t, schemas.NoPlace, f.Evidence[0].Start)
			} else {
				require.Equal(t, tt.shows, tt.answer[f.Evidence[0].Start:f.Evidence[0].End])
			}
		})
	}
	require.Zero(t, detectOnce(t, d, interactionWithSchema("{}", strings.Repeat("[", 64)+strings.Repeat("]", 64))).Score)
	require.Zero(t, detectOnce(t, d, interactionWithSchema("{}", strings.Repeat("9", 400))).Score)
}

func TestSchemaReportsTruncation(t *testing.T) {
	const whole = `{"name": "Ann", "age": 12e1, "tags": ["a", "\u0062", true, null]}`
	d := schemaDetector(t, nil)
	for cut := 1; cut < len(whole); cut++ {
		in := interactionWithSchema("{}", whole[:cut])
		in.FinishReason = "length"
		f := detectOnce(t, d, in)
		require.InDelta(t, 1, f.Score, 0)
		require.Contains(t, f.Reason, "token limit", "%q", in.Answer)
		require.InDelta(t, 1, measureMap(f)["truncated"], 0)
	}
	broken := interactionWithSchema("{}", "Sorry, no.")
	broken.FinishReason = "length"
	require.Zero(t, measureMap(detectOnce(t, d, broken))["truncated"], "broken before the end")
	require.Zero(t, measureMap(detectOnce(t, d, interactionWithSchema("{}", "[1")))["truncated"], "nothing cut it")
}

func TestSchemaFence(t *testing.T) {
	strict, tolerant := schemaDetector(t, nil), schemaDetector(t, func(o *jsonschema.Options) { o.TolerateFence = true })
	for answer, fenced := range map[string]bool{
		"```json\n{\"a\": 1}\n```": true, " ```\n{\"a\": 1}```\n": true, "```JSON\r\n{\"a\": 1}\n```": true,
		"```{\"a\": 1}```": false, "```json\n{\"a\": 1}\n``` there": false, "```json\n{\"a\": 1}": false, "``````": false, "```": false,
	} {
		in := interactionWithSchema(`{"properties": {"a": {"type": "string"}}}`, answer)
		require.Contains(t, detectOnce(t, strict, in).Reason, "not valid JSON")
		f := detectOnce(t, tolerant, in)
		require.Equal(t, fenced, measureMap(f)["fenced"] == 1, answer)
		require.InDelta(t, 1, f.Score, 0)
		if fenced {
			require.Contains(t, f.Evidence[0].Note, "/a: got number, want string")
			require.Equal(t, "1", answer[f.Evidence[0].Start:f.Evidence[0].End])
		}
	}
}

func TestSchemaChoice(t *testing.T) {
	d := buildConfidence(t, "schema", nil, standard.Dependencies{Schemas: map[string]string{"extract": `{"type": "array"}`}})
	tests := map[string]struct {
		in   schemas.Interaction
		want string
	}{
		"none":                       {schemas.Interaction{Operation: "chat", Answer: "hello"}, "no schema"},
		"by operation":               {schemas.Interaction{Operation: "extract", Answer: "{}"}, "1"},
		"the event's wins":           {schemas.Interaction{Operation: "extract", ResponseSchema: `{"type": "object"}`, Answer: "{}"}, "0"},
		"event's, no operation":      {schemas.Interaction{ResponseSchema: `{"type": "object"}`, Answer: "[]"}, "1"},
		"empty answer":               {schemas.Interaction{Operation: "extract", FinishReason: "stop"}, "1"},
		"tool call":                  {schemas.Interaction{Operation: "extract", FinishReason: "tool_calls"}, "no answer to validate: the model called a tool or was stopped"},
		"too long":                   {schemas.Interaction{Operation: "extract", Answer: "[" + strings.Repeat("1,", detectors.MaxTextBytes) + "1]"}, "answer too long to be validated"},
		"a broken schema is no pass": {schemas.Interaction{ResponseSchema: `{"type": "objec"}`, Answer: "{}"}, "schema: the schema is not valid under its draft"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) { require.Equal(t, tt.want, verdictOf(d, &tt.in)) })
	}
}

func TestSchemaFormatOption(t *testing.T) {
	annotate := schemaDetector(t, func(o *jsonschema.Options) { o.Format = jsonschema.FormatAnnotate })
	for _, draft := range []string{`"$schema": "https://json-schema.org/draft/2020-12/schema"`, draft7, `"title": "none"`} {
		in := interactionWithSchema(`{`+draft+`, "properties": {"format": {"format": "date"}, "x": {"const": {"format": "date"}}}}`, `{"format": "soon", "x": {"format": "date"}}`)
		require.Equal(t, "0", verdictOf(annotate, in), draft)
		require.Equal(t, "1", verdictOf(schemaDetector(t, nil), in), draft)
	}
}

func TestSchemaOptions(t *testing.T) {
	deps := standard.Dependencies{Schemas: map[string]string{
		"a": `{`, "b": `{"type": 1}`, "c": `{"$ref": "other.json"}`, "d": `{"pattern": "(?=x)"}`, "good": `{}`,
	}}
	for _, e := range standard.Fast(deps) {
		if e.Name != "schema" {
			continue
		}
		_, err := e.New(&jsonschema.Options{Format: "maybe"})
		require.ErrorContains(t, err, "set it to assert or annotate")
		_, err = e.New(nil)
		for operation, why := range map[string]string{"a": "not JSON", "b": "not valid", "c": "$defs", "d": "lookaround"} {
			require.ErrorContains(t, err, why)
			require.ErrorContains(t, err, fmt.Sprintf("operation %q", operation))
		}
		require.NotContains(t, err.Error(), "good")
	}
}

// TestSchemaIsSafeForConcurrentUse validates several schemas from many goroutines.
func TestSchemaIsSafeForConcurrentUse(t *testing.T) {
	d := schemaDetector(t, nil)
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Go(func() {
			for i := range 60 {
				k := (i + worker) % 6
				in := interactionWithSchema(fmt.Sprintf(`{"maximum": %d, "pattern": "^x"}`, k), strconv.Itoa(i%6))
				want := "0"
				if i%6 > k {
					want = "1"
				}
				if got := verdictOf(d, in); got != want {
					t.Errorf("%s against %s: %s", in.Answer, in.ResponseSchema, got)
				}
			}
		})
	}
	wg.Wait()
}

func TestSchemaDoesNotAllocateWithoutOne(t *testing.T) {
	d := buildConfidence(t, "schema", nil, standard.Dependencies{Schemas: map[string]string{"extract": `{}`}})
	doc, in := new(detectors.Document), &schemas.Interaction{Operation: "chat", Answer: "hello"}
	require.Zero(t, testing.AllocsPerRun(100, func() {
		doc.Reset(in)
		_, _ = d.Detect(context.Background(), doc)
	}))
}

func FuzzSchema(f *testing.F) {
	f.Add(person, `{"name": "Ann", "age": 3}`, true)
	f.Add(`{"pattern": "[\\s\\u0041-\\u005a]"}`, `"A"`, false)
	f.Add(`{"$ref": "#/$defs/a", "$defs": {"a": {"anyOf": [{"type": "null"}, {"$ref": "#"}]}}}`, "```json\nnull\n```", true)
	d := schemaDetector(f, func(o *jsonschema.Options) { o.TolerateFence = true })
	f.Fuzz(func(t *testing.T, schema, answer string, length bool) {
		in := interactionWithSchema(schema, answer)
		if length {
			in.FinishReason = "length"
		}
		doc := new(detectors.Document)
		doc.Reset(in)
		found, err := d.Detect(context.Background(), doc)
		if err != nil || found.NotCheckable != "" {
			require.Zero(t, found.Score)
			return
		}
		require.Contains(t, []float64{0, 1}, found.Score)
		for _, e := range found.Evidence {
			if e.Start != schemas.NoPlace {
				require.True(t, 0 <= e.Start && e.Start <= e.End && e.End <= len(answer), "%+v", e)
			}
		}
	})
}

// invoice is a schema with the usual keywords, and an answer of about 1.4 KB that follows it.
func invoice() (schema, answer string) {
	schema = `{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "required": ["id", "issued", "customer", "lines", "status"],
		"additionalProperties": false, "properties": {"id": {"type": "string", "pattern": "^INV-[0-9]{6}$"}, "issued": {"type": "string", "format": "date"},
		"status": {"enum": ["draft", "sent", "paid"]}, "note": {"anyOf": [{"type": "string", "maxLength": 500}, {"type": "null"}]},
		"customer": {"$ref": "#/$defs/customer"}, "lines": {"type": "array", "minItems": 1, "maxItems": 50, "items": {"$ref": "#/$defs/line"}}},
		"$defs": {"customer": {"type": "object", "required": ["name", "email"], "properties": {"name": {"type": "string", "minLength": 1},
		"email": {"type": "string", "format": "email"}, "vat": {"type": ["string", "null"]}}},
		"line": {"type": "object", "required": ["sku", "quantity", "price"], "additionalProperties": false, "properties": {"sku": {"type": "string", "pattern": "^[A-Z0-9-]+$"},
		"description": {"type": "string"}, "quantity": {"type": "integer", "minimum": 1}, "price": {"type": "number", "exclusiveMinimum": 0}, "taxed": {"type": "boolean"}}}}}`
	line := `{"sku": "AB-1042", "description": "Bracket, galvanised, 40 mm \u2013 pack of ten", "quantity": 12, "price": 19.9, "taxed": true}`
	answer = `{"id": "INV-204117", "issued": "2026-03-14", "status": "sent", "note": null, "customer": {"name": "Müller & Söhne", "email": "ap@example.com", "vat": null},
		"lines": [` + strings.Repeat(line+", ", 9) + line + `]}`
	return schema, answer
}

func BenchmarkSchema(b *testing.B) {
	d := schemaDetector(b, nil)
	item := `{"name": "Ann", "age": 3, "mail": "ann@example.com", "tags": ["a", "b"]}`
	good := interactionWithSchema(`{"type": "array", "items": `+person+`}`, "["+strings.Repeat(item+", ", 19)+item+"]")
	bad := interactionWithSchema(good.ResponseSchema, strings.Replace(good.Answer, "3", `"3"`, 1))
	usual := interactionWithSchema(invoice())
	for name, in := range map[string]*schemas.Interaction{
		"valid": good, "violation": bad, "none": {Answer: "hello"}, "invoice": usual,
	} {
		b.Run(name, func(b *testing.B) {
			doc := new(detectors.Document)
			b.SetBytes(int64(len(in.Answer)))
			b.ReportAllocs()
			for b.Loop() {
				doc.Reset(in)
				if _, err := d.Detect(context.Background(), doc); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
