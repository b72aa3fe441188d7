package mapping

import (
	"fmt"
	"testing"
)

func TestPrint(t *testing.T) {
	for i := range shapes[:20] {
		sh := &shapes[i]
		recs, what := splitSample(sh.file(t))
		s := newSurvey(recs)
		a, q, p := ranked(s.textCandidates(), answer), ranked(s.textCandidates(), question), ranked(s.sourceCandidates(), sources)
		c, ok := choose(a, q, p)
		fmt.Println("==", sh.name, what, len(recs), ok)
		if ok {
			fmt.Println("  A", c.answer, "\n  Q", c.question, "\n  S", c.sources, "\n      ", a[:min(3, len(a))], q[:min(3, len(q))], p[:min(3, len(p))])
		}
	}
}
