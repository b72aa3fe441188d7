package figureindex

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/text/figures"
)

// Days are counted as the standard library counts them, with 30 February as the second day of March or the first.
func TestDayOf(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 5))
	date := func() *figures.Figure {
		return &figures.Figure{Kind: figures.Date, Year: int16(random.IntN(math.MaxUint16)), Month: int8(random.IntN(13)), Day: int8(random.IntN(32))}
	}
	for range 10_000 {
		a, b := date(), date()
		b.Year = a.Year + int16(random.IntN(400)-200)
		require.Equal(t, dateOf(b).Before(dateOf(a)), dayOf(b) < dayOf(a), "%v %v", a, b)
		if days := dayOf(b) - dayOf(a); days >= 0 {
			require.InDelta(t, math.Round(dateOf(b).Sub(dateOf(a)).Hours()/24), float64(min(days, maxDays)), 0, "%v %v", a, b)
		}
	}
	old, late := &figures.Figure{Year: 1, Month: 1, Day: 1}, &figures.Figure{Year: 2024, Month: 2, Day: 30}
	require.InDelta(t, maxDays, math.Round(dateOf(late).Sub(dateOf(old)).Hours()/24), 0)
}
