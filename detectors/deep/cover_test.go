package deep_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/detectors/deep"
	"confab/schemas"
)

func TestCoverFindsTheBestPlaceOfEachSource(t *testing.T) {
	const answer = "The bridge opened in 1932 and carries eight lanes [1]."
	for name, tt := range map[string]struct {
		sources []string
		want    map[int]string // by source
		shares  map[int]float64
	}{
		"one sentence":         {[]string{"Cats sleep. The bridge opened in 1932 and carries eight lanes. Dogs bark."}, map[int]string{0: "The bridge opened in 1932 and carries eight lanes."}, map[int]float64{0: 1}},
		"several sentences":    {[]string{"Cats sleep. The bridge opened in 1932. It carries eight lanes. Dogs bark."}, map[int]string{0: "The bridge opened in 1932. It carries eight lanes."}, map[int]float64{0: 1}},
		"never two sources":    {[]string{"The bridge opened in 1932.", "It carries eight lanes."}, map[int]string{0: "The bridge opened in 1932.", 1: "It carries eight lanes."}, map[int]float64{0: .5, 1: .5}},
		"nothing shared":       {[]string{"Cats sleep.", ""}, map[int]string{}, map[int]float64{}},
		"markers do not count": {[]string{"1 1 1."}, map[int]string{}, map[int]float64{}},
	} {
		t.Run(name, func(t *testing.T) {
			d := deep.AgainstTexts(&schemas.Interaction{Answer: answer}, tt.sources, &detectors.Work{})
			cover := deep.NewCover(d)
			for range 2 { // a call leaves nothing behind
				windows, words := cover.Best(nil, 0, int32(len(d.Tokens())))
				require.Equal(t, 6, words)
				require.Len(t, windows, len(tt.want))
				for _, w := range windows {
					require.Equal(t, tt.want[w.Source], tt.sources[w.Source][w.Start:w.End])
					require.InDelta(t, tt.shares[w.Source], w.Share, 1e-9)
				}
			}
		})
	}
}

// A part of more words than are compared is compared by its first ones.
func TestCoverIsBounded(t *testing.T) {
	long := strings.Repeat("alpha bravo charlie delta echo foxtrot golf hotel india juliet ", 40)
	for i := range 100 {
		long += "word" + strings.Repeat("x", i) + " "
	}
	d := deep.AgainstTexts(&schemas.Interaction{Answer: long}, []string{long}, &detectors.Work{})
	cover := deep.NewCover(d)
	windows, words := cover.Best(nil, 0, int32(len(d.Tokens())))
	require.Equal(t, 64, words)
	require.Len(t, windows, 1)
	require.InDelta(t, 1, windows[0].Share, 1e-9)
}
