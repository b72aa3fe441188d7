package console

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/jedib0t/go-pretty/v6/text"

	"confab/internal/redact"
	"confab/schemas"
)

// FlagPrinter prints flags. It removes control, zero-width and direction-changing characters from texts of producers and
// models.
type FlagPrinter struct {
	W     io.Writer
	Color bool

	Explain bool                         // show the evidence of clear signals, too
	NoAlert func(f *schemas.Flag) string // why a flag is no alert although a detector fired; may be nil
}

// noteOverlap is the length in bytes of the start of a note that, if the excerpt contains it, makes the note redundant.
const noteOverlap = 30

// maxEvidence bounds the evidence shown per signal.
const maxEvidence = 2

// Verdict prints which detectors fired, with the evidence.
func (p FlagPrinter) Verdict(f *schemas.Flag) error {
	return p.Write("    " + p.verdictWord(f) + "\n" + p.signals(f))
}

// Detail prints a flag's line, with the evidence below it.
func (p FlagPrinter) Detail(f *schemas.Flag) error {
	if err := p.Line(f); err != nil {
		return err
	}
	return p.Write(p.signals(f))
}

func (p FlagPrinter) signals(f *schemas.Flag) string {
	var b strings.Builder
	if f.Question != "" && len(f.Fired) > 0 {
		fmt.Fprintf(&b, "      %s\n", p.Paint(text.Faint, "question: "+Sanitize(f.Question)))
	}
	for i := range f.Signals {
		if s := &f.Signals[i]; s.Outcome == schemas.Fired {
			p.signal(&b, s)
		}
	}
	if witness := f.DescribeWitness(); witness != "" {
		fmt.Fprintf(&b, "      %s\n", p.Paint(text.Faint, Sanitize(witness)))
	}
	return b.String()
}

// Line prints a flag in one line: time, interaction, service, detectors and incident.
func (p FlagPrinter) Line(f *schemas.Flag) error {
	return p.Write(fmt.Sprintf("%s  %s  %s  %s  %s\n", f.DetectedAt.Format("15:04:05"), Sanitize(f.InteractionID),
		Sanitize(cmp.Or(f.Service, "-")), p.verdictWord(f), f.IncidentID[:min(12, len(f.IncidentID))]))
}

// secondOpinion says whether the alert has the second opinion that was due.
func secondOpinion(f *schemas.Flag) string {
	switch f.ConfirmedBy {
	case "":
		return ""
	case schemas.NotConfirmed:
		return ", not confirmed"
	}
	return ", confirmed by " + Sanitize(f.ConfirmedBy)
}

func (p FlagPrinter) verdictWord(f *schemas.Flag) string {
	if len(f.Fired) == 0 {
		return p.Paint(text.FgGreen, "quiet") + p.Paint(text.Faint, "  "+describeQuiet(f.Signals))
	}
	word := p.Paint(text.FgYellow, strings.Join(f.Fired, " + "))
	if f.Alert {
		word = p.Paint(text.FgHiRed, strings.Join(f.Fired, " + ")) + "  alert" + secondOpinion(f)
	}
	if p.NoAlert != nil {
		if why := p.NoAlert(f); why != "" {
			word += "  " + p.Paint(text.Faint, why)
		}
	}
	return word
}

// describeQuiet says why nothing fired: which detectors were clear, or that none could measure.
func describeQuiet(signals []schemas.Signal) string {
	var held []string
	for i := range signals {
		if signals[i].Outcome == schemas.Clear {
			held = append(held, signals[i].Detector)
		}
	}
	if len(held) == 0 {
		return "nothing to check against"
	}
	return strings.Join(held, ", ") + " clear"
}

func (p FlagPrinter) signal(b *strings.Builder, s *schemas.Signal) {
	fmt.Fprintf(b, "      %s %s\n", s.Detector, p.Paint(text.Faint, fmt.Sprintf("%.2f ≥ %.2f  %s", s.Score, s.Threshold, Sanitize(s.Reason))))
	for i := range s.Evidence[:min(maxEvidence, len(s.Evidence))] {
		e := &s.Evidence[i]
		var parts []string
		if e.Excerpt != "" {
			parts = append(parts, strconv.Quote(Sanitize(e.Excerpt)))
		}
		if e.Rule != "" {
			parts = append(parts, "["+Sanitize(e.Rule)+"]")
		}
		if e.Citation != "" {
			parts = append(parts, "cites "+Sanitize(e.Citation))
		}
		if e.Note != "" && !repeatsSource(e.Note, e.Says()) && !strings.Contains(e.Excerpt, e.Note[:min(len(e.Note), noteOverlap)]) {
			parts = append(parts, Sanitize(e.Note))
		}
		for _, line := range []string{strings.Join(parts, "  "), Sanitize(saysOtherwise(e))} {
			if line != "" {
				fmt.Fprintf(b, "        %s\n", p.Paint(text.Faint, line))
			}
		}
	}
}

// saysOtherwise is what the source or the call of the evidence has; "" if that is unknown.
func saysOtherwise(e *schemas.Evidence) string {
	switch speaker, says := e.Speaker(), e.Says(); {
	case says != "":
		return speaker + ": " + says
	case e.SourceExcerpt != "":
		return strings.TrimSuffix(speaker, " says") + ": " + e.SourceExcerpt
	case e.CallID != "":
		return speaker
	}
	return ""
}

// Paint colors a text if Color is set.
func (p FlagPrinter) Paint(c text.Color, s string) string {
	if !p.Color {
		return s
	}
	// Not Colors.Sprint: the library checks the process's own terminal, but W may be another one.
	return fmt.Sprintf("\x1b[%dm%s\x1b[0m", int(c), s)
}

// Write prints a text as it is.
func (p FlagPrinter) Write(s string) error {
	return Printf(p.W, "%s", s)
}

// Sanitize makes white space spaces, controls and overrides of the direction visible, and removes other characters that are not
// printable.
func Sanitize(s string) string {
	if !slices.ContainsFunc([]rune(s), func(r rune) bool { return !unicode.IsPrint(r) }) {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsPrint(r):
			return r
		case unicode.IsSpace(r):
			return ' '
		}
		return -1
	}, redact.Reveal(s))
}
