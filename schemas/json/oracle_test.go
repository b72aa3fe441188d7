package json

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"confab/internal/recordformat"
	"confab/schemas"
)

// errOracle is every refusal of the oracle.
var errOracle = errors.New("refused")

// oracleValue is one JSON value, with the members of objects in document order.
type oracleValue struct {
	kind    byte // { [ " 0 t f n
	text    string
	names   []string
	values  []*oracleValue
	literal json.Number
}

// oracleDecode is the slow, plain reading of docs/interaction.md on top of encoding/json: a second opinion.
func oracleDecode(raw []byte, in *schemas.Interaction) (err error) {
	*in = schemas.Interaction{Temperature: schemas.UnknownTemperature}
	if len(raw) > DefaultMaxBytes || !utf8.Valid(raw) || !json.Valid(raw) {
		return errOracle
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	top := oracleNode(dec, 1)
	if _, more := dec.Token(); more != io.EOF || top == nil || top.kind != '{' {
		return errOracle
	}
	defer func() { // the readers below bail out by panicking with errOracle
		if r := recover(); r != nil {
			if r != any(errOracle) {
				panic(r)
			}
			err = errOracle
		}
	}()
	oracleInteraction(top, in)
	return nil
}

// oracleNode reads one value; nil says that it is refused.
func oracleNode(dec *json.Decoder, depth int) *oracleValue {
	tok, err := dec.Token()
	if err != nil {
		return nil
	}
	switch v := tok.(type) {
	case json.Delim:
		if depth > DefaultMaxDepth {
			return nil
		}
		n := &oracleValue{kind: byte(v)}
		seen := map[string]bool{}
		for dec.More() {
			if n.kind == '{' {
				name, err := dec.Token()
				if err != nil || seen[name.(string)] {
					return nil
				}
				seen[name.(string)] = true
				n.names = append(n.names, name.(string))
			}
			child := oracleNode(dec, depth+1)
			if child == nil {
				return nil
			}
			n.values = append(n.values, child)
		}
		if _, err := dec.Token(); err != nil {
			return nil
		}
		return n
	case string:
		return &oracleValue{kind: '"', text: v}
	case json.Number:
		return &oracleValue{kind: '0', literal: v}
	case bool:
		if v {
			return &oracleValue{kind: 't'}
		}
		return &oracleValue{kind: 'f'}
	}
	return &oracleValue{kind: 'n'}
}

func requireOracleKind(ok bool) {
	if !ok {
		panic(errOracle)
	}
}

func (n *oracleValue) member(name string) *oracleValue {
	for i, m := range n.names {
		if m == name && n.values[i].kind != 'n' {
			return n.values[i]
		}
	}
	return nil
}

func (n *oracleValue) string() string {
	if n == nil || n.kind == 'n' {
		return ""
	}
	requireOracleKind(n.kind == '"')
	return n.text
}

func (n *oracleValue) items(most int) []*oracleValue {
	if n == nil {
		return nil
	}
	requireOracleKind(n.kind == '[' && len(n.values) <= most)
	return n.values
}

func (n *oracleValue) float() float64 {
	requireOracleKind(n.kind == '0')
	f, err := n.literal.Float64()
	requireOracleKind(err == nil)
	return f
}

func (n *oracleValue) integer(low, high int64) int64 {
	requireOracleKind(n.kind == '0')
	v, err := strconv.ParseInt(string(n.literal), 10, 64)
	requireOracleKind(err == nil && low <= v && v <= high)
	return v
}

func oracleInteraction(top *oracleValue, in *schemas.Interaction) {
	for _, name := range top.names {
		known := false
		for _, f := range FieldNames() {
			requireOracleKind(f == name || !strings.EqualFold(f, name))
			known = known || f == name
		}
		if !known {
			in.UnknownFields++
		}
	}
	for name, at := range map[string]*string{
		"interaction_id": &in.ID, "tenant": &in.Tenant, "service": &in.Service, "operation": &in.Operation,
		"provider": &in.Provider, "model": &in.Model, "trace_id": &in.TraceID, "span_id": &in.SpanID,
		"conversation_id": &in.ConversationID, "finish_reason": &in.FinishReason, "response_schema": &in.ResponseSchema,
	} {
		*at = top.member(name).string()
	}
	requireOracleKind(top.member("answer") != nil)
	in.Answer = top.member("answer").string()
	if n := top.member("occurred_at"); n != nil {
		in.OccurredAt = oracleTime(n)
	}
	for _, n := range top.member("tags").items(recordformat.MaxTags) {
		requireOracleKind(n.kind == '"')
		in.Tags = append(in.Tags, n.text)
	}
	for _, n := range top.member("messages").items(recordformat.MaxMessages) {
		requireOracleKind(n.kind == '{')
		m := schemas.Message{Role: n.member("role").string()}
		m.Content = oracleContent(n.member("content"))
		in.Messages = append(in.Messages, m)
	}
	if p := top.member("prompt").string(); p != "" && len(in.Messages) == 0 {
		in.Messages = []schemas.Message{{Role: "user", Content: p}}
	}
	if n := top.member("streamed"); n != nil {
		requireOracleKind(n.kind == 't' || n.kind == 'f')
		in.Streamed = n.kind == 't'
	}
	if n := top.member("temperature"); n != nil {
		if in.Temperature = n.float(); in.Temperature < 0 {
			in.Temperature = schemas.UnknownTemperature
		}
	}
	if n := top.member("sources"); n != nil {
		oracleSources(n, in)
	}
	if n := top.member("attributes"); n != nil {
		oracleAttributes(n, in)
	}
	oracleLogprobs(top, in)
}
