package evidence

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"confab/internal/text"
	"confab/internal/text/figures"
	"confab/internal/text/units"
)

// Meter counts work; see detectors.Work.
type Meter interface{ Spend(n int) bool }

// Prepared is a text with its tokens, units and figures.
type Prepared struct {
	Text    string
	Tokens  []text.Token
	Units   *units.List
	Figures []figures.Figure
}

// Input is what an index is made of.
type Input struct {
	Answer  Prepared
	Sources []Prepared
	Turns   []string // of the user; the last one is the question
	Mode    text.MatchMode
	Tokens  *text.Tokenizer
	Work    Meter
}

// Place is an occurrence of a term in the evidence.
type Place struct{ Unit, Term int32 }

// Entry is what the evidence has of one term of the answer.
type Entry struct {
	Units   int32      // that hold the term
	Sources uint64     // bit set of the sources that hold it; source 63 and later share the last bit
	Level   float32    // how well the term is supported: 1, or soft for another form of the word; 0 if no text has it
	Places  text.Range // into Index.Places
	Name    bool       // a source writes it with a capital letter within a sentence
	Asked   bool       // the question has it
}

// soft is the level of a word whose first five letters alone are in the evidence.
const soft = 0.85

// Index holds the terms of an answer and where the evidence has them.
type Index struct {
	Answer   Side
	Evidence Side
	Entries  []Entry // by Term.ID
	Places   []Place // of each entry, in order of the evidence
	Records  int     // rows and records among the units
	Sources  int     // number of sources

	ids, words, prefixes vocabulary
	forms                []int16     // by number of a term: the next one whose first letters are the same, in a ring
	grams                vocabulary  // word sequences of the answer
	known                []bool      // by their number: the evidence has it
	wordKnown            []bool      // by number of the word
	idOf                 []int16     // by number of the word: its term, -1 if it has none or is a figure
	sequences            []sequences // by term of the answer
	rarities             []float64   // by term, 0 where it was not needed so far
	found, foundSoft     []occurrence
	asked                []int16 // terms of the question
	reader               reader
}

// sequences are the word sequences that begin at a term of the answer, as indexes into Index.known, -1 for none.
type sequences struct {
	pair, triple int32
	content      int32 // with the next content word, in either order
	word         int16 // number of the word alone
}

type occurrence struct {
	id int16
	Place
}

// vocabulary numbers hashes, in a table with open addressing; filter has a bit for each, to reject most others fast.
type vocabulary struct {
	slots  []slot
	n      int
	seed   uint64 // so that no text is made whose hashes meet
	filter [128]uint64
}

// slot is a hash with its number and 1, 0 if it is free.
type slot struct {
	hash   uint64
	number int32
}

// reset empties the vocabulary, for at most so many hashes.
func (v *vocabulary) reset(most int) {
	if v.seed == 0 {
		v.seed = rand.Uint64() | 1
	}
	v.slots = append(v.slots[:0], make([]slot, 1<<bits.Len(uint(2*most)))...)
	v.n, v.filter = 0, [128]uint64{}
}

// maxTerms is the largest number of different terms of an answer that are compared.
const maxTerms = 8000

// add is the number of the hash; -1 for a new one if there are limit already.
func (v *vocabulary) add(h uint64, limit int) int32 {
	s := v.slot(h)
	if s.number == 0 {
		if v.n >= limit {
			return -1
		}
		v.set(h, int32(v.n))
	}
	return s.number - 1
}

// set gives a new hash its number.
func (v *vocabulary) set(h uint64, n int32) {
	*v.slot(h) = slot{h, n + 1}
	v.n++
	v.filter[h>>6&127] |= 1 << (h & 63)
}

// find is the number of the hash, -1 for none.
func (v *vocabulary) find(h uint64) int32 {
	if v.filter[h>>6&127]>>(h&63)&1 == 0 {
		return -1
	}
	return v.slot(h).number - 1
}

// slot is where the hash is, or is to be.
func (v *vocabulary) slot(h uint64) *slot {
	for i := h * v.seed >> 32; ; i++ {
		if s := &v.slots[i&uint64(len(v.slots)-1)]; s.hash == h || s.number == 0 {
			return s
		}
	}
}

