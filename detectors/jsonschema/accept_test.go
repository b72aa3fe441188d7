package jsonschema

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/detectors/jsonschema/strictjson"
	"confab/internal/datatest"
	"confab/schemas"
	schemasjson "confab/schemas/json"
)

// verdictPair is what the library and the fast path make of one answer.
type verdictPair struct {
	valid     bool // for the library
	err       error
	work      int64 // of the library
	accepted  bool  // by the fast path
	supported bool  // the fast path knows the schema
	units     int
}

func bothVerdicts(c *responseSchema, answer string) (v verdictPair) {
	if c.err != nil {
		return verdictPair{err: c.err}
	}
	v.supported = c.idle[0].fast.schema != nil
	tape := new(strictjson.Tape)
	m := new(workMeter).start(new(detectors.Work))
	value, size, bad := strictjson.Parse(answer)
	if !m.take(size.Work(answer)) || bad != nil {
		_, accepted := tape.Scan(answer)
		return verdictPair{accepted: accepted, supported: v.supported}
	}
	if _, scanned := tape.Scan(answer); scanned {
		v.units, v.accepted = c.accepts(tape, size, m)
	}
	parsed := m.work.Spent()
	var count int
	_, count, v.err = c.validate(parsedAnswer{value: value, size: size, text: answer}, m)
	v.valid, v.work = v.err == nil && count == 0, m.work.Spent()-parsed
	return v
}

func trustedSchema(text string, assert bool) *responseSchema {
	return newResponseSchema(text, assert, &workMeter{left: 1 << 40, work: new(detectors.Work)})
}

