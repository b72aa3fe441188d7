package negatives

import (
	"hash/fnv"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/calibration/roc"
	"confab/internal/datatest"
	"confab/internal/text"
	"confab/schemas"
	schemasjson "confab/schemas/json"
)

// readLabelled reads the training rows of a set; without the data the test is skipped.
func readLabelled(t *testing.T, set string) []schemas.Labelled {
	t.Helper()
	var rows []schemas.Labelled
	for _, line := range datatest.Rows(t, set) {
		var row schemas.Labelled
		require.NoError(t, schemasjson.DecodeLabelled(line, &row))
		rows = append(rows, row)
	}
	return rows[:min(len(rows), 300)] // enough
}

// naiveBayes classifies answers by their words and pairs of words alone.
type naiveBayes struct {
	seen [2]map[uint64]float64
	rows [2]float64
}

func answerGrams(answer string) map[uint64]bool {
	out, last := map[uint64]bool{}, uint64(0)
	for _, t := range text.AppendTokens(nil, answer) {
		out[t.Hash], out[last*31+t.Hash+1] = true, true
		last = t.Hash
	}
	return out
}

func (b *naiveBayes) learn(row *schemas.Labelled) {
	b.rows[row.Label]++
	for g := range answerGrams(row.Interaction.Answer) {
		b.seen[row.Label][g]++
	}
}

// score is the log-odds of a fault given the words of the answer.
func (b *naiveBayes) score(row *schemas.Labelled) float64 {
	sum := 0.0
	for g := range answerGrams(row.Interaction.Answer) {
		sum += math.Log((b.seen[1][g]+2)/(b.rows[1]+4)) - math.Log((b.seen[0][g]+2)/(b.rows[0]+4))
	}
	return math.Round(sum*1e6) / 1e6 // map order changes the last bits
}

// TestEditsDoNotRevealTheLabel bounds how well the words of an answer predict its label without the sources.
func TestEditsDoNotRevealTheLabel(t *testing.T) {
	for _, set := range []string{"attributionbench", "begin", "ragtruth", "summedits"} {
		t.Run(set, func(t *testing.T) {
			t.Parallel()
			rows := readLabelled(t, set)
			pool, rng := NewPool(rows), newRandom(1)
			known := naiveBayes{seen: [2]map[uint64]float64{{}, {}}}
			var unseen []schemas.Labelled
			for i := range rows {
				made := Rows(rng, &rows[i], pool, DefaultOptions())
				if rows[i].Label == 0 {
					made = append(made, rows[i])
				}
				half := fnv.New32a()
				_, _ = half.Write([]byte(rows[i].Group)) // never fails
				if half.Sum32()>>16&1 == 1 {
					unseen = append(unseen, made...)
					continue
				}
				for j := range made {
					known.learn(&made[j])
				}
			}
			var scored []roc.Scored
			for i := range unseen {
				scored = append(scored, roc.Scored{Score: known.score(&unseen[i]), Positive: unseen[i].Label == 1})
			}
			auroc := roc.AUROC(scored)
			t.Logf("%d and %.0f rows, AUROC of the answer alone %.3f", len(scored), known.rows[0]+known.rows[1], auroc)
			require.Less(t, auroc, 0.58) // keeping every negation: 0.596 on begin
		})
	}
}
