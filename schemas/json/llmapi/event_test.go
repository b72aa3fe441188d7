package llmapi

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/schemas"
)

func TestEventKind(t *testing.T) {
	for kind, names := range map[string][]string{
		EventResult:   {"tool.result", "tool_output", "function_call_output", "ToolReturned", "observation", "tool.call.failed", "search_results", "on_tool_end", "retriever.response"},
		EventCall:     {"tool.call", "tool_use", "functionCall", "agent.tool_call", "on_tool_start", "ToolInvoked", "agent_action", "mcp.request"},
		roleTool:      {"tool", "retriever", "function"},
		roleUser:      {"user.message", "UserInput", "customer_question", "human", "message.user", "client"},
		roleAssistant: {"assistant_reply", "agent.say", "bot", "ai_message", "llm.response", "AgentAnswer"},
		roleSystem:    {"system", "system.message"},
		EventIdle:     {"session.start", "agent.thought", "llm.request", "token_usage", "run.end", "user.feedback", "human_approval", "approval_request", "answer_draft", "critique"},
		"":            {"Ava", "", "17"},
	} {
		for _, name := range names {
			require.Equal(t, kind, EventKind(name), name)
		}
	}
}

func TestEvent(t *testing.T) {
	call := `{"content":null,"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"seats","arguments":"{\"flight\":22}"}}]}`
	result := `{"role":"tool","tool_call_id":"1","name":"seats","content":"{\"left\":14}"}`
	for line, want := range map[string][]string{
		`{"kind":"tool.call","data":{"call_id":"1","tool":"seats","args":{"flight":22}}}`:                          {call},
		`{"kind":"tool.call","id":7,"call_id":"1","name":"seats","input":{"flight":22}}`:                           {call},
		`{"kind":"tool.call","name":"tool.call","body":{"id":"1","tool":{"name":"seats","params":{"flight":22}}}}`: {call},
		`{"kind":"tool.call","data":"{\"id\":\"1\",\"tool\":\"seats\",\"args\":{\"flight\":22}}"}`:                 {call},
		`{"kind":"tool.call","data":{}}`: nil,
		`{"kind":"tool.result","cid":"1","payload":{"id":"C-7","name":"Ann","error":"closed"}}`:                              {`{"role":"tool","tool_call_id":"1","name":"","content":"{\"id\":\"C-7\",\"name\":\"Ann\",\"error\":\"closed\"}"}`},
		`{"kind":"tool.result","data":{"id":"C-7","name":"Ann"}}`:                                                            {`{"role":"tool","tool_call_id":"","name":"","content":"{\"id\":\"C-7\",\"name\":\"Ann\"}"}`},
		`{"kind":"tool.result","tool":"seats","answer_body":{"name":"Ann","text":"x"}}`:                                      {`{"role":"tool","tool_call_id":"","name":"seats","content":"{\"name\":\"Ann\",\"text\":\"x\"}"}`},
		`{"kind":"tool.result","data":{"call_id":"1","tool":"seats","ok":true,"result":{"left":14}}}`:                        {result},
		`{"kind":"tool.result","data":{"call_id":"1","tool_name":"seats","value":{"left":14}}}`:                              {result},
		`{"kind":"tool","data":{"call_id":"1","tool":"seats","args":{"flight":22},"output":{"left":14}}}`:                    {call, result},
		`{"kind":"tool.result","data":{"call_id":"1","tool":"seats","error":"timeout"}}`:                                     {`{"role":"tool","tool_call_id":"1","name":"seats","error":"timeout"}`},
		`{"kind":"tool_result","action":"tool_result","call_id":"1","tool":"seats","output":{"left":14}}`:                    {result},
		`{"kind":"tool.failed","data":{"call_id":"1","tool":"seats","message":"timeout"}}`:                                   {`{"role":"tool","tool_call_id":"1","name":"seats","error":"timeout"}`},
		`{"kind":"tool.result","data":{"rows":[14]}}`:                                                                        {`{"role":"tool","tool_call_id":"","name":"","content":"{\"rows\":[14]}"}`},
		`{"kind":"user.message","at":1,"data":{"text":"How many?"}}`:                                                         {`{"role":"user","content":"How many?"}`},
		`{"kind":"agent.message","payload":{"reply":"14."}}`:                                                                 {`{"role":"assistant","content":"14."}`},
		`{"kind":"tool","message":{"left":14},"tool_call_id":"1","tool_name":"seats"}`:                                       {result},
		`{"kind":"tool","tool_call_id":"1","text":"{\"booking\":\"B\",\"payment\":{\"status\":\"failed\",\"name\":\"x\"}}"}`: {`{"role":"tool","tool_call_id":"1","name":"","content":"{\"booking\":\"B\",\"payment\":{\"status\":\"failed\",\"name\":\"x\"}}"}`},
		`{"kind":"bot","text":null,"tool_calls":[{"id":"1","name":"seats","arguments":"{}"}]}`:                               {`{"role":"assistant","content":"","tool_calls":[{"id":"1","name":"seats","arguments":"{}"}]}`},
		`{"kind":"bot","tool_calls":[{"name":"seats"}]}`:                                                                     {`{"role":"assistant","content":"","tool_calls":[{"name":"seats"}]}`},
		`{"kind":"bot","aufrufe":[{"id":"1","name":"seats","argumente":{"flight":22}}]}`:                                     {`{"role":"assistant","content":"","tool_calls":[{"id":"1","name":"seats","argumente":{"flight":22}}]}`},
		`{"kind":"bot","text":"I look.","model":{"name":"m","parameters":{"seed":1}}}`:                                       {`{"role":"assistant","content":"I look."}`},
		`{"kind":"bot","event":"tool.called","payload":{"call_id":"1","tool":"seats","args":{"flight":22}}}`:                 {call},
		`{"kind":"werkzeug_aufruf","aufruf_id":"1","werkzeug":"seats","argumente":{"flight":22}}`:                            {call},
		`{"kind":"session.start","data":{"text":"Hello"}}`:                                                                   nil,
		`{"kind":"Ava","data":{"text":"Hello"}}`:                                                                             nil,
		`{"kind":`:                                                                                                           nil,
	} {
		var o struct{ Kind string }
		_ = json.Unmarshal([]byte(line), &o)
		got := Event([]byte(line), o.Kind, EventKind(o.Kind), "", nil)
		require.Len(t, got, len(want), line)
		for i := range got {
			require.JSONEq(t, want[i], string(got[i]), line)
		}
	}
}

