package tune

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"confab/calibration"
	"confab/calibration/measure"
	"confab/detectors"
	"confab/internal/model"
)

// priorCSV has the scores of labelled public answers, without their texts: calibration/lab/calibrate.py.
//
//go:embed prior.csv
var priorCSV string

// prior is what is known of a detector's scores before any label: those of public answers.
type prior struct {
	names []string // of the detectors
	rows  []priorRow
	at    detectors.Thresholds // for which the scores were measured: those of the embedded calibration
}

// priorRow are rows with equal scores.
type priorRow struct {
	set    string
	wrong  bool
	scores []float64 // by detector; NaN where it could not measure
	weight float64
}

// families are detectors whose scores depend on each other. Of different families they are taken as independent: of fine answers
// grounding and citation, too, whose rare joint alarms few public answers cannot count.
func families(wrong bool) [][]string {
	all := [][]string{{"technical"}, {"schema"}, {"confidence", "consistency"}}
	if wrong {
		return append(all, []string{"grounding", "facts", "citation"}, []string{"tools"}, []string{"conversation"})
	}
	return append(all, []string{"grounding", "facts"}, []string{"citation"}, []string{"tools"}, []string{"conversation"})
}

// isFused reports whether the fusion of the standard suite reads the detector.
func isFused(detector string) bool {
	return slices.Contains([]string{"citation", "grounding", "facts", "confidence"}, detector)
}

// provesFaults reports whether low scores of the detector say nothing.
func provesFaults(detector string) bool {
	return slices.Contains([]string{"citation", "facts", "technical", "schema", "tools", "conversation"}, detector)
}

// embeddedPrior is the table of this binary.
func embeddedPrior() (*prior, error) {
	at, err := calibration.Default()
	if err != nil {
		return nil, err
	}
	lines, err := csv.NewReader(strings.NewReader(priorCSV)).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("tune: prior: %w", err)
	}
	const before = 2 // columns
	last := len(lines[0]) - 1
	p := &prior{names: lines[0][before:last], at: at}
	for _, cells := range lines[1:] {
		r := priorRow{set: cells[0], wrong: cells[1] == "1"}
		for _, cell := range cells[before:last] {
			score, err := strconv.ParseFloat(cell, 64)
			if err != nil {
				score = math.NaN()
			}
			r.scores = append(r.scores, score)
		}
		r.weight, _ = strconv.ParseFloat(cells[last], 64)
		p.rows = append(p.rows, r)
	}
	return p, nil
}

// today is how sets of answers in the style of today are named.
const today = "modern/"

// pool are the rows that all of the detectors measured, by scores, each with the share of the weight up to it.
func (p *prior) pool(names []string, wrong bool) (rows []priorRow) {
	total := map[string]float64{}
	for _, r := range p.rows {
		scores := make([]float64, len(names))
		for i, name := range names {
			scores[i] = math.NaN()
			if at := slices.Index(p.names, name); at >= 0 {
				scores[i] = r.scores[at]
			}
		}
		if r.wrong != wrong || slices.ContainsFunc(scores, math.IsNaN) {
			continue
		}
		rows = append(rows, priorRow{r.set, wrong, scores, r.weight})
		total[r.set] += r.weight
	}
	sum := 0.0
	for i := range rows {
		r := &rows[i]
		if n := total[r.set]; strings.HasPrefix(r.set, today) {
			r.weight *= todayWeight
		} else {
			r.weight *= min(1, mostRows/n)
		}
		sum += r.weight
	}
	slices.SortStableFunc(rows, func(a, b priorRow) int { return slices.Compare(a.scores, b.scores) })
	below := 0.0
	for i := range rows {
		below += rows[i].weight / sum
		rows[i].weight = below
	}
	return rows
}

// An older set counts for mostRows answers, and each answer in the style of today for todayWeight, so that both kinds weigh about the same.
const (
	mostRows    = 200
	todayWeight = 2
)

// atoms is how many answers stand for the prior of a class.
const atoms = 400

// compose returns answers that look like the covered ones (same keys, same detectors that could measure) with the scores of public
// answers that are wrong, or right. anchor gives the thresholds around which the scores are centred.
func (p *prior) compose(covered []measure.Row, wrong bool, anchor detectors.Thresholds) []measure.Row {
	c := composer{p, wrong, anchor, map[string][]priorRow{}}
	out := make([]measure.Row, atoms)
	for k := range out {
		out[k] = c.answer(&covered[(2*k+1)*len(covered)/(2*atoms)], k)
	}
	return out
}

type composer struct {
	*prior
	wrong  bool
	anchor detectors.Thresholds
	pools  map[string][]priorRow // by detectors
}

// answer is the k-th composed answer.
func (c *composer) answer(like *measure.Row, k int) measure.Row {
	r := measure.Row{Tenant: like.Tenant, Operation: like.Operation, Model: like.Model, Positive: c.wrong, Weight: 1, Fused: math.NaN()}
	scores := map[string]float64{}
	all := families(c.wrong)
	for f, family := range all {
		names := measuredBy(like, family)
		for i, score := range c.draw(names, evenly(k, f)) {
			scores[names[i]] = c.centred(like, names[i], score)
		}
	}
	c.addUnknown(scores, like, evenly(k, len(all)))
	for _, s := range like.Signals {
		if score, has := scores[s.Detector]; has && s.HasScore {
			r.Signals = append(r.Signals, measure.Signal{Detector: s.Detector, Score: score, HasScore: true})
		}
	}
	r.FuseScores(isFused)
	return r
}

func measuredBy(r *measure.Row, family []string) (names []string) {
	for _, name := range family {
		if slices.ContainsFunc(r.Signals, func(s measure.Signal) bool { return s.Detector == name && s.HasScore }) {
			names = append(names, name)
		}
	}
	return names
}

// draw are the scores at that share of the public answers; nil if none measured these detectors.
func (c *composer) draw(names []string, share float64) []float64 {
	key := strings.Join(names, "+")
	pool, known := c.pools[key]
	if !known {
		pool = c.pool(names, c.wrong)
		c.pools[key] = pool
	}
	if len(names) == 0 || len(pool) == 0 {
		return nil
	}
	at := sort.Search(len(pool)-1, func(i int) bool { return pool[i].weight > share })
	return pool[at].scores
}

// centred moves a score so that the threshold at which labels start does what the embedded one does on public answers.
func (c *composer) centred(like *measure.Row, detector string, score float64) float64 {
	at, _ := c.at.Threshold(detector, "", "", "")
	to, _ := c.anchor.Threshold(detector, like.Tenant, like.Operation, like.Model)
	if at == to || score <= 0 || score >= 1 || at <= 0 || at >= 1 || to <= 0 || to >= 1 {
		return score
	}
	return model.Logistic(model.Logit(score) + model.Logit(to) - model.Logit(at))
}

// What is assumed of a detector that no public answer was measured by: the shares that reach the threshold in force.
const (
	unknownAlarms = 0.03 // of fine answers
	unknownFound  = 0.3  // of wrong ones
)

// addUnknown gives a score to detectors without public answers: a share of them reaches the threshold, and ever more a lower one.
func (c *composer) addUnknown(scores map[string]float64, like *measure.Row, share float64) {
	reach := unknownAlarms
	if c.wrong {
		reach = unknownFound
	}
	for _, s := range like.Signals {
		if _, known := scores[s.Detector]; s.HasScore && !known {
			at, _ := c.anchor.Threshold(s.Detector, like.Tenant, like.Operation, like.Model)
			scores[s.Detector] = min(1, at*math.Log(1-share)/math.Log(reach))
		}
	}
}
