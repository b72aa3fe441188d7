package fusion

import (
	"math"
	"math/bits"
	"slices"
	"strings"

	"confab/detectors"
	"confab/internal/model"
)

// New returns the fusion of the trees; nil for nil.
func New(t *model.Trees) detectors.Fusion {
	if t == nil {
		return nil
	}
	return treeFusion{t}
}

type treeFusion struct{ *model.Trees }

// LogOdds applies the trees to the vector of the evaluation without the other detectors' numbers.
func (t treeFusion) LogOdds(e *detectors.Evaluation, used detectors.DetectorSet) float64 {
	return t.Trees.LogOdds(vectorOf(e, used))
}

// fusedScores lists the scores of the vector. The columns of independent detectors (schema, technical) keep their place in
// fitted models and are always missing.
//
//nolint:gochecknoglobals // a read-only table
var fusedScores = [...]string{"citation.score", "grounding.score", "facts.score", "confidence.score", "schema.score", "technical.score"}

// fusionMeasures lists the measures of the vector: those that rank answers with equal scores.
//
//nolint:gochecknoglobals // a read-only table
var fusionMeasures = [...]string{
	"citation.mean_support",
	"citation.cited_sentences",
	"citation.unknown_citations",
	"grounding.mean_support",
	"grounding.worst_support",
	"grounding.ungrounded_claims",
	"grounding.missing_words",
	"grounding.longest_run",
	"facts.facts",
	"facts.unsupported_numbers",
	"facts.unsupported_dates",
	"facts.unsupported_names",
	"facts.weak_facts",
	"facts.contradicted_fields",
	"facts.missing_fields",
	"facts.worst",
	"confidence.z",
	"confidence.mean_z",
	"confidence.min_logprob",
	"technical.unknown_names",
	"technical.near_misses",
	"technical.malformed",
	"technical.not_in_context",
}

// fusionFeatures is the length of the vector.
const fusionFeatures = len(fusedScores) + len(fusionMeasures) + len(shapeFeatures)

// shapeFeatures describe the interaction: answers from a record's fields, long summaries and short replies fail in different
// ways. The name of an operation must not be a feature.
var shapeFeatures = [...]struct { //nolint:gochecknoglobals // a read-only table
	name string
	of   func(*detectors.Document) float64
}{
	{"answer.words", func(d *detectors.Document) float64 { return float64(len(d.Tokens())) }},
	{"answer.claims", func(d *detectors.Document) float64 { return float64(len(d.Claims())) }},
	{"sources.count", func(d *detectors.Document) float64 { return float64(d.Sources()) }},
	{"sources.bytes", sourceBytes},
	{"sources.records", recordShare},
	{"prompt.question", asksQuestion},
	{"prompt.turns", func(d *detectors.Document) float64 { return float64(d.Interaction().Turns()) }},
}

// Features returns the names of the features, in the order of Vector: the detectors' scores, their measures, and the shape
// of the interaction. The name of a model, an operation or a tenant is not a feature.
func Features() []string {
	names := make([]string, 0, fusionFeatures)
	names = append(names, fusedScores[:]...)
	names = append(names, fusionMeasures[:]...)
	for _, s := range shapeFeatures {
		names = append(names, s.name)
	}
	return names
}

// fusionColumns are the positions of one detector's numbers in the vector.
type fusionColumns struct {
	score    int // -1 for a detector without one
	measures []fusionColumn
}

type fusionColumn struct {
	measure string
	at      int
}

// columnsOf maps a detector to its columns.
var columnsOf = buildColumns() //nolint:gochecknoglobals // a read-only table

func buildColumns() map[string]*fusionColumns {
	all := map[string]*fusionColumns{}
	for i, name := range Features() {
		detector, measure, _ := strings.Cut(name, ".")
		c := all[detector]
		if c == nil {
			c = &fusionColumns{score: -1}
			all[detector] = c
		}
		if measure == "score" {
			c.score = i
		} else {
			c.measures = append(c.measures, fusionColumn{measure, i})
		}
	}
	return all
}

