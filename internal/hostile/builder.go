package hostile

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"unicode/utf8"

	"confab/schemas"
)

// recordBuilder builds one record.
type recordBuilder struct {
	*rand.Rand
	Record
	layout int // of text: see Kind.Record
}

// Values of layout.
const (
	layoutBoth = iota
	layoutAnswer
	layoutSources
)

const sourceBytes = 10_000 // limit of one source

// repeatedUnits returns a kind whose text is a sequence of random units.
func repeatedUnits(name string, unit func(r *rand.Rand) string) Kind {
	return Kind{Name: name, Full: TextCap, build: func(b *recordBuilder, n int) {
		b.place(n, func(n int) string { return fillText(n, func() string { return unit(b.Rand) }) })
	}}
}

// constantUnit returns a kind whose text repeats the unit.
func constantUnit(name, unit string) Kind {
	return repeatedUnits(name, func(*rand.Rand) string { return unit })
}

// place puts n bytes of text into the answer, the sources or both, by the layout. The side without text gets one plain
// sentence.
func (b *recordBuilder) place(n int, text func(n int) string) {
	const plain = "The bridge over the river opened in May 1937 [1]."
	b.Interaction.Answer = plain
	switch b.layout {
	case layoutBoth:
		b.Interaction.Answer = text(n / 2)
		b.split(text(n / 2))
	case layoutAnswer:
		b.Interaction.Answer = text(n)
		b.split(plain)
	case layoutSources:
		b.split(text(n))
	}
}

// split divides the text into sources of maximum size.
func (b *recordBuilder) split(text string) {
	for i := 1; text != ""; i++ {
		piece := truncateText(text, sourceBytes)
		if piece == "" { // the next character is longer than a source
			return
		}
		b.source(strconv.Itoa(i), piece)
		text = text[len(piece):]
	}
}

func (b *recordBuilder) source(id, text string) {
	b.Interaction.Sources = append(b.Interaction.Sources, schemas.Source{ID: id, Text: text})
}

// fillText concatenates units up to n bytes.
func fillText(n int, unit func() string) string {
	var s strings.Builder
	for s.Len() < n {
		s.WriteString(unit())
	}
	return truncateText(s.String(), n)
}

// delimitedList returns about n bytes of elements with commas between brackets. It is complete at any n.
func delimitedList(n int, opening, closing string, element func(i int) string) string {
	var s strings.Builder
	s.WriteString(opening)
	for i := 0; s.Len() < n || i == 0; i++ {
		if i > 0 {
			s.WriteByte(',')
		}
		s.WriteString(element(i))
	}
	s.WriteString(closing)
	return s.String()
}

// truncateText returns at most the first n bytes of s, n >= 0, without splitting a character.
func truncateText(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// randomRunes returns n characters of the range.
func randomRunes(r *rand.Rand, first, last rune, n int) string {
	out := make([]rune, n)
	for i := range out {
		out[i] = first + r.Int32N(last-first+1)
	}
	return string(out)
}

func pickOne(r *rand.Rand, of ...string) string { return of[r.IntN(len(of))] }

// randomWord returns a word of lower-case letters.
func randomWord(r *rand.Rand) string { return randomRunes(r, 'a', 'z', 3+r.IntN(8)) }

// randomClaim returns a sentence that a source could support.
func randomClaim(r *rand.Rand) string {
	return fmt.Sprintf("The %s %s %s of the %s %s %d %s in %s %d. ",
		pickOne(r, "old", "new", "red", "northern"), pickOne(r, "bridge", "warehouse", "library", "harbour"),
		pickOne(r, "keeper", "owner", "builder", "guest"), pickOne(r, "river", "city", "valley", "company"),
		pickOne(r, "counted", "sold", "painted", "moved"), r.IntN(10_000), pickOne(r, "parcels", "boats", "boots", "windows"),
		pickOne(r, "May", "June", "October", "March"), 1900+r.IntN(120))
}
