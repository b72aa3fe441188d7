package hostile

import (
	_ "embed"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"text/template"

	"confab/internal/text"
	"confab/schemas"
)

//go:embed kinds.txt
var table string

// tableKinds returns the kinds of kinds.txt. A line is how the rest is used, and fields:
//
//	text   name, unit              the unit again and again, in answer or sources
//	whole  name, text              the same, once
//	answer name, answer, sources   half of the size each
//	json   size, name, schema, answer
//	prompt role, name, content     content without a call is repeated
//	raw    reason, name, value     bytes; the decoder's reason for refusing them
func tableKinds() (kinds []Kind) {
	for line := range strings.Lines(table) {
		f := strings.Split(strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "¦"), "¦")
		switch f[0] {
		case "text":
			kinds = append(kinds, Kind{f[1], TextCap, func(b *builder, n int) {
				b.place(n, func(n int) string { return b.repeat(f[2], n) })
			}})
		case "whole":
			kinds = append(kinds, Kind{f[1], TextCap, func(b *builder, n int) {
				b.place(n, func(n int) string { return b.text(f[2], n) })
			}})
		case "answer":
			kinds = append(kinds, Kind{f[1], TextCap, func(b *builder, n int) {
				b.Interaction.Answer = b.text(f[2], n/2)
				b.split(b.text(f[3], n/2))
			}})
		case "json":
			full, _ := strconv.Atoi(f[1])
			kinds = append(kinds, Kind{f[2], full, func(b *builder, n int) {
				schema := b.text(f[3], max(1, n))
				if inner, ok := strings.CutPrefix(schema, "{"); ok { // no cache has it
					schema = fmt.Sprintf(`{"title":"%s %d %d",%s`, b.Word(), b.Seed, b.Size, inner)
				}
				b.Interaction.ResponseSchema, b.Interaction.Answer = schema, b.text(f[4], max(1, n))
			}})
		case "prompt":
			kinds = append(kinds, Kind{f[2], ValueCap / 4, func(b *builder, n int) {
				content := b.text(f[3], n)
				if !strings.Contains(f[3], "«.") {
					content = strings.Repeat(content, max(1, n/len(content)))
				}
				b.Interaction.Answer = plain
				b.Interaction.Messages = []schemas.Message{{Role: f[1], Content: content}, {Role: "user", Content: "When?"}}
			}})
		case "raw":
			kinds = append(kinds, Kind{f[2], ValueCap - 20_000, func(b *builder, n int) {
				b.Raw, b.Refused = []byte(b.text(f[3], n)), f[1]
			}})
		}
	}
	return kinds
}

const (
	plain       = "The bridge over the river opened in May 1937 [1]."
	sourceBytes = 10_000 // limit of one source
)

// builder builds one record. Templates call its methods.
type builder struct {
	*rand.Rand
	Record
	N int // the size of the text that a template makes
}

// text is what the template makes at size n.
func (b *builder) text(source string, n int) string {
	b.N = n
	return b.execute(parse(source))
}

func parse(source string) *template.Template {
	return template.Must(template.New("").Delims("«", "»").Parse(source))
}

// execute returns the error as text, which no test takes for the kind.
func (b *builder) execute(t *template.Template) string {
	var s strings.Builder
	if err := t.Execute(&s, b); err != nil {
		return err.Error()
	}
	return s.String()
}

// repeat makes n bytes of units.
func (b *builder) repeat(unit string, n int) string {
	b.N = n
	t := parse(unit)
	if !strings.Contains(unit, "«.") {
		text := b.execute(t)
		return truncate(strings.Repeat(text, n/len(text)+1), n)
	}
	var s strings.Builder
	for s.Len() < n {
		s.WriteString(b.execute(t))
	}
	return truncate(s.String(), n)
}

// place puts n bytes of text into the answer, the sources or both, by the seed. The side without text gets one plain sentence.
func (b *builder) place(n int, text func(n int) string) {
	b.Interaction.Answer = plain
	switch b.Seed % 3 {
	case 0:
		b.Interaction.Answer = text(n / 2)
		b.split(text(n / 2))
	case 1:
		b.Interaction.Answer = text(n)
		b.split(plain)
	default:
		b.split(text(n))
	}
}

// split divides the text into sources of maximum size.
func (b *builder) split(text string) {
	for i := 1; text != ""; i++ {
		piece := truncate(text, sourceBytes)
		b.source(strconv.Itoa(i), piece)
		text = text[len(piece):]
	}
}

