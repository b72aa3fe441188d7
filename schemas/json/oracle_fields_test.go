package json

import (
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"confab/internal/recordformat"
	"confab/schemas"
)

func oracleContent(n *oracleValue) string {
	if n == nil || n.kind != '[' && n.kind != '{' {
		return n.label()
	}
	requireOracleKind(n.kind == '[' || n.member("text") != nil)
	items := []*oracleValue{n}
	if n.kind == '[' {
		items = n.items(recordformat.MaxMessages)
	}
	var parts []string
	for _, p := range items {
		if p.kind == '"' {
			parts = append(parts, p.text)
			continue
		}
		requireOracleKind(p.kind == '{')
		if p.member("text") != nil {
			parts = append(parts, p.member("text").label())
		}
	}
	return strings.Join(parts, "\n")
}

func oracleLost(in *schemas.Interaction, name string) {
	if !slices.Contains(in.Malformed, name) {
		in.Malformed = append(in.Malformed, name)
	}
}

// oracleRead is the value of read; what is malformed is the zero value, and ok is false.
func oracleRead[T any](read func() T) (v T, ok bool) {
	defer func() {
		switch r := recover(); r {
		case nil:
		case any(errOracleField):
			var zero T
			v, ok = zero, false
		default:
			panic(r)
		}
	}()
	return read(), true
}

// oracleSide is a side value of an item, whose loss is named.
func oracleSide[T any](in *schemas.Interaction, name string, n *oracleValue, read func(*oracleValue) T) (v T) {
	if n == nil {
		return v
	}
	v, ok := oracleRead(func() T { return read(n) })
	if !ok {
		oracleLost(in, name)
	}
	return v
}

func oracleMessages(n *oracleValue, in *schemas.Interaction, tools *oracleTools) {
	if n.kind == '"' {
		in.Messages = []schemas.Message{{Role: "user", Content: n.text}}
		return
	}
	kept, lost := 0, 0
	for _, item := range n.items(recordformat.MaxMessages) {
		m, content := schemas.Message{Role: "user"}, item
		if item.kind == '{' {
			content = item.member("content")
		}
		ok := item.kind == '"' || item.kind == '{'
		if ok {
			m.Content, ok = oracleRead(func() string { return oracleContent(content) })
		}
		if item.kind == '{' {
			m.Role = oracleSide(in, "messages.role", item.member("role"), (*oracleValue).label)
		}
		if in.Messages = append(in.Messages, m); ok {
			kept++
		} else {
			lost++
		}
		if item.kind == '{' {
			tools.message(item, m.Content, in)
		}
	}
	oracleCount(in, "messages.content", kept, lost)
}

func oracleCount(in *schemas.Interaction, name string, kept, lost int) {
	requireOracleKind(lost == 0 || kept > 0)
	if lost > 0 {
		oracleLost(in, name)
	}
}

func oracleTime(n *oracleValue) time.Time {
	low, high := time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 999_999_999, time.UTC)
	if n.kind == '0' {
		return oracleNumberTime(n.float())
	}
	if f, err := strconv.ParseFloat(n.string(), 64); err == nil && !strings.ContainsAny(n.text, "+-_eEnfxpNI") {
		return oracleNumberTime(f)
	}
	v := n.string()
	requireOracleKind(len(v) > 19 && v[13] == ':' && !strings.Contains(v, ",")) // package time is lenient there
	if c := v[10]; c == 't' || c == ' ' {
		v = v[:10] + "T" + v[11:]
	}
	v = strings.TrimSuffix(v, "z")
	if len(v) < len(n.text) {
		v += "Z"
	}
	var leap time.Duration
	if v[17:19] == "60" {
		v, leap = v[:17]+"59"+v[19:], time.Second
	}
	if at := strings.LastIndexAny(v, "+-"); at > 18 && len(v) == at+6 && (v[at+1:at+3] > "23" || v[at+4:] > "59") {
		panic(errOracleField)
	}
	t, err := time.Parse(time.RFC3339, v)
	requireOracleKind(err == nil)
	t = t.Add(leap).UTC()
	requireOracleKind(!t.Before(low) && !t.After(high))
	return t
}

