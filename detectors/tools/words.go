package tools

import (
	_ "embed"
	"slices"
	"strings"

	"confab/internal/text"
)

// actionList has a line for each kind of action: its participles in English, German, French (masculine), Spanish and Italian (without
// the last letter), and parts of the names of tools that do it. * stands for any tool that changes something, + also for participles
// that mostly describe things: they count only where the assistant says that it did it.
//
//go:embed actions.txt
var actionList string

// wordLists are lists of words by name.
//
//go:embed words.txt
var wordLists string

//nolint:gochecknoglobals // read-only tables
var (
	lists    = readLists()
	actions  = readActions()
	grammars = readGrammars()
)

func readLists() map[string]text.WordSet {
	all := map[string]text.WordSet{}
	for part := range strings.SplitSeq(wordLists[1:], "\n[") {
		name, list, _ := strings.Cut(part, "]")
		all[name] = text.HashSet(list)
	}
	return all
}

// isIn reports a word of the list of that name.
func isIn(word, list string) bool { return lists[list].Has(text.Hash(word)) }

// language is that of a participle.
type language uint8

const (
	english language = iota
	german
	french
	spanish
	italian
	languages
)

// form is a participle of a kind of action.
type form struct {
	family   int16
	language language
}

// family is a kind of action.
type family struct {
	support []string // parts of the names of tools that do it
	done    []string // English participles, which results have
	any     bool     // any tool that changes something does it
	own     bool     // read only where the assistant says that it did it
	lookup  bool     // tools that only look something up do it, too
}

type actionForms struct {
	forms    map[uint64]form
	families []family
}

func readActions() actionForms {
	endings := [languages][]string{{""}, {""}, {"", "e", "s", "es"}, {"o", "a", "os", "as"}, {"o", "a", "i", "e"}}
	a := actionForms{forms: map[uint64]form{}}
	for line := range strings.Lines(actionList) {
		columns := strings.Split(strings.TrimSpace(line), "|")
		last := columns[languages]
		f := family{support: strings.Fields(last), done: strings.Fields(columns[english]), any: last == "*" || last == "+", own: last == "+"}
		f.lookup = slices.Contains(f.support, "get")
		for l := range languages {
			for w := range strings.FieldsSeq(columns[l]) {
				for _, ending := range endings[l] {
					a.forms[text.Hash(w+ending)] = form{int16(len(a.families)), l}
				}
			}
		}
		a.families = append(a.families, f)
	}
	return a
}

// grammar is what the words before a participle say of it.
type grammar struct {
	own       text.WordSet // the assistant did it
	state     text.WordSet // it is done
	opposed   text.WordSet // it is not done, may be done, or somebody else did it
	before    text.WordSet // directly before: it is no predicate
	condition text.WordSet // in the sentence
}

func readGrammars() (all [languages]grammar) {
	for l, name := range [languages]string{"en", "de", "fr", "es", "it"} {
		all[l] = grammar{lists[name+" own"], lists[name+" state"], lists[name+" opposed"], lists[name+" before"], lists[name+" condition"]}
	}
	return all
}

func hasAny(tokens []text.Token, list string) bool {
	set := lists[list]
	return slices.ContainsFunc(tokens, func(w text.Token) bool { return set.Has(w.Hash) })
}

// hasNot reports "don't" and the like.
func hasNot(w string) bool { return strings.HasSuffix(w, "n't") || strings.HasSuffix(w, "n’t") }
