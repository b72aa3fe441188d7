package tools

import (
	"encoding/json"
	"strings"

	"confab/schemas"
)

const orderSchema = `{"type": "object", "properties": {"order_id": {"type": "string"}}, "required": ["order_id"], "additionalProperties": false}`

func notOffered() Rule {
	return Rule{
		ID:     "not_offered",
		Doc:    "a call of a tool that is not among those that the model was offered",
		Weight: .9,
		Check: func(t *turn) {
			for i := range t.calls {
				c := &t.calls[i]
				if len(t.in.Tools) > 0 && c.Name != "" && t.tool(c.Name) == nil && !isIn(baseName(c.Name), "host") && !strings.HasPrefix(c.Name, "transfer_to_") {
					t.accuse(c, c.Name)
				}
			}
		},
		Examples: []Example{
			{Tools: []schemas.Tool{{Name: "shop__get_order"}}, Calls: []schemas.ToolCall{{Name: "shop__find_order", Arguments: `{}`}}, Fires: "shop__find_order"},
			{Tools: []schemas.Tool{{Name: "shop__get_order"}}, Calls: []schemas.ToolCall{{Name: "get_order", Arguments: `{}`}}},
		},
	}
}

// tool is the offered tool of that name, nil for none.
func (t *turn) tool(name string) *schemas.Tool {
	for i := range t.in.Tools {
		if strings.EqualFold(baseName(t.in.Tools[i].Name), baseName(name)) {
			return &t.in.Tools[i]
		}
	}
	return nil
}

func brokenSchema() Rule {
	tools := []schemas.Tool{{Name: "get_order", Schema: orderSchema}}
	return Rule{
		ID:     "arguments_schema",
		Doc:    "arguments that break the JSON Schema of the tool; members that are null, and times without a zone, are tolerated",
		Weight: .9,
		Check:  checkSchemas,
		Examples: []Example{
			{User: "Where is order 7?", Tools: tools, Calls: []schemas.ToolCall{{Name: "get_order", Arguments: `{"order": "7"}`}}, Fires: `: missing property 'order_id'`},
			{User: "Where is order 7?", Tools: tools, Calls: []schemas.ToolCall{{Name: "get_order", Arguments: `{"order_id": "7", "shop": null}`}}},
		},
	}
}

func checkSchemas(t *turn) {
	for i := range t.calls {
		c := &t.calls[i]
		tool := t.tool(c.Name)
		if tool == nil || tool.Schema == "" || !strings.HasPrefix(strings.TrimSpace(c.Arguments), "{") {
			continue
		}
		note, err := t.checker.Violation(t.doc, tool.Schema, withoutNull(c.Arguments))
		if err == nil && note != "" && (!strings.Contains(note, "date-time") || !c.hasLocalTime()) {
			t.accuse(c, note)
		}
	}
}

// withoutNull leaves out the members that are null: models give them for what they leave out.
func withoutNull(arguments string) string {
	members := map[string]json.RawMessage{}
	if !strings.Contains(arguments, "null") || json.Unmarshal([]byte(arguments), &members) != nil {
		return arguments
	}
	for name, v := range members {
		if string(v) == "null" {
			delete(members, name)
		}
	}
	out, err := json.Marshal(members)
	if err != nil {
		return arguments
	}
	return string(out)
}

// hasLocalTime reports a date with a time and no zone among the arguments.
func (c *call) hasLocalTime() bool {
	for i := range c.args {
		if v := c.args[i].text; len(v) >= 16 && isDate(v) && (v[10] == 'T' || v[10] == ' ') && isDigit(v[len(v)-1]) && strings.LastIndexByte(v, '-') < 10 && !strings.Contains(v, "+") {
			return true
		}
	}
	return false
}

// isDate reports a date, a time or a period.
func isDate(s string) bool {
	return len(s) >= 5 && isDigit(s[0]) && isDigit(s[1]) && (s[2] == ':' || s[2] == '/' || s[2] == '.' || isDigit(s[2]) && isDigit(s[3]) && s[4] == '-')
}
