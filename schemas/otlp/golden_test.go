package otlp

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/golden"
	"confab/schemas"
)

// recordings are requests that real instrumentations exported.
const recordings = "../../examples/presets/otlp"

// collected is a sink that keeps everything.
type collected struct {
	found    []*schemas.Interaction
	indexes  []int
	rejected []Rejected
	unknown  []string
}

func (c *collected) New() *schemas.Interaction { return new(schemas.Interaction) }

func (c *collected) Accept(in *schemas.Interaction, index int) {
	c.found, c.indexes = append(c.found, in), append(c.indexes, index)
}

func (c *collected) Reject(bad *Rejected) { c.rejected = append(c.rejected, *bad) }

func (c *collected) Unknown(keys []string) { c.unknown = append(c.unknown, keys...) }

func newDecoder(t testing.TB, o Options) *Decoder {
	t.Helper()
	d, err := NewDecoder(o)
	require.NoError(t, err)
	return d
}

// describe is what a record holds, for people to compare.
func describe(c *collected, counts Counts) string {
	var b strings.Builder
	for o, n := range counts {
		if n > 0 {
			fmt.Fprintf(&b, "%s %d\n", Outcome(o), n)
		}
	}
	for i, in := range c.found {
		fmt.Fprintf(&b, "\n#%d %s\n  model %s, provider %s, service %s, finish %s, temperature %g, streamed %t, not recorded %t, malformed %v\n",
			c.indexes[i], in.ID, in.Model, in.Provider, in.Service, in.FinishReason, in.Temperature, in.Streamed, in.NoAnswer == schemas.NotRecorded, in.Malformed)
		for _, m := range in.Messages {
			fmt.Fprintf(&b, "  %s: %s\n", m.Role, short(m.Content))
		}
		fmt.Fprintf(&b, "  answer: %s\n  sources from %q %s\n", short(in.Answer), in.SourcesFrom, in.NoSources)
		for _, s := range in.Sources {
			fmt.Fprintf(&b, "  [%s] %g %s\n", s.ID, s.Score, short(s.Text))
		}
		for _, tool := range in.Tools {
			fmt.Fprintf(&b, "  tool %s %s\n", tool.Name, short(tool.Schema))
		}
		for _, call := range in.Calls {
			fmt.Fprintf(&b, "  call %s %s(%s): %s%s\n", call.ID, call.Name, short(call.Arguments), short(call.Result), short(call.Error))
		}
		if n := in.Logprobs.Rows(); n > 0 {
			fmt.Fprintf(&b, "  logprobs of %d tokens, top %d, offsets %d\n", n, in.Logprobs.TopK, len(in.Logprobs.Offsets))
		}
	}
	for _, r := range c.rejected {
		fmt.Fprintf(&b, "\n#%d rejected: %s\n", r.Index, r.Err)
	}
	return b.String()
}

func short(s string) string {
	s = strings.ReplaceAll(s, "\n", " / ")
	if len(s) > 70 {
		s = s[:70] + "…"
	}
	return s
}

func TestRecordings(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(recordings, "*.binpb"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	d := newDecoder(t, Options{Join: true})
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".binpb")
		t.Run(name, func(t *testing.T) {
			raw, err := os.ReadFile(file)
			require.NoError(t, err)
			var c collected
			counts, err := d.Decode(raw, &c)
			require.NoError(t, err)
			golden.Equal(t, "testdata/"+name+".golden", []byte(describe(&c, counts)))
		})
	}
}

// The recordings in JSON hold what their forms in protobuf hold.
func TestRecordingsInJSON(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(recordings, "*.json"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	d := newDecoder(t, Options{Join: true, JSON: true})
	for _, file := range files {
		raw, err := os.ReadFile(file)
		require.NoError(t, err)
		var c collected
		counts, err := d.Decode(raw, &c)
		require.NoError(t, err)
		golden.Equal(t, "testdata/"+strings.TrimSuffix(filepath.Base(file), ".json")+".golden", []byte(describe(&c, counts)))
	}
}

// A decoder that is used again gives what a new one gives, whatever it read before.
func TestDecoderIsReused(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(recordings, "*.binpb"))
	require.NoError(t, err)
	used := newDecoder(t, Options{Join: true})
	for range 3 {
		for _, file := range files {
			raw, err := os.ReadFile(file)
			require.NoError(t, err)
			_, _ = used.Decode(raw[:len(raw)/2], &collected{})
			var a, b collected
			first, err := used.Decode(raw, &a)
			require.NoError(t, err)
			second, err := newDecoder(t, Options{Join: true}).Decode(raw, &b)
			require.NoError(t, err)
			require.Equal(t, describe(&b, second), describe(&a, first))
		}
	}
}