// requireSoundness: what the fast path accepts the library finds valid, for the same work.
func requireSoundness(t testing.TB, v verdictPair, schema, answer string) {
	t.Helper()
	if !v.accepted {
		return
	}
	require.NoError(t, v.err, "%s\n%s", schema, answer)
	require.True(t, v.valid, "%s\n%s", schema, answer)
	if !strings.Contains(answer, `\`) { // escapes count as they are written
		require.Equal(t, v.work, int64(v.units), "%s\n%s", schema, answer)
	}
}

// TestFastSchemaSuite runs the official test suite on both. Of schemas with common keywords only, every valid answer is
// accepted without the library.
func TestFastSchemaSuite(t *testing.T) {
	supported, valid, accepted := 0, 0, 0
	compiled := map[string]*responseSchema{}
	for _, line := range datatest.Rows(t, "jsonschema_suite") {
		var row schemas.Labelled
		require.NoError(t, schemasjson.DecodeLabelled(line, &row))
		schema, answer := row.Interaction.ResponseSchema, row.Interaction.Answer
		assert := strings.Contains(row.Interaction.ID, "/optional/format/")
		key := schema
		if assert {
			key = "assert " + schema
		}
		if compiled[key] == nil {
			compiled[key] = trustedSchema(schema, assert)
		}
		v := bothVerdicts(compiled[key], answer)
		requireSoundness(t, v, schema, answer)
		if !v.supported {
			continue
		}
		supported++
		if v.valid {
			valid++
		}
		if v.accepted {
			accepted++
		} else if v.valid {
			t.Logf("not accepted: %s\n%s", schema, answer)
		}
	}
	t.Logf("%d cases of supported schemas, %d valid, %d accepted", supported, valid, accepted)
}

// schemaMaker makes schemas of common keywords, and answers that often follow them.
type schemaMaker struct{ *rand.Rand }

func (m schemaMaker) pick(of ...string) string { return of[m.IntN(len(of))] }

func (m schemaMaker) schema(depth int) string {
	var words []string
	add := func(format string, args ...any) { words = append(words, fmt.Sprintf(format, args...)) }
	kind := m.pick("object", "object", "array", "string", "number", "integer", "any", "null", "boolean")
	if depth == 0 && (kind == "object" || kind == "array") {
		kind = "string"
	}
	if kind != "any" && m.IntN(8) > 0 {
		add(`"type": %s`, m.pick(`"`+kind+`"`, `"`+kind+`"`, `["`+kind+`", "null"]`))
	}
	switch kind {
	case "object":
		words = append(words, m.objectWords(depth)...)
	case "array":
		add(`%s`, m.pick(`"items": `+m.schema(depth-1), `"prefixItems": [`+m.schema(depth-1)+`], "items": false`, `"maxItems": 1`, `"minItems": 1`,
			`"uniqueItems": true`, `"items": `+m.schema(depth-1)+`, "maxItems": 3`))
	case "string":
		add(`%s`, m.pick(`"minLength": 1`, `"maxLength": 2`, `"pattern": "^[a-z\\u00e9]*$"`, `"enum": ["a", "b\n", "é"]`, `"format": "date"`, `"format": "email"`,
			`"const": "a"`, `"title": "x"`, `"pattern": "^\\S+$", "minLength": 2`))
	case "number", "integer":
		add(`%s`, m.pick(`"minimum": 1`, `"maximum": 1e1`, `"exclusiveMinimum": 0`, `"exclusiveMaximum": 100`, `"multipleOf": 0.1`, `"multipleOf": 2`,
			`"enum": [1, 2.0, 1e2]`, `"const": 0`, `"minimum": -1, "maximum": 5`))
	case "any":
		add(`%s`, m.pick(`"enum": [null, true, 1, "a"]`, `"const": null`, `"const": [1]`, `"description": ""`, `"not": {"type": "null"}`, `"$ref": "#/$defs/a"`, `"$ref": "#"`))
	}
	if depth > 0 && m.IntN(5) == 0 {
		add(`"%s": [%s, %s]`, m.pick("anyOf", "oneOf", "allOf"), m.schema(depth-1), m.pick(m.schema(depth-1), `{"type": "null"}`, `true`, `false`))
	}
	return `{` + strings.Join(words, ", ") + `}`
}

func (m schemaMaker) objectWords(depth int) []string {
	words := []string{fmt.Sprintf(`"properties": {"a": %s, "b": %s, "é": %s}`, m.schema(depth-1), m.schema(depth-1), m.schema(0))}
	return append(words, m.pick(`"required": ["a"]`, `"required": ["a", "c"]`, `"additionalProperties": false`, `"additionalProperties": `+m.schema(0),
		`"minProperties": 1`, `"maxProperties": 2`, `"patternProperties": {"^a": `+m.schema(0)+`}, "additionalProperties": false`,
		`"propertyNames": {"maxLength": 1}`, `"additionalProperties": true, "required": ["b"]`))
}

func (m schemaMaker) answer(depth int) string {
	kind := m.IntN(9)
	switch {
	case kind < 3 && depth > 0:
		keys := []string{`"a"`, `"b"`, `"c"`, `"é"`, `"\u0061"`, `"\u00e9"`, `"ab"`}
		m.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
		var members []string
		for i := range m.IntN(4) {
			members = append(members, keys[i]+m.pick(": ", ":")+m.answer(depth-1))
		}
		return `{` + strings.Join(members, m.pick(",", " , ", ",\n")) + `}`
	case kind < 4 && depth > 0:
		var elements []string
		for range m.IntN(4) {
			elements = append(elements, m.answer(depth-1))
		}
		return `[` + strings.Join(elements, ",") + `]`
	case kind < 7:
		return m.pick(`"a"`, `"b\n"`, `""`, `"é"`, `"\u00e9"`, `"ab"`, `"\ud83d\ude00"`, `"\ud83d"`, `"2024-02-29"`, `"a@b.de"`, `"0"`, `"a b"`)
	case kind < 8:
		return m.pick("0", "1", "2", "-0", "1.0", "2.5", "0.30", "1e2", "1E-2", "100", "9007199254740993", "123456789012345678901", "1e399", "-7", "0.30000000000000004")
	default:
		return m.pick("null", "true", "false")
	}
}

// damaged returns the answer with one byte changed, removed or doubled.
func (m schemaMaker) damaged(answer string) string {
	at := m.IntN(len(answer))
	return answer[:at] + m.pick("", answer[at:at+1]+answer[at:at+1], `"`, `\`, ",", "}", "0", "\x01", " ") + answer[at+1:]
}

