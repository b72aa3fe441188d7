package mapping

import (
	"bytes"
	"flag"
	"fmt"
	"github.com/stretchr/testify/require"
	"strings"
	"testing"

	"confab/schemas"
)

var held = flag.Bool("held", false, "read the held half too")

// found reports what of a shape's records the proposed map reads wrongly; "" for nothing.
func (s *shape) missed(t *testing.T, records [][]byte, p *Proposal) string {
	t.Helper()
	if p == nil {
		return "no proposal"
	}
	decoder, err := p.Decoder()
	if err != nil {
		return err.Error()
	}
	n := 0
	for _, raw := range records {
		var in schemas.Interaction
		if decoder.Decode(raw, &in) != nil {
			continue
		}
		var given strings.Builder
		for _, m := range in.Messages {
			given.WriteString(m.Content)
		}
		var passages strings.Builder
		for _, p := range in.Sources {
			passages.WriteString(p.Text + "\n")
		}
		ok := false
		for _, r := range rows(s.language) {
			if r.A != in.Answer {
				continue
			}
			n, ok = n+1, true
			if !s.noQuestion && !strings.Contains(given.String(), r.Q) {
				return "question: " + given.String()
			}
			for _, p := range r.P {
				if inRecord := strings.Contains(string(raw), p) || strings.Contains(string(raw), strings.ReplaceAll(p, `"`, `\"`)); inRecord && !s.noSources && !strings.Contains(passages.String(), p) {
					return "sources: " + passages.String()
				}
			}
			if strings.Contains(passages.String(), r.A) {
				return "the answer is a source"
			}
		}
		if !ok {
			return "answer: " + in.Answer
		}
	}
	if n != len(rows(s.language)) {
		return fmt.Sprintf("%d answers of %d", n, len(rows(s.language)))
	}
	return ""
}

func TestPrint(t *testing.T) {
	of, good := shapes[:20], 0
	if *held {
		of = shapes[20:]
	}
	for i := range of {
		sh := &of[i]
		recs, _, _, err := readSample(bytes.NewReader(sh.file(t)), "f")
		require.NoError(t, err)
		_, what, p := within(recs, Propose(recs))

		miss := sh.missed(t, recs, p)
		if miss == "" {
			good++
		}
		if *held {
			continue
		}
		fmt.Println("==", sh.name, what, "MISS", miss)
		if p != nil {
			fmt.Print(p.YAML())
		}
	}
	fmt.Println(good, "of", len(of))
}
