package detectors

import (
	"unicode"
	"unicode/utf8"

	"confab/internal/text"
	"confab/schemas"
)

// Caps on what is measured of one interaction. What lies beyond is cut off, and [Document.Truncated] says so. Sizes are
// without padding: of a run of white space, invisible characters and combining marks only the first eight count.
const (
	MaxTextBytes   = 200_000 // of the answer and the sources together
	MaxClaims      = 64
	MaxSources     = 50
	MaxSourceBytes = 10_000 // of one source

	// Sizes with padding.
	paddingRun   = 8 // characters of a run that count
	maxRawAnswer = 1 << 20
	maxRawSource = 10 * MaxSourceBytes
)

// Parts of an interaction that a cap can cut, as metrics name them.
const (
	PartAnswer  = "answer"
	PartSources = "sources"
	PartClaims  = "claims"
)

// cutPart is a set of parts that were cut.
type cutPart uint8

const (
	cutAnswer cutPart = 1 << iota
	cutSources
	cutClaims
)

// cutParts are the parts in the order of their bits.
func cutParts() []string { return []string{PartAnswer, PartSources, PartClaims} }

// cutTexts cuts the answer and the sources. Either may use what the other does not need; where both need more than there
// is, the answer gets half.
func (d *Document) cutTexts(in *schemas.Interaction) {
	count := min(len(in.Sources), MaxSources)
	if count < len(in.Sources) {
		d.cut |= cutSources
	}
	if d.withinCaps(in, count) {
		d.answer = in.Answer
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
	d.answer = answer.cutText(in.Answer, d, cutAnswer)
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

// withinCaps reports texts that are within every cap, padding included: the rule.
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

// textSize is how much of a text is within a limit.
type textSize struct {
	end     int  // bytes of it
	counted int  // of those, the ones that are no padding
	whole   bool // nothing but padding lies behind
}

// cutText is the part of s that is within the limit. Where more than padding is lost, the document notes the part as cut.
func (z textSize) cutText(s string, d *Document, part cutPart) string {
	if !z.whole {
		d.cut |= part
	}
	return s[:z.end]
}

// measureText measures how much of s is within limit counted bytes and raw bytes. Characters stay whole.
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

// paddingAt is the length of the character that s begins with, and whether it shows nothing of its own: white space,
// control and format characters (zero-width ones among them), fillers, and marks that combine with what stands before.
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
