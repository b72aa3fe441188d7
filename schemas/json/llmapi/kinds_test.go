package llmapi

import (
	"testing"

	"github.com/stretchr/testify/require"

	"confab/schemas"
)

// A list of steps is read by what a map says of their words, with and without places, also where it is JSON in a text.
func TestKindsOfSteps(t *testing.T) {
	for _, words := range []map[string]string{
		{"flim": "user", "plon": "call", "grub": "result", "snee": "none"},
		{"flim": "user /text", "plon": "call /op /args", "grub": "result /gave"},
	} {
		k, err := NewKinds("/trail/w", words)
		require.NoError(t, err)
		for _, trail := range []string{
			`[{"w":"flim","text":"How deep?"},{"w":"snee","text":"Hm."},{"w":"plon","op":"depth","args":{"at":1}},{"w":"grub","gave":{"metres":4}}]`,
			`"[{\"w\":\"flim\",\"text\":\"How deep?\"},{\"w\":\"plon\",\"op\":\"depth\",\"args\":{\"at\":1}},{\"w\":\"grub\",\"gave\":{\"metres\":4}}]"`,
		} {
			marked, err := open(k.Mark([]byte(`{"trail":` + trail + `}`)))
			require.NoError(t, err)
			var in schemas.Interaction
			require.NoError(t, Request([]byte(marked.member("trail").raw()), &in))
			require.Equal(t, "How deep?", in.Messages[0].Content)
			require.Len(t, in.Calls, 1)
			require.Equal(t, "depth", in.Calls[0].Name)
			require.Contains(t, in.Calls[0].Result, `"metres":4`)
		}
	}
	for _, other := range []string{`{"trail":"5"}`, `{"trail":null}`, `[`, `{"else":[]}`, `{"trail":["[1"]}`} {
		k, err := NewKinds("/trail/w", map[string]string{"flim": "user"})
		require.NoError(t, err)
		require.Equal(t, other, string(k.Mark([]byte(other))))
	}
}

// The error of a call is one of a kind of its own, or lies where no result does.
func TestErrorsOfSteps(t *testing.T) {
	k, err := NewKinds("/trail/w", map[string]string{"plon": "call /op /args", "grub": "result /gave", "oops": "error /problem", "ouch": "error"})
	require.NoError(t, err)
	for step, want := range map[string]string{
		`{"w":"oops","problem":"no echo"}`: "no echo", `{"w":"oops"}`: "oops", `{"w":"ouch","op":"depth","message":"no echo"}`: "no echo", `{"w":"grub","error":"no echo"}`: "no echo",
		`{"w":"grub","fault":{"code":"no echo"}}`: `{"code":"no echo"}`,
	} {
		marked, err := open(k.Mark([]byte(`{"trail":[{"w":"plon","op":"depth","args":{"at":1}},` + step + `]}`)))
		require.NoError(t, err)
		var in schemas.Interaction
		require.NoError(t, Request([]byte(marked.member("trail").raw()), &in))
		require.Equal(t, []schemas.ToolCall{{Name: "depth", Arguments: `{"at":1}`, Error: want}}, in.Calls, step)
	}
}

// A word that is none of the kinds is refused, and so are faults of pointers.
func TestKindsAreChecked(t *testing.T) {
	for pointer, words := range map[string]map[string]string{
		"/w": {"flim": "?"}, "w": {"flim": "user"}, "/v": {"flim": "user text"}, "/u": {}, "whole": {"flim": "user"},
	} {
		_, err := NewKinds(pointer, words)
		require.Error(t, err, pointer)
	}
}