func (b *builder) source(id, text string) {
	b.Interaction.Sources = append(b.Interaction.Sources, schemas.Source{ID: id, Text: text})
}

func (b *builder) message(role, content string) {
	b.Interaction.Messages = append(b.Interaction.Messages, schemas.Message{Role: role, Content: content})
}

// truncate returns at most the first n bytes of s without splitting a character.
func truncate(s string, n int) string {
	s, _ = text.Cut(s, n)
	return s
}

// Int is a random number from low to high.
func (b *builder) Int(low, high int) int { return low + b.IntN(high-low+1) }

// Pick is one of the texts.
func (b *builder) Pick(of ...string) string { return of[b.IntN(len(of))] }

// Runes is n random characters of the range.
func (b *builder) Runes(first, last rune, n int) string {
	out := make([]rune, n)
	for i := range out {
		out[i] = first + b.Int32N(last-first+1)
	}
	return string(out)
}

// Word is a random word.
func (b *builder) Word() string { return b.Runes('a', 'z', 3+b.IntN(8)) }

// Name is a random word with a capital.
func (b *builder) Name() string { return b.Runes('A', 'Z', 1) + b.Word() }

// Digits is n random digits.
func (b *builder) Digits(n int) string { return b.Runes('0', '9', n) }

// Encoded is n random letters in base 64.
func (b *builder) Encoded(n int) string {
	return base64.RawURLEncoding.EncodeToString([]byte(b.Runes('a', 'z', n)))
}

// Package is a name that is one letter from a popular one.
func (b *builder) Package() string {
	name := []byte(b.Pick("requests", "numpy", "pandas", "tensorflow", "beautifulsoup4", "scikit-learn"))
	name[b.IntN(len(name))] = byte('a' + b.IntN(26))
	return string(name)
}

// Claim is a sentence that a source could support, without its full stop.
func (b *builder) Claim() string {
	return fmt.Sprintf("The %s %s %s of the %s %s %d %s in %s %d", b.Pick("old", "new", "red", "northern"),
		b.Pick("bridge", "warehouse", "library", "harbour"), b.Pick("keeper", "owner", "builder", "guest"), b.Pick("river", "city", "valley", "company"),
		b.Pick("counted", "sold", "painted", "moved"), b.IntN(10_000), b.Pick("parcels", "boats", "boots", "windows"),
		b.Pick("May", "June", "October", "March"), 1900+b.IntN(120))
}

// Times is n times the text.
func (b *builder) Times(n int, s string) string { return strings.Repeat(s, n) }

// Repeat is the text so often that it fills the size if it has that many bytes.
func (b *builder) Repeat(s string, bytes int) string { return strings.Repeat(s, b.N/bytes) }

// Serial fills a part of the size with the unit, whose two verbs are numbers below mod.
func (b *builder) Serial(part int, unit string, mod int) string {
	var s strings.Builder
	for i := 0; s.Len() < b.N/part; i++ {
		fmt.Fprintf(&s, unit, i%mod, (i+7)%mod)
	}
	return s.String()
}

// List is n elements with commas between them; a verb in the element is its number.
func (b *builder) List(n int, element string) string {
	var s strings.Builder
	for i := range n {
		b.add(&s, element, i)
	}
	return s.String()
}

// Sized is List with as many elements as fill a part of the size.
func (b *builder) Sized(part float64, element string) string {
	var s strings.Builder
	for i := 0; float64(s.Len()) < float64(b.N)/part || i == 0; i++ {
		b.add(&s, element, i)
	}
	return s.String()
}

func (b *builder) add(s *strings.Builder, element string, i int) {
	if i > 0 {
		s.WriteByte(',')
	}
	if strings.Contains(element, "%") {
		fmt.Fprintf(s, element, i)
		return
	}
	s.WriteString(element)
}

// Fan is a schema that applies the leaf 2 to the levels times, by references.
func (b *builder) Fan(levels int, leaf string) string {
	var defs strings.Builder
	for i := range levels {
		fmt.Fprintf(&defs, `"d%d":{"allOf":[{"$ref":"#/$defs/d%[2]d"},{"$ref":"#/$defs/d%[2]d"}]},`, i, i+1)
	}
	return fmt.Sprintf(`{"$ref":"#/$defs/d0","$defs":{%s"d%d":%s}}`, defs.String(), levels, leaf)
}

// Plain is the beginning of a valid record, to which a value adds members.
func (b *builder) Plain() string {
	return `{"answer":"The bridge opened in May 1937.","sources":["The bridge opened in 1937."],`
}
