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
	slots      []stemSlot // hash table with open addressing, cleared by a new generation
	generation uint32
	hashSecret uint64 // random, so that no text can be written whose stems collide

	ids         []int32   // by answer token: the number of its stem, -1 for stop words and citation markers
	weights     []float64 // by stem, 0 to 1
	isFigure    []bool    // by stem: it is a number
	OnlyRecords bool      // all sources are JSON records
	isName      []bool    // by stem, if OnlyRecords: a figure or a name
	counts      []int32   // by stem: number of source sentences with it
	last        []int32   // by stem: the last sentence counted; later the end of its postings
	postings    []int32   // source sentences, grouped by stem
	hits        []stemHit
	stems       []sourceStem // see addCompounds
	parts       []text.Token // scratch: of one name
	sentences   []detectors.SourceSentence
	tokens      []text.Token // of the answer
	matchMode   text.MatchMode
	work        *detectors.Work
	tokenizer   *text.Tokenizer
	keys        []uint64    // by stem: its hash
	inPrompt    []bool      // by stem: it is in the prompt
	polarity    []uint8     // by stem: polarities in which it occurs
	pairs       bloomFilter // pairs of neighboring stems in a source, with at most one content word between
	prefixes    bloomFilter // first letters of the sources' content words, once hasPrefixes
	hasPrefixes bool
	prompt      []text.Token // scratch: of one message
	PromptWords int          // content words of the prompt

	stretch    int32   // number of the loaded stretch
	seen       []int32 // by stem: the last stretch with it
	Total      float64 // weight of the loaded words
	words      int     // number of loaded words
	bit        []uint8 // by stem: its bit in the loaded stretch
	Figures    uint64  // mask of the loaded words that are numbers
	wordWeight [64]float64
	held       []sentenceWords // by source sentence: its loaded words; zeros behind the last
	touched    []int32         // sentences with a loaded word
}

type stemSlot struct {
	stem       uint64
	generation uint32
	id         int32
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
	x.ids, x.isFigure = resizeSlice(x.ids, len(tokens)), x.isFigure[:0]
	x.keys = x.keys[:0]
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
		stem := x.matchMode.Key(t, answer)
		slot := x.findSlot(stem)
		if slot.generation != x.generation {
			*slot = stemSlot{stem: stem, generation: x.generation, id: int32(len(x.isFigure))}
			x.isFigure = append(x.isFigure, t.Kind == text.Number)
			x.keys = append(x.keys, stem)
		}
		x.ids[i] = slot.id
	}
	stems := len(x.isFigure)
	x.counts, x.last = resizeSlice(x.counts, stems), resizeSlice(x.last, stems)
	x.seen, x.weights = resizeSlice(x.seen, stems), resizeSlice(x.weights, stems)
	x.bit = resizeSlice(x.bit, stems)
	x.polarity = resizeSlice(x.polarity, stems)
	clear(x.polarity)
	clear(x.counts)
	clear(x.seen)
	x.stretch = 0
}

func (x *Index) resetSlots(stems int) {
	if need := 2 * (stems + 1); len(x.slots) < need {
		x.slots, x.generation = make([]stemSlot, max(1024, 1<<bits.Len(uint(need)))), 0
		x.hashSecret = maphash.Bytes(maphash.MakeSeed(), nil) | 1
	}
	x.generation++
	if x.generation == 0 { // wrapped: old slots would look current
		clear(x.slots)
		x.generation = 1
	}
}

// findSlot returns the slot of the stem, or the free slot for it.
func (x *Index) findSlot(stem uint64) *stemSlot {
	mask := uint64(len(x.slots) - 1)
	high, low := bits.Mul64(stem, x.hashSecret)
	for i := (high ^ low) & mask; ; i = (i + 1) & mask {
		if s := &x.slots[i]; s.generation != x.generation || s.stem == stem {
			return s
		}
	}
}

// collectPostings reads the source sentences.
func (x *Index) collectPostings(d *detectors.Document) {
	for i := range x.last {
		x.last[i] = -1
	}
	x.hits = x.hits[:0]
	x.pairs.clear()
	x.hasPrefixes = false
	tokens := d.SourceTokens()
	for i := range x.sentences {
		s := &x.sentences[i]
		if !x.work.Spend(1 + sourceCost*int(s.Last-s.First)) {
			return
		}
		source := d.Source(int(s.Source))
		before, last := int32(-1), int32(-1)    // the two previous content words
		negation := s.First - NegationReach - 1 // token of the last negation
		for t := s.First; t < s.Last; t++ {
			token := &tokens[t]
			if token.Has(text.Negation) {
				negation = t
			}
			if !x.matchMode.IsContent(token) {
				continue
			}
			id := x.addHit(x.matchMode.Key(token, source), int32(i))
			if id >= 0 {
				x.addPolarity(id, t-negation)
				x.addPair(last, id)
				x.addPair(before, id)
			}
			before, last = last, id
			if x.OnlyRecords {
				x.work.Spend(sourceCost)
				x.addKeyParts(token.In(source), int32(i))
			}
		}
	}
}

// addHit records that the sentence has the stem and returns the stem's number, -1 if the answer does not use it.
func (x *Index) addHit(stem uint64, sentence int32) int32 {
	slot := x.findSlot(stem)
	if slot.generation != x.generation {
		return -1
	}
	if x.last[slot.id] != sentence {
		x.last[slot.id] = sentence
		x.counts[slot.id]++
		x.hits = append(x.hits, stemHit{slot.id, sentence})
	}
	return slot.id
}

func (x *Index) addPair(a, b int32) {
	if a >= 0 {
		x.pairs.add(pairHash(a, b))
	}
}

// groupPostings groups the hits by stem.
func (x *Index) groupPostings() {
	end := int32(0)
	for id, n := range x.counts { // last becomes the index of the stem's next posting
		x.last[id] = end
		end += n
	}
	x.postings = resizeSlice(x.postings, len(x.hits))
	for _, h := range x.hits {
		x.postings[x.last[h.id]] = h.sentence
		x.last[h.id]++
	}
}

// weighStems sets the weight of each stem: its inverse document frequency over the source sentences, ln(1 + N/(1+df)),
// relative to that of a stem in no sentence. Numbers weigh 1 however often they occur.
func (x *Index) weighStems() {
	n := float64(len(x.sentences))
	most := math.Log(1 + n)
	var known [16]float64 // by count, 0 until the first stem with it
	for id := range x.weights {
		x.weights[id] = 1
		count := x.counts[id]
		if count == 0 || x.isFigure[id] {
			continue
		}
		if int(count) < len(known) && known[count] != 0 {
			x.weights[id] = known[count]
			continue
		}
		x.weights[id] = math.Log(1+n/float64(1+count)) / most
		if int(count) < len(known) {
			known[count] = x.weights[id]
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
