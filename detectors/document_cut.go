package detectors

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"

	"confab/internal/text"
	"confab/internal/text/claims"
	"confab/internal/text/markup"
	"confab/schemas"
)

// Limits bound what is measured of one interaction. What is over them is not read, and [Document.Truncated] reports it:
// a text or source is cut at its end, and of too many claims those that differ most from the sources and an even selection are measured. Sizes are in bytes without
// padding: of a run of white space, invisible characters and combining marks only the first eight count. A field of 0
// means the default.
type Limits struct {
	TextBytes   int // of the answer and the sources together
	Sources     int
	SourceBytes int // of one source
	Claims      int
}

// Default limits.
const (
	MaxTextBytes   = 200_000
	MaxSources     = 200
	MaxSourceBytes = 100_000
	MaxClaims      = 64
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
		SourceBytes: cmp.Or(l.SourceBytes, MaxSourceBytes), Claims: cmp.Or(l.Claims, MaxClaims),
	}
}

// cutPart is a set of cut parts.
type cutPart uint8

const (
	cutAnswer cutPart = 1 << iota
	cutSources
	cutClaims
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
		d.answer = claims.Finished(d.answer)
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
		d.makeText()
	}
	return d.text
}

func (d *Document) makeText() {
	d.made |= madeText
	d.text = markup.Blank(d.Answer())
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

// wholeAnswer reports whether all of the answer was read, with all of its claims.
func (d *Document) wholeAnswer() bool { return d.cut&^cutSources == 0 }

// SourceTruncated reports whether text of the i-th source was not read.
func (d *Document) SourceTruncated(i int) bool {
	return i >= len(d.sources) || i < len(d.sizes) && !d.sizes[i].whole
}

// UnreadStatements is the number of claims over the limit, which are not measured.
func (d *Document) UnreadStatements() int {
	d.Claims()
	return d.unreadClaims
}

// selectClaims keeps the claims that differ most from the words of the sources, and an even selection of the others, the
// first and the last among them, half of the limit each.
func (d *Document) selectClaims(limit int) {
	n := len(d.claims)
	if d.unreadClaims = max(0, n-limit); d.unreadClaims == 0 {
		return
	}
	d.cut |= cutClaims
	differs := d.differences()
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(differs[b], differs[a]) })
	worst := limit / 2
	if len(d.sources) == 0 {
		worst = 0
	}
	kept, rest := order[:worst], order[worst:]
	slices.Sort(rest)
	for i, even := 0, limit-worst; i < even; i++ {
		kept = append(slices.Clip(kept), rest[i*(len(rest)-1)/max(1, even-1)])
	}
	slices.Sort(kept)
	for i, at := range kept {
		d.claims[i] = d.claims[at]
	}
	d.claims = d.claims[:limit]
}

// Points of a claim for what no source has.
const (
	wordPoints   = 2 // a word
	namePoints   = 4 // a word with a capital
	numberPoints = 8
	pairPoints   = 1 // two words next to each other
	negatePoints = 4 // a negation and the word next to it
)

// differences counts for each claim, in points, the words and pairs of neighboring words that no source has.
func (d *Document) differences() []int {
	source := d.SourceTokens()
	d.Work().Spend((len(source) + len(d.tokens)) * differenceCost)
	known := make(map[uint64]struct{}, 2*len(source))
	for i := range source {
		known[source[i].Stem] = struct{}{}
		if i > 0 {
			known[pairKey(&source[i-1], &source[i])] = struct{}{}
		}
	}
	points := make([]int, len(d.claims))
	for i, c := range d.claims {
		for t := c.First; t < c.Last; t++ {
			w := &d.tokens[t]
			if w.Has(text.Marker) {
				continue
			}
			if _, has := known[w.Stem]; !has {
				points[i] += d.wordPoints(w, t > c.First)
			}
			if t == c.First || d.tokens[t-1].Has(text.Marker) {
				continue
			}
			if _, has := known[pairKey(&d.tokens[t-1], w)]; !has {
				points[i] += pairPoints
				if w.Has(text.Negation) || d.tokens[t-1].Has(text.Negation) {
					points[i] += negatePoints
				}
			}
		}
	}
	return points
}

func (d *Document) wordPoints(w *text.Token, inner bool) int {
	switch {
	case w.Kind == text.Number:
		return numberPoints
	case inner && text.IsUpper(d.Text()[w.Start]):
		return namePoints
	default:
		return wordPoints
	}
}

// pairKey is the key of two neighboring words.
func pairKey(a, b *text.Token) uint64 {
	return bits.RotateLeft64(a.Stem, 21)*0x9E3779B97F4A7C15 ^ b.Stem
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
