package avro

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	twmb "github.com/twmb/avro"

	"confab/schemas/json/scan"
)

func TestAppendJSON(t *testing.T) {
	for name, c := range map[string]struct {
		field string
		body  []byte
		want  string
	}{
		"null in a union":      {`["null","string"]`, varintBytes(0), `null`},
		"a union":              {`["null","string","bytes"]`, append(varintBytes(1, 1), 'x'), `"x"`},
		"bytes beside strings": {`["null","string","bytes"]`, append(varintBytes(2, 1), 0xff), `"/w=="`},
		"a record in a union":  {`["null",{"type":"record","name":"A","fields":[{"name":"b","type":"int"}]}]`, varintBytes(1, 5), `{"b":5}`},
		"escapes":              {`"string"`, append(varintBytes(4), "\"\n\x01<"...), `"\"\n\u0001<"`},
		"bytes of text":        {`"bytes"`, append(varintBytes(3), "a\té"[:3]...), `"YQnD"`},
		"bytes of whole text":  {`"bytes"`, append(varintBytes(4), "a\té"...), `"a\té"`},
		"bytes with controls":  {`"bytes"`, append(varintBytes(4), 0, 0, 0, 0), `"AAAAAA=="`},
		"a fixed":              {`{"type":"fixed","name":"F","size":2}`, []byte{0xff, 0}, `"/wA="`},
		"an enum":              {`{"type":"enum","name":"E","symbols":["A","B"]}`, varintBytes(1), `"B"`},
		"an empty list":        {`{"type":"array","items":"int"}`, varintBytes(0), `[]`},
		"a list":               {`{"type":"array","items":["null","boolean"]}`, append(varintBytes(2, 0, 1), 1, 0), `[null,true]`},
		"a map":                {`{"type":"map","values":"int"}`, append(varintBytes(2, 1), append(append([]byte("b"), varintBytes(1, 1)...), append([]byte("a"), varintBytes(2, 0)...)...)...), `{"a":2,"b":1}`},
		"an empty record":      {`{"type":"record","name":"N","fields":[]}`, nil, `{}`},
		"a large long":         {`"long"`, varintBytes(math.MinInt64), `-9223372036854775808`},
		"a double":             {`"double"`, []byte{0, 0, 0, 0, 0, 0, 0xe0, 0x3f}, `0.5`},
		"NaN":                  {`"float"`, float32s(float32(math.NaN())), `null`},
		"infinity":             {`"float"`, float32s(float32(math.Inf(-1))), `null`},
		"a float":              {`"float"`, float32s(0.1), `0.1`},
		"milliseconds":         {`{"type":"long","logicalType":"timestamp-millis"}`, varintBytes(1_795_255_200_123), `1795255200123`},
		"a time of day":        {`{"type":"int","logicalType":"time-millis"}`, varintBytes(7), `7`},
		"a decimal":            {`{"type":"bytes","logicalType":"decimal","precision":4,"scale":2}`, append(varintBytes(2), 0xff, 0x85), `-1.23`},
		"a fixed decimal":      {`{"type":"fixed","name":"D","size":2,"logicalType":"decimal","precision":4,"scale":0}`, []byte{1, 0}, `256`},
		"a negative scale":     {`{"type":"bytes","logicalType":"decimal","precision":4,"scale":-2}`, append(varintBytes(1), 'a'), `"a"`},
	} {
		t.Run(name, func(t *testing.T) {
			s := loadSchema(t, recordOf(`{"name":"x","type":`+c.field+`},{"name":"last","type":"null"}`))
			got, err := s.AppendJSON([]byte("before"), c.body, JSONOptions{MaxBytes: 1 << 10})
			require.NoError(t, err)
			require.Equal(t, `before{"x":`+c.want+`,"last":null}`, string(got))
		})
	}
}

// The JSON of any value is what an independent reader finds in it.
func TestJSONAgreesWithOtherReader(t *testing.T) {
	compared := 0
	for seed := range uint64(400) {
		m := &schemaMaker{Rand: rand.New(rand.NewPCG(seed, 20))}
		text := m.schema()
		s, err := NewSchema(text)
		if err != nil {
			continue
		}
		body := m.value(nil, s.root)
		raw, err := s.AppendJSON(nil, body, JSONOptions{MaxBytes: 1 << 20})
		if err != nil {
			errorReason(t, err)
			continue
		}
		var got map[string]any
		require.NoError(t, json.Unmarshal(raw, &got), "%s", raw)
		independent, err := twmb.Parse(text)
		require.NoError(t, err)
		var want map[string]any
		_, err = independent.Decode(body, &want)
		require.NoError(t, err)
		require.Len(t, got, len(want))
		for name, v := range want {
			requireSame(t, v, got[name], text)
			compared++
		}
	}
	require.Greater(t, compared, 500)
}