// fusionScratch holds the vector of an evaluation, and a copy for some of its detectors.
type fusionScratch struct{ vector, part []float32 }

// Vector returns the feature vector of the evaluation, in the order of Features; NaN stands for what could not be measured.
// The vector belongs to the evaluation and is built on the first call, so that an interaction on which nothing fired never
// pays for it. It does not allocate in the steady state.
func Vector(e *detectors.Evaluation) []float32 { return scratchOf(e).vector }

func scratchOf(e *detectors.Evaluation) *fusionScratch {
	doc := e.Document()
	s, fresh := detectors.Scratch[fusionScratch](doc)
	if fresh {
		s.read(e, doc)
	}
	return s
}

// vectorOf is Vector as if only the detectors of the set had measured.
func vectorOf(e *detectors.Evaluation, used detectors.DetectorSet) []float32 {
	s := scratchOf(e)
	measured, _ := e.FusedSets()
	if measured&^used == 0 {
		return s.vector
	}
	s.part = append(s.part[:0], s.vector...)
	readings := e.Readings()
	for out := uint64(measured &^ used); out != 0; out &= out - 1 {
		Without(s.part, readings[bits.TrailingZeros64(out)].Detector)
	}
	return s.part
}

// Without removes the detector's numbers from a vector.
func Without(vector []float32, detector string) {
	c := columnsOf[detector]
	if c == nil {
		return
	}
	if c.score >= 0 {
		vector[c.score] = notMeasured
	}
	for _, m := range c.measures {
		vector[m.at] = notMeasured
	}
}

func (s *fusionScratch) read(e *detectors.Evaluation, doc *detectors.Document) {
	n := fusionFeatures
	s.vector = slices.Grow(s.vector[:0], n)[:n]
	for i := range s.vector {
		s.vector[i] = notMeasured
	}
	readings := e.Readings()
	for i := range readings {
		if c := columnsOf[readings[i].Detector]; c != nil && !readings[i].Independent() {
			c.fill(s.vector, &readings[i])
		}
	}
	first := n - len(shapeFeatures)
	for i := range shapeFeatures {
		s.vector[first+i] = float32(shapeFeatures[i].of(doc))
	}
}

// fill writes the numbers of the reading. All columns of a detector that could not measure stay NaN, so that a partial count
// is not read as a measurement.
func (c *fusionColumns) fill(vector []float32, r *detectors.Reading) {
	score, ok := r.Measured()
	if !ok {
		return
	}
	if c.score >= 0 {
		vector[c.score] = float32(score)
	}
	for _, m := range r.Finding.Measures {
		for _, column := range c.measures {
			if column.measure == m.Name && m.Value-m.Value == 0 {
				vector[column.at] = float32(m.Value)
			}
		}
	}
}

var notMeasured = float32(math.NaN()) //nolint:gochecknoglobals // Go has no constant NaN

func sourceBytes(d *detectors.Document) float64 {
	n := 0
	for i := range d.Sources() {
		n += len(d.Source(i))
	}
	return float64(n)
}

// recordShare returns the share of the sources that look like JSON objects or lists of them.
func recordShare(d *detectors.Document) float64 {
	if d.Sources() == 0 {
		return math.NaN()
	}
	n := 0
	for i := range d.Sources() {
		s := strings.TrimLeft(d.Source(i), " \t\r\n[")
		if strings.HasPrefix(s, "{") {
			n++
		}
	}
	return float64(n) / float64(d.Sources())
}

// asksQuestion returns 1 when the last message, without sources, contains a question mark, NaN without messages.
func asksQuestion(d *detectors.Document) float64 {
	if len(d.Interaction().Messages) == 0 {
		return math.NaN()
	}
	before, after := d.Interaction().Question()
	for _, mark := range [...]string{"?", "？", "؟"} {
		if strings.Contains(before, mark) || strings.Contains(after, mark) {
			return 1
		}
	}
	return 0
}
