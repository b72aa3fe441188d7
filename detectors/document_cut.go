package detectors

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"confab/internal/text"
	"confab/internal/text/markup"
	"confab/schemas"
)

// Caps on what is measured of one interaction. The rest is cut off and [Document.Truncated] reports it. Sizes exclude
// padding: of a run of white space, invisible characters and combining marks only the first eight count.
const (
	MaxTextBytes   = 200_000 // of the answer and the sources together
	MaxClaims      = 64
	MaxSources     = 50
	MaxSourceBytes = 10_000 // of one source

	paddingRun = 8 // padding characters of a run that count

	// Sizes with padding.
	maxRawAnswer = 1 << 20
	maxRawSource = 10 * MaxSourceBytes
)

// Values of the label part of confab_truncated_total.
const (
	PartAnswer  = "answer"
	PartSources = "sources"
	PartClaims  = "claims"
)

// cutPart is a set of cut parts.
type cutPart uint8

const (
	cutAnswer cutPart = 1 << iota
	cutSources
	cutClaims
)

// cutParts are the label values in the order of the bits.
func cutParts() []string { return []string{PartAnswer, PartSources, PartClaims} }

// cutTexts cuts the answer and the sources. Each may use what the other leaves; if both are too long, the answer gets
// half.
func (d *Document) cutTexts(in *schemas.Interaction) {
	count := min(len(in.Sources), MaxSources)
	if count < len(in.Sources) {
		d.cut |= cutSources
	}
	if d.withinCaps(in, count) {
		d.raw = in.Answer
		for i := range count {
			d.sources = append(d.sources, in.Sources[i].Text)
		}
		return
	}
	wanted, sizes := 0, [MaxSources]textSize{}
	for i := range count {
		sizes[i] = d.measureText(in.Sources[i].Text, MaxSourceBytes, maxRawSource)
		wanted += sizes[i].counted
	}
	answer := d.measureText(in.Answer, max(MaxTextBytes/2, MaxTextBytes-wanted), maxRawAnswer)
	d.raw = answer.cutText(in.Answer, d, cutAnswer)
	left := MaxTextBytes - answer.counted
	for i := range count {
		s := in.Sources[i].Text
		if sizes[i].counted > left {
			sizes[i] = d.measureText(s, left, maxRawSource)
		}
		left -= sizes[i].counted
		d.sources = append(d.sources, sizes[i].cutText(s, d, cutSources))
	}
}

// Answer is the answer, cut to the caps. The model's reasoning and HTML comments in it are blanked.
func (d *Document) Answer() string {
	if d.beginPart(madeAnswer) {
		d.Work().Spend(len(d.raw) / plainBytes)
		if strings.ContainsAny(d.raw, "<&[") {
			d.Work().Spend(len(d.raw)/markupBytes + tagCost*strings.Count(d.raw, "<"))
		}
		d.answer = markup.BlankReasoning(d.raw)
	}
	return d.answer
}

// RawAnswer is the answer, cut to the caps, as the model wrote it.
func (d *Document) RawAnswer() string { return d.raw }

// Text is Answer with its markup blanked, of the same length: what sentences, tokens and claims are read from.
func (d *Document) Text() string {
	if d.beginPart(madeText) {
		d.text = markup.Blank(d.Answer())
	}
	return d.text
}

// withinCaps reports whether every text fits with its padding, which is the common case.
func (d *Document) withinCaps(in *schemas.Interaction, sources int) bool {
	total := len(in.Answer)
	for i := range sources {
		n := len(in.Sources[i].Text)
		total += n
		if n > MaxSourceBytes {
			return false
		}
	}
	return total <= MaxTextBytes
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

// measureText measures how much of s fits into limit bytes without padding and raw bytes with it. It splits no character.
func (d *Document) measureText(s string, limit, raw int) textSize {
	head, _ := text.Cut(s, raw)
	z := textSize{}
	run := 0 // of padding, in characters
	for z.end < len(head) {
		n, pad := paddingAt(head[z.end:])
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
	for len(rest) > 0 && len(s)-len(rest) < maxRawAnswer {
		n, pad := paddingAt(rest)
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

// paddingAt is the length of the first character of s, and whether it is padding: white space, control, format and
// zero-width characters, fillers, and combining marks.
func paddingAt(s string) (size int, pad bool) {
	if c := s[0]; c < utf8.RuneSelf {
		return 1, c <= ' ' || c == 0x7f
	}
	r, size := utf8.DecodeRuneInString(s)
	switch {
	case r == '\u115f' || r == '\u1160' || r == '\u2800' || r == '\u3164' || r == '\uffa0':
		return size, true
	case unicode.IsLetter(r):
		return size, false
	default:
		return size, unicode.In(r, unicode.White_Space, unicode.Cf, unicode.Cc, unicode.M)
	}
}
