package support

import (
	"hash/maphash"
	"math"
	"math/bits"
	"strings"

	"confab/detectors"
	"confab/detectors/markers"
	"confab/internal/text"
)

// Costs of the index, in units of [Work].
const (
	stemCost   = 4 // of a word that gets its number
	sourceCost = 4 // of a source word that is looked up
	postings   = 4 // sentences a unit that hold a word
)

// Index answers how far the source sentences bear out a stretch of the answer. It is made once per document and
// shared by the detectors that compare the answer with its sources.
//
// Each token is looked at once. Only the stems of the answer's content words get numbers, so the many source words that
// the answer does not use cost one failed look. What is kept of the sources is, for each such stem, the list of sentences
// that hold it. A stretch then touches only the sentences that share a word with it: at most 64 of its distinct words
// are given bits, a sentence is a mask of them, and a window of sentences is the union of their masks.
type Index struct {
	slots      []stemSlot // open addressing, cleared by raising the generation
	generation uint32
	hashSecret uint64 // decides where a stem goes, so that no text can be written to make its stems collide

	ids         []int32   // by answer token: the number of its stem, -1 for stop words and citation markers
	weights     []float64 // by stem: what it counts, 0 to 1
	isFigure    []bool    // by stem: it is a number
	OnlyRecords bool      // all sources are JSON records
	isName      []bool    // by stem, for records: a figure or a name
	counts      []int32   // by stem: source sentences that hold it
	last        []int32   // by stem: the sentence counted last; later the end of its postings
	postings    []int32   // source sentences, grouped by stem
	hits        []stemHit
	parts       []text.Token // scratch: of one name
	sentences   []detectors.SourceSentence
	tokens      []text.Token // of the answer
	matchMode   text.MatchMode
	work        *detectors.Work
	keys        []uint64     // by stem: what it is compared by
	inPrompt    []bool       // by stem: the prompt holds it
	polarity    []uint8      // by stem: how the sources say it
	pairs       bloomFilter  // pairs of stems that stand side by side in a source, or with one content word between
	prefixes    bloomFilter  // first letters of the sources' content words
	prompt      []text.Token // scratch: of one message
	PromptWords int          // content words of the prompt

	stretch    int32   // counts stretches
	seen       []int32 // by stem: the stretch that holds it
	Total      float64 // of the loaded words' weights
	words      int     // loaded, distinct
	bit        []uint8 // by stem: its bit, while the stretch is loaded
	Figures    uint64  // which of the loaded words are numbers
	wordWeight [64]float64
	masks      []uint64  // by source sentence: which loaded words it holds
	sums       []float64 // by source sentence: what those weigh
	touched    []int32   // sentences that hold a loaded word
}

type stemSlot struct {
	stem       uint64
	generation uint32
	id         int32
}

type stemHit struct{ id, sentence int32 }

// Of is the index of the document, made on first use.
func Of(d *detectors.Document) *Index {
	x, fresh := detectors.Scratch[Index](d)
	if fresh {
		x.build(d, markers.Of(d).List)
	}
	return x
}

// build indexes the document. Markers are no words of the answer.
func (x *Index) build(d *detectors.Document, markers []markers.Marker) {
	x.sentences, x.tokens, x.matchMode, x.work = d.AllSourceSentences(), d.Tokens(), d.MatchMode(), d.Work()
	x.OnlyRecords = onlyRecords(d)
	x.numberStems(d, markers)
	x.collectPostings(d)
	x.readPrompt(d)
	x.groupPostings()
	x.weighStems()
	if x.OnlyRecords {
		x.discountWording(d)
	}
	x.masks = resizeSlice(x.masks, len(x.sentences))
	x.sums = resizeSlice(x.sums, len(x.sentences))
	clear(x.masks) // a pass that panicked may have left marks
	clear(x.sums)
	x.touched = x.touched[:0]
}

