package console

import (
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"confab/detectors/rewrite"
	plain "confab/internal/text"
)

// maxShownAnswer is how many bytes of an answer are shown with its rewritten form.
const maxShownAnswer = 6000

// rewritten prints an answer and its rewritten form below each other, or why there is none.
func (p FlagPrinter) rewritten(b *strings.Builder, r *rewrite.Result) {
	switch {
	case r == nil || r.Status == rewrite.StatusUnchanged:
		return
	case r.Status == rewrite.StatusFailed:
		fmt.Fprintf(b, "    %s: failed, %s\n", r.Mode, strings.ReplaceAll(r.Reason, "_", " "))
		return
	}
	after := ""
	if r.After != nil {
		after = ", " + strings.ReplaceAll(r.After.Verdict, "_", " ") + " afterwards"
	}
	fmt.Fprintf(b, "    %s: %s, %s%s\n", r.Mode, CountOf(len(r.Edits), "edit"), CountOf(r.Rounds, "round"), after)
	p.answerText(b, "original", r.Original, text.Faint)
	p.answerText(b, "rewritten", r.Answer, text.FgGreen)
}

// answerText prints the lines of an answer under a title.
func (p FlagPrinter) answerText(b *strings.Builder, title, answer string, c text.Color) {
	if answer == "" {
		return
	}
	b.WriteString("      " + title + ":\n")
	answer, cut := plain.Cut(answer, maxShownAnswer)
	for line := range strings.SplitSeq(answer, "\n") {
		if line = Sanitize(line); line == "" {
			b.WriteString("\n")
			continue
		}
		p.paragraph(b, "        ", p.Paint(c, line))
	}
	if cut {
		b.WriteString("        …\n")
	}
}
