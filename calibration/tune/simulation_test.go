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
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/calibration"
	"confab/calibration/measure"
	"confab/calibration/shares"
)

var drawsOfEach = flag.Int("draws", 4, "draws of labels of each kind; make tuning makes 1000")

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
	tr.known = embedded
	tr.known.rows = slices.DeleteFunc(tr.known.rows, func(r priorRow) bool { return r.set == tr.name })
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

// sums are sums over draws.
type sums struct {
	draws, silenced int     // silenced: no alert is left where there were some
	before, after   float64 // cost
	was, is         outcome
	held            [4]float64 // draws whose interval held the truth
}

func (f *sums) add(before, after outcome, base float64, held [4]bool) {
	for k, is := range held {
		f.held[k] += shares.Indicator(is)
	}
	f.draws++
	f.before, f.after = f.before+before.cost(base), f.after+after.cost(base)
	f.was.alarms, f.was.missed = f.was.alarms+before.alarms, f.was.missed+before.missed
	f.is.alarms, f.is.missed = f.is.alarms+after.alarms, f.is.missed+after.missed
	if before.pages+before.found > 0 && after.pages+after.found == 0 {
		f.silenced++
	}
}

func (f *sums) ratio() float64 { return f.after / f.before }

// forecasts names the figures of a report whose intervals are compared with the truth.
func forecasts() [4]string {
	return [...]string{"share of wrong answers", "wrong ones flagged", "flags", "alerts"}
}

// held says which intervals of the report without a log hold the truth on other answers. The report shows tenths: 0.04 alerts are none.
func held(f *fitRun, next *calibration.Calibration, is outcome, base float64) (held [4]bool) {
	r := f.forecast(next)
	flags, alerts := base*(1-is.missed)+(1-base)*is.alarms, base*is.found+(1-base)*is.pages
	for k, at := range []struct {
		Interval
		truth float64
	}{{f.report.BaseRate, base}, {r.Found, 1 - is.missed}, {r.Flags, perThousand * flags}, {r.Alerts, perThousand * alerts}} {
		if k >= 2 {
			at.Low = min(at.Low, math.Round(10*at.Low)/10)
		}
		held[k] = at.Low <= at.truth && at.truth <= at.High
	}
	return held
}

// draw labels n answers of half of the groups at the base rate, and measures the tuned file on the other half.
func (tr *traffic) draw(t *testing.T, rng *rand.Rand, n int, base float64, to map[bool]*sums) {
	t.Helper()
	groups, wrong := map[string]bool{}, 0
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
	require.NoError(t, err)
	after := judgeAll(rest, next)
	to[wrong < 3].add(judgeAll(rest, tr.current), after, base, held(f, next, after, base))
}

// twoOrMore is a rule of two detectors.
type twoOrMore struct{}

func (twoOrMore) Holds(_ string, fired []string, risk, minRisk float64) bool {
	return len(fired) >= 2 && (math.IsNaN(risk) || risk >= minRisk)
}

func boolInt(is bool) int { return int(shares.Indicator(is)) }

// kindOfDraw is what sums are summed over.
type kindOfDraw struct {
	traffic string
	base    float64
	labels  int
	few     bool // fewer than three wrong ones
}

// TestFewLabelsHelp draws labels many times and requires that the tuned file costs at most 2 % more on other answers with 20 labels,
// less from 40 labels with three wrong ones on, and that it never silences all alerts. make tuning prints the tables.
func TestFewLabelsHelp(t *testing.T) {
	all := readTraffic(t)
	results := make([]map[kindOfDraw]*sums, len(all))
	t.Run("draws", func(t *testing.T) {
		for k, tr := range all {
			t.Run(tr.name, func(t *testing.T) {
				t.Parallel()
				results[k] = tr.simulate(t, uint64(k))
			})
		}
	})
	sum := map[kindOfDraw]*sums{}
	for _, part := range results {
		for key, f := range part {
			if sum[key] == nil {
				sum[key] = &sums{}
			}
			sum[key].join(f)
		}
	}
	checkGate(t, sum)
	for _, name := range []string{"modern", "ragtruth", "begin", "attributionbench", "summedits"} {
		for _, base := range rates() {
			t.Log(row(name, base, sum))
		}
	}
	for k, what := range forecasts() {
		t.Log(heldRow(what, k, sum))
	}
}

