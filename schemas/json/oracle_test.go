package json

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"confab/schemas"
)

// errOracle is every refusal of the oracle.
var errOracle = errors.New("refused")

// node is one JSON value, with the members of objects in document order.
type node struct {
	kind    byte // { [ " 0 t f n
	text    string
	names   []string
	values  []*node
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
func oracleNode(dec *json.Decoder, depth int) *node {
	tok, err := dec.Token()
	if err != nil {
		return nil
	}
	switch v := tok.(type) {
	case json.Delim:
		if depth > DefaultMaxDepth {
			return nil
		}
		n := &node{kind: byte(v)}
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
		return &node{kind: '"', text: v}
	case json.Number:
		return &node{kind: '0', literal: v}
	case bool:
		if v {
			return &node{kind: 't'}
		}
		return &node{kind: 'f'}
	}
	return &node{kind: 'n'}
}

func demand(ok bool) {
	if !ok {
		panic(errOracle)
	}
}

func (n *node) member(name string) *node {
	for i, m := range n.names {
		if m == name && n.values[i].kind != 'n' {
			return n.values[i]
		}
	}
	return nil
}

func (n *node) string() string {
	if n == nil || n.kind == 'n' {
		return ""
	}
	demand(n.kind == '"')
	return n.text
}

func (n *node) items(most int) []*node {
	if n == nil {
		return nil
	}
	demand(n.kind == '[' && len(n.values) <= most)
	return n.values
}

func (n *node) float() float64 {
	demand(n.kind == '0')
	f, err := n.literal.Float64()
	demand(err == nil)
	return f
}

func (n *node) integer(low, high int64) int64 {
	demand(n.kind == '0')
	v, err := strconv.ParseInt(string(n.literal), 10, 64)
	demand(err == nil && low <= v && v <= high)
	return v
}

func oracleInteraction(top *node, in *schemas.Interaction) {
	for _, name := range top.names {
		known := false
		for _, f := range FieldNames() {
			demand(f == name || !strings.EqualFold(f, name))
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
	demand(top.member("answer") != nil)
	in.Answer = top.member("answer").string()
	if n := top.member("occurred_at"); n != nil {
		in.OccurredAt = oracleTime(n)
	}
	for _, n := range top.member("tags").items(MaxTags) {
		demand(n.kind == '"')
		in.Tags = append(in.Tags, n.text)
	}
	for _, n := range top.member("messages").items(MaxMessages) {
		demand(n.kind == '{')
		m := schemas.Message{Role: n.member("role").string()}
		m.Content = oracleContent(n.member("content"))
		in.Messages = append(in.Messages, m)
	}
	if p := top.member("prompt").string(); p != "" && len(in.Messages) == 0 {
		in.Messages = []schemas.Message{{Role: "user", Content: p}}
	}
	if n := top.member("streamed"); n != nil {
		demand(n.kind == 't' || n.kind == 'f')
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
