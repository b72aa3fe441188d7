package otlp

import (
	"cmp"
	"encoding/base64"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"

	"confab/internal/recordformat"
)

// spanValues are the attributes of one entry by key, with those of its events, and what flattened names hold.
type spanValues struct {
	values map[string]*commonpb.AnyValue
	flat   []flatItem
}

// reset empties the values, without references to a record.
func (f *spanValues) reset() {
	const keep = 1024 // values up to which the table is used again
	if len(f.values) > keep {
		f.values = nil
	}
	clear(f.values)
	clear(f.flat)
	f.flat = f.flat[:0]
}

// read replaces the values by those of an entry.
func (f *spanValues) read(e *entry) {
	f.reset()
	f.add(e.attributes)
	for _, event := range e.events {
		if name := event.GetName(); name == eventDetails || strings.HasPrefix(name, eventPrompt) || strings.HasPrefix(name, eventCompletion) {
			f.add(event.GetAttributes())
		}
	}
}

// add adds attributes. The first value of a key counts.
func (f *spanValues) add(list []*commonpb.KeyValue) {
	if f.values == nil {
		f.values = map[string]*commonpb.AnyValue{}
	}
	for _, a := range list {
		if it, ok := parseFlat(a.GetKey()); ok {
			it.value = a.GetValue()
			f.flat = append(f.flat, it)
		} else if a.GetValue().GetValue() != nil && f.values[a.GetKey()] == nil {
			f.values[a.GetKey()] = a.GetValue()
		}
	}
}

// at returns the value of the first key that has one; nil for none.
func (f *spanValues) at(keys ...string) *commonpb.AnyValue {
	for _, key := range keys {
		if v := f.values[key]; v != nil {
			return v
		}
	}
	return nil
}

// list returns what flattened names hold as a list in JSON, nil for none, with the first value that is no text, and whether there are
// texts or calls.
func (f *spanValues) list(name string) (raw []byte, bad *commonpb.AnyValue, recorded bool) {
	tree := recordformat.Flat{}
	answers := slices.Contains([]string{flatCompletions, "llm.output_messages.", "llm.choices."}, name)
	for _, it := range f.flat {
		if it.list != name {
			continue
		}
		index, member, _ := strings.Cut(it.rest, ".")
		member = unwrap(member)
		if answers {
			tree.Add([]byte(`"assistant"`), index, "role")
		}
		value := appendJSON(nil, it.value)
		if text := it.value.GetStringValue(); strings.HasPrefix(text, `[{"`) && checkJSON(bytesOf(text)) == nil { // parts
			value = bytesOf(text)
		} else if it.value.GetBytesValue() != nil {
			value, bad = []byte("null"), cmp.Or(bad, it.value)
		}
		recorded = recorded || it.value.GetStringValue() != redacted && holdsText(member)
		tree.Add(value, index, member)
	}
	return tree.AppendJSON(nil), bad, recorded
}

// unwrap cuts off what OpenInference has around the members of a message.
func unwrap(member string) string {
	if outer, inner, found := strings.Cut(member, "."); found && (outer == "message" || outer == "completion" || outer == "prompt") {
		return inner
	}
	return member
}

// holdsText reports a member with a text or a call.
func holdsText(member string) bool {
	return strings.HasSuffix(member, "content") || strings.HasSuffix(member, "text") || strings.HasPrefix(member, "tool_calls") || strings.HasPrefix(member, "reasoning")
}

// flatItem is a value in a flattened name, such as llm.input_messages.0.message.role.
type flatItem struct {
	list  string // the name before the index
	rest  string
	value *commonpb.AnyValue
}

// flatLists are the names before the index.
//
//nolint:gochecknoglobals // a read-only table
var flatLists = [...]string{
	"llm.input_messages.", "llm.output_messages.", "llm.prompts.", "llm.choices.", "retrieval.documents.",
	"reranker.output_documents.", "gen_ai.prompt.", flatCompletions, "llm.tools.", "llm.request.functions.",
}

