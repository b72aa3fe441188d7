package facts

import (
	"confab/detectors"
	texts "confab/internal/evidence"
	"confab/internal/text"
	"confab/internal/text/figurematch"
	"confab/internal/text/figures"
	"confab/internal/text/units"
)

// word is a word of a text, or a figure of one or more tokens.
type word struct {
	stem, hash uint64
	start, end int32
	id         int32 // of the answer: number of the stem, -1 if no source has it
	figure     int32 // index into side.figures, -1 for a word
	flags      text.Flags
	head       bool // of a header or the path of a field: context, not part of what is said
	name       bool // written with a capital letter or a digit
}

// content reports a word that says something.
func (w *word) content() bool {
	return w.figure >= 0 || w.flags&(text.Stop|text.Negation|text.ForeignNegation) == 0
}

// piece is a unit of a text.
type piece struct {
	first, last     int32 // words, half open
	firstID, lastID int32 // of a source: its stems in evidence.ofUnits
	start, end      int32 // bytes of the text
	source          int32
	form            units.Form
	kind            units.Kind
	led             bool // under a heading or lead-in, which may turn its sense
}

// side holds the words and units of texts of one kind: the answer, the sources or what the user wrote.
type side struct {
	texts   []string
	words   []word
	figures []figures.Figure
	pieces  []piece
	records int // pieces that are records or rows

	tokens []text.Token // scratch
	found  []figures.Figure
	list   units.List
	spans  []text.Span
	ranges []text.Range
}

func (s *side) reset() {
	s.texts, s.words, s.figures, s.pieces = s.texts[:0], s.words[:0], s.figures[:0], s.pieces[:0]
	s.records = 0
}

func (s *side) of(p *piece) []word { return s.words[p.first:p.last] }

// in is the text of a word of the unit.
func (s *side) in(p *piece, w *word) string { return s.texts[p.source][w.start:w.end] }

// evidence is one answer with all that it can be held against.
type evidence struct {
	doc        *detectors.Document
	answer     side
	sources    side
	user       side
	stems      map[uint64]int32 // ids of the stems of the answer
	filter     [64]uint64       // a bit for each of them
	count      []int32          // by id: how many source units have it
	mark       []int32          // by id: the claim, and 1, whose words were marked last
	seen       []int32          // by id: the unit, and 1, of which it was seen last
	ofUnits    []int32          // ids of the stems of the source units, each once
	bestOf     int32            // the claim, and 1, of best
	repeatsOf  int32            // the claim, and 1, of repeats
	repeatList []repeat
	asked      map[uint64]bool // stems of what the user wrote
	known      []support       // by figure of the answer
	grid       alignment
	best       []candidate
	slots      []slot
	found      []Verdict
	searched   int // figures for which a calculation was searched
	ids        []identifier
	idsMade    bool
	operands
}

func (e *evidence) reset(d *detectors.Document) {
	e.doc, e.idsMade = d, false
	e.answer.reset()
	e.sources.reset()
	e.user.reset()
	if e.stems == nil {
		e.stems, e.asked = map[uint64]int32{}, map[uint64]bool{}
	}
	clear(e.stems)
	e.bestOf, e.repeatsOf, e.grouped, e.searched = 0, 0, false, 0
	clear(e.asked)
	t := d.Texts()
	e.answer.add(&t.Answer)
	for i := range t.Sources {
		d.Work().Spend(len(t.Sources[i].Tokens))
		e.sources.add(&t.Sources[i])
	}
	messages := d.Interaction().Messages
	for i := range messages {
		if messages[i].Role == "assistant" || messages[i].Role == "tool" {
			continue
		}
		before, after := messages[i].Instructions()
		e.user.read(d, before)
		e.user.read(d, after)
	}
	e.numberStems()
	for i := range e.user.words {
		e.asked[e.user.words[i].stem] = true
	}
	e.known = append(e.known[:0], make([]support, len(e.answer.figures))...)
}

// numberStems numbers the stems of the answer that the sources have, and counts the source units that have them.
func (e *evidence) numberStems() {
	e.count, e.seen, e.ofUnits, e.filter = e.count[:0], e.seen[:0], e.ofUnits[:0], [64]uint64{}
	for i := range e.answer.words {
		w := &e.answer.words[i]
		if w.id = -1; w.figure >= 0 {
			continue
		}
		id, ok := e.stems[w.stem]
		if !ok {
			id = int32(len(e.count))
			e.stems[w.stem] = id
			e.filter[w.stem>>6&63] |= 1 << (w.stem & 63)
			e.count, e.seen = append(e.count, 0), append(e.seen, 0)
		}
		w.id = id
	}
	e.countStems()
	e.mark = append(e.mark[:0], e.count...)
	clear(e.mark)
	for i := range e.answer.words {
		if w := &e.answer.words[i]; w.id >= 0 && e.count[w.id] == 0 {
			w.id = -1
		}
	}
}

// countStems counts the source units that have each stem, and lists the stems of each unit.
func (e *evidence) countStems() {
	for i := range e.sources.pieces {
		p := &e.sources.pieces[i]
		p.firstID = int32(len(e.ofUnits))
		list := e.sources.of(p)
		for k := range list {
			w := &list[k]
			if w.figure >= 0 || e.filter[w.stem>>6&63]>>(w.stem&63)&1 == 0 {
				continue
			}
			if id, ok := e.stems[w.stem]; ok && e.seen[id] != int32(i)+1 {
				e.seen[id] = int32(i) + 1
				e.count[id]++
				e.ofUnits = append(e.ofUnits, id)
			}
		}
		p.lastID = int32(len(e.ofUnits))
	}
}