// heldRow says in which part of the draws of all sets, by number of labels, an interval held the truth.
func heldRow(what string, forecast int, sum map[kindOfDraw]*sums) string {
	line := fmt.Sprintf("| %s |", what)
	for _, n := range sizes() {
		all := sums{}
		for key, f := range sum {
			if key.labels == n {
				all.join(f)
			}
		}
		line += fmt.Sprintf(" %.0f %% |", 100*all.held[forecast]/float64(all.draws))
	}
	return line
}

func rates() []float64 { return []float64{0.08, 0.2} }

func sizes() []int { return []int{20, 40, 100, 300} }

func (tr *traffic) simulate(t *testing.T, seed uint64) map[kindOfDraw]*sums {
	t.Helper()
	out := map[kindOfDraw]*sums{}
	name, _, _ := strings.Cut(tr.name, "/")
	for _, base := range rates() {
		for _, n := range sizes() {
			rng := rand.New(rand.NewPCG(seed, uint64(1000*base)+uint64(n)))
			count := *drawsOfEach
			if name != tr.name {
				count = (count + 2) / 3 // of each author
			}
			byFew := map[bool]*sums{false: {}, true: {}}
			for range count {
				tr.draw(t, rng, n, base, byFew)
			}
			for few, f := range byFew {
				if f.draws > 0 {
					out[kindOfDraw{name, base, n, few}] = f
				}
			}
		}
	}
	return out
}

func (f *sums) join(o *sums) {
	f.draws, f.silenced, f.before, f.after = f.draws+o.draws, f.silenced+o.silenced, f.before+o.before, f.after+o.after
	f.was.alarms, f.was.missed = f.was.alarms+o.was.alarms, f.was.missed+o.was.missed
	f.is.alarms, f.is.missed = f.is.alarms+o.is.alarms, f.is.missed+o.is.missed
	for k := range f.held {
		f.held[k] += o.held[k]
	}
}

// gated are the draws that the gate is about: all of 20 labels, else those with three wrong ones.
func gated(sum map[kindOfDraw]*sums, name string, base float64, n int) *sums {
	f := sums{}
	for _, few := range []bool{false, true} {
		if part := sum[kindOfDraw{name, base, n, few}]; part != nil && (!few || n == 20) {
			f.join(part)
		}
	}
	return &f
}

func checkGate(t *testing.T, sum map[kindOfDraw]*sums) {
	t.Helper()
	var pooled [2]sums // of 20 labels, of more
	for key, f := range sum {
		require.Zero(t, f.silenced, key)
		if key.labels == 20 || !key.few {
			pooled[boolInt(key.labels > 20)].join(f)
		}
	}
	require.LessOrEqual(t, pooled[0].ratio(), 1.02)
	require.Less(t, pooled[1].ratio(), 1.0)
	if *drawsOfEach < 200 {
		return // too few for each kind
	}
	for key := range sum {
		f := gated(sum, key.traffic, key.base, key.labels)
		require.LessOrEqual(t, f.ratio(), map[bool]float64{true: 1.02, false: 1}[key.labels == 20], key)
	}
}

// row is a line of the table: the change of the cost by number of labels; then of fine answers flagged and of wrong ones found,
// before and with 300 labels.
func row(name string, base float64, sum map[kindOfDraw]*sums) string {
	line := fmt.Sprintf("| %s | %.0f %% |", name, 100*base)
	for _, n := range sizes() {
		line += fmt.Sprintf(" %+.1f %% |", 100*(gated(sum, name, base, n).ratio()-1))
	}
	f := gated(sum, name, base, 300)
	d := float64(f.draws) / 100
	return line + fmt.Sprintf(" %.1f → %.1f %% | %.1f → %.1f %% |", f.was.alarms/d, f.is.alarms/d, 100-f.was.missed/d, 100-f.is.missed/d)
}
