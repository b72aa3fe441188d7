package facts

import (
	"confab/detectors"
	index "confab/internal/evidence"
	"confab/internal/text"
	"confab/internal/text/figurematch"
	"confab/internal/text/figures"
)

// A word is a word or figure of a text, a piece one of its units.
type (
	word  = index.Term
	piece = index.Unit
)

// content reports a word that says something.
func content(w *word) bool { return w.Figure >= 0 || !w.Has(index.Stop|index.Negates) }

// led reports a unit under a heading or lead-in, which may turn its sense.
func led(p *piece) bool { return p.Context.Len() > 0 }

// side is a part of the index: the answer, the sources or the turns of the user.
type side struct {
	words   []word
	figures []index.Figure
	pieces  []piece
}

// of is the words of a unit of the answer or of a source.
func (s *side) of(p *piece) []word { return s.words[p.Terms.First:p.Terms.Last] }

// figure is the figure of a word of the answer or of a source.
func (s *side) figure(w *word) *figures.Figure { return &s.figures[w.Figure].Figure }

// evidence is one answer with all that it can be held against.
type evidence struct {
	doc     *detectors.Document
	x       *index.Index
	text    string           // of the answer
	listed  []figures.Figure // of the answer, in order
	answer  side
	sources side
	user    side
	known   []support // by figure of the answer
	adds    support   // a figure of the user that no source has, once that is asked

	changes     []index.Figure // of the sources, once they are asked for
	changesRead bool

	finder
	matched  int32 // the claim, and 1, of matches
	matches  []match
	slots    []slot
	before   []text.Token // a quote
	kept     []word       // of the claim and the units that it is aligned with
	to       []int32      // of the alignments of the claim
	table    []int32      // of one alignment
	found    []Verdict
	searched int // figures for which a calculation was searched
	compared int // pairs of figures
	ids      []identifier
	idsMade  bool
	operands
}

func (e *evidence) reset(d *detectors.Document) {
	t, x := d.Texts(), d.Index()
	e.doc, e.x, e.text, e.listed = d, x, t.Answer.Text, t.Answer.Figures
	e.answer = side{x.Answer.Terms, x.Answer.Figures, x.Answer.Units}
	n := len(x.Evidence.Units)
	for n > 0 && x.Evidence.Units[n-1].Source < 0 {
		n--
	}
	words, list := 0, 0
	if n > 0 {
		words, list = int(x.Evidence.Units[n-1].Terms.Last), int(x.Evidence.Units[n-1].Figures.Last)
	}
	e.sources = side{x.Evidence.Terms[:words], x.Evidence.Figures[:list], x.Evidence.Units[:n]}
	e.user = side{x.Evidence.Terms[words:], x.Evidence.Figures[list:], x.Evidence.Units[n:]}
	e.bestOf, e.matched, e.searched, e.compared = 0, 0, 0, 0
	e.idsMade, e.grouped, e.adds, e.changes, e.changesRead = false, false, unknown, e.changes[:0], false
	e.known = append(e.known[:0], make([]support, len(e.answer.figures))...)
	e.resetFinder()
}

// in is the text of a word of a source unit.
func (e *evidence) in(p *piece, w *word) string { return e.doc.Source(int(p.Source))[w.Start:w.End] }

// isKnown reports a word of the answer that a source or the user has.
func (e *evidence) isKnown(w *word) bool { return w.ID >= 0 && e.x.Entries[w.ID].Level > 0 }

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
	f := &e.answer.figures[i].Figure
	if e.compared > maxCompared { // not searched: not accused
		e.known[i] = derived
		return derived
	}
	e.known[i] = absent
	e.doc.Work().Spend(len(e.x.Evidence.Figures))
	e.compared += len(e.x.Evidence.Figures)
	switch {
	case isAmong(f, e.x.Evidence.Figures):
		e.known[i] = stated
	case e.searched >= maxFigures:
		e.known[i] = derived
	default:
		if e.searched++; e.isDerived(i) {
			e.known[i] = derived
		}
	}
	return e.known[i]
}

func isAmong(f *figures.Figure, list []index.Figure) bool {
	for i := range list {
		if supports(f, &list[i].Figure) {
			return true
		}
	}
	return false
}

func supports(f, g *figures.Figure) bool {
	isOther := g.Scaled && (f.Unit.Dimension == figures.Length && f.Value*1e6 == g.Value || f.Kind == figures.Count && f.Value*1e9 == g.Value) // the m of "1.5m" is read as metres, the class 7B as billions
	return figurematch.Compare(f, g) >= figurematch.SameValue || isOther
}
