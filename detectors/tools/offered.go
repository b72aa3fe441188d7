package tools

import (
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
				if c := &t.calls[i]; len(t.in.Tools) > 0 && c.Name != "" && t.tool(c.Name) == nil {
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

func brokenSchema() Rule {
	return Rule{
		ID:     "arguments_schema",
		Doc:    "arguments that break the JSON Schema of the tool",
		Weight: .9,
		Check: func(t *turn) {
			for i := range t.calls {
				c := &t.calls[i]
				tool := t.tool(c.Name)
				if tool == nil || tool.Schema == "" || !strings.HasPrefix(strings.TrimSpace(c.Arguments), "{") {
					continue
				}
				if note, err := t.checker.Violation(t.doc, tool.Schema, c.Arguments); err == nil && note != "" {
					t.accuse(c, note)
				}
			}
		},
		Examples: []Example{
			{
				User: "Where is order 7?", Tools: []schemas.Tool{{Name: "get_order", Schema: orderSchema}},
				Calls: []schemas.ToolCall{{Name: "get_order", Arguments: `{"order": "7"}`}}, Fires: `: missing property 'order_id'`,
			},
			{
				User: "Where is order 7?", Tools: []schemas.Tool{{Name: "get_order", Schema: orderSchema}},
				Calls: []schemas.ToolCall{{Name: "get_order", Arguments: `{"order_id": "7"}`}},
			},
		},
	}
}
