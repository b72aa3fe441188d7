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

// Limits of inserted text, in characters, and of what is read of a unit for its language, in bytes.
const (
	maxSourceID       = 80
	maxExcerpt        = 170
	maxLanguageSample = 2000
)

// hedge puts a phrase in front of each flagged unit.
func (v *revision) hedge() string {
	var splices []splice
	for i, p := range v.found {
		if p != nil {
			at, _ := v.answer.textOf(i, p.start)
			splices = append(splices, splice{Start: at, End: at, Text: v.phrasesFor(i).hedge})
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
			fmt.Fprintf(&notes, "\n[^%d]: %s", number, v.noteOf(i, p))
			v.addEdit(i, "annotated", flaggedUnit)
		}
	}
	body := applySplices(v.in.Answer, splices).Text
	kept := strings.TrimRight(body, " \t\r\n")
	return kept + "\n" + notes.String() + body[len(kept):]
}

// textOf is where text goes in front of the i-th unit, behind the label of a footnote, and where it goes behind it. In a row, it is
// the cell that holds the place.
func (a *answerLayout) textOf(i, place int) (start, end int) {
	u := &a.Units[i]
	l := &a.lines[u.line]
	switch {
	case u.Row:
		row := strings.ReplaceAll(a.Text[u.Start:u.End], `\|`, "  ")
		place = min(max(place-u.Start, 0), len(row))
		from, to := strings.LastIndexByte(row[:place], '|')+1, len(row)
		if from < len(row) && row[from] == '|' {
			from++
		}
		if n := strings.IndexByte(row[max(place, from):], '|'); n >= 0 {
			to = max(place, from) + n
		}
		from += len(row[from:to]) - len(strings.TrimLeft(row[from:to], " "))
		return u.Start + from, u.Start + max(from, len(strings.TrimRight(row[:to], " \t")))
	case l.kind == definitionLine && u.Start == l.content:
		return l.content + len(definitionForm.FindString(a.Text[l.content:l.end])) + len(" "), u.End
	}
	return u.Start, u.End
}

// phrasesFor are the phrases in the language of the i-th unit, else of the answer, else in English.
func (v *revision) phrasesFor(i int) phrases {
	u := &v.answer.Units[i]
	s, _ := text.Cut(v.in.Answer[u.Start:u.End], maxLanguageSample)
	language := text.LanguageOf(text.ScriptOf(s), text.AppendTokens(nil, s))
	if language == text.UnknownLanguage {
		language = v.doc.Language()
	}
	if language == chinese && strings.ContainsFunc(s, func(r rune) bool { return unicode.In(r, unicode.Hiragana, unicode.Katakana) }) {
		language = japanese
	}
	if words, known := phrasesOf[language]; known {
		return words
	}
	return phrasesOf[text.EnglishLanguage]
}

// noteOf says what the source has at the place.
func (v *revision) noteOf(i int, p *place) string {
	words := v.phrasesFor(i)
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
