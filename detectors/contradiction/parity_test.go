package contradiction_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/detectors/contradiction"
	"confab/schemas"
)

func compareTexts(answer, source string) (contradiction.Match, bool) {
	in := schemas.Interaction{Answer: answer, Sources: []schemas.Source{{Text: source}}}
	var d detectors.Document
	d.Reset(&in)
	return contradiction.Compare(&d,
		contradiction.Side{Text: d.Text(), Tokens: d.Tokens(), Last: int32(len(d.Tokens()))},
		contradiction.Side{Text: d.Source(0), Tokens: d.SourceTokens(), Last: int32(len(d.SourceTokens()))})
}

func TestCompare(t *testing.T) {
	t.Parallel()
	const (
		german  = "Das Gerät darf nicht in der Nähe von Wasser betrieben werden, auch wenn es abgedeckt ist."
		spanish = "Los socios pueden cambiar la fecha de la reserva sin pagar una tasa, pero no el nombre del viajero."
		french  = "Les élèves de la section ne peuvent pas quitter le bâtiment pendant la pause de midi."
		chinese = "会员可以携带一名客人入场，但儿童不能单独使用泳池。"
	)
	for _, c := range []struct {
		name, answer, source, quote string
	}{
		{"dropped", "Das Gerät darf in der Nähe von Wasser betrieben werden.", german, "Das Gerät darf nicht in der Nähe von Wasser betrieben werden"},
		{"kept, another order", "In der Nähe von Wasser darf das Gerät nicht betrieben werden.", german, ""},
		{"another verb", "Das Gerät darf nicht in der Nähe von Wasser gelagert werden, und es ist nicht neu.", strings.Replace(german, "nicht ", "", 1), ""},
		{"no copy", "Es ist nicht wahr, dass die Nähe von Wasser für das Gerät ein Problem ist.", german, ""},
		{"only", "Das Gerät darf nicht nur in der Nähe von Wasser betrieben werden.", strings.Replace(german, "nicht ", "", 1), ""},
		{"with instead of without", "Los socios pueden cambiar la fecha de la reserva con pagar una tasa.", spanish, "Los socios pueden cambiar la fecha de la reserva sin pagar una tasa"},
		{"two negations, one sense", "Los socios no pueden cambiar nunca la fecha de la reserva sin pagar una tasa.", strings.Replace(spanish, "pueden", "no pueden", 1), ""},
		{"French, dropped", "Les élèves de la section peuvent quitter le bâtiment pendant la pause de midi.", french, french[:len(french)-1]},
		{"French, kept", "Pendant la pause de midi, les élèves de la section ne peuvent jamais quitter le bâtiment.", french, ""},
		{"dont is no negation", "Les élèves de la section dont le bâtiment est fermé pendant la pause de midi", strings.ReplaceAll(french, " pas", ""), ""},
		{"Chinese, dropped", "儿童能单独使用泳池。", chinese, "但儿童不能单独使用泳池"},
		{"Chinese, kept", "儿童不能单独使用泳池。", chinese, ""},
		{"Chinese, not only", "会员不仅可以携带一名客人入场。", chinese, ""},
		{"long sentences are not compared", strings.Repeat("das Gerät ist, ", 100), strings.Repeat("das Gerät ist nicht, ", 100), ""},
		{"long clauses are not compared", strings.Repeat("Wasser Gerät Nähe der und die ", 40), german, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m, ok := compareTexts(c.answer, c.source)
			require.Equal(t, c.quote != "", ok)
			if ok {
				require.Equal(t, c.quote, c.source[m.Start:m.End])
			}
		})
	}
}
