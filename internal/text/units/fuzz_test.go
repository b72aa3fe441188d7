package units

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/internal/text"
)

func FuzzUnits(f *testing.F) {
	for _, s := range []string{
		"Hi Anna,\n\nNo, dogs are not allowed. | a | b |\n|---|---|\n| 1 | 2 |", `{"a":{"name":"x","b":[1,"c. d. e"]},"f":"g\n h"}`, "a,b,c\n1,\"2,3\",4",
		"- **x:**\n  - y\n```\nz\n```\nSources:\n- [1]", "[[1,2],[\"a\"", "{\"a\" 1}", "<CITATIONS>[1]", "[\"", "```json\n{\"a\":1}```", "|", "#|", "\"a\"|\n\xff|b", "\tx\ty\n1\t2\t",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, answer := range []bool{true, false} {
			l, tokens := read(s, answer)
			for i, u := range l.Units {
				require.True(t, 0 <= u.Start && u.Start <= u.End && int(u.End) <= len(s), "bytes of unit %d", i)
				require.True(t, 0 <= u.Context.First && u.Context.First <= u.Context.Last && int(u.Context.Last) <= len(tokens), "context of unit %d", i)
				require.NotEmpty(t, l.RunsOf(i))
				for _, r := range l.RunsOf(i) {
					require.True(t, 0 <= r.First && r.First < r.Last && int(r.Last) <= len(tokens), "run %v of unit %d", r, i)
				}
				require.True(t, answer || u.Kind == Statement, "kind of unit %d", i)
			}
		}
	})
}

// TestUnitsAreLinear reads a megabyte of what may nest or repeat.
func TestUnitsAreLinear(t *testing.T) {
	for _, part := range []string{"|", "{", "[", "a|", `{"a":`, `["`, "[[1],", "|a|\n", "a,b,c\n", "- ", "\n", " ", "# ", "a. ", `\n`, `"`, "not ", "hi, ", "a\tb\n", "1. ", ">", "a;b;c\n", `{"name":"a",`, "no, ", "sources:\n"} {
		s := strings.Repeat(part, 1<<20/len(part))
		sentences, tokens := text.AppendSentences(nil, s), text.AppendTokens(nil, s)
		ranges := text.AppendTokenRanges(nil, sentences, tokens)
		for _, answer := range []bool{true, false} {
			var l List
			begin := time.Now()
			if answer {
				l.Answer(s, sentences, ranges, tokens)
			} else {
				l.Source(s, sentences, ranges, tokens)
			}
			require.Less(t, time.Since(begin), 2*time.Second, "%q", part)
			if d := time.Since(begin); d > 100*time.Millisecond {
				t.Log(part, answer, d, len(l.Units), len(l.Runs))
			}
		}
	}
}
