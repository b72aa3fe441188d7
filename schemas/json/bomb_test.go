package json

import (
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/schemas"
)

// repeatToSize repeats item, separated by commas, up to just under the value cap within head and tail.
func repeatToSize(head, item, tail string) []byte {
	n := (DefaultMaxBytes - len(head) - len(tail)) / (len(item) + 1)
	return []byte(head + strings.Repeat(item+",", n-1) + item + tail)
}

// A record under the size cap may not make the decoder allocate 32 times the cap, whatever it holds.
func TestBombsAreBounded(t *testing.T) {
	distinct := strings.Builder{}
	distinct.WriteString(`{"answer":"a"`)
	for i := 0; distinct.Len() < DefaultMaxBytes-20; i++ {
		distinct.WriteString(`,"` + strconv.FormatInt(int64(i), 36) + `":0`)
	}
	distinct.WriteString("}")
	bombs := map[string][]byte{
		"tags":           repeatToSize(`{"answer":"a","tags":[`, `""`, `]}`),
		"sources":        repeatToSize(`{"answer":"a","sources":[`, `""`, `]}`),
		"source objects": repeatToSize(`{"answer":"a","sources":[`, `{}`, `]}`),
		"messages":       repeatToSize(`{"answer":"a","messages":[`, `{}`, `]}`),
		"parts":          repeatToSize(`{"answer":"a","messages":[{"content":[`, `{"text":""}`, `]}]}`),
		"tokens":         repeatToSize(`{"answer":"a","logprobs":{"content":[`, `{}`, `]}}`),
		"alternatives":   repeatToSize(`{"answer":"a","logprobs":{"content":[{"top_logprobs":[`, `{}`, `]}]}}`),
		"token bytes":    repeatToSize(`{"answer":"a","logprobs":{"content":[{"bytes":[`, `0`, `]}]}}`),
		"huge numbers":   repeatToSize(`{"answer":"a","logprobs":{"content":[`, `{"logprob":-1e999}`, `]}}`),
		"ignored":        repeatToSize(`{"answer":"a","x":[`, `{}`, `]}`),
		"distinct names": []byte(distinct.String()),
		"escapes":        []byte(`{"answer":"` + strings.Repeat(`\n`, DefaultMaxBytes/2-10) + `"}`),
		"surrogates":     []byte(`{"answer":"` + strings.Repeat(`\ud800`, DefaultMaxBytes/6-10) + `"}`),
		"long number":    []byte(`{"answer":"a","temperature":` + strings.Repeat("9", DefaultMaxBytes-40) + `}`),
		"deep":           []byte(strings.Repeat(`{"a":`, DefaultMaxBytes/5)),
	}
	for name, raw := range bombs {
		t.Run(name, func(t *testing.T) {
			require.LessOrEqual(t, len(raw), DefaultMaxBytes)
			var before, after runtime.MemStats
			var in schemas.Interaction
			d := NewDecoder(Options{})
			runtime.ReadMemStats(&before)
			err := d.Decode(raw, &in)
			runtime.ReadMemStats(&after)
			if err != nil {
				errorReason(t, err)
			}
			allocated := after.TotalAlloc - before.TotalAlloc
			require.Less(t, allocated, uint64(32*DefaultMaxBytes))
			t.Logf("%d KiB allocated, %v", allocated/1024, err)
		})
	}
}