// Read makes the index of the input.
func (x *Index) Read(in Input) {
	x.reset(in)
	x.reader.read(&x.Answer, &in.Answer, 0)
	x.readContexts(&in.Answer)
	if n := len(in.Turns); n > 0 {
		x.reader.read(&x.Evidence, x.prepare(in.Turns[n-1], in.Tokens), -1)
	}
	x.readVocabulary(in.Answer.Text)
	x.readQuestion()
	x.Entries = append(x.Entries[:0], make([]Entry, x.ids.n)...)
	x.rarities = append(x.rarities[:0], make([]float64, x.ids.n)...)
	for _, t := range x.asked {
		x.Entries[t].Asked = true
	}
	for i := range in.Sources {
		if !in.Work.Spend(len(in.Sources[i].Tokens) * termWork) {
			return
		}
		x.readEvidence(&in.Sources[i], int32(i))
	}
	for _, t := range in.Turns {
		if !in.Work.Spend(len(t)) {
			return
		}
		x.readEvidence(x.prepare(t, in.Tokens), -1)
	}
	x.place()
}

// termWork is the work of one token, in units of 10 ns.
const termWork = 2

func (x *Index) reset(in Input) {
	x.Answer.reset()
	x.Evidence.reset()
	x.Entries, x.Places, x.known, x.sequences = x.Entries[:0], x.Places[:0], x.known[:0], x.sequences[:0]
	x.asked, x.forms = x.asked[:0], x.forms[:0]
	x.found, x.foundSoft = x.found[:0], x.foundSoft[:0]
	x.idOf = x.idOf[:0]
	x.Sources, x.Records, x.reader.mode = len(in.Sources), 0, in.Mode
}

// readContexts gives the units of the answer the terms of their lead-ins: those of the unit that has these tokens.
func (x *Index) readContexts(answer *Prepared) {
	for i := range x.Answer.Units {
		c := answer.Units.Units[i].Context
		if c.Len() <= 0 || int(c.Last) > len(answer.Tokens) {
			continue
		}
		start, end := answer.Tokens[c.First].Start, answer.Tokens[c.Last-1].End
		for j := i - 1; j >= 0; j-- {
			if u := &x.Answer.Units[j]; u.Start <= start && end <= u.End {
				x.Answer.Units[i].Context = u.Terms
				break
			}
		}
	}
}

// readVocabulary numbers the terms, words and word sequences of the answer.
func (x *Index) readVocabulary(answer string) {
	n := len(x.Answer.Terms)
	x.ids.reset(n + len(x.Evidence.Terms))
	x.words.reset(n)
	x.prefixes.reset(n)
	x.grams.reset(3 * n)
	x.sequences = append(x.sequences, make([]sequences, len(x.Answer.Terms))...)
	for i := range x.Answer.Units {
		terms := x.Answer.TermsOf(i)
		seq := x.sequences[x.Answer.Units[i].Terms.First:]
		before := -1 // the content word before
		for k := range terms {
			t := &terms[k]
			seq[k] = sequences{pair: -1, triple: -1, content: -1, word: x.word(t.Word)}
			if k > 0 {
				seq[k-1].pair = x.gram(mix(terms[k-1].Word, t.Word))
			}
			if k > 1 {
				seq[k-2].triple = x.gram(mix(mix(terms[k-2].Word, terms[k-1].Word), t.Word))
			}
			if t.Has(Stop) {
				continue
			}
			if t.ID = x.id(t.Key); seq[k].word >= 0 && !t.Has(Numeric) {
				x.idOf[seq[k].word] = t.ID
			}
			x.addForm(t, answer)
			if t.Has(Head) {
				continue
			}
			if before >= 0 {
				seq[before].content = x.gram(pairKey(terms[before].Key, t.Key))
			}
			before = k
		}
	}
	x.wordKnown = append(x.wordKnown[:0], make([]bool, x.words.n)...)
	x.known = append(x.known[:0], make([]bool, x.grams.n)...)
}

