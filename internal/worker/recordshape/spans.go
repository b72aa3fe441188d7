package recordshape

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"confab/internal/files"
	schemasjson "confab/schemas/json"
	"confab/schemas/json/llmapi"
)

// spanRecord begins a record of spans or log records, as the Collector's file exporter writes it.
var spanRecord = regexp.MustCompile(`^\s*\{\s*"resource_?([sS]pans|[lL]ogs)"\s*:`)

// IsSpans reports whether a file or line begins like a record of spans or log records in OTLP JSON, or like one span, unless a
// shape reads what it has beside attributes.
func IsSpans(head []byte) bool {
	if spanRecord.Match(head) {
		return true
	}
	first, _, _ := bytes.Cut(bytes.TrimLeft(head, " \t\r\n"), []byte("\n"))
	if trace, _ := readSpan(first); trace == "" {
		return false
	}
	row, known := Recognise(first)
	return !known || slices.Contains([]string{"openinference", "api", "tracing", "langchain"}, row.Family)
}

// Traces gives the spans of a file as records in OTLP JSON: of spans that stand alone one for each trace. Other lines stay as they are.
func Traces(lines *files.Lines) *files.Lines {
	if spanRecord.Match(lines.Head()) {
		return lines
	}
	j := &joiner{from: lines, merges: true, parts: func(line []byte) Part {
		trace, span := readSpan(line)
		return Part{Group: trace, Gives: []json.RawMessage{span}}
	}}
	return lines.Through(j.next)
}

// merged is the record of a trace.
func (j *joiner) merged(trace string) []byte {
	var all [][]byte
	for _, p := range j.groups[trace] {
		all = append(all, p.Gives[0])
	}
	return slices.Concat([]byte(`{"resourceSpans":[`), bytes.Join(all, []byte(",")), []byte("]}"))
}

// spanID is the id of a span: that of Opik, Weave and LangSmith has no name of its own.
func (f fields) spanID() string {
	names := []string{"spanid", "span", "contextspanid"}
	if f.hasAny("parentspanid", "parentid", "parentrunid") {
		names = append(names, "id")
	}
	return f.first(names)
}

// columns are the attributes in a line that is a row of a table.
func columns(line []byte) (attributes []any) {
	var all fields
	if bytes.Contains(line, []byte(`"attributes.`)) && json.Unmarshal(line, &all) == nil {
		all.eachLeaf("", maxNested, func(key string, value any) {
			if key, ok := strings.CutPrefix(key, "attributes."); ok {
				attributes = append(attributes, map[string]any{"key": key, "value": value})
			}
		})
	}
	return attributes
}

// folded are the members of an object by their names in small letters alone; nil for another value.
func folded(raw []byte) (out fields) {
	var f fields
	if len(raw) > 0 && raw[0] == '{' && json.Unmarshal(raw, &f) == nil {
		out = fields{}
		for _, name := range slices.Sorted(maps.Keys(f)) { // of two that are alike always the same one counts
			out[strings.NewReplacer("_", "", ".", "", "-", "").Replace(strings.ToLower(name))] = f[name]
		}
	}
	return out
}

// readSpan reads a span that stands alone, in any usual spelling: with its name, its ids and its attributes, an object or a list. It
// gives its trace, "" for another value, and the span with its resource in OTLP JSON.
func readSpan(line []byte) (trace string, span []byte) {
	f := folded(line)
	ids := f
	if at := folded(bytes.Join([][]byte{f["context"], f["spancontext"]}, nil)); at != nil {
		ids = at
	}
	name := cmp.Or(f.first([]string{"name", "spanname", "operationname", "opname"}), folded(f["spanattributes"]).first([]string{"name"}))
	attributes := append(keyValues(f["attributes"], f["spanattributes"]), columns(line)...)
	trace, id := ids.first([]string{"traceid", "trace", "contexttraceid", "rootspanid"}), ids.spanID()
	attributes = append(attributes, f.plainValues(name, attributes)...)
	if f["answer"] != nil || name == "" || trace == "" || id == "" || attributes == nil {
		return "", nil
	}
	kind := strings.ToUpper(f.first([]string{"kind", "spankind"}))
	out := map[string]any{
		"name": name, "traceId": fixedID(trace, 16), "spanId": fixedID(id, 8), "parentSpanId": fixedID(cmp.Or(f.first([]string{"parentspanid", "parentid", "parentrunid", "parent", "rootspanid"}), folded(f["parent"]).first([]string{"spanid"})), 8),
		"kind": kind[strings.LastIndexByte(kind, '.')+1:], "status": f.status(), "attributes": attributes,
	}
	for member, names := range map[string][]string{
		"startTimeUnixNano": {"starttimeunixnano", "starttime", "start", "startms", "startedat", "timestamp", "created"}, "endTimeUnixNano": {"endtimeunixnano", "endtime", "end", "endms", "endedat", "timestamp", "starttime", "start", "startms", "startedat", "created"},
	} {
		if at := schemasjson.ParseTime(f.first(names), ""); !at.IsZero() {
			out[member] = strconv.FormatInt(at.UnixNano(), 10)
		}
	}
	var events []fields
	_ = json.Unmarshal(f["events"], &events) // another value has none
	events = slices.DeleteFunc(events, func(e fields) bool { return e == nil })
	for _, e := range events {
		e["attributes"], _ = json.Marshal(keyValues(e["attributes"])) // each was read as JSON
	}
	out["events"] = events
	from := map[string]any{"attributes": keyValues(folded(f["resource"])["attributes"], f["resourceattributes"], f["resource"])}
	span, err := json.Marshal(map[string]any{"resource": from, "scopeSpans": []any{map[string]any{"spans": []any{out}}}})
	if err != nil {
		return "", nil
	}
	return trace, span
}

