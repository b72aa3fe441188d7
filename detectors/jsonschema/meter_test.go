package jsonschema

import (
	"encoding/json"
	"hash/maphash"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/detectors/detectortest"
	"confab/detectors/jsonschema/strictjson"
	"confab/schemas"
)

// schemaSuite returns a suite of this detector only.
func schemaSuite(t *testing.T, d detectors.Detector, maxWork int64) *detectors.Suite {
	t.Helper()
	return detectortest.NewSuite(t, func(o *detectors.Options) { o.MaxWork = maxWork }, detectors.Entry{Name: "schema", New: func(any) (detectors.Detector, error) { return d, nil }})
}

func newSchemaDetector(t *testing.T) *schemaDetector {
	t.Helper()
	d, err := New(DefaultOptions(), nil)
	require.NoError(t, err)
	return d.(*schemaDetector)
}

func TestSchemaOverBudgetIsSkipped(t *testing.T) {
	in := &schemas.Interaction{ResponseSchema: `{"items": {"type": "string"}}`, Answer: "[" + strings.Repeat("1,", 60_000) + "1]"}
	e := schemaSuite(t, newSchemaDetector(t), 0).Evaluate(t.Context(), in)
	defer e.Release()
	require.Equal(t, schemas.Skipped, e.Readings()[0].Outcome)
	require.Equal(t, detectors.ReasonBudget, e.Readings()[0].Reason)
}

// TestSchemaEndsWithTheWorkOfTheInteraction ends the work while parsing, compiling and validating. A schema whose compilation
// was interrupted is compiled again for the next interaction.
func TestSchemaEndsWithTheWorkOfTheInteraction(t *testing.T) {
	in := &schemas.Interaction{ResponseSchema: `{"items": {"pattern": "^a"}}`, Answer: `["b", "a", "a", "a"]`}
	doc := new(detectors.Document)
	doc.Reset(in)
	_, err := newSchemaDetector(t).Detect(t.Context(), doc)
	require.NoError(t, err)
	whole := doc.Work().Spent()
	for limit := int64(1); limit < whole; limit += whole / 50 {
		d := newSchemaDetector(t)
		e := schemaSuite(t, d, limit).Evaluate(t.Context(), in)
		require.Equal(t, detectors.ReasonBudget, e.Readings()[0].Reason, limit)
		require.Less(t, e.Work(), 2*whole, limit)
		e.Release()

		doc.Reset(in)
		f, err := d.Detect(t.Context(), doc)
		require.NoError(t, err, limit)
		require.InDelta(t, 1, f.Score, 0, limit)
		require.Equal(t, whole, doc.Work().Spent(), limit)
	}
}

// TestSchemaNumbersAreExact compares the fast paths with arbitrary precision.
func TestSchemaNumbersAreExact(t *testing.T) {
	texts := []json.Number{
		"0", "-0", "0.0", "1", "-1", "1.0", "10", "1e1", "100e-1", "0.1", "0.10", "1e-1", "0.3", "-0.3", "0.30000000000000004", "123456789012345678", "123456789012345679",
		"1234567890123456789012", "1234567890123456789013", "1e400", "-1e400", "2e400", "1e-400", "2e-400", "12345678901234567", "0.12345678901234567",
		"9007199254740993", "9007199254740992", "9.007199254740993e15", "1e17", "1e18", "1E+2", "2.5", "0.01", "19.99", "7e-3",
	}
	m := &workMeter{left: 1 << 40, work: new(detectors.Work)}
	rat := func(n json.Number) *big.Rat {
		r, ok := new(big.Rat).SetString(string(n))
		require.True(t, ok)
		return r
	}
	seed := maphash.MakeSeed()
	for _, x := range texts {
		a := newExact(x)
		require.Equal(t, rat(x).IsInt(), m.isInteger(&a), x)
		for _, y := range texts {
			b := newExact(y)
			order := rat(x).Cmp(rat(y))
			require.Equal(t, order, m.compare(&a, &b), "%s against %s", x, y)
			require.Equal(t, order == 0, m.equal(x, y), "%s and %s", x, y)
			require.True(t, order != 0 || m.hash(x, seed) == m.hash(y, seed), "%s and %s", x, y)
			if rat(y).Sign() > 0 {
				require.Equal(t, new(big.Rat).Quo(rat(x), rat(y)).IsInt(), m.isMultiple(&a, &b), "%s of %s", x, y)
			}
		}
	}
}

func TestSchemaFindsDuplicates(t *testing.T) {
	for text, want := range map[string][2]int{
		`[1, 2, 3, 2.0, 1]`:                                   {1, 3},
		`["a", "b", 1, true, null, false, "b"]`:               {1, 6},
		`[{"a": 1, "b": [1]}, {"b": [1.0], "a": 1e0}]`:        {0, 1},
		`[[1, 2], [2, 1], {}, [], "", 0, false, null]`:        {-1, -1},
		`[{"a": 1}, {"a": 2}, {"b": 1}, {"a": 1, "b": 1}]`:    {-1, -1},
		`[0.1, 0.10000000000000000001, 0.100000000000000000]`: {0, 2},
		`[1e400, 2e400, 1E400]`:                               {0, 2},
		`[5, 4, 4, 5]`:                                        {1, 2},
	} {
		v, _, bad := strictjson.Parse(text)
		require.Nil(t, bad)
		m := &workMeter{left: 1 << 40, work: new(detectors.Work)}
		i, j, found := m.duplicate(v.([]any), maphash.MakeSeed())
		require.Equal(t, want[0] >= 0, found, text)
		if found {
			require.Equal(t, want, [2]int{i, j}, text)
		}
	}
}