func oracleSources(n *oracleValue, in *schemas.Interaction) {
	switch n.kind {
	case '"':
		if n.text != "" {
			in.Sources = []schemas.Source{{Text: n.text}}
		}
	case '{':
		lost := 0
		for i, id := range n.names {
			if n.values[i].kind == '{' {
				s, _ := oracleSource(n.values[i], in)
				if s.ID = cmp.Or(s.ID, id); s.Text == "" {
					lost++
				} else {
					in.Sources = append(in.Sources, s)
				}
			} else if text, ok := oracleRead(func() string { return oracleContent(n.values[i]) }); ok {
				in.Sources = append(in.Sources, schemas.Source{ID: id, Text: text})
			} else {
				lost++
			}
		}
		requireOracleRecord(len(in.Sources) <= recordformat.MaxSources)
		oracleCount(in, "sources.text", len(in.Sources), lost)
	default:
		kept, lost, last := 0, 0, 0
		for _, item := range n.items(recordformat.MaxSources) {
			s, ok := oracleSource(item, in)
			if in.Sources = append(in.Sources, s); !ok {
				in.Sources[len(in.Sources)-1] = schemas.Source{} // its place counts
				lost++
				continue
			}
			kept++
			last = len(in.Sources)
		}
		in.Sources = in.Sources[:last]
		oracleCount(in, "sources.text", kept, lost)
	}
}

func oracleSource(item *oracleValue, in *schemas.Interaction) (s schemas.Source, ok bool) {
	if item.kind != '{' {
		return schemas.Source{Text: item.text}, item.kind == '"'
	}
	ok = true
	for _, name := range []string{"text", "page_content", "content"} {
		if text := item.member(name); text != nil {
			if s.Text, ok = oracleRead(func() string { return oracleContent(text) }); ok {
				break
			}
		}
	}
	for _, name := range []string{"id", "uri", "title", "score"} { // the order in which malformed members are named
		switch n := item.member(name); name {
		case "id":
			s.ID = oracleSide(in, "sources.id", n, (*oracleValue).label)
		case "uri":
			s.URI = oracleSide(in, "sources.uri", n, (*oracleValue).label)
		case "title":
			s.Title = oracleSide(in, "sources.title", n, (*oracleValue).label)
		case "score":
			s.Score = oracleSide(in, "sources.score", n, (*oracleValue).number)
		}
	}
	return s, ok
}

// oracleNumberTime reads a number since 1970 in the unit that puts it nearest to our time.
func oracleNumberTime(f float64) time.Time {
	if f == 0 {
		return time.Time{}
	}
	digits := math.Abs(f)
	ms := math.NaN()
	switch {
	case digits < 1e11:
		ms = f * 1000
	case digits < 1e14:
		ms = f
	case digits < 1e17:
		ms = f / 1000
	case digits < 1e20:
		ms = f / 1e6
	}
	ms = math.Round(ms)
	requireOracleKind(ms >= recordformat.MinMillis && ms <= recordformat.MaxMillis)
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(int64(ms)).UTC()
}

func oracleAttributes(n *oracleValue, in *schemas.Interaction) {
	requireOracleKind(n.kind == '{')
	in.Attributes = map[string]string{}
	for i, name := range n.names {
		switch v := n.values[i]; v.kind {
		case '"':
			in.Attributes[name] = v.text
		case '0':
			in.Attributes[name] = string(v.literal)
		case 't', 'f':
			in.Attributes[name] = strconv.FormatBool(v.kind == 't')
		default:
			if v.kind != 'n' {
				oracleLost(in, "attributes")
			}
		}
	}
	requireOracleRecord(len(in.Attributes) <= recordformat.MaxAttributes)
}

