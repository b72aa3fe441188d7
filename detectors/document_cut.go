package detectors

import (
	"cmp"
	"strings"

	"confab/internal/text"
	"confab/internal/text/markup"
	"confab/internal/text/units"
	"confab/schemas"
)

// Limits bound what is measured of one interaction. What is over them is not read, and [Document.Truncated] reports it:
// a text or source is cut at its end. Sizes are in bytes without padding: of a run of white space, invisible characters and combining marks only the first eight count. A field of 0
// means the default.
type Limits struct {
	TextBytes   int // of the answer and the sources together
	Sources     int
	SourceBytes int // of one source
}

// Default limits.
const (
	MaxTextBytes   = 200_000
	MaxSources     = 200
	MaxSourceBytes = 200_000
)

const (
	paddingRun = 8 // padding characters of a run that count

	// A text is read up to this size with its padding.
	maxRawText = 1 << 20
)

// withDefaults returns l with defaults in place of zeros.
func (l Limits) withDefaults() Limits {
	return Limits{
		TextBytes: cmp.Or(l.TextBytes, MaxTextBytes), Sources: cmp.Or(l.Sources, MaxSources),
		SourceBytes: cmp.Or(l.SourceBytes, MaxSourceBytes),
	}
}

// cutPart is a set of cut parts.
type cutPart uint8

const (
	cutAnswer cutPart = 1 << iota
	cutSources
)

// cutTexts cuts the answer and the sources. Each may use what the other leaves; if both are too long, the answer gets
// half.
func (d *Document) cutTexts(in *schemas.Interaction) {
	l := d.limits.withDefaults()
	count := min(len(in.Sources), l.Sources)
	if count < len(in.Sources) {
		d.cut |= cutSources
	}
	if withinLimits(in, count, l) {
		d.raw = in.Answer
		for i := range count {
			d.sources = append(d.sources, markup.Unescape(in.Sources[i].Text))
		}
		return
	}
	wanted := 0
	d.sizes = d.sizes[:0]
	for i := range count {
		d.sizes = append(d.sizes, d.measureText(in.Sources[i].Text, l.SourceBytes))
		wanted += d.sizes[i].counted
	}
	answer := d.measureText(in.Answer, max(l.TextBytes/2, l.TextBytes-wanted))
	d.raw = answer.cutText(in.Answer, d, cutAnswer)
	left := l.TextBytes - answer.counted
	for i := range count {
		s := in.Sources[i].Text
		if d.sizes[i].counted > left {
			d.sizes[i] = d.measureText(s, left)
		}
		left -= d.sizes[i].counted
		d.sources = append(d.sources, markup.Unescape(d.sizes[i].cutText(s, d, cutSources)))
	}
}

// Answer is the answer, cut to the caps, and to its last finished sentence if it ends early. The model's reasoning in it is blanked.
func (d *Document) Answer() string {
	if d.made&madeAnswer == 0 {
		d.makeAnswer()
	}
	return d.answer
}

func (d *Document) makeAnswer() {
	d.made |= madeAnswer
	d.Work().Spend(len(d.raw) / plainBytes)
	if strings.IndexByte(d.raw, '<') >= 0 || strings.IndexByte(d.raw, '&') >= 0 || strings.IndexByte(d.raw, '[') >= 0 {
		d.Work().Spend(len(d.raw)/markupBytes + tagCost*strings.Count(d.raw, "<"))
	}
	if d.answer = markup.BlankReasoning(d.raw); d.in.EndsEarly() {
		d.Work().Spend(len(d.answer) / plainBytes)
		d.answer = units.Finished(d.answer)
	}
}

// RawAnswer is the answer, cut to the caps, as the model wrote it.
func (d *Document) RawAnswer() string { return d.raw }

// Prose is Answer with its code blocks blanked, of the same length.
func (d *Document) Prose() string {
	if d.made&madeProse == 0 {
		d.made |= madeProse
		d.prose = markup.OpenFences(d.Answer())
		if d.prose != d.answer {
			d.Work().Spend(len(d.prose) / proseBytes)
		}
	}
	return d.prose
}

// Text is Answer with its markup blanked, of the same length: what sentences, tokens and claims are read from.
func (d *Document) Text() string {
	if d.made&madeText == 0 {
		d.made |= madeText
		d.text = markup.Blank(d.Answer())
	}
	return d.text
}

// withinLimits reports whether every text fits with its padding, which is the common case.
func withinLimits(in *schemas.Interaction, sources int, l Limits) bool {
	total := len(in.Answer)
	for i := range sources {
		n := len(in.Sources[i].Text)
		total += n
		if n > l.SourceBytes {
			return false
		}
	}
	return total <= l.TextBytes
}

// SourcesTruncated reports whether text of any source was not read. Support that was not found is then no evidence.
func (d *Document) SourcesTruncated() bool { return d.cut&cutSources != 0 }

// wholeAnswer reports whether all of the answer was read.
func (d *Document) wholeAnswer() bool { return d.cut&^cutSources == 0 }

// SourceTruncated reports whether text of the i-th source was not read.
func (d *Document) SourceTruncated(i int) bool {
	return i >= len(d.sources) || i < len(d.sizes) && !d.sizes[i].whole
}

// textSize is the part of a text within a limit.
type textSize struct {
	end     int  // its length in bytes
	counted int  // its length without padding
	whole   bool // only padding was left out
}

// cutText returns the part of s within the limit and marks the part as cut in d if more than padding is lost.
func (z textSize) cutText(s string, d *Document, part cutPart) string {
	if !z.whole {
		d.cut |= part
	}
	return s[:z.end]
}

// measureText measures how much of s fits into limit bytes without padding. It splits no character.
func (d *Document) measureText(s string, limit int) textSize {
	head, _ := text.Cut(s, maxRawText)
	z := textSize{}
	run := 0 // of padding, in characters
	for z.end < len(head) {
		n, pad := text.PaddingAt(head[z.end:])
		if run++; !pad {
			run = 0
		}
		if run <= paddingRun {
			if z.counted+n > limit {
				break
			}
			z.counted += n
		}
		z.end += n
	}
	rest := s[z.end:]
	d.Work().Spend(z.end / paddingBytes)
	for len(rest) > 0 && len(s)-len(rest) < maxRawText {
		n, pad := text.PaddingAt(rest)
		if !pad {
			return z
		}
		rest = rest[n:]
	}
	if z.whole = rest == ""; z.whole {
		z.end = len(head)
	}
	return z
}
