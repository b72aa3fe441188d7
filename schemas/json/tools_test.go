package json

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"confab/internal/recordformat"
	"confab/schemas"
)

// oracleTools are the calls and results that messages hold.
type oracleTools struct {
	calls   []schemas.ToolCall
	results [][2]string // id, text
}

// member reads what a field holds of tools, and reports whether there is nothing else in it.
func (o *oracleTools) member(name string, n *oracleValue, in *schemas.Interaction) bool {
	switch name {
	case "tools":
		oracleOptional(in, name, func() { oracleToolList(n, in) }, func() { in.Tools = nil })
	case "tool_calls":
		oracleOptional(in, name, func() { in.Calls = oracleCalls(n, in) }, func() { in.Calls = nil })
	case "messages":
		oracleOptional(in, name, func() { oracleMessages(n, in, o) }, func() { in.Messages = nil })
	default:
		return false
	}
	return true
}

// message reads the members of a message beside its text.
func (o *oracleTools) message(item *oracleValue, content string, in *schemas.Interaction) {
	if id := oracleSide(in, "messages.tool_call_id", item.member("tool_call_id"), (*oracleValue).label); id != "" {
		o.results = append(o.results, [2]string{id, content})
	}
	if n := item.member("tool_calls"); n != nil {
		calls, ok := oracleRead(func() []schemas.ToolCall { return oracleCalls(n, in) })
		if o.calls = append(o.calls, calls...); !ok {
			oracleLost(in, "tool_calls")
		}
	}
}

func (o *oracleTools) apply(in *schemas.Interaction) {
	own := map[string]bool{}
	for _, c := range in.Calls {
		own[c.ID] = c.ID != ""
	}
	var all []schemas.ToolCall
	for _, c := range o.calls {
		if !own[c.ID] {
			all = append(all, c)
		}
	}
	all = append(all, in.Calls...)
	if excess := len(all) - recordformat.MaxCalls; excess > 0 {
		all = all[excess:]
		oracleLost(in, "tool_calls")
	}
	for _, r := range o.results {
		for i := len(all) - 1; i >= 0; i-- {
			if all[i].ID == r[0] {
				if all[i].Result == "" {
					all[i].Result = r[1]
				}
				break
			}
		}
	}
	in.Calls = all
}

// oracleLimited are the items of a list whose excess costs only its field.
func oracleLimited(n *oracleValue, most int) []*oracleValue {
	requireOracleKind(n.kind == '[' && len(n.values) <= most)
	return n.values
}

func oracleToolList(n *oracleValue, in *schemas.Interaction) {
	kept, lost := 0, 0
	for _, item := range oracleLimited(n, recordformat.MaxTools) {
		t := schemas.Tool{Name: item.text}
		if item.kind == '{' {
			f := item.function()
			t = schemas.Tool{Name: oracleSide(in, "tools.name", f.member("name"), (*oracleValue).label), Schema: f.member("parameters").source()}
		}
		if t.Name == "" {
			lost++
			continue
		}
		kept++
		in.Tools = append(in.Tools, t)
	}
	oracleCount(in, "tools.name", kept, lost)
}

func oracleCalls(n *oracleValue, in *schemas.Interaction) (calls []schemas.ToolCall) {
	lost := 0
	for _, item := range oracleLimited(n, recordformat.MaxCalls) {
		c := schemas.ToolCall{}
		if item.kind == '{' {
			f := item.function()
			c.ID = oracleSide(in, "tool_calls.id", item.member("id"), (*oracleValue).label)
			c.Name = oracleSide(in, "tool_calls.name", f.member("name"), (*oracleValue).label)
			c.Arguments, c.Result, c.Error = f.member("arguments").source(), item.member("result").source(), item.member("error").source()
		}
		if c.Error == "false" {
			c.Error = ""
		}
		if c.Name == "" {
			lost++
			continue
		}
		calls = append(calls, c)
	}
	oracleCount(in, "tool_calls.name", len(calls), lost)
	return calls
}

func (n *oracleValue) function() *oracleValue {
	if f := n.member("function"); f != nil && f.kind == '{' {
		return f
	}
	return n
}

// source is a text, or another value as it is written.
func (n *oracleValue) source() string {
	if n == nil {
		return ""
	}
	if n.kind == '"' {
		return n.text
	}
	return n.raw
}