// numberStems gives a number to each distinct stem of the answer's content words.
func (x *Index) numberStems(d *detectors.Document, markers []markers.Marker) {
	tokens := d.Tokens()
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
		if !x.matchMode.IsContent(t) || inMarker || t.Kind == text.Number && isListNumber(d.Answer(), t) {
			x.ids[i] = -1
			continue
		}
		stem := x.matchMode.Key(t, d.Answer())
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
		x.slots, x.generation = make([]stemSlot, max(512, 1<<bits.Len(uint(need)))), 0
		x.hashSecret = maphash.Bytes(maphash.MakeSeed(), nil) | 1
	}
	x.generation++
	if x.generation == 0 { // wrapped: old marks would look new
		clear(x.slots)
		x.generation = 1
	}
}

// findSlot is where the stem is, or the free place where it belongs.
func (x *Index) findSlot(stem uint64) *stemSlot {
	mask := uint64(len(x.slots) - 1)
	high, low := bits.Mul64(stem, x.hashSecret)
	for i := (high ^ low) & mask; ; i = (i + 1) & mask {
		if s := &x.slots[i]; s.generation != x.generation || s.stem == stem {
			return s
		}
	}
}

// collectPostings finds the sentences of each stem.
func (x *Index) collectPostings(d *detectors.Document) {
	for i := range x.last {
		x.last[i] = -1
	}
	x.hits = x.hits[:0]
	x.pairs.clear()
	x.prefixes.clear()
	tokens := d.SourceTokens()
	for i := range x.sentences {
		s := &x.sentences[i]
		if !x.work.Spend(1 + sourceCost*int(s.Last-s.First)) {
			return
		}
		source := d.Source(int(s.Source))
		before, last := int32(-1), int32(-1)    // the content words before this one
		negation := s.First - NegationReach - 1 // the last one
		for t := s.First; t < s.Last; t++ {
			if tokens[t].Has(text.Negation) {
				negation = t
			}
			if !x.matchMode.IsContent(&tokens[t]) {
				continue
			}
			id := x.addHit(x.matchMode.Key(&tokens[t], source), int32(i))
			if id >= 0 {
				x.addPolarity(id, t-negation)
				x.addPair(last, id)
				x.addPair(before, id)
			}
			before, last = last, id
			x.prefixes.add(prefixHash(&tokens[t], source))
			if x.OnlyRecords {
				x.work.Spend(sourceCost)
				x.addKeyParts(tokens[t].In(source), int32(i))
			}
		}
	}
}

// addHit notes that the sentence holds the stem, and returns the stem's number, -1 for one that the answer does not use.
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

// groupPostings sorts the hits by stem.
func (x *Index) groupPostings() {
	end := int32(0)
	for id, n := range x.counts { // from here on, last is where the stem's next posting goes
		x.last[id] = end
		end += n
	}
	x.postings = resizeSlice(x.postings, len(x.hits))
	for _, h := range x.hits {
		x.postings[x.last[h.id]] = h.sentence
		x.last[h.id]++
	}
}

// weighStems gives each stem its inverse document frequency over the source sentences, ln(1 + N/(1+df)), as a share of what a
// stem that no sentence holds would have. A number counts fully: a wrong one is wrong however often it occurs.
func (x *Index) weighStems() {
	n := float64(len(x.sentences))
	most := math.Log(1 + n)
	for id := range x.weights {
		x.weights[id] = 1
		if x.counts[id] > 0 && !x.isFigure[id] {
			x.weights[id] = math.Log(1+n/float64(1+x.counts[id])) / most
		}
	}
}

// isListNumber reports the "1" of a list item: it stands at the start of a line and a full stop or bracket follows.
func isListNumber(s string, t *text.Token) bool {
	before := strings.TrimRight(s[:t.Start], " \t#*>")
	after := s[t.End:]
	return (before == "" || before[len(before)-1] == '\n') && len(after) > 1 && (after[0] == '.' || after[0] == ')') &&
		(after[1] == ' ' || after[1] == '\t')
}

// resizeSlice returns s with n elements, whatever they hold.
func resizeSlice[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/2)
	}
	return s[:n]
}
