package support

import (
	"hash/maphash"
	"math"
	"math/bits"
	"strings"

	"confab/detectors"
	"confab/internal/text"
	"confab/internal/text/citations"
)

// Costs of the index, in units of [detectors.Work].
const (
	stemCost   = 4 // per word of the answer
	sourceCost = 4 // per word of a source
	postings   = 4 // postings per unit
)

// Index measures how far the source sentences support a stretch of the answer. It is built once per document and shared by
// the detectors that compare the answer with its sources.
//
// It is an inverted index: for each stem of the answer's content words it lists the source sentences with that stem. A
// source word that the answer does not use costs one failed lookup. [Index.Load] selects a stretch: its distinct words, at
// most 64, get a bit each, a sentence is a mask of them, and a window of sentences is the union of their masks.
type Index struct {
	slots      []int32 // hash table with open addressing: numbers of stems, from 1; 0 is free
	hashSecret uint64  // random, so that no text can be written whose stems collide

	ids         []int32     // by answer token: the number of its stem, -1 for stop words and citation markers
	stems       []stem      // distinct stems of the answer
	stemFilter  bloomFilter // their hashes
	OnlyRecords bool        // all sources are JSON records
	postings    []int32     // source sentences, grouped by stem
	hits        []stemHit
	sourceStems []sourceStem // see addCompounds
	parts       []text.Token // scratch: of one name
	sentences   []detectors.SourceSentence
	tokens      []text.Token // of the answer
	matchMode   text.MatchMode
	work        *detectors.Work
	tokenizer   *text.Tokenizer
	pairs       bloomFilter // pairs of neighboring stems in a source, with at most one content word between
	prefixes    bloomFilter // first letters of the sources' content words, once hasPrefixes
	hasPrefixes bool
	prompt      []text.Token // scratch: of one message
	PromptWords int          // content words of the prompt

	stretch     int32   // number of the loaded stretch
	Total       float64 // weight of the loaded words
	words       int     // number of loaded words
	Figures     uint64  // mask of the loaded words that are numbers
	found       uint64  // mask of the loaded words that a source has
	foundWeight float64 // of these
	loadCost    int     // units of work that loading them took
	wordWeight  [64]float64
	held        []sentenceWords // by source sentence: its loaded words; zeros behind the last
	touched     []int32         // sentences with a loaded word
}

// stem is one stem of the answer's content words.
type stem struct {
	key      uint64
	mask     uint64  // its bit in the last stretch with it
	weight   float64 // 0 to 1
	count    int32   // number of source sentences with it
	last     int32   // the last sentence counted; later the end of its postings
	stretch  int32   // the last stretch with it
	polarity uint8   // polarities in which it occurs
	isFigure bool    // it is a number
	isName   bool    // if all sources are records: it is a figure or a name
	inPrompt bool
}

// sentenceWords are the loaded words of a source sentence.
type sentenceWords struct {
	mask   uint64
	weight float64
}

type stemHit struct{ id, sentence int32 }

// Of returns the index of the document, built on first use.
func Of(d *detectors.Document) *Index {
	x, fresh := detectors.Scratch[Index](d)
	if fresh {
		x.build(d, d.Markers().List)
	}
	return x
}

// build indexes the document. Words in citation markers are ignored.
func (x *Index) build(d *detectors.Document, markers []citations.Marker) {
	x.sentences, x.tokens, x.matchMode, x.work, x.tokenizer = d.AllSourceSentences(), d.Tokens(), d.MatchMode(), d.Work(), d.Tokenizer()
	x.OnlyRecords = onlyRecords(d)
	x.numberStems(d, markers)
	x.collectPostings(d)
	x.addFigures(d)
	x.addCompounds(d)
	x.readPrompt(d)
	x.groupPostings()
	x.weighStems()
	if x.OnlyRecords {
		x.discountWording(d)
	}
	x.held = resizeSlice(x.held, len(x.sentences)+windowSentences-1)
	clear(x.held) // a pass that panicked may not have unloaded
	x.touched = resizeSlice(x.touched, len(x.sentences)+1)[:0]
}

// numberStems numbers the distinct stems of the answer's content words.
func (x *Index) numberStems(d *detectors.Document, markers []citations.Marker) {
	tokens, answer := d.Tokens(), d.Text()
	x.work.Spend(stemCost * len(tokens))
	x.resetSlots(len(tokens))
	x.ids, x.stems, x.stretch = resizeSlice(x.ids, len(tokens)), x.stems[:0], 0
	x.stemFilter.clear()
	for i := range tokens {
		t := &tokens[i]
		for len(markers) > 0 && int(t.Start) >= markers[0].End {
			markers = markers[1:]
		}
		inMarker := len(markers) > 0 && int(t.Start) >= markers[0].Start
		if !x.matchMode.IsContent(t) || inMarker || t.Kind == text.Number && isListNumber(answer, t) {
			x.ids[i] = -1
			continue
		}
		key := x.key(t, answer)
		slot := x.findSlot(key)
		if *slot == 0 {
			x.stems = append(x.stems, stem{key: key, last: -1, isFigure: t.Kind == text.Number})
			x.stemFilter.add(key)
			*slot = int32(len(x.stems))
		}
		x.ids[i] = *slot - 1
	}
}

