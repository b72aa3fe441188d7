package json

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"confab/internal/recordformat"
	"confab/schemas"
)

// errOracle is every refusal of the oracle, errOracleField one of the value of one field.
var (
	errOracle      = errors.New("refused")
	errOracleField = errors.New("malformed")
)

// oracleValue is one JSON value, with the members of objects in document order.
type oracleValue struct {
	kind    byte // { [ " 0 t f n
	text    string
	names   []string
	values  []*oracleValue
	literal json.Number
	raw     string // of an object, a list or a literal
}

// oracleDecode is the slow, plain reading of docs/interaction.md on top of encoding/json: a second opinion.
func oracleDecode(raw []byte, in *schemas.Interaction) (err error) {
	*in = schemas.Interaction{Temperature: schemas.UnknownTemperature}
	if len(raw) > DefaultMaxBytes || !utf8.Valid(raw) || !json.Valid(raw) {
		return errOracle
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	top := oracleNode(dec, raw, 1)
	if _, more := dec.Token(); more != io.EOF || top == nil || top.kind != '{' {
		return errOracle
	}
	defer func() { // the readers below bail out by panicking with errOracle
		if r := recover(); r != nil {
			if r != any(errOracle) && r != any(errOracleField) {
				panic(r)
			}
			err = errOracle
		}
	}()
	oracleInteraction(top, in)
	return nil
}

// oracleNode reads one value; nil says that it is refused.
func oracleNode(dec *json.Decoder, raw []byte, depth int) *oracleValue {
	tok, err := dec.Token()
	if err != nil {
		return nil
	}
	switch v := tok.(type) {
	case json.Delim:
		if depth > DefaultMaxDepth {
			return nil
		}
		n, start := &oracleValue{kind: byte(v)}, dec.InputOffset()-1
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
			child := oracleNode(dec, raw, depth+1)
			if child == nil {
				return nil
			}
			n.values = append(n.values, child)
		}
		if _, err := dec.Token(); err != nil {
			return nil
		}
		n.raw = string(raw[start:dec.InputOffset()])
		return n
	case string:
		return &oracleValue{kind: '"', text: v}
	case json.Number:
		return &oracleValue{kind: '0', literal: v, raw: string(v)}
	case bool:
		if v {
			return &oracleValue{kind: 't', raw: "true"}
		}
		return &oracleValue{kind: 'f', raw: "false"}
	}
	return &oracleValue{kind: 'n'}
}

func requireOracleKind(ok bool) {
	if !ok {
		panic(errOracleField)
	}
}

func requireOracleRecord(ok bool) {
	if !ok {
		panic(errOracle)
	}
}

