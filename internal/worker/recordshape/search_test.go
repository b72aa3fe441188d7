package recordshape

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/schemas"
	"confab/schemas/json"
)

// A response under the name of an envelope is read with the request beside it.
func TestResponsesInEnvelopesKeepTheirRequests(t *testing.T) {
	const (
		request  = `{"model":"m","messages":[{"role":"user","content":"How long?"}]}`
		response = `{"id":"c","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Ten days."},"finish_reason":"stop"}]}`
	)
	d, err := NewDecoder(Options{}, json.Options{})
	require.NoError(t, err)
	for record, c := range map[string]struct {
		shape    string
		messages int
	}{
		`{"req":` + request + `,"raw":` + response + `}`:         {"api.found in /raw", 1},
		`{"payload":` + response + `,"q":` + request + `}`:       {"api.found in /payload", 1},
		`{"payload":` + response + `,"note":"How are you?"}`:     {"openai.chat in /payload", 0},
		`{"payload":{"answer":"Ten days."},"q":` + request + `}`: {"own in /payload", 0},
	} {
		var in schemas.Interaction
		require.NoError(t, d.Decode([]byte(record), &in), record)
		require.Equal(t, "Ten days.", in.Answer, record)
		require.Equal(t, c.shape, in.Shape, record)
		require.Len(t, in.Messages, c.messages, record)
	}
}

// FuzzRecognise decodes any record by its shape: it is read, skipped or refused, never a panic.
func FuzzRecognise(f *testing.F) {
	samples, err := filepath.Glob(filepath.Join("..", "..", "..", "examples", "shapes", "*.jsonl"))
	require.NoError(f, err)
	for _, file := range samples {
		raw, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(raw)
	}
	d, err := NewDecoder(Options{}, json.Options{})
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, raw []byte) {
		var in schemas.Interaction
		if d.Decode(raw, &in) == nil && in.Shape == "" {
			var plain schemas.Interaction
			require.NoError(t, json.NewDecoder(json.Options{}).Decode(raw, &plain), "a record without a shape is one of ours")
			require.Equal(t, plain.Answer, in.Answer)
		}
	})
}