// Kinds of spans, beside tools, and the words of a span's name.
var (
	spanKinds = regexp.MustCompile(`(?i)^(llm|generation|chain|agent|workflow|task|retrieve|retriever|retrieval|reranker|embedding|guardrail|evaluator)$`)
	letters   = regexp.MustCompile(`\pL+`)
)

// plainValues are the attributes of a span that has members, or attributes, with the plain names input and output, in OpenInference's
// names; nil for another one. Its kind is that of a member, else the first word of its name.
func (f fields) plainValues(name string, has []any) []any {
	all, plain := fields{}, fields{}
	for _, from := range []fields{folded(folded(f["extra"])["metadata"]), folded(f["metadata"]), f, folded(slices.Concat(f["attributes"], f["spanattributes"]))} {
		maps.Copy(all, from)
	}
	for _, at := range [][2]string{
		{"inputs", "input.value"},
		{"input", "input.value"},
		{"outputs", "output.value"},
		{"output", "output.value"},
		{"lsmodelname", "llm.model_name"},
		{"model", "llm.model_name"},
		{"threadid", "session.id"},
		{"id", "gen_ai.response.id"},
	} {
		if raw := all[at[0]]; len(raw) > 0 && string(raw) != "null" {
			plain[at[1]] = raw
		}
	}
	if plain["input.value"] == nil && plain["output.value"] == nil {
		return nil
	}
	words := []string{letters.FindString(name), letters.FindString(path.Base(name))} // Weave's names are addresses
	for _, kind := range append(words, all.first([]string{"type", "spantype", "runtype"}), all.first([]string{"kind", "spankind"})) {
		if !spanKinds.MatchString(kind) && slices.Contains([]string{"tool", "call", "result"}, llmapi.EventKind(kind)) {
			kind = "tool"
		}
		if kind == "tool" || spanKinds.MatchString(kind) {
			plain["openinference.span.kind"] = json.RawMessage(strconv.Quote(kind))
		}
	}
	raw, _ := json.Marshal(plain) // each was read as JSON
	return slices.DeleteFunc(keyValues(raw), func(a any) bool {
		return slices.ContainsFunc(has, func(b any) bool { return a.(map[string]any)["key"] == b.(map[string]any)["key"] })
	})
}

// fixedID is an id of so many bytes in hexadecimal digits: a shorter one is filled up, and the digest of one that has other letters.
func fixedID(id string, size int) string {
	id = strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(id, "0x"), "-", ""))
	if len(id) > 2*size || strings.Trim(id, "0123456789abcdef") != "" {
		sum := sha256.Sum256([]byte(id))
		id = hex.EncodeToString(sum[:size])
	}
	return strings.Repeat("0", 2*size-len(id)) + id
}

// status is the status of a span: a text, or an object with a code.
func (f fields) status() map[string]any {
	s := folded(f["status"])
	code := strings.ToUpper(cmp.Or(s.first([]string{"statuscode", "code"}), f.first([]string{"statuscode", "status"})))
	if code != "2" && !strings.Contains(code, "ERROR") {
		return nil
	}
	return map[string]any{"code": 2, "message": s.first([]string{"message", "description"})}
}

// keyValues are the attributes in the first of the values that is an object, or a list of keys with values. Lists and objects are JSON in
// a text; the members of an object have keys with full stops, too.
func keyValues(values ...json.RawMessage) (list []any) {
	at := slices.IndexFunc(values, func(raw json.RawMessage) bool { return len(raw) > 0 && strings.IndexByte("{[", raw[0]) >= 0 })
	if at < 0 {
		return nil
	}
	var object fields
	var items []json.RawMessage
	if json.Unmarshal(values[at], &object) != nil && json.Unmarshal(values[at], &items) == nil {
		object = fields{}
		for _, item := range items {
			f := folded(item)
			object[f.first([]string{"key"})] = json.RawMessage(cmp.Or(string(folded(f["value"])["value"]), string(f["value"]), "null"))
		}
	}
	list = []any{}
	object.eachLeaf("", maxNested, func(key string, value any) { list = append(list, map[string]any{"key": key, "value": value}) })
	return list
}

// typedValue begins a value of an attribute that names its type.
var typedValue = regexp.MustCompile(`^\{\s*"(string|int|double|bool|bytes|array|kvlist)_?[vV]alue"`)

// maxNested is how deep attributes have keys of their own: the text of each object has those within it, too.
const maxNested = 8

// eachLeaf gives the members of an object, and those of objects within it, so deep.
func (f fields) eachLeaf(head string, depth int, give func(key string, value any)) {
	for _, name := range slices.Sorted(maps.Keys(f)) {
		value := f[name]
		var text string
		var list []fields
		if json.Unmarshal(value, &text) == nil && json.Unmarshal([]byte(text), &list) == nil && len(list) > 0 {
			value = json.RawMessage(text) // in a column of a table
		}
		if len(value) == 0 || value[0] != '{' && value[0] != '[' || typedValue.Match(value) {
			give(head+name, value)
			continue
		}
		give(head+name, string(value))
		inner := f.object(name)
		if json.Unmarshal(value, &list) == nil {
			inner = fields{}
			for i := range list {
				inner[strconv.Itoa(i)], _ = json.Marshal(list[i]) // each was read as JSON
			}
		}
		if depth > 0 {
			inner.eachLeaf(head+name+".", depth-1, give)
		}
	}
}
