package rewrite

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"confab/internal/redact"
	"confab/internal/text"
)

// hedge puts a phrase in front of each flagged unit.
func (v *revision) hedge() string {
	var splices []splice
	for i, p := range v.found {
		if p == nil {
			continue
		}
		at := v.answer.textStart(i, p.start)
		splices = append(splices, splice{Start: at, End: at, Text: v.phrasesFor(i).hedge})
		v.addEdit(i, "hedged")
	}
	return applySplices(v.in.Answer, splices).Text
}

// annotate puts a footnote behind each flagged unit.
func (v *revision) annotate() string {
	var splices []splice
	var notes strings.Builder
	number := lastFootnote(v.in.Answer)
	for i, p := range v.found {
		if p == nil {
			continue
		}
		number++
		at := v.answer.textEnd(i, p.start)
		splices = append(splices, splice{Start: at, End: at, Text: "[^" + strconv.Itoa(number) + "]"})
		fmt.Fprintf(&notes, "\n[^%d]: %s", number, v.footnote(i, p))
		v.addEdit(i, "annotated")
	}
	body := applySplices(v.in.Answer, splices).Text
	kept := strings.TrimRight(body, " \t\r\n")
	return kept + "\n" + notes.String() + body[len(kept):]
}

func (v *revision) addEdit(i int, action string) {
	u := &v.answer.Units[i]
	v.result.Edits = append(v.result.Edits, Edit{Start: u.Start, End: u.End, Action: action, Because: flaggedUnit.String(), Detectors: v.found[i].detectors})
}

// phrasesFor are the phrases in the language of the i-th unit, else of the answer.
func (v *revision) phrasesFor(i int) *phrases {
	u := &v.answer.Units[i]
	s, _ := text.Cut(v.in.Answer[u.Start:u.End], maxLanguageSample)
	language := text.LanguageOf(text.ScriptOf(s), text.AppendTokens(nil, s))
	if language == text.UnknownLanguage {
		language = v.doc.Language()
	}
	return phrasesOf(language, s)
}

// maxLanguageSample is how many bytes of a unit are read for its language.
const maxLanguageSample = 2000

// footnote says what the source has at the place.
func (v *revision) footnote(i int, p *place) string {
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

// Limits of inserted text, in characters.
const (
	maxSourceID = 80
	maxExcerpt  = 170
)

// escapeMarkdown is s on one line, shortened, without anything that Markdown or HTML would read as a mark, link or tag.
func escapeMarkdown(s string, limit int) string {
	s = redact.Visible(s, limit)
	var b strings.Builder
	n := 0
	for i, r := range s {
		if n++; n > limit {
			b.WriteString("…")
			break
		}
		switch {
		case r == '<':
			b.WriteString("&lt;")
			continue
		case r == '>':
			b.WriteString("&gt;")
			continue
		case r == '&':
			b.WriteString("&amp;")
			continue
		case strings.ContainsRune("\\`*_[]|~^$@#!{}", r), r == ':' && strings.HasPrefix(s[i:], "://"), r == '.' && endsInWWW(s[:i]):
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

func endsInWWW(s string) bool {
	return len(s) >= 3 && strings.EqualFold(s[len(s)-3:], "www")
}

// lastFootnote is the highest number of the footnotes of s.
func lastFootnote(s string) int {
	last := 0
	for rest := s; ; {
		at := strings.Index(rest, "[^")
		if at < 0 {
			return last
		}
		rest = rest[at+2:]
		if end := strings.IndexByte(rest[:min(len(rest), 8)], ']'); end > 0 {
			if n, err := strconv.Atoi(rest[:end]); err == nil {
				last = max(last, n)
			}
		}
	}
}