// word numbers a word of the answer.
func (x *Index) word(h uint64) int16 {
	n := x.words.add(h, maxTerms)
	if int(n) == len(x.idOf) {
		x.idOf = append(x.idOf, -1)
	}
	return int16(n)
}

func (x *Index) id(key uint64) int16 { return int16(x.ids.add(key, maxTerms)) }

// readQuestion numbers the terms of the question, so that the evidence is searched for them, too.
func (x *Index) readQuestion() {
	for i := range x.Evidence.Terms {
		if t := &x.Evidence.Terms[i]; !t.Has(Stop) {
			if id := x.id(t.Key); id >= 0 {
				x.asked = append(x.asked, id)
			}
		}
	}
	x.Evidence.reset()
}

// pairKey hashes an unordered pair.
func pairKey(a, b uint64) uint64 { return mix(min(a, b), max(a, b)) }

func (x *Index) gram(h uint64) int32 { return x.grams.add(h, math.MaxInt32) }

func (x *Index) markGram(h uint64) {
	if n := x.grams.find(h); n >= 0 {
		x.known[n] = true
	}
}

// maxForms is the largest number of words that count as forms of one word.
const maxForms = 8

// addForm puts the term into the ring of those that begin as it does, once.
func (x *Index) addForm(t *Term, s string) {
	if t.ID < 0 || int(t.ID) < len(x.forms) {
		return
	}
	x.forms = append(x.forms, t.ID)
	h := prefixKey(t, s)
	if h == 0 {
		return
	}
	first := x.prefixes.find(h)
	if first < 0 {
		x.prefixes.set(h, int32(t.ID))
		return
	}
	n := 1
	for id := x.forms[first]; int32(id) != first && n < maxForms; id = x.forms[id] {
		n++
	}
	if n < maxForms {
		x.forms[t.ID], x.forms[first] = x.forms[first], t.ID
	}
}

// findForms notes the place for other forms of the word than its own.
func (x *Index) findForms(first, own int16, place Place) {
	for id := first; ; {
		if id != own {
			x.foundSoft = append(x.foundSoft, occurrence{id, place})
		}
		if id = x.forms[id]; id == first {
			return
		}
	}
}

// prefixKey hashes the first five letters of a word of six letters or more; 0 for others.
func prefixKey(t *Term, s string) uint64 {
	if t.End-t.Start < 6 || t.Has(Numeric) {
		return 0
	}
	v := uint64(0)
	for _, c := range []byte(s[t.Start : t.Start+5]) {
		if c |= 0x20; c < 'a' || c > 'z' {
			return 0
		}
		v = v<<8 | uint64(c)
	}
	return mix(7, v)
}

// prepare reads a turn of the user. The result is valid until the next call.
func (x *Index) prepare(t string, tokenizer *text.Tokenizer) *Prepared {
	r := &x.reader
	r.sentences = text.AppendSentences(r.sentences[:0], t)
	r.turn.Text, r.turn.Tokens, r.turn.Units = t, tokenizer.Append(r.turn.Tokens[:0], t), &r.list
	r.ranges = text.AppendTokenRanges(r.ranges[:0], r.sentences, r.turn.Tokens)
	r.list.Reset()
	r.list.Source(t, r.sentences, r.ranges, r.turn.Tokens)
	r.turn.Figures = figures.Append(r.turn.Figures[:0], t, r.turn.Tokens)
	return &r.turn
}

func (x *Index) readEvidence(s *Prepared, source int32) {
	first := len(x.Evidence.Units)
	x.reader.read(&x.Evidence, s, source)
	for i := first; i < len(x.Evidence.Units); i++ {
		if f := x.Evidence.Units[i].Form; f == units.Row || f == units.Record {
			x.Records++
		}
		x.readTerms(int32(i), s.Text)
	}
}

