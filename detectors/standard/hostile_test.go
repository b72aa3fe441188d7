package standard

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/detectors/detectortest"
	"confab/internal/hostile"
	"confab/internal/promptsources"
	"confab/schemas"
	"confab/schemas/json"
)

// Limits of the counted work of one evaluation.
const (
	workOverrun = detectors.MaxWork / 20 // what the charge that ends the work may add
	workGrowth  = 4                      // of twice the size: each claim is compared with each unit of the sources
	workNoise   = 100_000                // units that do not depend on the size: 1 ms
	workStep    = 500_000                // units of a budget that is charged whole, or of what begins to count: 5 ms
)

// doublingKinds returns kinds whose size counts doublings.
func doublingKinds() []string { return []string{"validation: long key"} }

// quadraticKinds returns kinds whose work grows faster than linearly within the limits.
func quadraticKinds() []string {
	return []string{"one claim, cited", "source ids", "wide ranges", "address within sources"}
}

// TestHostileWorkIsBounded evaluates every kind of hostile record at sizes that double: no panic, a defined outcome of every rule,
// growth that is quadratic at most, and no end by the budget up to the limits. Work is counted, so the load of the
// machine has no effect.
func TestHostileWorkIsBounded(t *testing.T) {
	s := standardSuite(t)
	for _, k := range hostile.Kinds() {
		if slices.Contains(quadraticKinds(), k.Name) {
			continue
		}
		t.Run(k.Name, func(t *testing.T) {
			t.Parallel()
			half, last := int64(-1), 0
			for _, size := range hostileSizes(k) {
				r := k.Record(size, 0)
				in := decodeHostile(t, &r)
				if in == nil {
					half = -1
					continue
				}
				work := requireDefined(t, s, in)
				noise := float64(workNoise)
				if half == 0 || in.ResponseSchema != "" {
					noise = workStep
				}
				if half >= 0 && size == 2*last && !slices.Contains(doublingKinds(), k.Name) {
					assert.LessOrEqual(t, float64(work), workGrowth*float64(half)+noise, "at %d bytes, after %d at half of it", size, half)
				}
				if size <= k.Full { // facts compares each of its sentences with many
					assert.Less(t, work, int64(detectors.MaxWork), "the budget ends it at %d bytes", size)
				}
				if len(in.Answer) > 10_000 && strings.TrimSpace(in.Answer) != "" {
					assert.Positive(t, work, "nothing is counted at %d bytes", size)
				}
				half, last = work, size
			}
		})
	}
}

// hostileSizes returns sizes that double: up to twice the limit for kinds of text, else up to the limit.
func hostileSizes(k hostile.Kind) []int {
	switch {
	case raceEnabled || testing.Short():
		return []int{k.Full / 32} // growth is asserted at the limits only: what begins to count at small sizes looks like growth
	case k.Full == hostile.TextCap:
		return []int{k.Full / 4, k.Full / 2, k.Full, 2 * k.Full}
	}
	return []int{k.Full / 4, k.Full / 2, k.Full}
}

// TestQuadraticKindsEndByTheBudget requires that the budget ends kinds whose work no other limit keeps linear.
func TestQuadraticKindsEndByTheBudget(t *testing.T) {
	s := standardSuite(t)
	ended := 0
	for _, name := range quadraticKinds() {
		t.Run(name, func(t *testing.T) {
			k, known := hostile.Find(name)
			require.True(t, known)
			r := k.Record(8*k.Full, 0)
			e := s.Evaluate(t.Context(), &r.Interaction)
			defer e.Release()
			require.LessOrEqual(t, e.Work(), int64(detectors.MaxWork+workOverrun))
			if e.Ended() == "" {
				return
			}
			ended++
			require.Equal(t, detectors.ReasonBudget, e.Ended())
			last := e.Readings()[len(e.Readings())-1]
			require.Equal(t, schemas.Skipped, last.Outcome)
			require.Equal(t, detectors.ReasonBudget, last.Reason)
		})
	}
	require.Positive(t, ended, "some kind ends so")
}

// TestDenialsAreCounted: a claim of denials alone is read again for each, which the budget ends.
func TestDenialsAreCounted(t *testing.T) {
	in := &schemas.Interaction{
		Answer:   strings.Repeat("no ", 40_000),
		Messages: []schemas.Message{{Role: "user", Content: "Use only the context.\n\nContext:\n[1] Room 12 costs 85 pounds a night.\n\nQuestion: What does room 12 cost?"}},
	}
	new(promptsources.Finder).Fill(in)
	e := standardSuite(t).Evaluate(t.Context(), in)
	defer e.Release()
	require.Equal(t, detectors.ReasonBudget, e.Ended())
}

