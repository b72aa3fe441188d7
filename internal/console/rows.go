package console

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"confab/internal/rowview"
	"confab/schemas"
)

// rowColumns is the number of columns at which texts of rows are wrapped.
const rowColumns = 78

// passageAbout is the text of a source in bytes that is shown on each side of the compared part.
const passageAbout = 90

// Row prints an evaluated answer: what fired, and for each place the answer's sentence with the words of the source below
// it. A quiet answer is one line.
func (p FlagPrinter) Row(r *rowview.Row) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s", p.Paint(text.Faint, fmt.Sprintf("line %d", r.Rank.Line)), Sanitize(cmp.Or(r.ID, "-")))
	for _, name := range []string{r.Service, r.Model} {
		if name != "" {
			b.WriteString("  " + Sanitize(name))
		}
	}
	b.WriteString("  " + p.rowVerdict(r) + "\n")
	if len(r.Fired) == 0 && (!p.Explain || len(r.Findings) == 0) {
		return p.Write(b.String())
	}
	if r.SourcesFrom != "" {
		p.paragraph(&b, "    ", p.Paint(text.Faint, "sources from "+strings.ReplaceAll(r.SourcesFrom, "_", " ")))
	}
	if r.Question != "" {
		p.paragraph(&b, "    question: ", p.Paint(text.Faint, Sanitize(r.Question)))
	}
	for i := range r.Signals {
		switch s := &r.Signals[i]; {
		case s.Outcome == schemas.Fired:
			fmt.Fprintf(&b, "    %s %s\n", s.Detector, p.Paint(text.Faint, fmt.Sprintf("%.2f ≥ %.2f  %s", s.Score, s.Threshold, Sanitize(s.Reason))))
			p.rowFindings(&b, r, s.Detector)
		case p.Explain && s.Outcome == schemas.Clear:
			fmt.Fprintf(&b, "    %s %s\n", s.Detector, p.Paint(text.Faint, fmt.Sprintf("%.2f < %.2f  clear", s.Score, s.Threshold)))
			p.rowFindings(&b, r, s.Detector)
		}
	}
	p.witness(&b, r)
	p.rewritten(&b, r.Rewrite)
	return p.Write(b.String() + "\n")
}

func (p FlagPrinter) witness(b *strings.Builder, r *rowview.Row) {
	if r.Witness != "" {
		p.paragraph(b, "    ", p.Paint(text.Faint, Sanitize(r.Witness)))
	}
}

func (p FlagPrinter) rowVerdict(r *rowview.Row) string {
	word, unchecked := "", ""
	if len(r.Unchecked) > 0 {
		unchecked = p.Paint(text.Faint, "  not all checked: "+Sanitize(strings.ReplaceAll(strings.Join(r.Unchecked, ", "), "_", " ")))
	}
	switch r.Rank.Class {
	case rowview.Unchecked:
		return p.Paint(text.Faint, "nothing to check against") + unchecked
	case rowview.Quiet:
		return p.Paint(text.FgGreen, "quiet") + unchecked
	case rowview.Flagged:
		word = p.Paint(text.FgYellow, strings.Join(r.Fired, " + "))
	case rowview.Alerting:
		word = p.Paint(text.FgHiRed, strings.Join(r.Fired, " + ")) + "  alert"
	}
	if r.Rank.Risk >= 0 {
		word += fmt.Sprintf("  risk %.2f", r.Rank.Risk)
	}
	if r.NoAlert != "" {
		word += "  " + p.Paint(text.Faint, r.NoAlert)
	}
	return word + unchecked
}

// rowFindings prints the first places that a detector found.
func (p FlagPrinter) rowFindings(b *strings.Builder, r *rowview.Row, detector string) {
	shown, more := 0, 0
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Detector != detector {
			continue
		}
		if shown == maxEvidence && !p.Explain {
			more++
			continue
		}
		shown++
		p.rowFinding(b, f)
	}
	if more > 0 {
		fmt.Fprintf(b, "      %s\n", p.Paint(text.Faint, fmt.Sprintf("… and %d more of %s", more, detector)))
	}
}

// rowFinding prints one place of the answer, with the source's words and the note below it.
func (p FlagPrinter) rowFinding(b *strings.Builder, f *rowview.Finding) {
	if sentence := p.markedText(f.Sentence, text.FgYellow); sentence != "" {
		p.paragraph(b, "      answer: ", sentence)
	}
	var notes []string
	if p.Explain && f.Citation != "" {
		notes = append(notes, fmt.Sprintf("cites %s, support %.2f", Sanitize(f.Citation), f.Support))
	}
	if f.Passage != nil {
		p.passage(b, f)
	} else if f.Citation != "" && !p.Explain {
		notes = append(notes, "cites "+Sanitize(f.Citation))
	}
	if f.Says != "" {
		p.paragraph(b, "      "+Sanitize(f.Speaker)+": ", p.Paint(text.FgCyan, Sanitize(f.Says)))
	}
	if f.Note != "" && !repeatsSource(f.Note, f.Says) && !strings.Contains(f.Sentence.String(), f.Note[:min(len(f.Note), noteOverlap)]) {
		notes = append(notes, Sanitize(f.Note))
	}
	if len(notes) > 0 {
		p.paragraph(b, "      ", p.Paint(text.Faint, strings.Join(notes, ": ")))
	}
}

// passage prints the text that a place was compared with.
func (p FlagPrinter) passage(b *strings.Builder, f *rowview.Finding) {
	p.paragraph(b, "      source "+Sanitize(f.Passage.Source)+": ", p.markedText(f.Passage.Text.Narrow(passageAbout), text.FgCyan))
}

// repeatsSource reports a note that ends with what the source says, which is shown anyway.
func repeatsSource(note, says string) bool {
	return says != "" && strings.HasSuffix(strings.TrimRight(note, "\""), strings.TrimRight(says, "\""))
}

// markedText joins the pieces of a text and paints the marked ones.
func (p FlagPrinter) markedText(t rowview.Text, c text.Color) string {
	var b strings.Builder
	for _, piece := range t.Pieces {
		s := Sanitize(piece.Text)
		if len(piece.Marks) > 0 {
			s = p.Paint(c, s)
		}
		b.WriteString(s)
	}
	out := b.String()
	if t.Before > 0 && out != "" {
		out = "…" + out
	}
	if t.After > 0 && out != "" {
		out += "…"
	}
	return out
}

// paragraph writes a label and a text, wrapped below each other.
func (p FlagPrinter) paragraph(b *strings.Builder, label, s string) {
	name := strings.TrimLeft(label, " ")
	indent := strings.Repeat(" ", len(label)-len(name))
	for i, line := range strings.Split(text.WrapSoft(name+s, rowColumns-len(indent)), "\n") {
		if i > 0 {
			line = "  " + line
		}
		b.WriteString(indent + strings.TrimRight(line, " ") + "\n")
	}
}
