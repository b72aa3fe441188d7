package grounding

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/detectors/detectortest"
	"confab/detectors/figureindex"
	"confab/internal/model"
	"confab/schemas"
)

func emptyModel() *Model {
	m := &Model{Frequencies: make([]byte, 1<<16), Words: make([]byte, featureSlots), WordStep: 0.01}
	m.Prepare()
	return m
}

// claimsOf are the columns of each claim.
func claimsOf(t testing.TB, in *schemas.Interaction) (claims []claimVector) {
	t.Helper()
	var doc detectors.Document
	doc.Reset(in)
	require.Empty(t, uncheckable(&doc))
	p := newPass(&doc, emptyModel())
	for i := range p.Claims {
		if _, ok := p.measureClaim(i); ok {
			claims = append(claims, p.vector)
		}
	}
	require.NotEmpty(t, claims)
	return claims
}

func column(t testing.TB, c *claimVector, name string) float32 {
	t.Helper()
	i := slices.Index(claimColumns, name)
	require.GreaterOrEqual(t, i, 0, name)
	return c[i]
}

func TestColumnsAreNamed(t *testing.T) {
	require.Len(t, claimColumns, claimFeatures)
	require.Len(t, answerColumns, answerFeatures)
	require.Equal(t, "facts_figures", claimColumns[colFacts])
	require.Equal(t, "facts_any", claimColumns[colFacts+figureindex.Kinds])
	require.Equal(t, "risk_1", claimColumns[colRisk])
	require.Equal(t, "turns", claimColumns[colTurns])
	for _, names := range [][]string{claimColumns, answerColumns} {
		require.Len(t, slices.Compact(slices.Sorted(slices.Values(names))), len(names), "each name once")
	}
}

// Each row names a column that is positive for the first claim and zero for the second.
func TestClaimColumns(t *testing.T) {
	const source = "The council increased the budget of the old museum in 1962. Anna Brandt opened all halls before the summer. " +
		"The organization was not closed to visitors."
	tests := map[string]struct{ column, must, mustNot string }{
		"a missing word":                   {"missing", "The council increased the budget of the zoo.", "The council increased the budget of the museum."},
		"a run of missing words":           {"run_rare", "The council celebrated wonderful fireworks downtown yesterday.", "The council increased the budget of the museum."},
		"another form of a word":           {"prefix_match", "Visitors found that the organizer was not closed.", "Visitors found that the organization was not closed."},
		"a missing figure":                 {"figures_missing", "The council increased the museum's budget in 1971.", "The council increased the museum's budget in 1962."},
		"a missing name":                   {"names_missing", "In summer all halls were opened by Clara Brandt.", "In summer all halls were opened by Anna Brandt."},
		"an opposite":                      {"opposed", "The council decreased the budget of the old museum.", "The council increased the budget of the old museum."},
		"an opposite without content":      {"polarity_missing", "Anna Brandt opened all halls after the summer.", "Anna Brandt opened all halls before the summer."},
		"a negation":                       {"negated", "The council never increased the budget of the old museum.", "The council increased the budget of the old museum."},
		"a negation left out":              {"unnegated", "The organization was closed to visitors for good.", "The organization was not closed to visitors for good."},
		"a hedge":                          {"hedges", "The council possibly increased the budget of the museum.", "The council increased the budget of the museum."},
		"a single missing word":            {"islands", "The council increased the garden of the old museum.", "The council increased the budget of the old museum."},
		"words in another order":           {"pairs_turned", "The museum budget increased the council of old.", "The council increased the budget of the museum."},
		"words far apart":                  {"local_loose", "Anna Brandt increased the visitors of the halls.", "Anna Brandt opened all halls before the summer."},
		"a word of the prompt":             {"in_prompt", "The council increased the fountain of the museum.", "The council increased the budget of the museum."},
		"a negation of another word":       {"newly_negated", "The council increased the budget and Anna Brandt did not open the museum.", "The council increased the budget and Anna Brandt opened the museum."},
		"a negation of that word left out": {"no_longer_negated", "The organization was closed to visitors for good.", "The organization was not closed to visitors for good."},
		"a synonym":                        {"synonyms", "The organization was not shut to visitors.", "The organization was not closed to visitors."},
		"a wider or narrower term":         {"wider_terms", "The organization was not closed to guests.", "The organization was not closed to visitors."},
		"first person":                     {"start_self", "I think the council increased the budget of the museum.", "The council increased the budget of the old museum."},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			value := func(answer string) float32 {
				in := detectortest.Sourced(answer, source)
				in.Messages = []schemas.Message{{Role: "user", Content: "Is there a fountain?"}}
				s := claimsOf(t, in)
				return column(t, &s[0], tt.column)
			}
			require.Positive(t, value(tt.must))
			require.Zero(t, value(tt.mustNot))
		})
	}
}

func TestClaimColumnsOfSupport(t *testing.T) {
	s := claimsOf(t, detectortest.Sourced("The old stadium opened in 1962 on the eastern bank of the river. It holds spectators and a new roof of carbon.", detectortest.Stadium))
	whole, part := &s[0], &s[1]
	for _, name := range []string{"single", "window", "anywhere", "rare_window", "rare_anywhere", "local"} {
		require.InDelta(t, 1, column(t, whole, name), 1e-5, name)
		require.Less(t, column(t, part, name), float32(1), name)
	}
	require.Greater(t, column(t, part, "window"), column(t, part, "single"), "three sentences hold more than one")
	require.True(t, math.IsNaN(float64(column(t, whole, "cited"))), "nothing is cited")
	cited := claimsOf(t, detectortest.Sourced("The old stadium opened in 1962 on the eastern bank of the river [1].", "Nothing of the kind.", detectortest.Stadium))
	require.InDelta(t, 0, column(t, &cited[0], "cited"), 1e-9, "the wrong source is cited")
	require.InDelta(t, 1, column(t, &cited[0], "window"), 1e-5)
}

