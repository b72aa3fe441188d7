package standard_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/calibration"
	"confab/detectors"
	"confab/detectors/confidence"
	"confab/detectors/standard"
	"confab/internal/golden"
	"confab/schemas"
)

// qualitySuite returns a suite with the default model and calibration, and a baseline for the invented model of the rows.
func qualitySuite(t *testing.T) *detectors.Suite {
	t.Helper()
	shipped, err := calibration.Default()
	require.NoError(t, err)
	file := shipped.File()
	file.Baselines = append(slices.Clone(file.Baselines), calibration.Baseline{
		Model: "quill-1", Operation: "open_qa",
		Baseline: confidence.Baseline{Mean: 0.3, Stdev: 0.2, PeakMean: 0.7, PeakStdev: 0.4, N: 40},
	})
	known, err := calibration.New(file)
	require.NoError(t, err)
	learned, err := standard.DefaultModel()
	require.NoError(t, err)
	suite, err := detectors.NewSuite(detectors.Options{
		Detectors: standard.Fast(standard.Dependencies{Baselines: known, Model: learned}), Fusion: learned.Fuser(),
		Thresholds: known, Risks: known,
		Now: func() time.Time { return time.Time{} }, Redact: strings.Clone,
	})
	require.NoError(t, err)
	return suite
}

// riskName is the name of the fused risk in the list of detectors.
const riskName = "risk"

// evaluateRow returns the readings of every rule and of the fused risk. The risk fires when it recommends more than to allow
// the answer; without a map from log-odds to probabilities it only ranks.
func evaluateRow(t *testing.T, suite *detectors.Suite, row *schemas.Labelled) map[string]detectors.Reading {
	t.Helper()
	readings := evaluateRules(t, suite, &row.Interaction)
	e := suite.Evaluate(t.Context(), &row.Interaction)
	defer e.Release()
	risk := detectors.Reading{Outcome: schemas.NotCheckable}
	if measured, _ := e.FusedSets(); e.HasFusion() && measured != 0 {
		risk = detectors.Reading{Outcome: schemas.Skipped, Reason: detectors.ReasonNotArmed}
		risk.Finding.Score = 1 / (1 + math.Exp(-e.LogOdds(measured)))
	}
	if p, ok := e.Risk(); ok {
		const flagged = 0.4
		risk = detectors.Reading{Outcome: schemas.Clear}
		risk.Finding.Score = p
		if p > flagged {
			risk.Outcome = schemas.Fired
		}
	}
	readings[riskName] = risk
	return readings
}

// outcomeTally counts the outcomes of one detector.
type outcomeTally struct {
	rows     []schemas.Labelled // those with a score
	scores   []float64
	outcomes map[schemas.Outcome]int
	fired    [2]int // by label
	hits     int    // faults that fired and whose first evidence touches a labelled span
	n        [2]int // by label, of all rows
	wrong    [2][]string
}

func newOutcomeTally() *outcomeTally { return &outcomeTally{outcomes: map[schemas.Outcome]int{}} }

func (y *outcomeTally) add(row *schemas.Labelled, r detectors.Reading) {
	y.n[row.Label]++
	y.outcomes[r.Outcome]++
	switch {
	case r.Outcome == schemas.Fired:
		y.fired[row.Label]++
		if row.Label == 0 {
			y.wrong[0] = append(y.wrong[0], shortID(row))
		} else if overlapsLabel(row, r.Finding.Evidence) {
			y.hits++
		}
	case r.Outcome == schemas.Clear && row.Label == 1:
		y.wrong[1] = append(y.wrong[1], shortID(row))
	case r.Outcome == schemas.Skipped && r.Reason == detectors.ReasonNotArmed:
	case r.Outcome != schemas.Clear:
		return
	}
	y.rows, y.scores = append(y.rows, *row), append(y.scores, r.Finding.Score)
}

// shortID returns the id without the theme.
func shortID(row *schemas.Labelled) string {
	_, id, _ := strings.Cut(row.Interaction.ID, "/")
	return id
}

// overlapsLabel reports whether the first piece of evidence with a place overlaps a labelled span.
func overlapsLabel(row *schemas.Labelled, evidence []detectors.Evidence) bool {
	for _, e := range evidence {
		if e.Start == schemas.NoPlace {
			continue
		}
		return slices.ContainsFunc(row.Spans, func(s schemas.Span) bool { return e.Start < s.End && s.Start < e.End })
	}
	return false
}

const qualityHead = "%-10s %5s %4s | %5s %5s %5s %5s %5s | %6s %9s %6s %12s %5s\n"

