package tune

import (
	"compress/gzip"
	"encoding/csv"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/calibration"
	"confab/calibration/measure"
)

var draws1000 = flag.Int("draws", 12, "draws of labels of each kind; make tuning makes 1000")

// traffic are answers of one author or set, scored by a model that has not seen it, with a calibration and a prior that have not
// either.
type traffic struct {
	name    string
	answers []labelledAnswer
	current *calibration.Calibration
	known   *prior
}

type labelledAnswer struct {
	row   measure.Row
	group string
}

// readTraffic reads testdata/answers.csv.gz, which calibration/lab/calibrate.py writes: scores without texts.
func readTraffic(t *testing.T) []*traffic {
	t.Helper()
	file, err := os.Open("testdata/answers.csv.gz")
	require.NoError(t, err)
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	require.NoError(t, err)
	lines, err := csv.NewReader(unpacked).ReadAll()
	require.NoError(t, err)
	byName := map[string]*traffic{}
	var all []*traffic
	for _, cells := range lines[1:] {
		tr := byName[cells[0]]
		if tr == nil {
			tr = &traffic{name: cells[0]}
			byName[cells[0]] = tr
			all = append(all, tr)
		}
		row := measure.Row{Positive: cells[2] == "1", Fused: math.NaN(), Tenant: "default"}
		for i, name := range lines[0][3:] {
			score, err := strconv.ParseFloat(cells[3+i], 64)
			row.Signals = append(row.Signals, measure.Signal{Detector: name, Score: score, HasScore: err == nil})
		}
		row.FuseScores(isFused)
		tr.answers = append(tr.answers, labelledAnswer{row, cells[1]})
	}
	for _, tr := range all {
		tr.leaveOut(t)
	}
	return all
}

// leaveOut makes what the lab would have shipped without this traffic.
func (tr *traffic) leaveOut(t *testing.T) {
	t.Helper()
	embedded, err := embeddedPrior()
	require.NoError(t, err)
	tr.known = embedded.without(func(set string) bool { return set == tr.name })
	quiet := map[string][]float64{}
	grounding := slices.Index(tr.known.names, "grounding")
	for _, r := range tr.known.rows {
		if kind, _, _ := strings.Cut(r.set, "/"); !r.wrong && !math.IsNaN(r.scores[grounding]) {
			for range int(r.weight) {
				quiet[kind] = append(quiet[kind], r.scores[grounding])
			}
		}
	}
	threshold := 0.0
	for _, scores := range quiet {
		slices.Sort(scores)
		threshold = max(threshold, scores[int(0.96*float64(len(scores)))])
	}
	f := calibration.File{Format: calibration.Format, ID: "shipped", Risk: []calibration.RiskMap{{A: 1}}}
	for name, at := range map[string]float64{"citation": 0.5, "grounding": math.Round(threshold*100) / 100, "facts": 0.5, "technical": 0.6} {
		f.Thresholds = append(f.Thresholds, calibration.Threshold{Detector: name, Threshold: at, Armed: true})
	}
	tr.current, err = calibration.New(f)
	require.NoError(t, err)
	tr.known.at = tr.current
}

// outcome are shares of the answers of a class under a calibration.
type outcome struct{ missed, pages, alarms, found float64 }

func judgeAll(rows []measure.Row, c *calibration.Calibration) (o outcome) {
	var wrong, right float64
	for i := range rows {
		fired, _ := rows[i].CountFired(c)
		if rows[i].Positive {
			wrong++
			o.missed += float64(boolInt(fired == 0))
			o.found += float64(boolInt(fired >= 2))
			continue
		}
		right++
		o.pages += float64(boolInt(fired >= 2))
		o.alarms += float64(boolInt(fired >= 1))
	}
	return outcome{o.missed / wrong, o.pages / right, o.alarms / right, o.found / wrong}
}

// cost is that of the issue: a false page 1, a wrong answer without a flag ½.
func (o outcome) cost(base float64) float64 { return (1-base)*o.pages + base*o.missed/2 }

// figures are sums over draws.
type figures struct {
	n                         int
	before, after             float64 // cost
	alarmsBefore, alarmsAfter float64
	worst                     []float64 // alarms after
	foundBefore, foundAfter   float64
	silenced                  int // draws that leave no alert where there were some
	moved                     float64
}