// oracleOptional reads an optional field; when it is malformed, it is named and drop empties it.
func oracleOptional(in *schemas.Interaction, name string, read, drop func()) {
	defer func() {
		switch r := recover(); r {
		case nil:
		case any(errOracleField):
			in.Malformed = append(in.Malformed, name)
			drop()
		default:
			panic(r)
		}
	}()
	read()
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

// label is a text, or a number as it is written.
func (n *oracleValue) label() string {
	if n != nil && n.kind == '0' {
		return string(n.literal)
	}
	return n.string()
}

// number is a number, or one in a text.
func (n *oracleValue) number() float64 {
	if n.kind != '"' {
		return n.float()
	}
	f, err := strconv.ParseFloat(strings.TrimSpace(n.text), 64)
	requireOracleKind(err == nil && recordformat.IsFinite(f))
	return f
}

func (n *oracleValue) items(most int) []*oracleValue {
	if n == nil {
		return nil
	}
	requireOracleKind(n.kind == '[')
	requireOracleRecord(len(n.values) <= most)
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

// oracleUsed replaces the name of an alias that was read; it is not valid JSON.
const oracleUsed = "\xff"

// oracleAliases renames the aliases that are read to our names, and returns the names of the others.
func oracleAliases(top *oracleValue) (unused []string) {
	for _, a := range fieldAliases {
		n := top.member(a.name)
		if n == nil || n.kind != '"' && (n.kind != '[' || a.field != "sources") {
			continue
		}
		if top.member(a.field) != nil {
			unused = append(unused, a.name)
			continue
		}
		for i, name := range top.names { // a null under our name is absent
			if name == a.field {
				top.names[i] = oracleUsed
			}
		}
		at := slices.Index(top.names, a.name)
		top.names, top.values = append(top.names, a.field), append(top.values, n)
		top.names[at] = oracleUsed
	}
	return unused
}

func oracleInteraction(top *oracleValue, in *schemas.Interaction) {
	unused := oracleAliases(top)
	for _, name := range top.names {
		known := false
		for _, f := range FieldNames() {
			requireOracleRecord(f == name || !strings.EqualFold(f, name))
			known = known || f == name
		}
		if !known && name != oracleUsed && !slices.Contains(unused, name) {
			if in.UnknownFields++; len(in.UnknownNames) < schemas.MaxUnknownNames {
				in.UnknownNames = append(in.UnknownNames, name)
			}
		}
	}
	for _, name := range unused {
		if in.UnknownFields++; len(in.UnknownNames) < schemas.MaxUnknownNames {
			in.UnknownNames = append(in.UnknownNames, name)
		}
	}
	in.ID, in.Tenant = top.member("interaction_id").label(), top.member("tenant").label()
	requireOracleRecord(top.member("answer") != nil)
	in.Answer = top.member("answer").string()
	prompt, logprobs, tools := "", oracleLogprobs{}, oracleTools{}
	for _, name := range top.names { // malformed fields are named in the order of the record
		if n := top.member(name); n != nil {
			if !tools.member(name, n, in) {
				oracleMember(name, n, in, &prompt, &logprobs)
			}
		}
	}
	if prompt != "" && len(in.Messages) == 0 {
		in.Messages = []schemas.Message{{Role: "user", Content: prompt}}
	}
	tools.apply(in)
	logprobs.apply(in)
}

func oracleMember(name string, n *oracleValue, in *schemas.Interaction, prompt *string, logprobs *oracleLogprobs) {
	nothing := func() {}
	switch name {
	case "service", "operation", "provider", "model", "trace_id", "span_id", "conversation_id", "finish_reason", "response_schema":
		at := map[string]*string{
			"service": &in.Service, "operation": &in.Operation, "provider": &in.Provider, "model": &in.Model, "trace_id": &in.TraceID,
			"span_id": &in.SpanID, "conversation_id": &in.ConversationID, "finish_reason": &in.FinishReason, "response_schema": &in.ResponseSchema,
		}[name]
		oracleOptional(in, name, func() { *at = n.label() }, nothing)
	case "occurred_at":
		oracleOptional(in, name, func() { in.OccurredAt = oracleTime(n) }, nothing)
	case "tags":
		oracleOptional(in, name, func() {
			if n.kind == '"' {
				in.Tags = []string{n.text}
				return
			}
			for _, item := range n.items(recordformat.MaxTags) {
				if item.kind == '"' || item.kind == '0' {
					in.Tags = append(in.Tags, item.label())
				} else {
					oracleLost(in, name)
				}
			}
		}, func() { in.Tags = nil })
	case "prompt":
		oracleOptional(in, name, func() { *prompt = n.label() }, nothing)
	case "streamed":
		oracleOptional(in, name, func() {
			text := strings.ToLower(n.text)
			requireOracleKind(n.kind == 't' || n.kind == 'f' || text == "true" || text == "false")
			in.Streamed = n.kind == 't' || text == "true"
		}, nothing)
	case "temperature":
		oracleOptional(in, name, func() { in.Temperature = max(schemas.UnknownTemperature, n.number()) }, nothing)
		if in.Temperature < 0 {
			in.Temperature = schemas.UnknownTemperature
		}
	case "sources":
		oracleOptional(in, name, func() { oracleSources(n, in) }, func() { in.Sources = nil })
	case "attributes":
		oracleOptional(in, name, func() { oracleAttributes(n, in) }, func() { in.Attributes = nil })
	default:
		logprobs.member(name, n, in)
	}
}
