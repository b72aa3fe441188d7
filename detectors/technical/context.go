package technical

import (
	"regexp"
	"strings"

	"confab/detectors"
)

const (
	maxContextBytes = 200_000 // of the prompt that is searched
	maxContextTexts = 2000    // messages of it
	foldedBytes     = 8       // bytes per unit of folding
)

// contextTexts are the texts that can confirm a mention: the sources with their addresses, then the prompt without the
// assistant's turns.
type contextTexts struct {
	texts     []string
	sources   int                     // of the texts
	folded    string                  // the texts in lower case, from the first search on
	ofSources int                     // bytes of folded that are sources
	found     map[*regexp.Regexp]bool // by form, whether they contain it
	work      *detectors.Work
}

func (t *contextTexts) reset(doc *detectors.Document) {
	*t = contextTexts{texts: t.texts[:0], work: doc.Work()}
	in := doc.Interaction()
	for i := range doc.Sources() {
		t.texts = append(t.texts, doc.Source(i))
		if uri := in.Sources[i].URI; uri != "" {
			t.texts = append(t.texts, uri)
		}
	}
	t.sources = len(t.texts)
	t.work.Spend(len(in.Messages) / detectors.ScanRows)
	left := maxContextBytes
	for i := range in.Messages {
		m := &in.Messages[i]
		if len(t.texts) == t.sources+maxContextTexts {
			break
		}
		if m.Role != "assistant" && m.Content != "" {
			t.texts = append(t.texts, m.Content[:min(left, len(m.Content))])
			left -= min(left, len(m.Content))
		}
	}
}

// fold writes the texts in lower case, a line each.
func (t *contextTexts) fold() {
	var b strings.Builder
	for i, text := range t.texts {
		t.work.Spend(1 + len(text)/foldedBytes)
		b.WriteString(strings.ToLower(text) + "\n")
		if i < t.sources {
			t.ofSources = b.Len()
		}
	}
	t.folded, t.found = b.String(), map[*regexp.Regexp]bool{}
}

// contains reports whether a text of the context contains the words in any letter case, not as part of a longer name. A path
// may continue after them.
func (t *contextTexts) contains(words string) bool { return t.find(words, nil) >= 0 }

// inSources reports it of the sources alone.
func (t *contextTexts) inSources(words string) bool {
	at := t.find(words, nil)
	return at >= 0 && at < t.ofSources
}

// find returns the first place of the words in the folded texts, -1 for none. What follows them must not match longer.
func (t *contextTexts) find(words string, longer *regexp.Regexp) int {
	if words == "" || len(t.texts) == 0 {
		return -1
	}
	if len(t.folded) == 0 {
		t.fold()
	}
	words = strings.ToLower(words)
	t.work.Spend(1 + len(t.folded)/detectors.SearchBytes)
	for from := 0; t.work.Spend(1 + len(words)/detectors.SearchBytes); {
		n := strings.Index(t.folded[from:], words)
		if n < 0 {
			return -1
		}
		at := from + n
		end := at + len(words)
		whole := standsAlone(t.folded, at, end)
		if longer != nil {
			whole = (at == 0 || !nameByte(t.folded[at-1])) && !longer.MatchString(t.folded[end:min(len(t.folded), end+maxBehind)])
		}
		if whole {
			return at
		}
		from = at + 1
	}
	return -1
}

const maxBehind = 24 // bytes after a name that say whether it continues

// matches reports whether the texts contain the form, which is of lower case.
func (t *contextTexts) matches(form *regexp.Regexp) bool {
	found, known := t.found[form]
	if !known {
		t.work.Spend(patternCost * len(t.folded))
		found = form.MatchString(t.folded)
		t.found[form] = found
	}
	return found
}
