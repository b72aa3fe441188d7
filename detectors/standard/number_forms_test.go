package standard_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"confab/schemas"
)

// Numbers in the forms of a language support the same number in digits, and no other.
func TestNumberForms(t *testing.T) {
	t.Parallel()
	suite := textSuite(t)
	const (
		french  = "Le musée de la ville a accueilli 31 400 visiteurs au mois de mars, et le billet coûte 12 euros pour les adultes."
		chinese = "博物馆三月接待了3.14万名游客，每天9点35分开门，闭馆前二十分钟停止入场。"
	)
	for _, c := range []struct {
		answer, source string
		want           schemas.Outcome
	}{
		{"Au mois de mars, le musée de la ville a accueilli 31400 visiteurs.", french, schemas.Clear},
		{"Au mois de mars, le musée de la ville a accueilli 31\u202f400 visiteurs.", french, schemas.Clear},
		{"Au mois de mars, le musée de la ville a accueilli 52800 visiteurs.", french, schemas.Fired},
		{"Au mois de mars, le musée de la ville a accueilli 52 800 visiteurs.", french, schemas.Fired},
		{"博物馆三月接待了31400名游客，每天9:35开门。", chinese, schemas.Clear},
		{"闭馆前20分钟停止入场，博物馆三月接待了31400名游客。", chinese, schemas.Clear},
		{"博物馆三月接待了52800名游客，每天9:35开门。", chinese, schemas.Fired},
		{"博物馆三月接待了31400名游客，每天11:50开门。", chinese, schemas.Fired},
	} {
		in := schemas.Interaction{Answer: c.answer, Sources: []schemas.Source{{Text: c.source}}}
		require.Equal(t, c.want, evaluateRules(t, suite, &in)["facts"].Outcome, c.answer)
	}
}

func TestForeignTextsDoNotAllocate(t *testing.T) {
	suite := textSuite(t)
	for _, language := range []string{"de", "es", "fr", "zh"} {
		in := languageSamples(t, language)[0].Interaction
		run := func() {
			e := suite.Evaluate(t.Context(), &in)
			e.Release()
		}
		run()
		require.LessOrEqual(t, testing.AllocsPerRun(20, run), 0.0, language)
	}
}