func TestColumnsIgnoreMetadata(t *testing.T) {
	in := detectortest.Sourced("The old stadium opened in 1971 on the eastern bank of the river. It holds nobody at all in winter.", detectortest.Stadium)
	want := claimsOf(t, in)
	in.ID, in.Tenant, in.Service, in.Operation, in.Provider, in.Model = "a", "b", "c", "d", "e", "f"
	in.Sources[0].ID = "g"
	got := claimsOf(t, in)
	for i := range want { // NaN is not equal to itself
		for k := range want[i] {
			require.Equal(t, math.Float32bits(want[i][k]), math.Float32bits(got[i][k]), claimColumns[k])
		}
	}
}

// tinyModel is a model whose only feature is the number of missing words: more than two are a fault.
func tinyModel(t testing.TB) *Model {
	t.Helper()
	m := emptyModel()
	stump := func(names []string, column string) *model.Trees {
		return &model.Trees{Features: names, Roots: []int32{0}, Nodes: model.Nodes{
			{Feature: int16(slices.Index(names, column)), Limit: 2.5, Left: 1}, {Feature: -1, Limit: -5}, {Feature: -1, Limit: 5},
		}}
	}
	m.Claims, m.Answers = stump(claimColumns, "missing"), stump(answerColumns, "missing")
	require.NoError(t, m.Check())
	return m
}

func TestGroundingWithAModel(t *testing.T) {
	d, err := New(DefaultOptions(), Dependencies{Model: tinyModel(t)})
	require.NoError(t, err)
	const invented = "Its architect, a pupil of Gropius, had won the national prize for concrete design."
	good, _ := detectortest.Detect(t, d, detectortest.Sourced("The old stadium opened in 1962 on the eastern bank of the river.", detectortest.Stadium))
	require.Less(t, good.Score, 0.1)
	require.Zero(t, good.Grounding.UngroundedClaims)
	answer := "It holds 41,500 spectators in the city. " + invented
	bad, _ := detectortest.Detect(t, d, detectortest.Sourced(answer, detectortest.Stadium))
	require.Greater(t, bad.Score, 0.9)
	require.InDelta(t, 1-bad.Score, bad.Grounding.Confidence, 1e-9)
	require.Equal(t, 1, bad.Grounding.UngroundedClaims)
	require.Equal(t, invented, answer[bad.Evidence[0].Start:bad.Evidence[0].End])

	event := detectortest.Event(3)
	var doc detectors.Document
	run := func() {
		doc.Reset(event)
		_, err := d.Detect(t.Context(), &doc)
		require.NoError(t, err)
	}
	run()
	require.Zero(t, testing.AllocsPerRun(50, run))
}

func TestSourceNamedInProse(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		answer string
		want   float64 // share of the best window's weight; -1: no source is named
	}{
		"the right one":       {"Passage 1 shows that the council bought the stadium.", 1},
		"another one":         {"Passage 2 shows that the council bought the stadium.", 0},
		"behind the claim":    {"The council bought the stadium (source 1).", 1},
		"several":             {"Documents 1 and 2 show that the council bought the stadium.", 1},
		"one too many":        {"Passage 9 shows that the council bought the stadium.", -1},
		"a number of no such": {"In section 2 the council bought the stadium.", -1},
		"no number":           {"The passage shows that the council bought the stadium.", -1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := claimsOf(t, detectortest.Sourced(tt.answer, "The council bought the stadium.", "It rained all summer."))
			got := float64(column(t, &s[0], "named"))
			if tt.want < 0 {
				require.True(t, math.IsNaN(got), got)
				return
			}
			require.InDelta(t, tt.want, got, 1e-6)
		})
	}
}

// An answer that only asks is measured by what its questions presuppose, with a lower score than a statement.
func TestQuestionsAsClaims(t *testing.T) {
	t.Parallel()
	d, err := New(DefaultOptions(), Dependencies{Model: tinyModel(t)})
	require.NoError(t, err)
	score := func(answer string) float64 {
		f, _ := detectortest.Detect(t, d, detectortest.Sourced(answer, detectortest.Stadium))
		require.Empty(t, f.NotCheckable, answer)
		return f.Score
	}
	const statement = "Its architect had won the national prize for concrete design"
	asked := score("Did you know that its architect had won the national prize for concrete design?")
	require.InDelta(t, askedShare*score(statement+"."), asked, 0.05)
	require.Less(t, score("Did you know that the old stadium opened in 1962?"), 0.1)
	f, _ := detectortest.Detect(t, d, detectortest.Sourced("Would you like to hear more about concrete design?", detectortest.Stadium))
	require.Equal(t, detectors.ReasonNoClaims, f.NotCheckable)
}

func TestScoreOfFewClaims(t *testing.T) {
	t.Parallel()
	m := Model{Answers: &model.Trees{Features: answerColumns}} // without trees: log-odds 0
	var v answerVector
	for claims, want := range map[int]float64{1: 0.75, fewClaims: 0.75, fewClaims + 1: 0.5} {
		sums := answerSums{claims: claims, top: [3]float64{0.9}}
		require.InDelta(t, want, m.score(v[:], &sums), 1e-9, claims)
	}
}