// units is the number of source units that have the stem.
func (e *evidence) units(id int32) int32 {
	if id < 0 {
		return 0
	}
	return e.count[id]
}

// read adds a turn of the user.
func (s *side) read(d *detectors.Document, content string) {
	d.Work().Spend(2 * len(content))
	s.spans = text.AppendSentences(s.spans[:0], content)
	s.tokens = d.Tokenizer().Append(s.tokens[:0], content)
	s.ranges = text.AppendTokenRanges(s.ranges[:0], s.spans, s.tokens)
	s.list.Reset()
	s.list.Source(content, s.spans, s.ranges, s.tokens)
	s.found = figures.Append(s.found[:0], content, s.tokens)
	s.add(&texts.Prepared{Text: content, Tokens: s.tokens, Units: &s.list, Figures: s.found})
}

// add adds the words of a text.
func (s *side) add(t *texts.Prepared) {
	first := len(s.figures)
	s.texts, s.figures = append(s.texts, t.Text), append(s.figures, t.Figures...)
	for i := range t.Units.Units {
		u := &t.Units.Units[i]
		p := piece{first: int32(len(s.words)), start: u.Start, end: u.End, source: int32(len(s.texts) - 1), form: u.Form, kind: u.Kind, led: u.Context.Len() > 0}
		for _, r := range t.Units.RunsOf(i) {
			s.addRun(t.Text, t.Tokens, r, first)
		}
		p.last = int32(len(s.words))
		if p.form == units.Row || p.form == units.Record {
			s.records++
			s.nameUnits(&p)
		}
		s.pieces = append(s.pieces, p)
	}
}

// nameUnits gives figures without a unit that of the name of their field: "weight_kg", "Price (EUR)".
func (s *side) nameUnits(p *piece) {
	var unit figures.Unit
	for i := p.first; i < p.last; i++ {
		w := &s.words[i]
		switch {
		case w.head:
			unit, _ = figures.UnitNamed(&text.Token{Hash: w.hash})
		case w.figure >= 0 && unit.Dimension != figures.None && s.figures[w.figure].Kind == figures.Count && s.figures[w.figure].Unit.Dimension == figures.None:
			s.figures[w.figure].Unit = unit
			if unit.Dimension >= figures.Dollar && unit.Dimension <= figures.Ruble {
				s.figures[w.figure].Kind = figures.Money
			}
		}
	}
}

func (s *side) addRun(content string, tokens []text.Token, r units.Run, base int) {
	found := base
	for t := r.First; t < r.Last; t++ {
		token := &tokens[t]
		if token.Has(text.Marker) {
			continue
		}
		w := word{stem: token.Stem, hash: token.Hash, start: token.Start, end: token.End, figure: -1, flags: token.Flags, head: r.Head}
		for found < len(s.figures) && s.figures[found].First < t {
			found++
		}
		if found < len(s.figures) && s.figures[found].First == t && isValue(&s.figures[found]) {
			f := &s.figures[found]
			w.figure, w.start, w.end = int32(found), f.Start, f.End
			if f.Last-1 > t {
				t = f.Last - 1
				w.stem ^= uint64(w.end - w.start) // "28 May" is not "28"
			}
		}
		w.name = texts.IsCapital(content[w.start:w.end])
		s.words = append(s.words, w)
	}
}

// isValue reports a figure that is compared: not the number of a step, not the "one" of "one of them".
func isValue(f *figures.Figure) bool {
	return f.Kind != figures.Label && !(f.Spelled && (f.Kind == figures.Ordinal || f.Value == 1 && f.Unit.Dimension == figures.None))
}

// support says what supports a figure of the answer.
type support uint8

const (
	unknown support = iota
	absent
	derived // it follows from figures that a source or the user has
	stated  // a source or the user has it
)

// holds says what supports the figure of the answer.
func (e *evidence) holds(i int32) support {
	if e.known[i] != unknown {
		return e.known[i]
	}
	f := &e.answer.figures[i]
	e.known[i] = absent
	e.doc.Work().Spend(len(e.sources.figures) + len(e.user.figures))
	switch {
	case isAmong(f, e.sources.figures), isAmong(f, e.user.figures):
		e.known[i] = stated
	case e.searched >= maxFigures:
		e.known[i] = derived // not searched: not accused
	default:
		if e.searched++; e.isDerived(i) {
			e.known[i] = derived
		}
	}
	return e.known[i]
}

// isScaled reports a figure of a table in thousands or millions.
func isScaled(f, g *figures.Figure) bool {
	return g.Kind <= figures.Money && g.Kind != figures.Percent && (fits(f, g.Value*1e3) || fits(f, g.Value*1e6))
}

func isAmong(f *figures.Figure, list []figures.Figure) bool {
	for i := range list {
		if figurematch.Compare(f, &list[i]) >= figurematch.SameValue || f.Scaled && isScaled(f, &list[i]) {
			return true
		}
	}
	return false
}
