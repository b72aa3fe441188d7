package detectors

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"confab/internal/hostile"
	"confab/schemas"
	"confab/schemas/json"
)

// Limits of the counted work of one evaluation.
const (
	workOverrun = MaxWork / 20 // what may be charged beyond the limit by the charge that ends the work
	workGrowth  = 2.5          // of twice the size
	workNoise   = 500_000      // units that growth does not count: 5 ms

	// workIsCharged demands that an evaluation of a large record counts any work at all.
	workIsCharged = true
)

// TestHostileWorkIsBounded evaluates every kind of hostile record at three sizes: no panic, a defined outcome of every
// rule, counted work within the limit and about linear in the size.
func TestHostileWorkIsBounded(t *testing.T) {
	s := standardSuite(t)
	for _, k := range hostile.Kinds() {
		t.Run(k.Name, func(t *testing.T) {
			t.Parallel()
			half := int64(-1)
			for _, size := range hostileSizes(k) {
				r := k.Record(size, 0)
				in := decodeHostile(t, &r)
				if in == nil {
					half = -1
					continue
				}
				work := requireDefined(t, s, in)
				if half >= 0 {
					assert.LessOrEqual(t, float64(work), workGrowth*float64(half)+workNoise, "at %d bytes, after %d at half of it", size, half)
				}
				if workIsCharged && len(in.Answer) > 10_000 && strings.TrimSpace(in.Answer) != "" {
					assert.Positive(t, work, "nothing is counted at %d bytes", size)
				}
				half = work
			}
		})
	}
}

// hostileSizes are the sizes that the fast tier evaluates, each twice the one before.
func hostileSizes(k hostile.Kind) []int {
	switch {
	case k.Unbounded():
		return []int{k.Full / 1024, k.Full / 512}
	case raceEnabled:
		return []int{k.Full / 64, k.Full / 32}
	}
	return []int{k.Full / 4, k.Full / 2, k.Full}
}

// decodeHostile is what a worker reads of the record, nil where it refuses it.
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

// requireDefined evaluates the interaction, makes a flag of it and returns the work that was counted.
func requireDefined(t *testing.T, s *Suite, in *schemas.Interaction) int64 {
	t.Helper()
	e := s.Evaluate(t.Context(), in)
	defer e.Release()
	require.Len(t, e.Readings(), len(s.rules))
	for _, r := range e.Readings() {
		assert.Contains(t, schemas.Outcomes(), r.Outcome, r.Detector)
		assert.NotErrorIs(t, r.err, errPanic, r.Detector)
		assert.NotErrorIs(t, r.err, errSchemaFailed, r.Detector)
		assert.True(t, r.Score >= 0 && r.Score <= 1, "%s: score %v", r.Detector, r.Score)
	}
	f := e.Flag(schemas.Origin{}, schemas.PassFast, time.Time{})
	_, err := json.AppendFlag(nil, &f)
	assert.NoError(t, err)
	work := e.Work()
	assert.GreaterOrEqual(t, work, int64(0))
	assert.LessOrEqual(t, work, int64(MaxWork+workOverrun), "counted work")
	return work
}

// TestHostileWorkIsAsserted sees that quadratic work is charged, and that the limit of growth refuses it.
func TestHostileWorkIsAsserted(t *testing.T) {
	quadratic := fakeFunc("quadratic", func(_ context.Context, doc *Document) (Finding, error) {
		n := len(doc.Answer())
		doc.Work().Spend(n * n / 100)
		return Finding{}, nil
	})
	s := newTestSuite(t, nil, quadratic)
	of := func(n int) int64 {
		e := s.Evaluate(t.Context(), &schemas.Interaction{Answer: strings.Repeat("a", n)})
		defer e.Release()
		return e.Work()
	}
	require.EqualValues(t, 1_000_000, of(10_000))
	require.Greater(t, float64(of(20_000)), workGrowth*float64(of(10_000))+workNoise)
}

// FuzzSchemaCost holds any schema and answer to the limit of counted work.
func FuzzSchemaCost(f *testing.F) {
	for _, k := range hostile.Kinds() {
		if r := k.Record(300, 0); r.Interaction.ResponseSchema != "" && !k.Unbounded() {
			f.Add(r.Interaction.ResponseSchema, r.Interaction.Answer)
		}
	}
	f.Add(fmt.Sprintf(`{"items":{"enum":[%s1]}}`, strings.Repeat("1.5,", 200)), "["+strings.Repeat("2,", 200)+"2]")
	entry := Standard()[slices.Index(Names(Standard()), "schema")]
	s := newTestSuite(f, nil, entry)
	f.Fuzz(func(t *testing.T, schema, answer string) {
		requireDefined(t, s, &schemas.Interaction{Answer: answer, ResponseSchema: schema})
	})
}

// FuzzEvaluateCost holds any value that decodes to the limit of counted work, and to growth: twice the answer may cost
// little more than twice as much.
func FuzzEvaluateCost(f *testing.F) {
	for _, k := range hostile.Kinds() {
		r := k.Record(400, 0)
		if in := decodeHostile(f, &r); in != nil && !k.Unbounded() {
			raw, err := json.AppendInteraction(nil, in)
			require.NoError(f, err)
			f.Add(raw)
		}
	}
	s := standardSuite(f)
	f.Fuzz(func(t *testing.T, raw []byte) {
		in := &schemas.Interaction{}
		if json.NewDecoder(json.Options{}).Decode(raw, in) != nil {
			t.Skip("refused")
		}
		once := requireDefined(t, s, in)
		in.Answer += "\n" + in.Answer
		in.Logprobs = schemas.Logprobs{} // they belong to the shorter answer
		twice := requireDefined(t, s, in)
		assert.LessOrEqual(t, float64(twice), workGrowth*float64(once)+workNoise, "the answer twice, after %d", once)
	})
}
