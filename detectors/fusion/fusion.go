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
	names := slices.Concat(fusedScores[:], fusionMeasures[:])
	for _, s := range shapeFeatures {
		names = append(names, s.name)
	}
	return names
}

// column is a number of the vector that a detector measures.
type column struct{ detector, measure string }

var columns = buildColumns() //nolint:gochecknoglobals // a read-only table

func buildColumns() (list []column) {
	for _, name := range slices.Concat(fusedScores[:], fusionMeasures[:]) {
		detector, measure, _ := strings.Cut(name, ".")
		list = append(list, column{detector, measure})
	}
	return list
}

// fusionScratch holds the vector of an evaluation, and a copy for some of its detectors.
type fusionScratch struct{ vector, part []float32 }

// Vector returns the feature vector of the evaluation, in the order of Features; NaN stands for what could not be measured.
// The vector belongs to the evaluation and is built on the first call, so that an interaction on which nothing fired never
// pays for it. It does not allocate in the steady state.
func Vector(e *detectors.Evaluation) []float32 { return scratchOf(e).vector }

func scratchOf(e *detectors.Evaluation) *fusionScratch {
	s, fresh := detectors.Scratch[fusionScratch](e.Document())
	if fresh {
		s.read(e)
	}
	return s
}

// vectorOf is Vector as if only the detectors of the set had measured.
func vectorOf(e *detectors.Evaluation, used detectors.DetectorSet) []float32 {
	s := scratchOf(e)
	measured, _ := e.FusedSets()
	s.part = append(s.part[:0], s.vector...)
	for out := uint64(measured &^ used); out != 0; out &= out - 1 {
		detector := e.Readings()[bits.TrailingZeros64(out)].Detector
		for i := range columns {
			if columns[i].detector == detector {
				s.part[i] = notMeasured
			}
		}
	}
	return s.part
}

func (s *fusionScratch) read(e *detectors.Evaluation) {
	s.vector = s.vector[:0]
	for _, c := range columns {
		s.vector = append(s.vector, c.of(e.Readings()))
	}
	for i := range shapeFeatures {
		s.vector = append(s.vector, float32(shapeFeatures[i].of(e.Document())))
	}
}

// of returns the number in the column. All of a detector that could not measure are missing, so that a partial count is not
// read as a measurement.
func (c column) of(readings []detectors.Reading) float32 {
	at := slices.IndexFunc(readings, func(r detectors.Reading) bool { return r.Detector == c.detector })
	if at < 0 || readings[at].Independent() {
		return notMeasured
	}
	score, ok := readings[at].Measured()
	if ok && c.measure == "score" {
		return float32(score)
	}
	for _, m := range readings[at].Finding.Measures {
		if ok && m.Name == c.measure && m.Value-m.Value == 0 {
			return float32(m.Value)
		}
	}
	return notMeasured
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
