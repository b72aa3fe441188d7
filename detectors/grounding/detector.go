package grounding

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"confab/detectors"
	"confab/internal/evidence"
	"confab/internal/model"
	"confab/internal/text/figurematch"
	"confab/schemas"
)

// Name is the detector's name in flags, metrics and the configuration.
const Name = "grounding"

// Model is the learned part: the log-odds that a claim is faulty, and the map of an answer's score to a probability at an even
// prior.
type Model struct {
	Trees   *model.Trees `json:"trees"`
	Scale   float64      `json:"scale"`
	Shift   float64      `json:"shift"`
	Typical []float32    `json:"typical"` // by column: the median of claims of fine answers
}

// Check returns an error when the model cannot be applied.
func (m *Model) Check() error {
	if m.Trees == nil {
		return errors.New("the model of claims has no trees")
	}
	if !(m.Scale > 0) || m.Shift-m.Shift != 0 {
		return errors.New("the model of claims needs a positive scale and a finite shift")
	}
	if len(m.Typical) != int(columnsN) {
		return fmt.Errorf("the model of claims has %d typical values for %d columns", len(m.Typical), columnsN)
	}
	if err := m.Trees.Check(ColumnNames()); err != nil {
		return err
	}
	if model.NewForest(m.Trees) == nil {
		return errors.New("the trees of claims have more than six levels")
	}
	return nil
}

// Options configures the detector. It has none.
type Options struct{}

// groundingDetector ranks answers by how their claims meet the evidence. The score is the probability, at an even prior, that
// a claim of the answer is wrong. It tells how such claims look, not what is wrong: the rules of facts do that.
type groundingDetector struct {
	forest       *model.Forest
	scale, shift float64
	typical      []float32
}

// New builds the detector. Without a model the score is the largest share of a claim that no evidence has.
func New(_ Options, m *Model) (detectors.Detector, error) {
	if m == nil {
		return &groundingDetector{}, nil
	}
	if err := m.Check(); err != nil {
		return nil, err
	}
	return &groundingDetector{model.NewForest(m.Trees), m.Scale, m.Shift, m.Typical}, nil
}

const (
	reasonToolRecords = "sources are data of tools"
	reasonUngrounded  = "claims of the answer do not meet the sources as right claims do"

	// listedFrom is the probability from which a claim is listed as ungrounded; the worst one always is.
	listedFrom = 0.5
)

// Detect measures claims, ungrounded_claims, worst_support and mean_support (the share, 0 to 1, of a claim's weight that its
// best unit of evidence has). Of an answer that only abstains it measures question_in_sources.
func (g *groundingDetector) Detect(_ context.Context, doc *detectors.Document) (detectors.Finding, error) {
	why := doc.Uncheckable()
	if why == "" && doc.OnlyToolRecords() {
		why = reasonToolRecords
	}
	if why != "" {
		f := detectors.Finding{NotCheckable: why}
		if why == detectors.ReasonAbstains {
			f.Measures = doc.Measures(detectors.Measure{Name: "question_in_sources", Value: questionInSources(doc)})
		}
		return f, nil
	}
	p, _ := detectors.Scratch[pass](doc)
	p.measure(doc)
	g.judge(p)
	unread := p.unread + p.dropUnread(doc)
	if unread > 0 && len(p.rows) == 0 {
		p.keepOne()
		g.judge(p)
	}
	if doc.Work().Ended() != "" {
		return detectors.Finding{}, nil
	}
	if len(p.rows) == 0 {
		why := detectors.ReasonNoClaims
		if unread > 0 {
			why = detectors.ReasonTruncated
		}
		return detectors.Finding{NotCheckable: why, Truncated: unread > 0}, nil
	}
	return g.finding(doc, p, unread), nil
}

// judge gives each claim its log-odds.
func (g *groundingDetector) judge(p *pass) {
	for i := range p.rows {
		r := &p.rows[i]
		if g.forest == nil {
			r.logOdds = model.Logit(1 - float64(r.values[cov1]))
			continue
		}
		r.logOdds = g.forest.LogOdds(r.values[:])
	}
}

// dropUnread removes the claims that look faulty and whose support may lie in text of the sources that is not read, and returns
// their number.
func (p *pass) dropUnread(doc *detectors.Document) int {
	n := len(p.rows)
	if doc.SourcesTruncated() {
		p.rows = slices.DeleteFunc(p.rows, row.isListed)
	}
	return n - len(p.rows)
}

func (r row) isListed() bool { return model.Logistic(r.logOdds) >= listedFrom }

// score is the probability of the answer: half the logarithm of the sum of the claims' squared odds, mapped.
func (g *groundingDetector) score(p *pass) float64 {
	sum := 0.0
	for i := range p.rows {
		sum += math.Exp(2 * min(p.rows[i].logOdds, 20))
	}
	answer := math.Log(sum) / 2
	if g.forest == nil {
		return model.Logistic(answer)
	}
	return model.Logistic(g.scale*answer + g.shift)
}

