package units

import (
	"strings"
	"testing"

	"confab/internal/text"
)

// BenchmarkUnits reads an answer and a source of a few kilobytes each, as detect does on every event.
func BenchmarkUnits(b *testing.B) {
	prose := "Unused runs expire at the end of the month, unless the plan says otherwise. A run is 12 minutes long. "
	for name, s := range map[string]string{
		"prose": strings.Repeat(prose, 40),
		"list":  strings.Repeat("- **Fee:** 12 euros [1]. It isn't refunded.\n", 90),
		"table": "| a | b | c |\n|--|--|--|\n" + strings.Repeat("| Norrby | 14 vans | open on Sundays |\n", 100),
		"json":  `[` + strings.Repeat(`{"name":"Norrby","vans":14,"note":"open on Sundays"},`, 80) + `{}]`,
	} {
		sentences, tokens := text.AppendSentences(nil, s), text.AppendTokens(nil, s)
		ranges := text.AppendTokenRanges(nil, sentences, tokens)
		var l List
		for kind, read := range map[string]func(string, []text.Span, []text.Range, []text.Token){"answer": l.Answer, "source": l.Source} {
			b.Run(name+"/"+kind, func(b *testing.B) {
				b.SetBytes(int64(len(s)))
				for b.Loop() {
					l.Reset()
					read(s, sentences, ranges, tokens)
				}
			})
		}
	}
}