func (y *outcomeTally) line(name string) string {
	bad := 0
	for i := range y.rows {
		bad += y.rows[i].Label
	}
	share := func(part, whole int) string {
		if whole == 0 || y.outcomes[schemas.Fired]+y.outcomes[schemas.Clear] == 0 {
			return "-"
		}
		return fmt.Sprintf("%.2f", float64(part)/float64(whole))
	}
	ranking := "-"
	if bad > 0 && bad < len(y.rows) {
		ranking = fmt.Sprintf("%.3f", auroc(y.scores, y.rows))
	}
	count := func(o schemas.Outcome) string { return fmt.Sprint(y.outcomes[o]) }
	return fmt.Sprintf(qualityHead, name, fmt.Sprint(y.n[0]+y.n[1]), fmt.Sprint(y.n[1]),
		count(schemas.Fired), count(schemas.Clear), count(schemas.NotCheckable), count(schemas.Skipped), count(schemas.Failed),
		ranking, share(y.fired[1], y.fired[0]+y.fired[1]), share(y.fired[1], bad), share(y.fired[0], len(y.rows)-bad),
		share(y.hits, y.fired[1]))
}

// TestQuality shows the effect of a change of a detector or threshold row by row. Its figures are not representative of real
// traffic: most rows are hard cases with one fault, and many faults are outside the scope of a detector.
func TestQuality(t *testing.T) {
	t.Parallel()
	suite := qualitySuite(t)
	all := qualityThemes(t)
	tallies := map[string]*outcomeTally{} // by detector, and by detector and theme
	at := func(key string) *outcomeTally {
		if tallies[key] == nil {
			tallies[key] = newOutcomeTally()
		}
		return tallies[key]
	}
	rules := &agreementTally{}
	for _, th := range all {
		for i := range th.rows {
			readings := evaluateRow(t, suite, &th.rows[i])
			for detector, r := range readings {
				at(detector).add(&th.rows[i], r)
				at(detector+"/"+th.name).add(&th.rows[i], r)
			}
			rules.add(&th.rows[i], readings)
		}
	}
	var out strings.Builder
	out.WriteString("precision, recall and false alarms at the shipped threshold, of the rows that could be checked; spans: share of the\n" +
		"faults that fired whose first evidence touches the labelled place; themes that a detector cannot check have no line\n")
	for _, detector := range append(detectors.Names(standard.Fast(standard.Dependencies{})), riskName) {
		fmt.Fprintf(&out, "\n== %s\n"+qualityHead, detector, "theme", "rows", "bad", "fired", "clear", "n/a", "skip", "error",
			"AUROC", "precision", "recall", "false alarms", "spans")
		out.WriteString(at(detector).line("all"))
		for _, th := range all {
			if y := at(detector + "/" + th.name); len(y.rows) > 0 {
				out.WriteString(y.line(th.name))
			}
		}
		for _, th := range all {
			y := at(detector + "/" + th.name)
			writeIDs(&out, "false alarms, "+th.name, y.wrong[0])
			writeIDs(&out, "missed, "+th.name, y.wrong[1])
		}
	}
	rules.write(&out)
	golden.Equal(t, "testdata/quality.golden", out.String())
}

func writeIDs(out *strings.Builder, what string, ids []string) {
	if len(ids) > 0 {
		fmt.Fprintf(out, "%s: %s\n", what, strings.Join(ids, ", "))
	}
}

// agreementTally counts how many detectors fired per row.
type agreementTally struct {
	n, one, two [2]int // by label
	none        []string
	alarms      []string
}

func (g *agreementTally) add(row *schemas.Labelled, readings map[string]detectors.Reading) {
	fired := 0
	for detector, r := range readings {
		if detector != riskName && r.Outcome == schemas.Fired {
			fired++
		}
	}
	g.n[row.Label]++
	if fired >= 1 {
		g.one[row.Label]++
	} else if row.Label == 1 {
		g.none = append(g.none, row.Interaction.ID)
	}
	if fired >= 2 {
		g.two[row.Label]++
		if row.Label == 0 {
			g.alarms = append(g.alarms, row.Interaction.ID)
		}
	}
}

func (g *agreementTally) write(out *strings.Builder) {
	fmt.Fprintf(out, "\n== together\none or more fired: %d of %d faults, %d of %d good answers\n", g.one[1], g.n[1], g.one[0], g.n[0])
	fmt.Fprintf(out, "two or more fired: %d of %d faults, %d of %d good answers\n", g.two[1], g.n[1], g.two[0], g.n[0])
	writeIDs(out, "two or more, good answers", g.alarms)
	writeIDs(out, "no detector saw", g.none)
}