// requireSame compares texts and numbers, and how lists, maps and records are nested.
func requireSame(t *testing.T, want, got any, schema string) {
	t.Helper()
	switch w := want.(type) {
	case map[string]any:
		require.Len(t, got, len(w), schema)
		for name, v := range w {
			requireSame(t, v, got.(map[string]any)[name], schema)
		}
	case []any:
		require.Len(t, got, len(w), schema)
		for i, v := range w {
			requireSame(t, v, got.([]any)[i], schema)
		}
	case string, bool, nil:
		require.Equal(t, want, got, schema)
	case int32, int64:
		require.InDelta(t, want, got, 1024, schema)
	case float64:
		if !math.IsInf(w, 0) && !math.IsNaN(w) {
			require.Equal(t, want, got, schema)
		} else {
			require.Nil(t, got)
		}
	default: // bytes, floats and times have forms of their own: TestAppendJSON
	}
}

// What a schema makes of few bytes is bounded: names are repeated in each item, controls are escaped, unions nest.
func TestJSONIsBounded(t *testing.T) {
	long := strings.Repeat("n", 60_000)
	for name, c := range map[string]struct {
		typ  string
		body []byte
	}{
		"long names": {`{"type":"array","items":{"type":"record","name":"I","fields":[{"name":"` + long + `","type":"boolean"}]}}`, itemBlocks(1000, repeatedItems(0))},
		"controls":   {`"string"`, append(varintBytes(valueCap), make([]byte, valueCap)...)},
		"base64":     {`"bytes"`, append(varintBytes(valueCap), make([]byte, valueCap)...)},
		"long keys":  {`{"type":"map","values":"null"}`, append(append(varintBytes(1, valueCap), make([]byte, valueCap)...), 0)},
	} {
		t.Run(name, func(t *testing.T) {
			s := loadSchema(t, recordOf(`{"name":"x","type":`+c.typ+`}`))
			var err error
			got := allocated(func() { _, err = s.AppendJSON(nil, c.body, JSONOptions{MaxBytes: valueCap}) })
			require.Equal(t, scan.ReasonTooLarge, errorReason(t, err))
			require.Less(t, got, uint64(2*allocLimit))
		})
	}
	t.Run("deep unions", func(t *testing.T) {
		typ, depth := `"int"`, 0
		for {
			deeper := fmt.Sprintf(`["null",{"type":"record","name":"R%d","fields":[{"name":"u","type":%s}]}]`, depth, typ)
			if _, err := NewSchema(recordOf(`{"name":"u","type":` + deeper + `}`)); err != nil {
				break
			}
			typ, depth = deeper, depth+1
		}
		require.Greater(t, depth, 10)
		body := append([]byte(strings.Repeat("\x02", depth)), 14)
		got, err := loadSchema(t, recordOf(`{"name":"u","type":`+typ+`}`)).AppendJSON(nil, body, JSONOptions{MaxBytes: valueCap})
		require.NoError(t, err)
		require.Equal(t, strings.Repeat(`{"u":`, depth+1)+"7"+strings.Repeat("}", depth+1), string(got))
	})
}

// A schema of other tools that has a field answer, too, is none of ours: what it means is known from its JSON.
func TestHoldsInteractions(t *testing.T) {
	const id, answer, extra = `{"name":"interaction_id","type":"string"}`, `{"name":"answer","type":["null","string"]}`, `{"name":"contexts","type":"string"}`
	for fields, want := range map[string]bool{
		answer:                          true,
		answer + "," + id:               true,
		answer + "," + id + "," + extra: true,
		answer + "," + extra:            false,
		id:                              false,
		id + `,{"name":"answer","type":["null",{"type":"record","name":"A","fields":[]}]}`:               false,
		`{"name":"ANSWER","type":"string"},{"name":"SOURCES","type":"string"},{"name":"X","type":"int"}`: true,
	} {
		require.Equal(t, want, loadSchema(t, recordOf(fields)).HoldsInteractions(), fields)
	}
	s := loadSchema(t, recordOf(`{"name":"ANSWER_1","type":"int"},{"name":"Other","type":{"type":"map","values":"int"}}`))
	got, err := s.AppendJSON(nil, append(append(varintBytes(5, 1, 1), 'K'), varintBytes(6, 0)...), JSONOptions{MaxBytes: 99, LowerCase: true})
	require.NoError(t, err)
	require.JSONEq(t, `{"answer_1":5,"Other":{"K":6}}`, string(got))
}