const flatCompletions = "gen_ai.completion."

// parseFlat splits a flattened name.
func parseFlat(key string) (it flatItem, ok bool) {
	for _, list := range flatLists {
		if rest, found := strings.CutPrefix(key, list); found {
			return flatItem{list: list, rest: rest}, rest != "" && rest[0]-'0' <= 9
		}
	}
	return it, false
}

// textOf is a value as text: that of a text, a number or a truth value. ok is false for other kinds.
func textOf(v *commonpb.AnyValue) (text string, ok bool) {
	switch v := v.GetValue().(type) {
	case *commonpb.AnyValue_StringValue:
		return v.StringValue, true
	case *commonpb.AnyValue_IntValue:
		return strconv.FormatInt(v.IntValue, 10), true
	case *commonpb.AnyValue_DoubleValue:
		return strconv.FormatFloat(v.DoubleValue, 'g', -1, 64), true
	case *commonpb.AnyValue_BoolValue:
		return strconv.FormatBool(v.BoolValue), true
	}
	return "", false
}

// attributeValue is the value of the first attribute with one of the keys; nil for none.
func attributeValue(list []*commonpb.KeyValue, keys ...string) *commonpb.AnyValue {
	for _, a := range list {
		if slices.Contains(keys, a.GetKey()) {
			return a.GetValue()
		}
	}
	return nil
}

// attributeText is the text of the first attribute with a key.
func attributeText(list []*commonpb.KeyValue, key string) string {
	text, _ := textOf(attributeValue(list, key))
	return text
}

// numberOf is a number, or that which a text holds.
func numberOf(v *commonpb.AnyValue) (float64, bool) {
	text, _ := textOf(v)
	return parseNumber(text)
}

// parseNumber is the number in a text.
func parseNumber(text string) (float64, bool) {
	f, err := strconv.ParseFloat(strings.Trim(text, `"`), 64)
	return f, err == nil && recordformat.IsFinite(f)
}

// isStructured reports a list or a map.
func isStructured(v *commonpb.AnyValue) bool {
	return v.GetArrayValue() != nil || v.GetKvlistValue() != nil
}

// appendJSON appends a value as plain JSON. The keys of a map keep their order.
func appendJSON(dst []byte, v *commonpb.AnyValue) []byte {
	switch v := v.GetValue().(type) {
	case *commonpb.AnyValue_StringValue:
		return appendQuoted(dst, v.StringValue)
	case *commonpb.AnyValue_BytesValue:
		return appendQuoted(dst, base64.StdEncoding.EncodeToString(v.BytesValue))
	case *commonpb.AnyValue_ArrayValue:
		dst = append(dst, '[')
		for _, item := range v.ArrayValue.GetValues() {
			dst = append(appendJSON(dst, item), ',')
		}
		return closeJSON(dst, ']')
	case *commonpb.AnyValue_KvlistValue:
		dst = append(dst, '{')
		for _, member := range v.KvlistValue.GetValues() {
			dst = append(appendQuoted(dst, member.GetKey()), ':')
			dst = append(appendJSON(dst, member.GetValue()), ',')
		}
		return closeJSON(dst, '}')
	case *commonpb.AnyValue_DoubleValue:
		if !recordformat.IsFinite(v.DoubleValue) {
			return append(dst, "null"...)
		}
	}
	if text, ok := textOf(v); ok {
		return append(dst, text...)
	}
	return append(dst, "null"...)
}

// closeJSON ends a list or an object, with a comma behind its last part.
func closeJSON(dst []byte, end byte) []byte {
	if last := len(dst) - 1; dst[last] == ',' {
		dst = dst[:last]
	}
	return append(dst, end)
}

// appendQuoted appends a text as a JSON string.
func appendQuoted(dst []byte, text string) []byte {
	dst, _ = jsontext.AppendQuote(dst, text) // what is no UTF-8 is replaced
	return dst
}