// decodeHostile decodes the record as a worker does; nil when the decoder rejects it.
func decodeHostile(t testing.TB, r *hostile.Record) *schemas.Interaction {
	t.Helper()
	raw := r.Raw
	if raw == nil {
		var err error
		raw, err = json.AppendInteraction(nil, &r.Interaction)
		require.NoError(t, err)
	}
	in := &schemas.Interaction{}
	if json.NewDecoder(json.Options{}).Decode(raw, in) != nil {
		return nil
	}
	return in
}

// requireDefined evaluates the interaction, makes its flag and returns the counted work.
func requireDefined(t *testing.T, s *detectors.Suite, in *schemas.Interaction) int64 {
	t.Helper()
	e := s.Evaluate(t.Context(), in)
	defer e.Release()
	for _, r := range e.Readings() {
		assert.Contains(t, schemas.Outcomes(), r.Outcome, r.Detector)
		assert.True(t, r.Outcome != schemas.Failed || r.Detector == "schema", "%s: %s", r.Detector, r.Reason)
		assert.True(t, r.Score >= 0 && r.Score <= 1, "%s: score %v", r.Detector, r.Score)
	}
	f := e.Flag(schemas.Origin{}, schemas.PassFast, time.Time{})
	require.Len(t, f.Signals, len(e.Readings()))
	for _, signal := range f.Signals {
		assert.NotEqual(t, detectors.ReasonPanic, signal.Reason, signal.Detector)
		assert.NotEqual(t, "schema: the validator failed", signal.Reason, signal.Detector)
	}
	_, err := json.AppendFlag(nil, &f)
	assert.NoError(t, err)
	work := e.Work()
	assert.GreaterOrEqual(t, work, int64(0))
	assert.LessOrEqual(t, work, int64(detectors.MaxWork+workOverrun), "counted work")
	return work
}

// TestHostileWorkIsAsserted checks that cubic work exceeds the growth limit.
func TestHostileWorkIsAsserted(t *testing.T) {
	cubic := fakeEntry("cubic", func(_ context.Context, doc *detectors.Document) (detectors.Finding, error) {
		n := len(doc.Interaction().Answer)
		doc.Work().Spend(n * n / 100 * n / 10_000)
		return detectors.Finding{}, nil
	})
	s := detectortest.NewSuite(t, nil, cubic)
	of := func(n int) int64 {
		e := s.Evaluate(t.Context(), &schemas.Interaction{Answer: strings.Repeat("a", n)})
		defer e.Release()
		return e.Work()
	}
	require.EqualValues(t, 1_000_000, of(10_000))
	require.Greater(t, float64(of(20_000)), workGrowth*float64(of(10_000))+workStep)
}

// FuzzSchemaCost requires the work limit for any schema and answer.
func FuzzSchemaCost(f *testing.F) {
	for _, k := range hostile.Kinds() {
		if r := k.Record(300, 0); r.Interaction.ResponseSchema != "" {
			f.Add(r.Interaction.ResponseSchema, r.Interaction.Answer)
		}
	}
	f.Add(fmt.Sprintf(`{"items":{"enum":[%s1]}}`, strings.Repeat("1.5,", 200)), "["+strings.Repeat("2,", 200)+"2]")
	entry := Fast(Dependencies{})[slices.Index(detectors.Names(Fast(Dependencies{})), "schema")]
	s := detectortest.NewSuite(f, nil, entry)
	f.Fuzz(func(t *testing.T, schema, answer string) {
		requireDefined(t, s, &schemas.Interaction{Answer: answer, ResponseSchema: schema})
	})
}

// FuzzEvaluateCost requires the work limit for any value that decodes, and about double the work for double the answer.
func FuzzEvaluateCost(f *testing.F) {
	for _, k := range hostile.Kinds() {
		r := k.Record(400, 0)
		if in := decodeHostile(f, &r); in != nil {
			raw, err := json.AppendInteraction(nil, in)
			require.NoError(f, err)
			f.Add(raw)
		}
	}
	s := standardSuite(f)
	f.Fuzz(func(t *testing.T, raw []byte) {
		in := &schemas.Interaction{}
		if json.NewDecoder(json.Options{}).Decode(raw, in) != nil {
			t.Skip("rejected by the decoder")
		}
		once := requireDefined(t, s, in)
		in.Answer += "\n" + in.Answer
		in.Logprobs = schemas.Logprobs{} // they belong to the shorter answer
		twice := requireDefined(t, s, in)
		assert.LessOrEqual(t, float64(twice), workGrowth*float64(once)+workStep, "the answer twice, after %d", once)
	})
}