func (g *groundingDetector) finding(doc *detectors.Document, p *pass, unread int) detectors.Finding {
	score := g.score(p)
	worst, sum, listed := 1.0, float64(len(p.quoted)), 0
	for i := range p.rows {
		support := float64(p.rows[i].values[cov1])
		worst = min(worst, support)
		sum += support
		if p.rows[i].isListed() {
			listed++
		}
	}
	n := len(p.rows) + len(p.quoted)
	f := detectors.Finding{
		Score: score, Type: schemas.Factual, Reason: reasonUngrounded, Truncated: unread > 0,
		Measures: doc.Measures(
			detectors.Measure{Name: "claims", Value: float64(n)}, detectors.Measure{Name: "ungrounded_claims", Value: float64(listed)},
			detectors.Measure{Name: "worst_support", Value: worst}, detectors.Measure{Name: "mean_support", Value: sum / float64(n)},
		),
		Grounding: detectors.Grounding{Claims: n, Confidence: 1 - score, OverallSimilarity: sum / float64(n), UngroundedClaims: max(1, listed)},
	}
	if unread > 0 {
		f.Measures = doc.Measures(append(f.Measures, detectors.Measure{Name: "unread_claims", Value: float64(unread)})...)
	}
	var rows [detectors.MaxEvidence]detectors.Evidence
	var supports [detectors.MaxEvidence]detectors.Support
	shown, ungrounded := rows[:0], supports[:0]
	p.detector, f.Explain = g, p
	p.shown = p.worst(slices.Grow(p.shown[:0], detectors.MaxEvidence)[:0:detectors.MaxEvidence])
	for k, i := range p.shown {
		r := &p.rows[i]
		if k > 0 && !r.isListed() {
			break
		}
		shown = append(shown, r.evidence(doc))
		ungrounded = append(ungrounded, detectors.Support{Start: r.start, End: r.end, Similarity: float64(r.values[cov1])})
	}
	f.Evidence, f.Grounding.Ungrounded = doc.Evidence(shown...), doc.Supports(ungrounded...)
	return f
}

// worst appends the rows with the highest log-odds, highest first, up to the capacity of the list.
func (p *pass) worst(list []int) []int {
	for i := range p.rows {
		k := len(list)
		for k > 0 && p.rows[list[k-1]].logOdds < p.rows[i].logOdds {
			k--
		}
		if k == cap(list) {
			continue
		}
		if len(list) < cap(list) {
			list = list[:len(list)+1]
		}
		copy(list[k+1:], list[k:])
		list[k] = i
	}
	return list
}

// evidence pairs the claim with the unit that has most of it.
func (r *row) evidence(doc *detectors.Document) detectors.Evidence {
	e := detectors.Evidence{
		Start: r.start, End: r.end, Source: -1, SourceStart: schemas.NoPlace, SourceEnd: schemas.NoPlace,
		Similarity: float64(r.values[cov1]),
	}
	if r.source >= 0 && int(r.source) < doc.Sources() {
		e.Source, e.SourceStart, e.SourceEnd = int(r.source), int(r.sourceAt[0]), int(r.sourceAt[1])
	}
	return e
}

// Explain implements [detectors.Explainer].
func (p *pass) Explain(i int) (rule, note string) {
	const none, words = "no source has", 4
	r := &p.rows[p.shown[i]]
	rule, note = p.detector.explain(r)
	missing := p.missing(r.unit, words)
	switch {
	case len(missing) == 0:
		return rule, "the sources have its main words; " + note
	case strings.Contains(note, none):
		return rule, none + " " + strings.Join(missing, ", ")
	}
	return rule, none + " " + strings.Join(missing, ", ") + "; " + note
}

// missing quotes figures and names of a claim that no source has, then words that say something, at most so many.
func (p *pass) missing(unit, most int) (list []string) {
	last, tried := int16(-1), 0
	var words []string
	for _, t := range p.x.Answer.TermsOf(unit) {
		if t.ID == last || p.isFound(&t) || p.inTitle(&t) {
			continue
		}
		last = t.ID
		if w := p.doc.Text()[t.Start:t.End]; t.Has(evidence.Numeric) || t.Has(evidence.Capital) && !t.Has(evidence.First) {
			list = append(list, strconv.Quote(w))
		} else if len(words) < most && tried < 2*most && cuesOf(&t)&light == 0 { // each is searched in all sources
			if tried++; !p.hasKin(w) {
				words = append(words, strconv.Quote(w))
			}
		}
	}
	list = append(list, words...)
	return list[:min(len(list), most)]
}

// isFound reports a word that says nothing, or that a source has.
func (p *pass) isFound(t *evidence.Term) bool {
	return t.ID < 0 || t.Has(evidence.Stop|evidence.Head) || p.x.Entries[t.ID].Level > 0 ||
		t.Figure >= 0 && p.bestMatch(&p.x.Answer.Figures[t.Figure]) >= figurematch.Rounded
}

// inTitle reports a word of the title of a source, which is read as its name, not as evidence.
func (p *pass) inTitle(t *evidence.Term) bool {
	w := p.doc.Text()[t.Start:t.End]
	return !t.Has(evidence.Numeric) && slices.ContainsFunc(p.doc.Interaction().Sources, func(s schemas.Source) bool { return strings.Contains(s.Title, w) })
}

// hasKin reports whether the sources have the word within another: "life" in "lifetime".
func (p *pass) hasKin(w string) bool {
	const shortest, mostBytes = 4, 100_000
	for i := range p.doc.Sources() {
		if s := p.doc.Source(i); len(w) >= shortest && strings.Contains(strings.ToLower(s[:min(len(s), mostBytes)]), strings.ToLower(w)) {
			return true
		}
	}
	return false
}

// explain names the column that raises the claim's log-odds most against a typical right claim, and the kind of evidence that
// it belongs to. Sizes are no reasons, nor are citations of which no other source has more.
func (g *groundingDetector) explain(r *row) (expert, note string) {
	if g.forest == nil {
		return "", "much of it stands in no source"
	}
	note = "it differs from right claims in many small ways"
	most := 0.1
	for c := range columnsN {
		about := &columnTable[c]
		if r.values[c] == g.typical[c] || about.expert == "size" || citedGap <= c && c <= citedFigures && r.values[citedGap] <= 0 {
			continue
		}
		other := r.values
		other[c] = g.typical[c]
		if raise := r.logOdds - g.forest.LogOdds(other[:]); raise > most {
			expert, note, most = about.expert, about.says, raise
		}
	}
	return expert, note
}