// TestFastSchemaAgrees: on generated schemas and answers, sound or damaged, whatever the fast path accepts the library finds
// valid, for the same work; and it accepts nearly all of that.
func TestFastSchemaAgrees(t *testing.T) {
	rounds := uint64(3000)
	if testing.Short() {
		rounds = 300
	}
	valid, accepted := 0, 0
	for seed := range rounds {
		m := schemaMaker{rand.New(rand.NewPCG(seed, 19))}
		draft := m.pick(``, ``, `"$schema": "http://json-schema.org/draft-07/schema#", `, `"$schema": "http://json-schema.org/draft-04/schema#", `)
		schema := `{` + draft + `"$defs": {"a": ` + m.schema(1) + `}, ` + m.schema(2)[1:]
		c := trustedSchema(strings.Replace(schema, ", }", "}", 1), m.IntN(2) == 0)
		for range 20 {
			answer := m.answer(3)
			v := bothVerdicts(c, answer)
			requireSoundness(t, v, schema, answer)
			if v.valid && v.supported {
				valid++
			}
			if v.accepted {
				accepted++
			}
			answer = m.damaged(answer)
			requireSoundness(t, bothVerdicts(c, answer), schema, answer)
		}
	}
	t.Logf("%d valid, %d accepted", valid, accepted)
	require.Greater(t, valid, int(rounds))
	require.Greater(t, float64(accepted), 0.85*float64(valid))
}

// FuzzFastSchema is the same for any texts.
func FuzzFastSchema(f *testing.F) {
	for seed := range uint64(40) {
		m := schemaMaker{rand.New(rand.NewPCG(seed, 20))}
		f.Add(m.schema(2), m.answer(3))
	}
	f.Fuzz(func(t *testing.T, schema, answer string) {
		c := newResponseSchema(schema, true, new(workMeter).start(new(detectors.Work)))
		requireSoundness(t, bothVerdicts(c, answer), schema, answer)
	})
}

// TestTapeReadsAsParse: the tape accepts the texts that the parser does, with the same size, except those of dense objects.
func TestTapeReadsAsParse(t *testing.T) {
	tape, accepted := new(strictjson.Tape), 0
	for seed := range uint64(20_000) {
		m := schemaMaker{rand.New(rand.NewPCG(seed, 21))}
		text := m.answer(4)
		if seed%2 > 0 {
			text = m.damaged(text)
		}
		value, want, bad := strictjson.Parse(text)
		size, ok := tape.Scan(text)
		if ok {
			require.Nil(t, bad, text)
			require.Equal(t, want, size, text)
			require.Equal(t, value, tape.Value(0), text)
			accepted++
		} else if bad == nil {
			require.Contains(t, text, `\`, text)
		}
	}
	require.Greater(t, accepted, 10_000)
}

// Objects of many members and texts of many levels are the library's.
func TestFastSchemaLimits(t *testing.T) {
	members := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `,"k%d":%d`, i, i)
		}
		return "{" + strings.TrimPrefix(b.String(), ",") + "}"
	}
	nested := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	chain := `{"$defs": {"a": {"anyOf": [{"$ref": "#/$defs/b"}, {"$ref": "#/$defs/b"}]}`
	for i := 'b'; i < 'w'; i++ {
		chain += fmt.Sprintf(`, "%c": {"anyOf": [{"$ref": "#/$defs/%c"}, {"$ref": "#/$defs/%c"}]}`, i, i+1, i+1)
	}
	chain += `, "w": {"type": "null"}}, "$ref": "#/$defs/a"}`
	for name, c := range map[string]struct {
		schema, answer string
		accepted       bool
	}{
		"64 members":         {`{"type": "object"}`, members(64), true},
		"65 members":         {`{"type": "object"}`, members(65), false},
		"64 levels":          {`{"items": {"$ref": "#"}}`, nested(64), true},
		"65 levels":          {`{"items": {"$ref": "#"}}`, nested(65), false},
		"exponential":        {chain, `1`, false},
		"exponential, valid": {chain, `null`, true},
		"text after":         {`{}`, `1 2`, false},
		"key twice":          {`{}`, `{"a": 1, "b": {"c": 1}, "a": 2}`, false},
		"escaped key":        {`{}`, `{"\u0061": 1}`, false},
		"digits":             {`{}`, strings.Repeat("9", 401), false},
	} {
		t.Run(name, func(t *testing.T) {
			v := bothVerdicts(trustedSchema(c.schema, true), c.answer)
			require.True(t, v.supported)
			require.Equal(t, c.accepted, v.accepted)
			requireSoundness(t, v, c.schema, c.answer)
		})
	}
}
