package llmapi

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"confab/internal/recordformat"
	"confab/schemas"
	"confab/schemas/json/mapspec"
)

// Members of a tool, a call and a result, by any API.
//
//nolint:gochecknoglobals // read-only tables
var (
	schemaNames = []string{"parameters", "input_schema", "parameters_json_schema", "args_schema", "schema"}
	callNames   = []string{"arguments", "args", "argumente", "input", "parameters", "tool_kwargs", "tool_input", "action", "queries", "code"}
	resultNames = []string{"output", "result", "response", "content", "outputs", "results", "text", "value", "data"}
	idNames     = []string{"call_id", "tool_call_id", "tool_use_id", "aufruf_id", "id"}
	nameNames   = []string{"name", "tool_name", "function_name", "tool", "werkzeug"}
)

// ReadTools reads the tools in a list, of any API, into the interaction.
func ReadTools(raw []byte, in *schemas.Interaction) {
	v, err := open(raw)
	if err == nil {
		setTools(in, toolsOf(nil, v.unwrapped()))
	}
}

// ReadCalls reads the calls in a list, of any API, into the interaction.
func ReadCalls(raw []byte, in *schemas.Interaction) {
	t := turn{}
	if v, err := open(raw); err == nil {
		t.addCalls(v.unwrapped())
		AddCalls(in, t.calls)
	}
}

// ReadNamedCalls reads the calls in a list whose members have these names: name, arguments, result, error and id. Items without a name are
// left out.
func ReadNamedCalls(raw []byte, names []mapspec.Name, in *schemas.Interaction) {
	v, err := open(raw)
	if err != nil {
		return
	}
	var calls []schemas.ToolCall
	for item := range v.unwrapped().items() {
		parts := map[string]string{}
		for _, n := range names {
			parts[n.Member] = cmp.Or(parts[n.Member], written(item.unwrapped().under(n.Steps)))
		}
		if parts["error"] == "false" {
			parts["error"] = ""
		}
		if parts["name"] != "" {
			calls = append(calls, schemas.ToolCall{ID: parts["id"], Name: parts["name"], Arguments: parts["arguments"], Result: parts["result"], Error: parts["error"]})
		}
	}
	AddCalls(in, calls)
}

func setTools(in *schemas.Interaction, tools []schemas.Tool) {
	for i := range tools {
		in.Tools = addTool(in.Tools, tools[i])
	}
}

// toolsOf appends the tools that a model was offered. One of the server is there by its type.
func toolsOf(list []schemas.Tool, v value) []schemas.Tool {
	for item := range v.items() {
		item = item.unwrapped()
		if inner := item.get("function_declarations", "tool", "json_schema"); inner.kind() != 0 && inner.kind() != 'f' {
			list = toolsOf(list, inner)
			continue
		}
		if inner := item.get("function", "tool_spec", "custom"); inner.kind() == '{' {
			item = inner
		}
		t := schemas.Tool{Name: cmp.Or(item.get(nameNames...).text(), version.ReplaceAllString(item.get("type").text(), ""))}
		if item.kind() == '"' {
			t.Name = item.text()
		}
		schema := item.get(schemaNames...).unwrapped()
		if inner := schema.get("json", "json_schema"); inner.kind() == '{' {
			schema = inner
		}
		if schema.kind() == '{' {
			t.Schema = schema.raw()
		}
		if t.Name != "function" {
			list = addTool(list, t)
		}
	}
	return list
}

// addTool adds a tool, unless one has its name.
func addTool(list []schemas.Tool, t schemas.Tool) []schemas.Tool {
	same := func(o schemas.Tool) bool { return o.Name == t.Name }
	if t.Name == "" || len(list) >= recordformat.MaxTools || slices.ContainsFunc(list, same) {
		return list
	}
	return append(list, t)
}

// version matches what the type of a tool of the server has behind its name.
var version = regexp.MustCompile(`_(preview|20\d\d).*$`)

// callIn reads a call of a tool. Where it has no name, as one of the server, its type has.
func callIn(v value) schemas.ToolCall {
	kind := v.get("type").text()
	inner := v
	for range 2 { // OpenInference has a function within a call
		if in := inner.get("function", "custom", "tool_call"); in.kind() == '{' {
			inner = in
		}
	}
	c := schemas.ToolCall{
		ID: v.get(idNames...).text(), Name: inner.get(nameNames...).text(), Arguments: written(inner.get(callNames...)),
		Result: flat(v.get("output", "outputs", "results", "result", "observation", "tool_output")), Error: errorOf(v),
	}
	if plugin := v.get("plugin_name").text(); plugin != "" { // Semantic Kernel
		c.Name = plugin + "-" + c.Name
	}
	c.ID = cmp.Or(c.ID, inner.get(idNames...).text())
	c.Name = cmp.Or(c.Name, strings.TrimSuffix(strings.TrimPrefix(kind, "tool-"), "_call"))
	return c
}

