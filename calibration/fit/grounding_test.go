package fit

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/detectors/grounding"
	"confab/detectors/standard"
	"confab/schemas"
)

// smallRows are answers to small sources; each bad one has a word that no source contains.
func smallRows() (rows []schemas.Labelled) {
	words := strings.Fields("harbor museum bridge garden library station castle market tower theater")
	acts := strings.Fields("opened closed moved burned doubled")
	for i := range 60 {
		place, act := words[i%len(words)], acts[i/len(words)%len(acts)]
		source := fmt.Sprintf("The %s of district %d %s in the year %d. Its keeper lives beside the river.", place, i, act, 1900+i)
		answer := fmt.Sprintf("The %s of district %d %s in the year %d.", place, i, act, 1900+i)
		row := schemas.Labelled{Labelled: true, Dataset: fmt.Sprint("set", i%2), Task: "qa", Group: fmt.Sprint("g", i)}
		if i%3 == 0 {
			row.Label = 1
			answer = strings.Replace(answer, act, "allegedly exploded", 1)
		}
		row.Interaction = schemas.Interaction{
			ID: fmt.Sprint("row", i), Tenant: "t", Operation: "op", Model: "m", Answer: answer, Sources: []schemas.Source{{ID: "1", Text: source}},
		}
		rows = append(rows, row)
	}
	return rows
}

func marshalFit(t *testing.T, rows []schemas.Labelled, o Options) string {
	t.Helper()
	m, err := Grounding(rows, o)
	require.NoError(t, err)
	b, err := json.Marshal(m)
	require.NoError(t, err)
	return string(b)
}

func TestTheSameRowsGiveTheSameWeights(t *testing.T) {
	rows := smallRows()
	want := marshalFit(t, rows, Options{Seed: 1, Folds: 3, Workers: 1})
	require.Equal(t, want, marshalFit(t, rows, Options{Seed: 1, Folds: 3, Workers: 4}), "workers")
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	require.Equal(t, want, marshalFit(t, rows, Options{Seed: 1, Folds: 3}), "order of the rows")
	require.NotEqual(t, want, marshalFit(t, rows, Options{Seed: 2, Folds: 3}), "seed")
}

// Names of generators, tenants, operations, tasks and data sets do not change a weight.
func TestNamesDoNotChangeWeights(t *testing.T) {
	rows := smallRows()
	want := marshalFit(t, rows, Options{Seed: 1, Folds: 3})
	for i := range rows {
		r := &rows[i]
		r.Interaction.ID, r.Interaction.Tenant, r.Interaction.Operation, r.Interaction.Model = fmt.Sprint("x", 1000-i), "u", "other", fmt.Sprint("y", r.Label)
		r.Task, r.Dataset = "z", map[string]string{"set0": "renamed", "set1": "another"}[r.Dataset]
	}
	require.Equal(t, want, marshalFit(t, rows, Options{Seed: 1, Folds: 3}))
}

func TestCrossFitHoldsOutTheFold(t *testing.T) {
	rows := smallRows()
	models, folds, err := CrossFit(rows, Options{Seed: 1, Folds: 3})
	require.NoError(t, err)
	require.Len(t, models, 3)
	before, err := json.Marshal(models[folds[0]])
	require.NoError(t, err)
	rows[0].Label = 1 - rows[0].Label // must not change the model that measures the row
	models, again, err := CrossFit(rows, Options{Seed: 1, Folds: 3})
	require.NoError(t, err)
	require.Equal(t, folds, again)
	after, err := json.Marshal(models[folds[0]])
	require.NoError(t, err)
	require.Equal(t, string(before), string(after))
}

func TestGroundingRanksBadAnswers(t *testing.T) {
	rows := smallRows()
	models, folds, err := CrossFit(rows, Options{Seed: 1, Folds: 3})
	require.NoError(t, err)
	var right, pairs float64
	scores := make([]float64, len(rows))
	for i := range rows {
		scores[i] = groundingScore(t, models[folds[i]], &rows[i].Interaction)
	}
	for i := range rows {
		for k := range rows {
			if rows[i].Label > rows[k].Label {
				pairs++
				if scores[i] > scores[k] {
					right++
				}
			}
		}
	}
	require.Greater(t, right/pairs, 0.8)
}

func groundingScore(t *testing.T, m *grounding.Model, in *schemas.Interaction) float64 {
	t.Helper()
	for _, e := range standard.Fast(standard.Dependencies{Model: &standard.Model{Grounding: m}}) {
		if e.Name == "grounding" {
			d, err := e.New(nil)
			require.NoError(t, err)
			var doc detectors.Document
			doc.Reset(in)
			f, err := d.Detect(t.Context(), &doc)
			require.NoError(t, err)
			require.Empty(t, f.NotCheckable)
			return f.Score
		}
	}
	t.Fatal("no grounding detector")
	return 0
}

func TestGroundingNeedsSources(t *testing.T) {
	rows := smallRows()
	for i := range rows {
		rows[i].Interaction.Sources = nil
	}
	_, err := Grounding(rows, Options{Seed: 1, Folds: 3})
	require.ErrorContains(t, err, "give rows with sources")
}

func TestTrainWords(t *testing.T) {
	var examples []wordExample
	for i := range 200 {
		examples = append(examples,
			wordExample{cues: []uint16{1, uint16(100 + i)}, y: 1, weight: 1}, wordExample{cues: []uint16{2, uint16(100 + i)}, y: 0, weight: 1})
	}
	m := trainWords(examples, 1)
	require.Greater(t, m.risk([]uint16{1}), 0.9)
	require.Less(t, m.risk([]uint16{2}), 0.1)
	var g grounding.Model
	m.store(&g)
	require.InDelta(t, m.weights[1], float64(int8(g.Words[1]))*g.WordStep, g.WordStep, "weights are rounded to bytes")
}
