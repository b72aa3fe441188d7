package units

import (
	"slices"
	"strings"

	"confab/internal/text"
)

// role is what a phrase says about its sentence.
type role uint8

const (
	opener   role = 1 << iota // before a statement: cut off with the mark behind it
	greeting                  // the same, with a name
	intro                     // the same, with a word for the sources
	courtesy                  // at the start
	about                     // at the start: of the answer itself
	absent                    // anywhere: an abstention
	silent                    // at the start: the same
	aside                     // anywhere: an advice to ask elsewhere, a disclaimer
)

// roleNames are the names of the roles in the tables, in the order of the bits.
const roleNames = "opener greeting intro courtesy about absent silent aside"

// phrase is a sequence of words. Each has alternatives; nil stands for up to maxGap words, endOfUnit for the end.
type phrase struct {
	words [][]uint64
	roles role
}

const (
	maxGap      = 3
	filterBits  = 12
	filterShift = 64 - filterBits
	endOfUnit   = 1
)

// matchWords is the number of tokens that the words cover at the start, 0 if they are not there.
func matchWords(words [][]uint64, tokens []text.Token) int {
	for n, word := range words {
		if word == nil {
			for gap := 0; gap <= maxGap && n+gap <= len(tokens); gap++ {
				if k := matchWords(words[n+1:], tokens[n+gap:]); k > 0 {
					return n + gap + k
				}
			}
			return 0
		}
		if word[0] == endOfUnit && n == len(tokens) {
			return n
		}
		if n >= len(tokens) || !slices.Contains(word, tokens[n].Hash) {
			return 0
		}
	}
	return len(words)
}

// phraseTable finds the phrases that begin with a word.
type phraseTable struct {
	roles [1 << filterBits]role // by the first bits of the first word, so that most words cost one load
	first map[uint64][]phrase
}

//nolint:gochecknoglobals // read-only tables
var (
	phrases       = newPhraseTable(english, german, french, spanish, chinese)
	sourceHeaders = text.HashSet("sources source references reference citations citation quelle quellen quellenangaben source fuente fuentes référence références referencias")
	sourceKeys    = text.HashSet("sources source citations citation references reference refs evidence url urls uri link links href")
	idKeys        = text.HashSet("name title label code sku id key station product bidder")
	technicalKeys = text.HashSet("id ids confidence score probability uuid index language lang type format version")
	onlyWords     = text.HashSet("only just nur seulement solo únicamente sólo")
	lengthWords   = text.HashSet("word words wörter wörtern worte worten mots palabras") // of the answer: "a summary in 78 words"
	figureWords   = text.HashSet(`two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty sixty ninety
hundred thousand million half dozen zwei drei vier fünf sechs sieben acht neun zehn elf zwölf zwanzig hundert tausend
dos tres cuatro cinco seis siete ocho nueve diez cien mil deux trois quatre cinq sept huit neuf dix cent mille`)
)

// newPhraseTable reads tables with paragraphs "role: phrase | phrase". "a/b" are alternatives of one word, "*" are up to
// maxGap words, "$" is the end of the sentence.
func newPhraseTable(tables ...string) *phraseTable {
	t := &phraseTable{first: map[uint64][]phrase{}}
	for _, table := range tables {
		for entry := range strings.SplitSeq(strings.TrimSpace(table), "\n\n") {
			name, list, _ := strings.Cut(entry, ":")
			bit := slices.Index(strings.Fields(roleNames), strings.TrimSpace(name))
			for words := range strings.SplitSeq(list, "|") {
				t.addPhrase(words, 1<<bit)
			}
		}
	}
	return t
}

func (t *phraseTable) addPhrase(list string, r role) {
	q := phrase{roles: r}
	for field := range strings.FieldsSeq(list) {
		switch {
		case field == "*":
			q.words = append(q.words, nil)
		case field == "$":
			q.words = append(q.words, []uint64{endOfUnit})
		case strings.Contains(field, "/"):
			var word []uint64
			for w := range strings.SplitSeq(field, "/") {
				word = append(word, text.Hash(w))
			}
			q.words = append(q.words, word)
		default:
			for _, token := range text.AppendTokens(nil, field) {
				q.words = append(q.words, []uint64{token.Hash})
			}
		}
	}
	for _, h := range q.words[0] {
		t.roles[h>>filterShift] |= r
		t.first[h] = append(t.first[h], q)
	}
}
