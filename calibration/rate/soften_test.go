package rate

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/calibration/shares"
)

// Probabilities of answers that only the judge has read, of what people would say.
func TestSoften(t *testing.T) {
	for name, c := range map[string]struct {
		share            float64
		judge            judge
		labelled, judged int
		slack            float64
	}{
		"many labels":      {0.2, judge{0.8, 0.9}, 1500, 5000, 0.05},
		"poor judge":       {0.2, judge{0.65, 0.65}, 1500, 5000, 0.06},
		"some labels":      {0.08, judge{0.9, 0.95}, 200, 2000, 0.25},
		"none, as assumed": {0.2, judge{0.8, 0.9}, 0, 5000, 0.1},
	} {
		t.Run(name, func(t *testing.T) {
			s := study{c.share, c.judge, c.labelled, c.judged, false}
			sample := s.draw(rand.New(rand.NewPCG(5, 5)))
			sample = append(sample, Answer{Probability: 1})
			p := Soften(sample)
			found, missed := c.share*c.judge.found, c.share*(1-c.judge.found)
			faulted, cleared := found+(1-c.share)*(1-c.judge.cleared), missed+(1-c.share)*c.judge.cleared
			for i := range sample[:len(sample)-1] {
				switch a := &sample[i]; {
				case a.Person != nil:
					require.InDelta(t, shares.Indicator(*a.Person), p[i], 0)
				case *a.Judge:
					require.InDelta(t, found/faulted, p[i], c.slack)
				default:
					require.InDelta(t, missed/cleared, p[i], c.slack)
				}
			}
			require.InDelta(t, c.share, p[len(p)-1], c.slack, "of an answer that nobody has read")
		})
	}
}

// Few verdicts say little, and none say what was assumed.
func TestSoftenWithLittle(t *testing.T) {
	require.Empty(t, Soften(nil))
	require.InDelta(t, 0.2, Soften([]Answer{{Probability: 1}})[0], 0.01)
	p := Soften(verdicts(1, 9, 1))
	require.InDelta(t, 0.55, p[0], 0.15)
	require.InDelta(t, 0.04, p[9], 0.03)
	for _, sample := range [][]Answer{verdicts(500, 0, 1), verdicts(0, 100_000, 0.01), verdicts(3, 0, math.NaN())} {
		for _, v := range Soften(sample) {
			require.True(t, v > 0 && v < 1, v)
		}
	}
}