// The steps of an agent are read like the messages of an API, whatever they are called.
func TestSteps(t *testing.T) {
	for name, list := range map[string]string{
		"events": `[{"kind":"ask","by":"web"},{"kind":"user_msg","text":"Left on 22?"},{"kind":"tool_call","cid":"1","fn":"seats","params":{"flight":22}},
			{"kind":"tool_return","cid":"1","payload":{"left":14}},{"kind":"thought","text":"So there are some."},{"kind":"say","text":"14 are left."}]`,
		"data": `[{"type":"user","data":{"text":"Left on 22?"}},{"type":"function_call","data":{"invocation_id":"1","tool":"seats","args":{"flight":22}}},
			{"type":"tool_output","data":{"invocation_id":"1","output":{"left":14}}},{"type":"assistant","data":{"reply":"14 are left."}}]`,
		"actions": `[{"action":"user_says","text":"Left on 22?"},{"action":"seats","action_input":{"flight":22},"observation":{"left":14}},{"action":"respond","text":"14 are left."}]`,
		"turns":   `[{"user":"Left on 22?","steps":[{"tool":"seats","args":{"flight":22},"result":{"left":14}}],"assistant":"14 are left."}]`,
		"roles": `[{"role":"customer","said":"Left on 22?"},{"role":"function_call","fn":"seats","arguments":"{\"flight\":22}","call_id":"1"},
			{"role":"function_response","call_id":"1","response":"{\"left\":14}"},{"role":"agent","said":"14 are left."}]`,
	} {
		in := schemas.Interaction{Temperature: schemas.UnknownTemperature}
		require.True(t, IsLog([]byte(list)), name)
		require.NoError(t, Request([]byte(list), &in), name)
		require.Len(t, in.Calls, 1, name)
		require.Equal(t, "seats", in.Calls[0].Name, name)
		require.JSONEq(t, `{"flight":22}`, in.Calls[0].Arguments, name)
		require.JSONEq(t, `{"left":14}`, in.Calls[0].Result, name)
		said := map[string]string{}
		for _, m := range in.Messages {
			said[m.Role] += m.Content
		}
		require.Equal(t, map[string]string{"user": "Left on 22?", "assistant": "14 are left.", "tool": in.Calls[0].Result}, said, name)
	}
	require.False(t, IsLog([]byte(`[{"role":"user","content":"Hi."},{"role":"assistant","content":"Hello."}]`)))
	items, err := open([]byte(`[{"type":"reasoning"},{"type":"function_call","call_id":"1","name":"seats","arguments":"{}"},{"type":"web_search_call","id":"w"},{"type":"mcp_list_tools","tools":[]}]`))
	require.NoError(t, err)
	require.False(t, isLog(items))
}