func oracleLogprob(n *oracleValue) float32 {
	if n == nil {
		return float32(math.NaN())
	}
	requireOracleKind(n.kind == '0')
	f, _ := n.literal.Float64() // beyond the range it is infinite
	return float32(min(max(f, -100), 0))
}

// oracleLogprobs are the members of log probabilities, which are applied together.
type oracleLogprobs struct {
	topK    int
	badTopK bool
	packed  string
	tokens  *oracleValue
}

func (l *oracleLogprobs) member(name string, n *oracleValue, in *schemas.Interaction) {
	switch name {
	case "top_k":
		oracleOptional(in, name, func() {
			f := n.number()
			requireOracleKind(f >= 0 && f <= recordformat.MaxTopK && f == math.Trunc(f))
			l.topK = int(f)
		}, func() { l.badTopK = true })
	case "token_logprobs":
		oracleOptional(in, name, func() { l.packed = n.string() }, func() {})
	case "logprobs":
		oracleOptional(in, name, func() { oracleTokens(n, in.Answer); l.tokens = n }, func() {})
	}
}

func (l *oracleLogprobs) apply(in *schemas.Interaction) {
	if l.tokens != nil {
		in.Logprobs = oracleTokens(l.tokens, in.Answer)
	}
	if l.packed == "" {
		return
	}
	raw, err := base64.StdEncoding.DecodeString(l.packed)
	if err != nil || l.badTopK || len(raw)%(4*(1+l.topK)) != 0 {
		in.Malformed = append(in.Malformed, "token_logprobs")
		return
	}
	if in.Logprobs = (schemas.Logprobs{TopK: l.topK}); len(raw) == 0 {
		in.Logprobs.TopK = 0
	}
	for ; len(raw) > 0; raw = raw[4:] {
		f := float64(math.Float32frombits(binary.LittleEndian.Uint32(raw)))
		in.Logprobs.Values = append(in.Logprobs.Values, float32(min(max(f, -100), 0)))
	}
}

func oracleTokens(n *oracleValue, answer string) (l schemas.Logprobs) {
	requireOracleKind(n.kind == '{')
	var rows [][]float32
	var texts []string
	placed := true
	for _, tok := range n.member("content").items(math.MaxInt) {
		requireOracleKind(tok.kind == '{')
		row := []float32{oracleLogprob(tok.member("logprob"))}
		alternatives := tok.member("top_logprobs").items(math.MaxInt)
		requireOracleKind(len(alternatives) <= recordformat.MaxTopK)
		for _, alt := range alternatives {
			requireOracleKind(alt.kind == '{')
			row = append(row, oracleLogprob(alt.member("logprob")))
		}
		l.TopK = max(l.TopK, len(row)-1)
		rows = append(rows, row)
		text := tok.member("token").string()
		if b := tok.member("bytes"); b != nil {
			var raw []byte
			for _, c := range b.items(math.MaxInt) {
				raw = append(raw, byte(c.integer(0, 255)))
			}
			text = string(raw)
		} else if tok.member("token") == nil {
			placed = false
		}
		texts = append(texts, text)
	}
	for _, row := range rows {
		for len(row) < 1+l.TopK {
			row = append(row, float32(math.NaN()))
		}
		l.Values = append(l.Values, row...)
	}
	if placed {
		l.Offsets = oracleOffsets(texts, answer)
	}
	return l
}

// oracleOffsets places tokens at the start of the answer, with the white space in front of them or without it.
func oracleOffsets(texts []string, answer string) []int32 {
	all := strings.Join(texts, "")
	bare := strings.TrimLeft(all, " \t\r\n")
	lead := len(all) - len(bare)
	if strings.HasPrefix(answer, all) {
		bare, lead = all, 0
	}
	if bare == "" || (!strings.HasPrefix(answer, bare) && (answer == "" || !strings.HasPrefix(bare, answer))) {
		return nil
	}
	var offsets []int32
	at := 0
	for _, t := range texts {
		offsets = append(offsets, int32(min(max(at-lead, 0), len(answer))))
		at += len(t)
	}
	return offsets
}