func TestDecodeTools(t *testing.T) {
	type call = schemas.ToolCall
	for _, tt := range []struct {
		raw       string
		malformed string
		tools     []schemas.Tool
		calls     []call
	}{
		{
			raw:   `"tools":[{"name":"book","parameters":{"type": "object"}},"find",{"name":"n","parameters":"{}"},{"name":7,"parameters":null}]`,
			tools: []schemas.Tool{{Name: "book", Schema: `{"type": "object"}`}, {Name: "find"}, {Name: "n", Schema: "{}"}, {Name: "7"}},
		},
		{
			raw:   `"tools":[{"type":"function","function":{"name":"book","description":"d","parameters":{"a":"\u00e9"}}}]`,
			tools: []schemas.Tool{{Name: "book", Schema: `{"a":"\u00e9"}`}},
		},
		{
			raw:   `"tool_calls":[{"id":"c1","name":"book","arguments":{"n":2},"result":{"ok":true}},{"id":2,"name":"book","arguments":"{\"n\":2}","result":"done","error":false}]`,
			calls: []call{{ID: "c1", Name: "book", Arguments: `{"n":2}`, Result: `{"ok":true}`}, {ID: "2", Name: "book", Arguments: `{"n":2}`, Result: "done"}},
		},
		{
			raw:   `"tool_calls":[{"id":"c1","type":"function","function":{"name":"book","arguments":"{}"},"result":[],"error":{"code":5}}]`,
			calls: []call{{ID: "c1", Name: "book", Arguments: "{}", Result: "[]", Error: `{"code":5}`}},
		},
		{
			raw:   `"tool_calls":[{"id":"c1","name":"book"}],"messages":[{"role":"tool","tool_call_id":"c1","content":[{"type":"text","text":"done"}]}]`,
			calls: []call{{ID: "c1", Name: "book", Result: "done"}},
		},
		{
			raw: `"messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"c0","function":{"name":"find","arguments":"{}"}},{"id":"c1","function":{"name":"book"}}]},` +
				`{"role":"tool","tool_call_id":"c0","content":"a"},{"role":"tool","tool_call_id":"c9","content":"b"}],"tool_calls":[{"id":"c1","name":"book","result":"c"}]`,
			calls: []call{{ID: "c0", Name: "find", Arguments: "{}", Result: "a"}, {ID: "c1", Name: "book", Result: "c"}},
		},
		{raw: `"tools":5`, malformed: "tools"},
		{raw: `"tools":[null,{}]`, malformed: "tools"},
		{raw: `"tools":[{"parameters":{}},{"name":[]},{"name":"n"}]`, malformed: "tools.name", tools: []schemas.Tool{{Name: "n"}}},
		{raw: `"tools":[` + strings.Repeat(`"n",`, recordformat.MaxTools) + `"n"]`, malformed: "tools"},
		{raw: `"tool_calls":{"name":"n"}`, malformed: "tool_calls"},
		{raw: `"tool_calls":["n"]`, malformed: "tool_calls"},
		{raw: `"tool_calls":[{"id":{},"name":"n"},{"name":true}]`, malformed: "tool_calls.id,tool_calls.name", calls: []call{{Name: "n"}}},
		{raw: `"tool_calls":[` + strings.Repeat(`{"name":"n"},`, recordformat.MaxCalls) + `{"name":"n"}]`, malformed: "tool_calls"},
		{raw: `"messages":[{"role":"assistant","content":"c","tool_calls":"n"},{"role":"tool","content":"c","tool_call_id":[]}]`, malformed: "tool_calls,messages.tool_call_id"},
		{
			raw: `"messages":[` + strings.Repeat(`{"tool_calls":[{"name":"n"}]},`, recordformat.MaxCalls) + `{"tool_calls":[{"name":"m"}]}]`, malformed: "tool_calls",
			calls: append(slices.Repeat([]call{{Name: "n"}}, recordformat.MaxCalls-1), call{Name: "m"}),
		},
	} {
		raw := []byte(`{` + tt.raw + `,"answer":"a"}`)
		var in schemas.Interaction
		require.NoError(t, NewDecoder(Options{}).Decode(raw, &in), tt.raw)
		require.Empty(t, cmp.Diff(tt.tools, in.Tools, requireEqual()), tt.raw)
		require.Empty(t, cmp.Diff(tt.calls, in.Calls, requireEqual()), tt.raw)
		require.Equal(t, tt.malformed, strings.Join(in.Malformed, ","))
		require.Subset(t, schemas.MalformedNames(), in.Malformed)
		requireOracle(t, raw)
		field, _, _ := strings.Cut(tt.raw[1:], `"`)
		if strings.Count(tt.raw, `"messages"`) == 0 || field == schemas.FieldMessages && len(in.Calls) != 2 {
			mapped := newMapping(t, map[string]string{"answer": "/answer", field: "/" + field})
			var other schemas.Interaction
			require.NoError(t, mapped.Decode(raw, &other))
			require.Empty(t, cmp.Diff(in, other, requireEqual()), "by a map")
		}
		in.Reset()
		require.Empty(t, in.Tools)
		require.Empty(t, in.Calls)
	}
}

// A message of a tool is found by its id among as many calls as a record can hold, within the time of reading the record.
func BenchmarkManyResults(b *testing.B) {
	raw := `{"answer":"a","messages":[` + strings.Repeat(`{"tool_call_id":"x","content":"c"},`, recordformat.MaxMessages-1) + `{}],"tool_calls":[` +
		strings.Repeat(`{"name":"n","id":"y"},`, recordformat.MaxCalls-1) + `{"name":"n"}]}`
	d := NewDecoder(Options{})
	var in schemas.Interaction
	for b.Loop() {
		require.NoError(b, d.Decode([]byte(raw), &in))
	}
}

// The turns of the detector's corpus are read whole: every call has a name, arguments that are JSON, and a result where one is recorded.
func TestDecodeAgentTurns(t *testing.T) {
	for name, rows := range map[string]int{"train": 300, "test": 150} {
		raw, err := os.ReadFile("../../detectors/tools/testdata/turns." + name + ".jsonl")
		require.NoError(t, err)
		lines := bytes.Split(bytes.TrimSpace(raw), []byte("\n"))
		require.Greater(t, len(lines), rows)
		results := 0
		for _, line := range lines {
			var row schemas.Labelled
			require.NoError(t, DecodeLabelled(line, &row))
			in := &row.Interaction
			require.True(t, row.Labelled)
			require.Empty(t, in.Malformed, in.ID)
			require.Zero(t, in.UnknownFields, in.ID)
			require.Len(t, in.Calls, bytes.Count(line, []byte(`"arguments":`)), in.ID)
			for _, tool := range in.Tools {
				require.True(t, tool.Schema == "" || json.Valid([]byte(tool.Schema)), in.ID) // those of a server have none
			}
			for _, c := range in.Calls {
				require.True(t, json.Valid([]byte(c.Arguments)), in.ID)
				if c.Result != "" || c.Error != "" {
					results++
				}
			}
		}
		require.Greater(t, results, len(lines))
	}
}