func (f *figures) add(before, after outcome, base, moved float64) {
	f.n++
	f.before, f.after = f.before+before.cost(base), f.after+after.cost(base)
	f.alarmsBefore, f.alarmsAfter = f.alarmsBefore+before.alarms, f.alarmsAfter+after.alarms
	f.foundBefore, f.foundAfter = f.foundBefore+1-before.missed, f.foundAfter+1-after.missed
	f.worst = append(f.worst, after.alarms)
	f.moved += moved
	if before.pages+before.found > 0 && after.pages+after.found == 0 {
		f.silenced++
	}
}

// draw labels n answers of half of the groups at the base rate, and measures the tuned file on the other half.
func (tr *traffic) draw(rng *rand.Rand, n int, base float64) (before, after outcome, wrong int, moved float64) {
	groups := map[string]bool{}
	var pools [2][]measure.Row
	var rest []measure.Row
	for _, a := range tr.answers {
		labelled, known := groups[a.group]
		if !known {
			labelled = rng.IntN(2) == 0
			groups[a.group] = labelled
		}
		if labelled {
			pools[boolInt(a.row.Positive)] = append(pools[boolInt(a.row.Positive)], a.row)
		} else {
			rest = append(rest, a.row)
		}
	}
	for k := range pools {
		rng.Shuffle(len(pools[k]), func(i, j int) { pools[k][i], pools[k][j] = pools[k][j], pools[k][i] })
	}
	var rows []Row
	for range n {
		k := boolInt(rng.Float64() < base)
		wrong += k
		rows = append(rows, Row{Row: pools[k][0], Wrong: float64(k)})
		pools[k] = append(pools[k][1:], pools[k][0])
	}
	f := &fitRun{o: Options{Current: tr.current, Policy: twoOrMore{}, Now: time.Unix(0, 0), Fingerprint: "0"}, rows: sortRows(rows), file: tr.current.File()}
	next, err := f.learn(tr.known)
	if err != nil {
		panic(err)
	}
	was, _ := tr.current.Threshold("grounding", "default", "", "")
	is, _ := next.Threshold("grounding", "default", "", "")
	return judgeAll(rest, tr.current), judgeAll(rest, next), wrong, is - was
}

// TestFewLabelsHelp draws labels many times and requires that the tuned file costs no more on other answers.
func TestFewLabelsHelp(t *testing.T) {
	type key struct {
		name string
		base float64
		n    int
		few  bool
	}
	results := map[key]*figures{}
	var mu sync.Mutex
	all := readTraffic(t)
	t.Run("draws", func(t *testing.T) {
		for k, tr := range all {
			t.Run(tr.name, func(t *testing.T) {
				t.Parallel()
				for _, base := range []float64{0.08, 0.2} {
					for _, n := range []int{20, 40, 100, 300} {
						rng := rand.New(rand.NewPCG(uint64(k), uint64(1000*base)+uint64(n)))
						for range *draws1000 {
							before, after, wrong, moved := tr.draw(rng, n, base)
							mu.Lock()
							name, _, _ := strings.Cut(tr.name, "/")
							at := key{name, base, n, wrong < 3}
							if results[at] == nil {
								results[at] = &figures{}
							}
							results[at].add(before, after, base, moved)
							mu.Unlock()
						}
					}
				}
			})
		}
	})
	for _, name := range []string{"modern", "ragtruth", "begin", "attributionbench", "summedits"} {
		for _, base := range []float64{0.08, 0.2} {
			for _, n := range []int{20, 40, 100, 300} {
				for _, few := range []bool{true, false} {
					f := results[key{name, base, n, few}]
					if f == nil {
						continue
					}
					d := float64(f.n)
					slices.Sort(f.worst)
					fmt.Printf("%-16s base %.2f n %3d wrong<3 %-5v draws %5d cost %.4f -> %.4f ratio %.3f | right flagged %.3f -> %.3f (95%% %.3f) found %.3f -> %.3f silenced %d moved %.3f\n", name, base, n, few, f.n, f.before/d, f.after/d, f.after/f.before,
						f.alarmsBefore/d, f.alarmsAfter/d, f.worst[int(0.95*float64(f.n-1))], f.foundBefore/d, f.foundAfter/d, f.silenced, f.moved/d)
				}
			}
		}
	}
}
