package avro

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// knownFields are the known fields of a record, with those of nested records.
type knownFields map[string]knownFields

func interactionFields() knownFields {
	return knownFields{
		"interaction_id": nil, "tenant": nil, "service": nil, "operation": nil, "provider": nil, "model": nil, "occurred_at": nil,
		"trace_id": nil, "span_id": nil, "conversation_id": nil, "tags": nil,
		"messages": {"role": nil, "content": nil},
		"answer":   nil, "finish_reason": nil, "streamed": nil, "temperature": nil,
		"sources":         {"id": nil, "text": nil, "uri": nil, "score": nil, "title": nil},
		"response_schema": nil, "attributes": nil, "top_k": nil, "token_logprobs": nil,
	}
}

func flagFields() knownFields {
	return knownFields{
		"incident_id": nil, "pass": nil, "interaction_id": nil, "tenant": nil, "service": nil, "operation": nil, "provider": nil,
		"model": nil, "trace_id": nil, "span_id": nil, "conversation_id": nil, "tags": nil, "occurred_at": nil, "detected_at": nil,
		"origin": {"topic": nil, "partition": nil, "offset": nil, "index": nil},
		"signals": {
			"detector": nil, "outcome": nil, "score": nil, "threshold": nil, "measures": nil, "type": nil, "reason": nil,
			"evidence": {
				"start": nil, "end": nil, "excerpt": nil, "citation": nil, "source_id": nil, "source_start": nil, "source_end": nil,
				"similarity": nil, "note": nil, "source_number": nil, "source_excerpt": nil, "source_says": nil,
			},
			"statements": {"start": nil, "end": nil, "text": nil, "verdict": nil, "reason": nil, "confidence": nil},
		},
		"fired": nil, "risk": nil, "recommendation": nil, "action": nil, "alert": nil,
		"grounding": {
			"grounded": nil, "confidence": nil, "overall_similarity": nil, "ungrounded_claim_count": nil,
			"ungrounded_claims": {"start": nil, "end": nil, "excerpt": nil, "similarity": nil},
			"source":            nil,
		},
		"calibration": nil, "worker_version": nil, "truncated": nil, "sampled": nil, "sample_reason": nil,
		"sample_probability": nil, "id_source": nil, "attributes": nil, "anomalous_rates": nil, "sources_from": nil, "question": nil,
		"checked": nil, "unchecked": nil,
	}
}

// targets returns, for every field of a record, the name of our field, "" for unknown ones. A field matches by its own
// name, then by the writer's aliases (names in older versions), then by our name in camel case.
func (s knownFields) targets(fields []typeField) []string {
	out := make([]string, len(fields))
	taken := make(map[string]bool)
	take := func(i int, name string) {
		if _, known := s[name]; known && out[i] == "" && !taken[name] {
			out[i], taken[name] = name, true
		}
	}
	for i, f := range fields {
		take(i, f.name)
	}
	for i, f := range fields {
		for _, alias := range f.aliases {
			take(i, alias[strings.LastIndexByte(alias, '.')+1:])
		}
	}
	for i, f := range fields {
		take(i, toSnakeCase(f.name))
	}
	return out
}

// toSnakeCase converts camel case: interactionId is interaction_id, topK is top_k.
func toSnakeCase(name string) string {
	var b strings.Builder
	for i, c := range []byte(name) {
		if 'A' <= c && c <= 'Z' {
			if i > 0 {
				b.WriteByte('_')
			}
			c += 'a' - 'A'
		}
		b.WriteByte(c)
	}
	return b.String()
}

// decodePlan is a type as goavro decodes it: fields under our names, named types under generated names.
type decodePlan struct {
	kind    typeKind
	logical string
	fields  map[string]*decodePlan // of a record: known fields
	items   *decodePlan            // of an array or a map
	choices map[string]*decodePlan // of a union, by the names that goavro uses for its values
	unknown []string               // names of the ignored fields of a record
}

// schemaWriter writes the schema for goavro: the same encoding with our names, without defaults and logical types (which
// goavro interprets differently), and with bytes in place of strings, which goavro would copy.
type schemaWriter struct {
	out   bytes.Buffer
	names int
}

// write writes n, and returns its plan and its name in a union.
func (d *schemaWriter) write(n *schemaType, s knownFields, keepText bool) (*decodePlan, string) {
	p := &decodePlan{kind: n.kind, logical: n.logical}
	switch n.kind {
	case kindString:
		if !keepText {
			return p, d.primitive(kindBytes)
		}
		return p, d.primitive(kindString)
	case kindRecord:
		return p, d.record(p, n, s)
	case kindUnion:
		d.union(p, n, s)
		return p, ""
	case kindArray, kindMap:
		member := `,"items":`
		if n.kind == kindMap {
			member = `,"values":`
			s = nil // keys are not fields
		}
		d.out.WriteString(`{"type":"` + string(n.kind) + `"` + member)
		p.items, _ = d.write(n.items, s, false)
		d.out.WriteByte('}')
	case kindEnum, kindFixed:
		name := d.beginNamed(n.kind)
		if n.kind == kindFixed {
			d.out.WriteString(`,"size":` + strconv.Itoa(n.size) + `}`)
		} else {
			symbols, _ := json.Marshal(n.symbols) // strings always encode
			d.out.WriteString(`,"symbols":` + string(symbols) + `}`)
		}
		return p, name
	default:
		return p, d.primitive(n.kind)
	}
	return p, string(n.kind)
}

func (d *schemaWriter) primitive(k typeKind) string {
	d.out.WriteString(`"` + string(k) + `"`)
	return string(k)
}

// beginNamed starts a named type with a generated name.
func (d *schemaWriter) beginNamed(k typeKind) string {
	name := "t" + strconv.Itoa(d.names)
	d.names++
	d.out.WriteString(`{"type":"` + string(k) + `","name":"` + name + `"`)
	return name
}

func (d *schemaWriter) record(p *decodePlan, n *schemaType, s knownFields) string {
	name := d.beginNamed(kindRecord)
	p.fields = make(map[string]*decodePlan)
	d.out.WriteString(`,"fields":[`)
	for i, target := range s.targets(n.fields) {
		if i > 0 {
			d.out.WriteByte(',')
		}
		if target == "" {
			d.out.WriteString(`{"name":"unknown` + strconv.Itoa(i) + `","type":`)
			d.write(n.fields[i].typ, nil, false)
			p.unknown = append(p.unknown, n.fields[i].name)
		} else {
			d.out.WriteString(`{"name":"` + target + `","type":`)
			p.fields[target], _ = d.write(n.fields[i].typ, s[target], false)
		}
		d.out.WriteByte('}')
	}
	d.out.WriteString("]}")
	return name
}

func (d *schemaWriter) union(p *decodePlan, n *schemaType, s knownFields) {
	text, raw := false, false
	for _, b := range n.branches {
		text = text || b.kind == kindString
		raw = raw || b.kind == kindBytes
	}
	p.choices = make(map[string]*decodePlan)
	d.out.WriteByte('[')
	for i, b := range n.branches {
		if i > 0 {
			d.out.WriteByte(',')
		}
		choice, name := d.write(b, s, text && raw)
		p.choices[name] = choice
	}
	d.out.WriteByte(']')
}
