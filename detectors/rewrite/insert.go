package rewrite

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"confab/internal/redact"
	"confab/internal/text"
)

// Limits of inserted text, in characters.
const (
	maxSourceID = 80
	maxExcerpt  = 170
)

// hedge puts a phrase in front of each flagged unit.
func (v *revision) hedge() string {
	var splices []splice
	for i, p := range v.found {
		if p != nil {
			at, _ := v.answer.textOf(i, p.start)
			splices = append(splices, splice{Start: at, End: at, Text: v.phrases().hedge})
			v.addEdit(i, "hedged", flaggedUnit)
		}
	}
	return applySplices(v.in.Answer, splices).Text
}

// annotate puts a footnote behind each flagged unit.
func (v *revision) annotate() string {
	var splices []splice
	var notes strings.Builder
	number := 0 // of the last footnote
	for _, m := range footnote.FindAllStringSubmatch(v.in.Answer, -1) {
		n, _ := strconv.Atoi(m[1])
		number = max(number, n)
	}
	for i, p := range v.found {
		if p != nil {
			number++
			_, at := v.answer.textOf(i, p.start)
			splices = append(splices, splice{Start: at, End: at, Text: fmt.Sprintf("[^%d]", number)})
			fmt.Fprintf(&notes, "\n[^%d]: %s", number, v.noteOf(p))
			v.addEdit(i, "annotated", flaggedUnit)
		}
	}
	body := applySplices(v.in.Answer, splices).Text
	kept := strings.TrimRight(body, " \t\r\n")
	return kept + "\n" + notes.String() + body[len(kept):]
}

// textOf is where text goes in front of the i-th unit, and where it goes behind it. In a row, it is the cell that holds the place.
func (a *answerLayout) textOf(i, place int) (start, end int) {
	u := &a.Units[i]
	if !u.isRow() {
		return u.Start, u.End
	}
	row := strings.ReplaceAll(a.Text[u.Start:u.End], `\|`, "  ")
	place = min(max(place-u.Start, 0), len(row))
	from := strings.LastIndexByte(row[:place], '|') + 1
	if from < len(row) && row[from] == '|' {
		from++
	}
	cell, _, _ := strings.Cut(row[from:], "|")
	start = u.Start + from + len(cell) - len(strings.TrimLeft(cell, " "))
	return start, max(start, u.Start+from+len(strings.TrimRight(cell, " \t")))
}

// phrases are the inserted texts in the language of the answer, else in English.
func (v *revision) phrases() phrases {
	language := v.doc.Language()
	if language == chinese && strings.ContainsFunc(v.in.Answer, func(r rune) bool { return unicode.In(r, unicode.Hiragana, unicode.Katakana) }) {
		language = japanese
	}
	if words, known := phrasesOf[language]; known {
		return words
	}
	return phrasesOf[text.EnglishLanguage]
}

// noteOf says what the source has at the place.
func (v *revision) noteOf(p *place) string {
	words := v.phrases()
	e := &p.evidence
	id := escapeMarkdown(cmp.Or(e.SourceID, strconv.Itoa(e.SourceNumber)), maxSourceID)
	excerpt, says := escapeMarkdown(e.SourceExcerpt, maxExcerpt), escapeMarkdown(e.SourceSays, maxExcerpt)
	switch {
	case e.SourceID == "" && e.SourceNumber == 0 || excerpt == "" && says == "":
		return words.unconfirmed
	case says != "" && excerpt != "":
		return fmt.Sprintf(words.instead, id, says) + " " + fmt.Sprintf(words.quote, excerpt)
	case says != "":
		return fmt.Sprintf(words.instead, id, says)
	default:
		return fmt.Sprintf(words.closest, id, excerpt)
	}
}

// What Markdown and HTML read as marks, links and tags, and footnotes.
//
//nolint:gochecknoglobals // read-only
var (
	footnote = regexp.MustCompile(`\[\^(\d{1,6})\]`)
	webHost  = regexp.MustCompile(`(?i)(www)\.`)
	markdown = strings.NewReplacer("<", "&lt;", ">", "&gt;", "&", "&amp;", "://", `\://`, `\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "|", `\|`,
		"~", `\~`, "^", `\^`, "$", `\$`, "@", `\@`, "#", `\#`, "!", `\!`, "{", `\{`, "}", `\}`)
)

// escapeMarkdown is s on one line, shortened, without anything that Markdown or HTML would read as a mark, link or tag.
func escapeMarkdown(s string, limit int) string {
	more := ""
	if runes := []rune(redact.Visible(s, limit)); len(runes) > limit {
		s, more = string(runes[:limit]), "…"
	} else {
		s = string(runes)
	}
	return webHost.ReplaceAllString(markdown.Replace(s), `$1\.`) + more
}