// readTerms marks the words and word sequences of the answer that a unit has, and notes where it has its terms.
func (x *Index) readTerms(unit int32, s string) {
	first := x.Evidence.Units[unit].Terms.First
	terms := x.Evidence.TermsOf(int(unit))
	one, two := int32(-1), int32(-1) // the words before, if the answer has them
	before := -1                     // the content term before, likewise
	for k := range terms {
		t := &terms[k]
		w := x.words.find(t.Word)
		if w >= 0 {
			x.wordKnown[w] = true
			if one >= 0 {
				x.markGram(mix(terms[k-1].Word, t.Word))
				if two >= 0 {
					x.markGram(mix(mix(terms[k-2].Word, terms[k-1].Word), t.Word))
				}
			}
		}
		one, two = w, one
		if t.Has(Stop) {
			continue
		}
		if !x.findTerm(t, w, Place{unit, first + int32(k)}, s) {
			before = -1
			continue
		}
		if before >= 0 {
			x.markGram(pairKey(terms[before].Key, t.Key))
		}
		before = k
	}
}

// findTerm notes the place of a term of the answer, or of another form of one; w is the number of its word. It reports the former.
func (x *Index) findTerm(t *Term, w int32, place Place, s string) bool {
	if w >= 0 && !t.Has(Numeric) {
		t.ID = x.idOf[w]
	}
	if t.ID < 0 {
		t.ID = int16(x.ids.find(t.Key))
	}
	if t.ID < 0 {
		if h := prefixKey(t, s); h != 0 {
			if id := x.prefixes.find(h); id >= 0 {
				x.findForms(int16(id), -1, place)
			}
		}
		return false
	}
	e := &x.Entries[t.ID]
	e.Level = 1
	e.Name = e.Name || t.Has(Capital) && !t.Has(First)
	x.found = append(x.found, occurrence{t.ID, place})
	if int(t.ID) < len(x.forms) && x.forms[t.ID] != t.ID {
		x.findForms(t.ID, t.ID, place)
	}
	return true
}

// place sorts the occurrences by term. Of a term without any, other forms of the word count.
func (x *Index) place() {
	for _, o := range x.foundSoft {
		e := &x.Entries[o.id]
		if e.Level < 1 {
			e.Level = soft
			x.found = append(x.found, o)
			if t := &x.Evidence.Terms[o.Term]; t.ID < 0 {
				t.ID = o.id
			}
		}
	}
	for _, o := range x.found {
		x.Entries[o.id].Places.Last++
	}
	next := int32(0)
	for i := range x.Entries {
		r := &x.Entries[i].Places
		r.First, next = next, next+r.Last
		r.Last = r.First
	}
	x.Places = append(x.Places[:0], make([]Place, next)...)
	for _, o := range x.found {
		e := &x.Entries[o.id]
		if u := x.Evidence.Units[o.Unit].Source; u >= 0 {
			e.Sources |= 1 << min(u, 63)
		}
		if e.Places.Len() == 0 || x.Places[e.Places.Last-1].Unit != o.Unit {
			e.Units++
		}
		x.Places[e.Places.Last] = o.Place
		e.Places.Last++
	}
}

// Rarity is the logarithm of 1 and the units of the evidence for each one that holds the term.
func (x *Index) Rarity(id int16) float64 {
	if x.rarities[id] == 0 {
		x.rarities[id] = math.Log(1 + float64(len(x.Evidence.Units))/float64(max(x.Entries[id].Units, 1)))
	}
	return x.rarities[id]
}

// PlacesOf returns where the evidence has the term, in order of the evidence.
func (x *Index) PlacesOf(id int16) []Place {
	if id < 0 {
		return nil
	}
	r := x.Entries[id].Places
	return x.Places[r.First:r.Last]
}

// Known tells which word sequences of the answer that begin at its i-th term are in the evidence: the word alone, with the next
// one, with the next two, and with the next content word in either order.
type Known struct{ Word, Pair, Triple, Content bool }

// Known returns what is known of the i-th term of the answer.
func (x *Index) Known(i int32) (k Known) {
	s := &x.sequences[i]
	has := func(n int32) bool { return n >= 0 && x.known[n] }
	return Known{s.word >= 0 && x.wordKnown[s.word], has(s.pair), has(s.triple), has(s.content)}
}
