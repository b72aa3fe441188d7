package sampling

import (
	"errors"
	"math"
	"slices"
	"strings"

	"confab/schemas"
)

// Triggers pick interactions that the cheap detectors, or the question, make worth a deeper look. Each is off at rate 0.
type Triggers struct {
	WeakRetrieval    WeakRetrieval    `yaml:",inline"`
	SpecificQuestion SpecificQuestion `yaml:",inline"`
}

// The grey zone is a band of the risk, from lowGrey up to highGrey: there a deeper look changes most verdicts.
const lowGrey, highGrey = 0.3, 0.7

// WeakRetrieval is a limit on what the sources give.
type WeakRetrieval struct {
	// Share of the answers that is sampled whose sources hold little of what they say: below one of the limits that follow.
	Rate float64 `yaml:"weak_retrieval" min:"0" max:"1"`
	// Mean support of the claims (grounding's overall_similarity) below which retrieval counts as weak. 0: support does not count.
	Support float64 `yaml:"weak_support" min:"0" max:"1"`
	// Number of sources below which retrieval counts as weak. 0: their number does not count.
	Sources int `yaml:"weak_sources" min:"0" max:"50"`
	// Score of the retriever, in its own unit, that the best source must reach, else retrieval counts as weak. Sources without a score do not count. 0: scores do not count.
	Score float64 `yaml:"weak_score"`
}

// SpecificQuestion has its rate only.
type SpecificQuestion struct {
	// Share of the answers to questions for a figure, a date, a person or a place, as English asks them, that is sampled.
	Rate float64 `yaml:"specific_question" min:"0" max:"1"`
}

// DefaultTriggers are all off; their limits are starting points.
func DefaultTriggers() Triggers {
	return Triggers{WeakRetrieval: WeakRetrieval{Support: 0.3}}
}

func (t *Triggers) check() []error {
	errs := []error{
		checkRate("sampling.triggers.weak_retrieval", t.WeakRetrieval.Rate),
		checkRate("sampling.triggers.specific_question", t.SpecificQuestion.Rate),
	}
	if w := &t.WeakRetrieval; w.Rate > 0 && w.Support == 0 && w.Sources == 0 && w.Score == 0 {
		errs = append(errs, errors.New("sampling.triggers.weak_retrieval has a rate and no limit: set weak_support, weak_sources or weak_score"))
	}
	return errs
}

// FastScores are results of the fast detectors; NaN where missing.
type FastScores struct {
	Risk    float64 // of the flag
	Support float64 // mean support of the claims by the sources
}

// NoFastScores has no results.
func NoFastScores() FastScores { return FastScores{math.NaN(), math.NaN()} }

// activeTriggers are Triggers with their shares.
type activeTriggers struct {
	Triggers
	weak, specific share64
}

func newTriggers(t Triggers) activeTriggers {
	return activeTriggers{
		Triggers: t,
		weak:     newShare(t.WeakRetrieval.Rate), specific: newShare(t.SpecificQuestion.Rate),
	}
}

// NeedsRisk reports whether a decision depends on the risk.
func (s *Sampler) NeedsRisk() bool {
	return s.judgeShare > 0 || s.verify == VerifyGrey
}

// bestScore is the highest score that the retriever gave to a source; NaN if it gave none.
func bestScore(sources []schemas.Source) float64 {
	best := math.NaN()
	for i := range sources {
		if s := sources[i].Score; s != 0 && !(s <= best) {
			best = s
		}
	}
	return best
}

// drawAll draws for every trigger that applies. Comparisons with NaN are false.
func (t *activeTriggers) drawAll(d *sampleDraw, in *schemas.Interaction, seen FastScores) {
	if w := &t.WeakRetrieval; t.weak.rate > 0 && (seen.Support < w.Support || len(in.Sources) < w.Sources || w.Score != 0 && bestScore(in.Sources) < w.Score) {
		d.drawFor(ReasonWeakRetrieval, 4, t.weak)
	}
	if t.specific.rate > 0 && asksForFacts(in.Messages) {
		d.drawFor(ReasonSpecificQuestion, 5, t.specific)
	}
}

// maxQuestion is the number of bytes read at the end of a message: long prompts end with the question.
const maxQuestion = 400

// Words that ask for a fact, alone or after "how" and "what".
var (
	factWords = []string{"when", "who", "whose", "whom", "where", "which"}      //nolint:gochecknoglobals // a read-only table
	howWords  = []string{"many", "much", "old", "long", "far", "tall", "often"} //nolint:gochecknoglobals // a read-only table
	whatWords = []string{                                                       //nolint:gochecknoglobals // a read-only table
		"year", "date", "day", "time", "number", "percentage", "percent", "price", "cost", "amount", "rate", "dose", "dosage",
		"name", "address", "city", "country", "limit", "deadline", "version",
	}
)

// asksForFacts reports whether the user's last message asks, in English, for a figure, a date, a person or a place. It
// does not allocate.
func asksForFacts(messages []schemas.Message) bool {
	for _, m := range slices.Backward(messages) {
		if strings.EqualFold(m.Role, "user") {
			before, after := m.Question()
			return factQuestion(before) || factQuestion(after)
		}
	}
	return false
}

func factQuestion(text string) bool {
	end := strings.LastIndexByte(text, '?')
	if end < 0 {
		return false
	}
	text = text[max(0, end-maxQuestion):end]
	if cut := strings.LastIndexAny(text, ".!?\n"); cut >= 0 { // the last sentence alone
		text = text[cut+1:]
	}
	const what, how = 1, 2
	after := 0
	for text != "" {
		var word string
		word, text = nextWord(text)
		switch {
		case word == "":
		case containsFold(factWords, word), after == how && containsFold(howWords, word), after == what && containsFold(whatWords, word):
			return true
		case strings.EqualFold(word, "how"):
			after = how
		case strings.EqualFold(word, "what"):
			after = what
		case after == how:
			after = 0 // "how many" are adjacent, "what is the price" need not be
		}
	}
	return false
}

// nextWord splits off the first run of letters.
func nextWord(text string) (word, rest string) {
	letter := func(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' || b >= 0x80 }
	start := 0
	for start < len(text) && !letter(text[start]) {
		start++
	}
	end := start
	for end < len(text) && letter(text[end]) {
		end++
	}
	return text[start:end], text[end:]
}

func containsFold(words []string, word string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.EqualFold(w, word) })
}
