package calibration

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write default.yaml and the golden files")

// plan says which sets a detector's threshold is chosen on, and how. docs/adr/0004-starting-thresholds.md says why.
type plan struct {
	detector string
	sets     []string
	fixed    float64 // not swept: the score is exact, or a lower limit would fire on one unknown name
}

func plans() []plan {
	return []plan{
		{detector: "citation", sets: []string{"attributionbench"}},
		{detector: "grounding", sets: []string{"begin", "ragtruth"}},
		{detector: "facts", sets: []string{"ragtruth"}, fixed: 0.5},
		{detector: "confidence", sets: []string{"logprobs"}},
		{detector: "schema", sets: []string{"jsonschema_suite"}, fixed: 0.5},
		{detector: "technical", fixed: 0.6}, // no set has labels for links and packages
	}
}

// baseRate is the share of bad answers that precision is stated for: the sets hold 44 to 73 %, chosen by their makers.
const baseRate = 0.3

func target() Target { return Target{Precision: 0.7, MinFired: 20} }

const header = "# Starting thresholds, fitted on public data: calibrate on your own traffic as soon as you have labels.\n" +
	"# Written by go test ./calibration -run TestSweep -update; docs/adr/0004-starting-thresholds.md says how they were chosen.\n"

// TestSweep chooses the starting thresholds anew and holds them against the embedded file, and what they do on each set
// against a golden report.
func TestSweep(t *testing.T) {
	data := load(t)
	rows, baselines := measureAll(t, data)
	f := File{
		Format: Format, CreatedBy: "go test ./calibration -run TestSweep -update", Baselines: baselines,
		Data: Data{Fingerprint: data.fingerprint, Rows: len(rows)},
	}
	for _, r := range rows {
		if r.positive {
			f.Data.Positives++
		}
	}
	for _, p := range plans() {
		f.Thresholds = append(f.Thresholds, p.choose(rows))
	}
	c, err := New(withID(f, "sweep"))
	require.NoError(t, err)
	f.Rule = jointRule(rows, c)
	old, err := Default()
	require.NoError(t, err)
	f.ID = old.ID()
	if *update && cmp.Diff(old.File(), f) != "" {
		f.ID = time.Now().UTC().Format(time.DateOnly) + "-" + data.fingerprint[:8]
	}
	var content bytes.Buffer
	content.WriteString(header)
	require.NoError(t, Encode(&content, f))
	requireGolden(t, "default.yaml", content.String())
	requireGolden(t, filepath.Join("testdata", "sweep.golden"), report(rows, f, c))
}

func withID(f File, id string) File { f.ID = id; return f }

func requireGolden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o600))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "run the test with -update to write it")
	require.Empty(t, cmp.Diff(string(want), got), "-golden +got; if the change is meant, run the test with -update")
}

// scoresOf are the rows of the sets that the detector could measure.
func scoresOf(rows []measured, detector string, sets []string, keep func(measured) bool) []Scored {
	var out []Scored
	for _, r := range rows {
		score, ok := r.scores[detector]
		if ok && slices.Contains(sets, r.set) && (keep == nil || keep(r)) {
			out = append(out, Scored{Score: score, Positive: r.positive})
		}
	}
	return out
}

// pool gives every task of every set the same say, at the base rate: a threshold must hold for dialogues, passages,
// news and records alike, however many rows of each there are.
func (p plan) pool(rows []measured, keep func(measured) bool) []Scored {
	var pooled []Scored
	for _, set := range p.sets {
		for _, task := range tasks(rows, set) {
			scored := scoresOf(rows, p.detector, []string{set}, func(m measured) bool { return m.task == task && (keep == nil || keep(m)) })
			for _, s := range AtBaseRate(scored, baseRate) {
				s.Weight = s.weight() / float64(len(scored))
				pooled = append(pooled, s)
			}
		}
	}
	return pooled
}

// choose picks the threshold on the pooled rows. It is rounded down, so that it fires no less than what was chosen.
func (p plan) choose(rows []measured) Threshold {
	pooled := p.pool(rows, nil)
	at, armed := p.limit(pooled)
	c := At(pooled, at)
	return Threshold{
		Detector: p.detector, Threshold: at, Armed: armed,
		Precision: round(c.Precision), PrecisionLow: round(c.PrecisionLow), Recall: round(c.Recall), N: len(pooled),
	}
}

func (p plan) limit(pooled []Scored) (at float64, armed bool) {
	if p.fixed > 0 {
		return p.fixed, true
	}
	c, armed := Choose(Sweep(pooled), target())
	return math.Floor(c.Threshold*1000) / 1000, armed
}

