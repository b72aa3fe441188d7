package detectors

import (
	"slices"
	"strings"

	"confab/internal/redact"
	"confab/internal/text"
)

// excerpt quotes bytes of the answer and ends the quote between two words. Offsets outside of it are clamped.
func (e *Evaluation) excerpt(start, end int) string {
	answer := e.doc.in.Answer
	start = min(max(start, 0), len(answer))
	end = min(max(end, start), len(answer))
	if e.suite.opts.HideExcerpts {
		return ""
	}
	return e.texts.Words(answer[start:end], MaxExcerpt)
}

// quoteWords quotes up to MaxSourceExcerpt characters and ends the quote between two words.
func (e *Evaluation) quoteWords(s string) string {
	if e.suite.opts.HideExcerpts {
		return ""
	}
	return e.texts.Words(s, MaxSourceExcerpt)
}

// question is the user's last question, else the last message.
func (e *Evaluation) question() string {
	asked := strings.TrimSpace(e.doc.in.UserQuestion())
	if asked == "" {
		before, after := e.doc.in.Question()
		asked = strings.TrimSpace(before + after)
	}
	return asked
}

// quoteQuestion quotes the question's first line, if the flag shows any text.
func (e *Evaluation) quoteQuestion() string {
	if !e.quotesTexts() || e.suite.opts.HideExcerpts {
		return ""
	}
	line := e.question()
	for _, end := range [...]string{"\n", "\r", "\u2028"} {
		line, _, _ = strings.Cut(line, end)
	}
	return e.quoteWords(line)
}

// quotesTexts reports whether the flag quotes texts of the interaction.
func (e *Evaluation) quotesTexts() bool {
	return e.AnyFired() || e.suite.opts.Explain || e.isJudged()
}

// isJudged reports whether a judge gave verdicts. It has read the sources and may repeat any part of them.
func (e *Evaluation) isJudged() bool {
	for i := range e.readings {
		if f := &e.readings[i].Finding; len(f.Statements) > 0 || f.Asked.Prompt != "" {
			return true
		}
	}
	return false
}

// questionRead is how many bytes of the question are searched for secrets.
const questionRead = redact.MaxRead + 512

// newRedactionMask reads the texts that evidence quotes. It returns nil in the common case that nothing in them is secret.
func (e *Evaluation) newRedactionMask() *redact.Mask {
	if !e.quotesTexts() {
		return nil
	}
	asked, _ := text.Cut(e.question(), questionRead)
	e.quoted = append(e.quoted[:0], e.doc.RawAnswer(), asked)
	for at := range e.doc.in.Sources {
		if e.isJudged() || e.quotesSource(at) {
			e.quoted = append(e.quoted, e.doc.in.Sources[at].Text)
		}
	}
	return redact.Of(e.quoted, e.suite.opts.Redact)
}

// quotesSource reports whether the evidence of the flag quotes the source.
func (e *Evaluation) quotesSource(at int) bool {
	return slices.ContainsFunc(e.readings, func(r Reading) bool {
		rows := r.Finding.Evidence[:min(len(r.Finding.Evidence), MaxEvidence)]
		return e.shows(&r) && slices.ContainsFunc(rows, func(row Evidence) bool { return row.Source == at })
	})
}
