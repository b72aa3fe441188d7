package units

import (
	"fmt"
	"strings"
	"testing"

	"confab/internal/text"
)

func show(s string, answer bool) string {
	sentences, tokens := text.AppendSentences(nil, s), text.AppendTokens(nil, s)
	ranges := text.AppendTokenRanges(nil, sentences, tokens)
	var l List
	if answer {
		l.Answer(s, sentences, ranges, tokens)
	} else {
		l.Source(s, sentences, ranges, tokens)
	}
	var b strings.Builder
	words := func(r text.Range) (out []string) {
		for _, t := range tokens[r.First:r.Last] {
			out = append(out, t.In(s))
		}
		return
	}
	for i, u := range l.Units {
		fmt.Fprintf(&b, "%d/%d", u.Form, u.Kind)
		for _, r := range l.RunsOf(i) {
			w := strings.Join(words(text.Range{First: r.First, Last: r.Last}), " ")
			if r.Head {
				w = "<" + w + ">"
			}
			b.WriteString(" " + w + ";")
		}
		if u.Context.Len() > 0 {
			fmt.Fprintf(&b, "   ^ %s", strings.Join(words(u.Context), " "))
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestShow(t *testing.T) {
	t.Log("\n" + show("Hi Anna,\n\nNo, dogs are not allowed on the beach. Dogs are allowed. It floats. Yes.\n\n## Fees\nThe fees are:\n- **Adults:** 12 euros [1]\n  - Children pay half. Seniors, too.\n- Members: free\n\n| Name | Price |\n|---|---|\n| Flat | 3 kg |\n| Cap | - |\n\nThe passages do not mention it. Let me know if you have questions!\nWhat else?\n\nSources:\n- [1] handbook.pdf\n- https://x.y\n\nIt closes at noon.\n```go\nfunc f() {}\n```\n", true))
	t.Log("\n" + show(`{"answer":"Yes, dogs are allowed. Cats are not.","price": 12, "confidence":0.9,"priority":"high","sources":["a","b"],"items":[{"name":"Ana","age":3}]}`, true))
	t.Log("\n" + show(`{"name":"Cafe Uno","city":"Lund","tags":["a b","c"],"hours":{"Monday":"9-17","Tuesday":"9-18"},"reviews":[{"stars":5,"text":"It was a really lovely place. The soup was cold and the staff was slow, but we liked the garden and the view of the lake."}]}`+"\n{\"id\":7,\"x\":1}\nAnd then prose.", false))
	t.Log("\n" + show("Prices.\n\nname,count,state\nmug,12,open\npan,7,\n\na;b;c\n1;2;3\n\nx\ty\n1\t2\n\n| A | B |\n|--|--|\n| q | 5 |", false))
}