// written is a value as it was written: a text, or JSON.
func written(v value) string {
	if v.kind() == 0 || v.kind() == '"' {
		return v.text()
	}
	return v.raw()
}

// resultIn reads the result of a call from a message or a part. One that is an error has no other text.
func resultIn(v, content value) schemas.ToolCall {
	origin := v.get("origin", "call") // Haystack, Cohere
	r := schemas.ToolCall{
		ID: cmp.Or(v.get(idNames...).text(), origin.get("id").text()), Name: cmp.Or(v.get(nameNames...).text(), origin.get(nameNames...).text()),
		Arguments: written(cmp.Or(origin, v).get("arguments", "args", "input", "parameters")), Result: flat(content),
	}
	if r.Error = errorOf(v); r.Error == failed || r.Error == "" && errorOf(content) != "" {
		r.Error = cmp.Or(r.Result, failed)
	}
	if r.Error != "" {
		r.Result = ""
	}
	return r
}

// failed is the error of a call of which only that is known.
const failed = "error"

// errorOf is what a call or a result says of its failure, failed if that is all, "" for none.
func errorOf(v value) string {
	if v.kind() != '{' {
		return ""
	}
	e := v.get("error", "error_text")
	switch state := strings.ToLower(v.get("status", "state", "type", "outcome", "part_kind").text()); {
	case strings.IndexByte(`"{[`, e.kind()) >= 0 && len(e.raw()) > len(`""`):
		return flat(e)
	case e.kind() == 't', v.get("is_error").kind() == 't', state == failed, state == "failed", state == "incomplete", strings.HasSuffix(state, "-error"),
		strings.HasPrefix(state, "error-"), state == "outcome_failed", state == "retry-prompt":
		return failed
	}
	return ""
}

// toolLog are calls in order, with the results that came.
type toolLog []schemas.ToolCall

// recent is the number of calls among which one that is there already is looked for.
const recent = 64

// add adds a call, or completes one that is there. Of too many the last ones are kept.
func (l *toolLog) add(c *schemas.ToolCall) {
	for i := max(0, len(*l)-recent); i < len(*l); i++ {
		if o := &(*l)[i]; isSame(o, c) {
			o.ID, o.Arguments, o.Result, o.Error = cmp.Or(o.ID, c.ID), cmp.Or(o.Arguments, c.Arguments), cmp.Or(o.Result, c.Result), cmp.Or(o.Error, c.Error)
			return
		}
	}
	if len(*l) > 2*recordformat.MaxCalls {
		*l = slices.Delete(*l, 0, recordformat.MaxCalls)
	}
	if c.Name != "" {
		*l = append(*l, *c)
	}
}

// isSame reports whether two calls are one, of which either may lack its id, arguments and result. Without ids, another result is that of
// another call, and b without a result repeats a that failed.
func isSame(a, b *schemas.ToolCall) bool {
	repeats := a.Error != "" && b.Result+b.Error == ""
	outcome := a.ID+b.ID != "" || !repeats && mayBe(a.Result+a.Error, b.Result+b.Error)
	return a.Name == b.Name && outcome && (a.ID == b.ID || a.ID == "" || b.ID == "") && mayBe(a.Arguments, b.Arguments)
}

// mayBe reports texts that are the same but for blanks, of which either may be missing.
func mayBe(a, b string) bool { return a == "" || b == "" || a == b || squeeze(a) == squeeze(b) }

// squeeze is a text without blanks.
func squeeze(text string) string { return strings.Join(strings.Fields(text), "") }

// finish gives a result to the last call with its id, or the first one with its name that has no result.
func (l *toolLog) finish(r *schemas.ToolCall) {
	var of *schemas.ToolCall
	for i := max(0, len(*l)-recent); i < len(*l); i++ {
		switch c := &(*l)[i]; {
		case r.ID != "" && c.ID == r.ID:
			of = c
		case of == nil && (c.Name == r.Name || r.Name == "") && (r.ID == "" || c.ID == "") && c.Result+c.Error == "":
			of = c
		}
	}
	if of == nil {
		l.add(r)
	} else if of.Result+of.Error == "" {
		of.ID, of.Result, of.Error = cmp.Or(of.ID, r.ID), r.Result, r.Error
	}
}

// addTurn adds what a message called and what it has of results.
func (l *toolLog) addTurn(t *turn) {
	for i := range t.calls {
		l.add(&t.calls[i])
	}
	for i := range t.results {
		l.finish(&t.results[i])
	}
}

// AddCalls adds calls to those of the interaction, which they may be: then they complete them.
func AddCalls(in *schemas.Interaction, calls []schemas.ToolCall) {
	l := toolLog(in.Calls)
	for i := range calls {
		l.add(&calls[i])
	}
	if excess := len(l) - recordformat.MaxCalls; excess > 0 {
		l = slices.Delete(l, 0, excess)
		in.AddMalformed(schemas.FieldToolCalls)
	}
	in.Calls = l
}
