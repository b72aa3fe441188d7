package standard_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"confab/schemas"
)

const (
	frenchSchool  = "L'école compte 640 élèves et les cours commencent à 8h15. La cantine est fermée le mercredi 14 mai 2025."
	englishMuseum = "The museum is open on all days of the week from 10 to 18, and a ticket costs 14 euros for adults."
)

// Of an answer in another language than its sources only figures are compared.
func TestTranslatedAnswers(t *testing.T) {
	t.Parallel()
	suite := textSuite(t)
	for _, c := range []struct {
		name, answer, source string
		facts                schemas.Outcome
	}{
		{"right", "Die Schule hat 640 Schüler, und der Unterricht beginnt um 8.15 Uhr.", frenchSchool, schemas.Clear},
		{"wrong figure", "Die Schule hat 710 Schüler, und der Unterricht beginnt um 8.15 Uhr.", frenchSchool, schemas.Fired},
		{"wrong time", "Die Schule hat 640 Schüler, und der Unterricht beginnt um 9.40 Uhr.", frenchSchool, schemas.Fired},
		{"no figures", "Die Schule ist groß, und am Mittwoch ist die Kantine nicht geöffnet.", frenchSchool, schemas.NotCheckable},
		{"small counts may be words", "Die Schule hat 3 Stockwerke und ist auch am Abend für die Eltern geöffnet.", frenchSchool, schemas.NotCheckable},
		{"Chinese, right", "学校有640名学生，8点15分开始上课。", frenchSchool, schemas.Clear},
		{"Chinese, wrong", "学校有710名学生，8点15分开始上课。", frenchSchool, schemas.Fired},
		{"Chinese date", "食堂2025年5月14日不开放。", frenchSchool, schemas.Clear},
		{"Chinese scale", "学校有6.4百名学生，总预算为8460万欧元。", "The school has 640 pupils and a budget of 84.6 million euros.", schemas.Clear},
		{"Greek", "Το σχολείο έχει 710 μαθητές.", frenchSchool, schemas.NotCheckable},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			in := schemas.Interaction{Answer: c.answer, Sources: []schemas.Source{{ID: "1", Text: c.source}}}
			got := evaluateRules(t, suite, &in)
			require.Equal(t, c.facts, got["facts"].Outcome, "%v", got["facts"].Finding.Measures)
			require.Equal(t, schemas.NotCheckable, got["grounding"].Outcome)
			require.Equal(t, "language", got["grounding"].Reason)
		})
	}
}

// A claim in another language than one of the sources may be supported there in other words. It is left out, but counted.
func TestForeignClaims(t *testing.T) {
	t.Parallel()
	suite := textSuite(t)
	const english = "The museum is open on all days of the week from 10 to 18. "
	for _, c := range []struct {
		name, answer string
		sources      []string
		foreign      float64
	}{
		{"translated", english + "Pupils of the school do not get lunch in the canteen on a Wednesday in May.", []string{englishMuseum, frenchSchool}, 1},
		{"of its own language", english + "The museum was founded by a baron who had collected coins in the Far East.", []string{englishMuseum}, 0},
	} {
		in := schemas.Interaction{Answer: c.answer}
		for _, s := range c.sources {
			in.Sources = append(in.Sources, schemas.Source{Text: s})
		}
		foreign := 0.0
		reading := evaluateRules(t, suite, &in)["grounding"]
		for _, m := range reading.Finding.Measures {
			if m.Name == "foreign_claims" {
				foreign = m.Value
			}
		}
		require.InDelta(t, c.foreign, foreign, 0, c.name)
		require.Equal(t, c.foreign == 0, reading.Outcome == schemas.Fired, c.name)
	}
}
