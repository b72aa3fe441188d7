package avro

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	twmb "github.com/twmb/avro"

	"confab/internal/recordformat"
	"confab/schemas"
	"confab/schemas/json/scan"
)

// schemaMaker makes writers' schemas of every kind of type under known and unknown names.
type schemaMaker struct {
	*rand.Rand
	names int
}

func (m *schemaMaker) pick(of ...string) string { return of[m.IntN(len(of))] }

func (m *schemaMaker) name() string {
	m.names++
	return "n" + strconv.Itoa(m.names)
}

func (m *schemaMaker) schema() string {
	var known []string
	for _, f := range reflect.VisibleFields(reflect.TypeFor[schemas.Interaction]()) {
		if name := fieldName(f); name != "" {
			known = append(known, name)
		}
	}
	known = append(known, "top_k", "token_logprobs")
	fields := []string{m.field("answer")}
	for range 1 + m.IntN(6) {
		name := known[m.IntN(len(known))]
		if m.IntN(4) == 0 {
			name = m.name()
		}
		if name != "answer" && !strings.Contains(strings.Join(fields, ","), `"`+name+`"`) {
			fields = append(fields, m.field(name))
		}
	}
	m.Shuffle(len(fields), func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
	return recordOf(strings.Join(fields, ","))
}

func (m *schemaMaker) field(name string) string {
	typ := m.typeOf(2)
	if m.IntN(5) > 0 {
		typ = m.likely(name)
	}
	switch m.IntN(8) {
	case 0:
		return fmt.Sprintf(`{"name":%q,"aliases":[%q],"type":%s}`, m.name(), name, typ)
	default:
		return fmt.Sprintf(`{"name":%q,"type":%s}`, name, typ)
	}
}

// likely returns a type that the field may have.
func (m *schemaMaker) likely(name string) string {
	typ := m.pick(`"string"`, `"bytes"`, `{"type":"enum","name":"`+m.name()+`","symbols":["A","B"]}`)
	switch name {
	case "occurred_at":
		typ = m.pick(`"long"`, `"int"`, `{"type":"long","logicalType":"timestamp-micros"}`, `{"type":"long","logicalType":"timestamp-nanos"}`)
	case "tags":
		typ = `{"type":"array","items":` + m.nullable(`"string"`) + `}`
	case "streamed":
		typ = `"boolean"`
	case "temperature":
		typ = m.pick(`"double"`, `"float"`, `"int"`)
	case "messages":
		typ = `{"type":"array","items":` + m.nullable(m.record("role", "content")) + `}`
	case "sources":
		typ = `{"type":"array","items":` + m.pick(`"string"`, m.nullable(m.record("id", "text", "uri", "score", "title"))) + `}`
	case "attributes":
		typ = `{"type":"map","values":` + m.nullable(m.pick(`"string"`, `"string"`, m.typeOf(1))) + `}`
	case "top_k":
		typ = m.pick(`"int"`, `"long"`)
	case "token_logprobs":
		typ = m.pick(`"bytes"`, `{"type":"fixed","name":"`+m.name()+`","size":8}`)
	}
	return m.nullable(typ)
}

// nullable returns the type or its union with null.
func (m *schemaMaker) nullable(typ string) string {
	if m.IntN(3) == 0 && typ[0] != '[' && typ != `"null"` {
		return m.pick(`["null",`+typ+`]`, `[`+typ+`,"null"]`)
	}
	return typ
}

func (m *schemaMaker) record(names ...string) string {
	var fields []string
	for _, name := range append(names, m.name()) {
		if typ := m.nullable(`"string"`); m.IntN(6) > 0 {
			if name == "score" || m.IntN(6) == 0 {
				typ = m.typeOf(1)
			}
			fields = append(fields, fmt.Sprintf(`{"name":%q,"type":%s}`, name, typ))
		}
	}
	fields = append(fields, `{"name":"`+m.name()+`","type":"int"}`)
	m.Shuffle(len(fields), func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
	return `{"type":"record","name":"` + m.name() + `","fields":[` + strings.Join(fields, ",") + `]}`
}

// typeOf returns any type, nested at most depth deep.
func (m *schemaMaker) typeOf(depth int) string {
	scalars := []string{
		`"null"`, `"boolean"`, `"int"`, `"long"`, `"float"`, `"double"`, `"bytes"`, `"string"`,
		`{"type":"fixed","name":"` + m.name() + `","size":3}`, `{"type":"enum","name":"` + m.name() + `","symbols":["A"]}`,
	}
	if depth == 0 || m.IntN(2) == 0 {
		return m.pick(scalars...)
	}
	inner := m.typeOf(depth - 1)
	switch m.IntN(5) {
	case 0:
		return m.record("id", "text", "role")
	case 1:
		return `["string","bytes","null","double"]`
	case 2:
		return `{"type":"map","values":` + inner + `}`
	case 3:
		return m.nullable(inner)
	default:
		return `{"type":"array","items":` + inner + `}`
	}
}

// value appends a value of type n, now and then a wrong one.
func (m *schemaMaker) value(b []byte, n *schemaType) []byte {
	switch n.kind {
	case kindRecord:
		for _, part := range n.parts {
			b = m.value(b, part)
		}
	case kindUnion:
		i := m.IntN(len(n.parts))
		b = m.value(append(b, varintBytes(int64(i))...), n.parts[i])
	case kindArray, kindMap:
		for range m.IntN(3) {
			count := 1 + m.IntN(3)
			var items []byte
			for range count {
				if n.kind == kindMap {
					items = m.text(items)
				}
				items = m.value(items, n.parts[0])
			}
			if m.IntN(3) == 0 {
				b = append(b, varintBytes(int64(-count), int64(len(items)))...)
			} else {
				b = append(b, varintBytes(int64(count))...)
			}
			b = append(b, items...)
		}
		b = append(b, 0)
	default:
		b = m.scalar(b, n)
	}
	return b
}

func (m *schemaMaker) text(b []byte) []byte {
	text := m.pick("", "a", "b", "é", "key", strings.Repeat("long ", 20), "\xff")
	if text == "\xff" && m.IntN(40) > 0 {
		text = "c" + strconv.Itoa(m.IntN(50))
	}
	return append(append(b, varintBytes(int64(len(text)))...), text...)
}

func (m *schemaMaker) scalar(b []byte, n *schemaType) []byte {
	switch n.kind {
	case kindBoolean:
		return append(b, byte(m.IntN(2)))
	case kindInt:
		return append(b, varintBytes([]int64{0, 1, 5, -1, 200, math.MaxInt32}[m.IntN(6)])...)
	case kindLong:
		return append(b, varintBytes([]int64{0, 1, 5, -1, 1_795_255_200_123, recordformat.MaxMillis + 1, math.MinInt64}[m.IntN(7)])...)
	case kindFloat:
		return binary.LittleEndian.AppendUint32(b, math.Float32bits([]float32{0, 1.5, -2, float32(math.NaN())}[m.IntN(4)]))
	case kindDouble:
		return binary.LittleEndian.AppendUint64(b, math.Float64bits([]float64{0, 0.1, -2, math.Inf(1)}[m.IntN(4)]))
	case kindFixed:
		return append(b, make([]byte, n.size)...)
	case kindEnum:
		return append(b, varintBytes(int64(m.IntN(len(n.symbols))))...)
	case kindBytes:
		if m.IntN(2) == 0 {
			return append(append(b, varintBytes(16)...), float32s(-1, -200, 3, float32(math.NaN()))...)
		}
		return m.text(b)
	case kindString:
		return m.text(b)
	default:
		return b
	}
}

// TestAgreesWithOtherReader: on any schema and value, sound or damaged, an independent reader accepts what we accept, and
// refuses what we call malformed.
func TestAgreesWithOtherReader(t *testing.T) {
	rounds := 4000
	if testing.Short() {
		rounds = 400
	}
	outcomes := map[string]int{}
	for seed := range uint64(rounds) {
		m := &schemaMaker{Rand: rand.New(rand.NewPCG(seed, 19))}
		text := m.schema()
		s, err := NewSchema(text)
		independent, otherErr := twmb.Parse(text)
		require.True(t, err != nil || otherErr == nil, text)
		if err != nil {
			continue
		}
		for range 5 {
			body := m.value(nil, s.root)
			var in schemas.Interaction
			outcomes[errorReason(t, requireAgreement(t, s, independent, body, &in))+strings.Join(in.Malformed, "+")]++
			if len(body) == 0 {
				continue
			}
			for range 3 {
				damaged := append([]byte{}, body...)
				damaged[m.IntN(len(body))] = byte([]int{0, 1, 2, 3, 0x7f, 0x80, 0xff, m.IntN(256)}[m.IntN(8)])
				_ = requireAgreement(t, s, independent, damaged[:len(body)-m.IntN(2)*m.IntN(len(body))], &in)
			}
		}
	}
	for _, outcome := range []string{
		"", scan.ReasonBadUTF8, scan.ReasonDuplicateKey, scan.ReasonMissingAnswer, scan.ReasonWrongType, "tags", "sources", "messages", "attributes", "top_k",
		"sources.score", "messages.role",
	} {
		require.True(t, testing.Short() || outcomes[outcome] > 0, outcome)
	}
}

// requireAgreement decodes body, and compares whether it is well formed with an independent reader.
func requireAgreement(t testing.TB, s *Schema, independent *twmb.Schema, body []byte, in *schemas.Interaction) error {
	t.Helper()
	refused := s.DecodeInteraction(body, in)
	var v any
	rest, err := independent.Decode(body, &v)
	raw, unwritten := s.AppendJSON(nil, body, JSONOptions{MaxBytes: 1 << 20})
	require.True(t, unwritten != nil || json.Valid(raw), "%s", raw)
	switch errorReason(t, refused) {
	case "":
		require.NoError(t, err)
		require.NoError(t, unwritten)
		require.Empty(t, rest)
	case scan.ReasonTrailingBytes:
		require.True(t, err != nil || len(rest) > 0)
	case scan.ReasonSyntax:
		text := refused.Error()
		lenient := func(detail string) bool { return strings.Contains(text, detail) }
		if !slices.ContainsFunc([]string{detailBlock, detailBoolean, detailCount}, lenient) {
			require.Error(t, err)
		}
	}
	return refused
}

// Lists of too many items are refused, whatever their blocks; the most that are allowed are read.
func TestListLimits(t *testing.T) {
	for name, c := range map[string]struct {
		field string
		most  int
		item  func(i int) []byte
	}{
		"tags":     {`{"name":"tags","type":{"type":"array","items":["null","string"]}}`, recordformat.MaxTags, repeatedItems(0)},
		"messages": {`{"name":"messages","type":{"type":"array","items":"int"}}`, recordformat.MaxMessages, repeatedItems(0)},
		"attributes": {`{"name":"attributes","type":{"type":"map","values":"int"}}`, recordformat.MaxAttributes, func(i int) []byte {
			key := strconv.Itoa(10_000 + i)
			return append(append(varintBytes(int64(len(key))), key...), 2)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			s := loadSchema(t, recordOf(`{"name":"answer","type":"string"},`+c.field))
			var in schemas.Interaction
			for _, n := range []int{1, c.most, c.most + 1} {
				want := ""
				if n > c.most {
					want = scan.ReasonTooMany
				}
				blocks := []byte{0} // one item a block
				for i := range n {
					blocks = append(append(blocks, 2), c.item(i)...)
				}
				require.Equal(t, want, errorReason(t, s.DecodeInteraction(append(blocks, 0), &in)))
				require.Equal(t, want, errorReason(t, s.DecodeInteraction(append([]byte{0}, itemBlocks(n, c.item)...), &in)))
			}
		})
	}
}

// applicationShapes are writers' schemas that applications use, with one event each.
func applicationShapes(t testing.TB) map[string]struct {
	text string
	body []byte
} {
	type shape = struct {
		text string
		body []byte
	}
	r := rand.New(rand.NewPCG(1, 2))
	text := func(words int) []byte { s := randomProse(r, words); return append(varintBytes(int64(len(s))), s...) }
	var ids, texts, logprobs []byte
	for i := range 5 {
		ids = append(ids, 2, byte('1'+i))
		texts = append(texts, text(150)...)
	}
	for range 150 {
		logprobs = append(append(append(logprobs, text(1)...), make([]byte, 8)...), 10)
		for range 5 {
			logprobs = append(append(logprobs, text(1)...), make([]byte, 8)...)
		}
		logprobs = append(logprobs, 0)
	}
	ids, texts = append(append(varintBytes(5), ids...), 0), append(append(varintBytes(5), texts...), 0)
	logprobs = append(append(varintBytes(150), logprobs...), 0)
	event := typicalInteraction(r, false)
	plain, err := AppendInteraction(nil, &event)
	require.NoError(t, err)
	packed := typicalInteraction(r, true)
	full, err := AppendInteraction(nil, &packed)
	require.NoError(t, err)
	optional := `{"name":"interaction_id","type":["null","string"]},{"name":"model","type":["null","string"]},{"name":"temperature","type":["null","double"]},`
	unions := append(append(append([]byte{2}, text(2)...), 2), text(1)...)
	unions = append(append(append(unions, 2), make([]byte, 8)...), append(text(120), texts...)...)
	const strs = `{"type":"array","items":"string"}`
	return map[string]shape{
		"published": {schemas.InteractionAvro(), plain},
		"packed":    {schemas.InteractionAvro(), full},
		"unions":    {recordOf(optional + `{"name":"answer","type":"string"},{"name":"sources","type":` + strs + `}`), unions},
		"parallel arrays": {
			recordOf(`{"name":"answer","type":"string"},{"name":"source_ids","type":` + strs + `},{"name":"sources","type":` + strs + `}`),
			append(append(text(120), ids...), texts...),
		},
		"nested logprobs": {
			recordOf(`{"name":"answer","type":"string"},{"name":"sources","type":` + strs + `},{"name":"logprobs","type":{"type":"array","items":{"type":"record","name":"T","fields":[
				{"name":"token","type":"string"},{"name":"logprob","type":"double"},{"name":"top","type":{"type":"array","items":{"type":"record","name":"U","fields":[
				{"name":"token","type":"string"},{"name":"logprob","type":"double"}]}}}]}}}`),
			append(append(text(120), texts...), logprobs...),
		},
	}
}