// crossed is the precision and recall of thresholds that were chosen on the other half of the groups.
func (p plan) crossed(rows []measured) (precision, recall float64) {
	for h := range 2 {
		at, _ := p.limit(p.pool(rows, func(m measured) bool { return m.half != h }))
		c := At(p.pool(rows, func(m measured) bool { return m.half == h }), at)
		precision, recall = precision+c.Precision/2, recall+c.Recall/2
	}
	return precision, recall
}

// jointRule measures "two or more fired" on the rows that are fine and that two or more detectors could check.
func jointRule(rows []measured, c *Calibration) *Rule {
	var joint Rule
	fired, checked := map[string]float64{}, map[string]float64{}
	var fine []measured
	for _, r := range rows {
		if r.positive || len(r.scores) < 2 {
			continue
		}
		fine = append(fine, r)
		n := 0
		for detector, score := range r.scores {
			checked[detector]++
			if at, armed := c.Threshold(detector, "", ""); armed && score >= at {
				fired[detector]++
				n++
			}
		}
		if n >= 2 {
			joint.JointRate++
		}
	}
	for _, r := range fine {
		joint.Independence += twoOrMore(r, func(detector string) float64 { return fired[detector] / checked[detector] })
	}
	joint.Rows = len(fine)
	joint.JointRate = round(joint.JointRate / float64(len(fine)))
	joint.Independence = round(joint.Independence / float64(len(fine)))
	return &joint
}

// twoOrMore is the probability that two or more of the row's detectors fire, were they independent.
func twoOrMore(r measured, rate func(detector string) float64) float64 {
	none, one := 1.0, 0.0
	for detector := range r.scores {
		p := rate(detector)
		none, one = none*(1-p), one*(1-p)+none*p
	}
	return 1 - none - one
}

// report tells what the thresholds do on each set.
func report(rows []measured, f File, c *Calibration) string {
	var b strings.Builder
	fmt.Fprintf(&b, "precision is stated for %.0f %% bad answers, target %.2f; rows are those that the detector could measure\n\n", 100*baseRate, target().Precision)
	fmt.Fprintf(&b, "%-12s %9s %6s %9s %6s %6s  %s\n", "detector", "threshold", "armed", "precision", "low", "recall", "chosen on the other half of the groups")
	for i, p := range plans() {
		t := f.Thresholds[i]
		precision, recall := p.crossed(rows)
		fmt.Fprintf(&b, "%-12s %9.3f %6v %9.3f %6.3f %6.3f  precision %.3f, recall %.3f\n",
			t.Detector, t.Threshold, t.Armed, t.Precision, t.PrecisionLow, t.Recall, precision, recall)
	}
	fmt.Fprintf(&b, "\n%-12s %-18s %-10s %5s %5s %6s %9s %6s %12s\n", "detector", "set", "task", "rows", "bad", "AUROC", "precision", "recall", "false alarms")
	for _, p := range plans() {
		for _, set := range sets() {
			b.WriteString(p.line(rows, set, "", c))
			if kinds := tasks(rows, set); len(kinds) > 1 {
				for _, task := range kinds {
					b.WriteString(p.line(rows, set, task, c))
				}
			}
		}
	}
	fmt.Fprintf(&b, "\ntwo or more fired, on %d good answers that two or more detectors could check: %.3f; were they independent: %.3f\n",
		f.Rule.Rows, f.Rule.JointRate, f.Rule.Independence)
	return b.String()
}

// line tells what the threshold does on a set, or on one task of it; nothing where the detector could not measure.
func (p plan) line(rows []measured, set, task string, c *Calibration) string {
	scored := scoresOf(rows, p.detector, []string{set}, func(m measured) bool { return task == "" || m.task == task })
	if len(scored) == 0 {
		return ""
	}
	bad := 0
	for _, s := range scored {
		if s.Positive {
			bad++
		}
	}
	at, _ := c.Threshold(p.detector, "", "")
	found := At(AtBaseRate(scored, baseRate), at)
	mark := ""
	if slices.Contains(p.sets, set) {
		mark = "*"
	}
	return fmt.Sprintf("%-12s %-18s %-10s %5d %5d %6.3f %9.3f %6.3f %12.3f\n",
		p.detector, set+mark, task, len(scored), bad, AUROC(scored), found.Precision, found.Recall, found.FalseAlarms)
}

// tasks are those of the set, in order.
func tasks(rows []measured, set string) []string {
	var names []string
	for _, r := range rows {
		if r.set == set && !slices.Contains(names, r.task) {
			names = append(names, r.task)
		}
	}
	slices.Sort(names)
	return names
}

func round(x float64) float64 { return math.Round(x*1000) / 1000 }
