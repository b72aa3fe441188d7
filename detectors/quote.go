package detectors

import (
	"strings"

	"confab/internal/redact"
	"confab/internal/text"
)

// excerpt quotes bytes of the answer. Offsets outside of it are clamped.
func (e *Evaluation) excerpt(start, end int) string {
	answer := e.doc.in.Answer
	start = min(max(start, 0), len(answer))
	end = min(max(end, start), len(answer))
	if e.suite.opts.HideExcerpts {
		return ""
	}
	return e.texts.Short(answer[start:end], MaxExcerpt)
}

// quoteWords quotes up to MaxSourceExcerpt characters and ends the quote between two words.
func (e *Evaluation) quoteWords(s string) string {
	if e.suite.opts.HideExcerpts {
		return ""
	}
	return e.texts.Words(s, MaxSourceExcerpt)
}

// shownPart is the part of a source to show for a place in it: the place with the rest of its sentences.
type shownPart struct{ source, start, end, from, to int }

func (e *Evaluation) shownSource(row *Evidence) (from, to int) {
	for _, known := range e.shown {
		if known.source == row.Source && known.start == row.SourceStart && known.end == row.SourceEnd {
			return known.from, known.to
		}
	}
	from, to = e.texts.Around(e.doc.in.Sources[row.Source].Text, row.SourceStart, row.SourceEnd)
	e.shown = append(e.shown, shownPart{row.Source, row.SourceStart, row.SourceEnd, from, to})
	return from, to
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
		if len(e.readings[i].Finding.Statements) > 0 {
			return true
		}
	}
	return false
}

// maskMargin is how many bytes around a quoted place are searched for secrets that overlap it.
const maskMargin = 512

// newRedactionMask reads the texts that evidence quotes. It returns nil in the common case that nothing in them is secret.
func (e *Evaluation) newRedactionMask() *redact.Mask {
	if !e.quotesTexts() {
		return nil
	}
	asked, _ := text.Cut(e.question(), redact.MaxRead+maskMargin)
	e.quoted = append(e.quoted[:0], e.doc.RawAnswer(), asked)
	if e.isJudged() {
		for at := range e.doc.in.Sources {
			e.quoted = append(e.quoted, e.doc.in.Sources[at].Text)
		}
	} else {
		e.addQuotedSources()
	}
	return redact.Of(e.quoted, e.suite.opts.Redact)
}

// addQuotedSources adds the parts of sources that the evidence may quote to the quoted texts.
func (e *Evaluation) addQuotedSources() {
	e.parts = e.parts[:0]
	for i := range e.readings {
		r := &e.readings[i]
		if !e.shows(r) {
			continue
		}
		for at := range r.Finding.Evidence[:min(len(r.Finding.Evidence), MaxEvidence)] {
			row := &r.Finding.Evidence[at]
			if row.Source < 0 || row.Source >= len(e.doc.in.Sources) {
				continue
			}
			from, to := e.shownSource(row)
			e.addPart(row.Source, min(from, row.SourceStart), max(to, row.SourceEnd))
		}
	}
	for _, part := range e.parts {
		s := e.doc.in.Sources[part.source].Text
		from, to := min(max(0, part.from-maskMargin), len(s)), min(max(0, part.to+maskMargin), len(s))
		e.quoted = append(e.quoted, s[from:max(from, to)])
	}
}

// addPart adds a part of a source, or widens the one that is there.
func (e *Evaluation) addPart(source, from, to int) {
	for i := range e.parts {
		if part := &e.parts[i]; part.source == source {
			part.from, part.to = min(from, part.from), max(to, part.to)
			return
		}
	}
	e.parts = append(e.parts, shownPart{source: source, from: from, to: to})
}