// key is the hash by which the token is compared.
func (x *Index) key(t *text.Token, s string) uint64 {
	if x.matchMode != text.Foreign {
		return t.Stem
	}
	return x.matchMode.Key(t, s)
}

func (x *Index) resetSlots(stems int) {
	if x.hashSecret == 0 {
		x.hashSecret = maphash.Bytes(maphash.MakeSeed(), nil) | 1
	}
	x.slots = resizeSlice(x.slots, 1<<bits.Len(uint(2*stems+1)))
	clear(x.slots)
}

// findSlot returns the slot of the stem, or the free slot for it.
func (x *Index) findSlot(stem uint64) *int32 {
	mask := uint64(len(x.slots) - 1)
	high, low := bits.Mul64(stem, x.hashSecret)
	for i := (high ^ low) & mask; ; i = (i + 1) & mask {
		if s := &x.slots[i]; *s == 0 || x.stems[*s-1].key == stem {
			return s
		}
	}
}

// collectPostings reads the source sentences.
func (x *Index) collectPostings(d *detectors.Document) {
	x.hits = x.hits[:0]
	x.pairs.clear()
	x.hasPrefixes = false
	tokens := d.SourceTokens()
	for i := range x.sentences {
		s := &x.sentences[i]
		if !x.work.Spend(1 + sourceCost*int(s.Last-s.First)) {
			return
		}
		x.readSentence(tokens[s.First:s.Last], d.Source(int(s.Source)), int32(i))
	}
}

// readSentence adds the words of a source sentence.
func (x *Index) readSentence(tokens []text.Token, source string, sentence int32) {
	mode := x.matchMode
	before, last := int32(-1), int32(-1) // the two previous content words
	negation := -NegationReach - 1       // token of the last negation
	for t := range tokens {
		token := &tokens[t]
		if token.Has(text.Negation) {
			negation = t
		}
		if !mode.IsContent(token) {
			continue
		}
		id := int32(-1)
		if key := x.key(token, source); x.stemFilter.has(key) {
			id = x.addHit(key, sentence)
		}
		if id >= 0 {
			x.addPolarity(id, t-negation)
			x.addPair(last, id)
			x.addPair(before, id)
		}
		before, last = last, id
		if x.OnlyRecords {
			x.work.Spend(sourceCost)
			x.addKeyParts(token.In(source), sentence)
		}
	}
}

// addHit records that the sentence has the stem and returns the stem's number, -1 if the answer does not use it.
func (x *Index) addHit(key uint64, sentence int32) int32 {
	id := *x.findSlot(key) - 1
	if id < 0 {
		return -1
	}
	if s := &x.stems[id]; s.last != sentence {
		s.last = sentence
		s.count++
		x.hits = append(x.hits, stemHit{id, sentence})
	}
	return id
}

func (x *Index) addPair(a, b int32) {
	if a >= 0 {
		x.pairs.add(pairHash(a, b))
	}
}

// groupPostings groups the hits by stem.
func (x *Index) groupPostings() {
	end := int32(0)
	for i := range x.stems { // last becomes the index of the stem's next posting
		s := &x.stems[i]
		s.last = end
		end += s.count
	}
	x.postings = resizeSlice(x.postings, len(x.hits))
	for _, h := range x.hits {
		s := &x.stems[h.id]
		x.postings[s.last] = h.sentence
		s.last++
	}
}

// weighStems sets the weight of each stem: its inverse document frequency over the source sentences, ln(1 + N/(1+df)),
// relative to that of a stem in no sentence. Numbers weigh 1 however often they occur.
func (x *Index) weighStems() {
	n := float64(len(x.sentences))
	most := math.Log(1 + n)
	var known [16]float64 // by count, 0 until the first stem with it
	for i := range x.stems {
		s := &x.stems[i]
		s.weight = 1
		if s.count == 0 || s.isFigure {
			continue
		}
		if int(s.count) < len(known) && known[s.count] != 0 {
			s.weight = known[s.count]
			continue
		}
		s.weight = math.Log(1+n/float64(1+s.count)) / most
		if int(s.count) < len(known) {
			known[s.count] = s.weight
		}
	}
}

// isListNumber reports the number of a list item: at the start of a line, with a full stop or bracket after it.
func isListNumber(s string, t *text.Token) bool {
	after := s[t.End:]
	if len(after) < 2 || after[0] != '.' && after[0] != ')' || after[1] != ' ' && after[1] != '\t' {
		return false
	}
	before := strings.TrimRight(s[:t.Start], " \t#*>")
	return before == "" || before[len(before)-1] == '\n'
}

// resizeSlice returns s with n elements of unspecified values.
func resizeSlice[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/2)
	}
	return s[:n]
}
