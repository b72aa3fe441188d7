package records

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/worker/config"
	"confab/schemas"
)

// A map that reads what is joined says which conversation a record is of, and who speaks in it.
func TestPartsOfAMap(t *testing.T) {
	open := func(file string) *FileInput {
		path := filepath.Join(t.TempDir(), "map.yaml")
		require.NoError(t, os.WriteFile(path, []byte(file), 0o600))
		c := config.Default()
		c.Kafka.Inputs = []config.Input{config.DefaultInput("in")}
		input, err := NewMapInput(c, path)
		require.NoError(t, err)
		return input
	}
	require.Nil(t, open("map: {answer: /said, conversation_id: /ticket}").Parts())
	parts := open("map: {answer: /said, request: /joined, conversation_id: /ticket, occurred_at: /at}\nwhere: {/who: [Ava]}\ntime_zone: UTC").Parts()
	for line, want := range map[string]string{
		`{"ticket":"t","who":"Ava","said":"Hello.","at":"2026-03-01 09:12:00"}`:   `{"content":"Hello.","role":"assistant"}`,
		`{"ticket":"t","who":"Maria","said":"Hi."}`:                               `{"content":"Hi.","role":"user"}`,
		`{"ticket":"t","who":"system","said":"Be brief."}`:                        `{"content":"Be brief.","role":"system"}`,
		`{"ticket":"t","who":"tool_result","high":19}`:                            `{"content":"{\"ticket\":\"t\",\"who\":\"tool_result\",\"high\":19}","role":"tool","name":"","tool_call_id":""}`,
		`{"ticket":"t","who":"Ava","tool_calls":[{"name":"f","arguments":"{}"}]}`: `{"content":"","role":"assistant","tool_calls":[{"name":"f","arguments":"{}"}]}`,
		`{"ticket":"t","who":"tool","said":"{\"ok\":false,\"error\":\"X\"}"}`:     `{"content":"{\"ok\":false,\"error\":\"X\"}","role":"tool","name":"","tool_call_id":""}`,
		`{"ticket":"t","role":"tool","tool_call_id":"c","content":"19"}`:          `{"ticket":"t","role":"tool","tool_call_id":"c","content":"19"}`,
	} {
		p := parts([]byte(line))
		require.Equal(t, "t", p.Group, line)
		require.Len(t, p.Gives, 1)
		require.JSONEq(t, want, string(p.Gives[0]))
		require.Equal(t, strings.Contains(line, "2026"), !p.At.IsZero(), line)
	}
	require.Empty(t, parts([]byte(`{"ticket":"t","who":"tool_call","args":{}}`)).Gives)
	require.Empty(t, parts([]byte(`[1]`)).Group)

	parts = open("map: {answer: /d/t, messages: 'role=/what/is content=/d/t,/d/r /joined', conversation_id: /c}\nwhere: {/what/is: [bot]}").Parts()
	for line, want := range map[string]string{
		`{"c":"s","what":{"is":"tool.output"},"d":{"id":"1","r":{"n":2}}}`: `{"content":"{\"n\":2}","role":"tool","name":"","tool_call_id":""}`,
		`{"c":"s","what":{"is":"UserAsk"},"d":{"t":"How many?"}}`:          `{"content":"How many?","role":"user"}`,
	} {
		require.Len(t, parts([]byte(line)).Gives, 1, line)
		require.JSONEq(t, want, string(parts([]byte(line)).Gives[0]))
	}
}

// A record that repeats the answer is no question of the user.
func TestAnAnswerIsNoQuestion(t *testing.T) {
	path := filepath.Join(t.TempDir(), "map.yaml")
	require.NoError(t, os.WriteFile(path, []byte("map: {answer: /said, request: /joined, conversation_id: /ticket}\nwhere: {/who: [Ava]}"), 0o600))
	input, err := NewMapInput(config.Default(), path)
	require.NoError(t, err)
	var in schemas.Interaction
	require.NoError(t, input.Decode([]byte(`{"ticket":"t","who":"Ava","said":"Nine.","joined":[{"role":"user","content":"When?"},{"role":"user","content":"Nine."}]}`), &in))
	require.Len(t, in.Messages, 1)
	require.Equal(t, "When?", in.Messages[0].Content)
}

// The tenant of a map file counts: who reads a file trusts it.
func TestTenantOfAMap(t *testing.T) {
	path := filepath.Join(t.TempDir(), "map.yaml")
	for file, want := range map[string]string{"map: {answer: /said, tenant: /org}": "acme", "map: {answer: /said}": "default"} {
		require.NoError(t, os.WriteFile(path, []byte(file), 0o600))
		c := config.Default()
		c.Kafka.Inputs = []config.Input{config.DefaultInput("in")}
		input, err := NewMapInput(c, path)
		require.NoError(t, err)
		var in schemas.Interaction
		require.NoError(t, input.Decode([]byte(`{"said":"Nine.","org":"acme"}`), &in))
		input.Admit(&in, schemas.Origin{})
		require.Equal(t, want, in.Tenant)
	}
}
