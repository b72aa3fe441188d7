package calibrate

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/alerting"
	"confab/calibration"
	"confab/calibration/measure"
	"confab/calibration/thresholds"
	"confab/detectors"
	"confab/detectors/standard"
	"confab/internal/datatest"
	"confab/internal/redact"
	"confab/schemas"
	"confab/schemas/json"
)

var labelFiles = flag.Int("calibrate.files", 60, "random label files of TestCalibrationLosesNoAlertUnsaid for each source of rows")

// standardSuite has the standard detectors with the embedded model.
func standardSuite(t *testing.T) *detectors.Suite {
	t.Helper()
	c, err := calibration.Default()
	require.NoError(t, err)
	m, err := standard.DefaultModel()
	require.NoError(t, err)
	s, err := detectors.NewSuite(detectors.Options{
		Detectors: standard.Fast(standard.Dependencies{Baselines: c, Model: m}), Thresholds: c, Risks: c, Fusion: m.Fuser(),
		Now: time.Now, Redact: redact.Redact,
	})
	require.NoError(t, err)
	return s
}

// measured measures rows with the standard detectors.
func measured(t *testing.T, rows []schemas.Labelled) []measure.Row {
	t.Helper()
	out, _, err := measure.Rows(t.Context(), standardSuite(t), &memoryLabels{rows}, measure.Options{Workers: 2})
	require.NoError(t, err)
	return out
}

// inventedRows are answers about invented plans, with and without citations, right ones and ones with a wrong figure, name or
// invented sentence.
func inventedRows(n int) (rows []schemas.Labelled) {
	random := rand.New(rand.NewPCG(1, 2))
	names := []string{"Starter", "Team", "Business", "Meadow", "Harbour", "Summit", "Orchard", "Lantern"}
	for i := range n {
		plan, other := names[random.IntN(len(names))], names[random.IntN(len(names))]
		price, seats, days := 10+random.IntN(90), 2+random.IntN(60), 3+random.IntN(40)
		source := fmt.Sprintf("The %s plan costs %d euros a month and includes %d seats. Invoices are due within %d days. Support answers on weekdays.", plan, price, seats, days)
		wrong := random.IntN(2) == 0
		if wrong {
			switch random.IntN(4) {
			case 0:
				price += 5 + random.IntN(50)
			case 1:
				seats *= 3
			case 2:
				plan = other + " Gold"
			case 3:
				source = fmt.Sprintf("The %s plan was renamed in March. Support answers on weekdays.", other)
			}
		}
		mark := []string{"", " [1]"}[random.IntN(2)]
		answer := fmt.Sprintf("The %s plan costs %d euros a month%s. It includes %d seats%s.", plan, price, mark, seats, mark)
		if random.IntN(3) == 0 {
			answer += fmt.Sprintf(" Invoices have to be paid within %d days.", days)
		}
		label := 0
		if wrong {
			label = 1
		}
		rows = append(rows, schemas.Labelled{
			Interaction: schemas.Interaction{
				ID: fmt.Sprint("i", i), Operation: "support", Answer: answer,
				Messages: []schemas.Message{{Role: "user", Content: "What does the plan cost?"}}, Sources: []schemas.Source{{ID: "1", Text: source}},
			},
			Labelled: true, Label: label, Dataset: "invented", Task: "qa", Group: fmt.Sprint("g", i),
		})
	}
	return rows
}

// drawRows draws 20 to 500 rows with a random share of bad ones.
func drawRows(random *rand.Rand, pool []measure.Row) []measure.Row {
	size := 20 + random.IntN(481)
	bad := max(1, int([]float64{0.02, 0.05, 0.1, 0.2, 0.5, 0.8}[random.IntN(6)]*float64(size)))
	var rows []measure.Row
	for _, i := range random.Perm(len(pool)) {
		switch r := &pool[i]; {
		case r.Positive && bad > 0:
			bad--
			rows = append(rows, *r)
		case !r.Positive && len(rows)+bad < size:
			rows = append(rows, *r)
		}
	}
	return rows
}

// randomOptions are options of the command, and a policy.
func randomOptions(random *rand.Rand, shipped *calibration.Calibration) (Options, *alerting.PolicyOptions) {
	o := Options{InForce: shipped, Choose: thresholds.Options{Keep: shipped, Model: shipped.File().Model, Fingerprint: "0123456789abcdef", Baselines: shipped.File().Baselines}}
	policy := &alerting.PolicyOptions{}
	switch random.IntN(8) {
	case 0:
		o.Choose.Target.MinFired = 5
	case 1:
		o.Choose.Target.Precision = 0.9
	case 2:
		o.Choose.Keep = nil
	case 4:
		policy.Default.Threshold = new(1.0)
	case 5:
		policy.Default.Weights = map[string]float64{"grounding": 2}
	case 6:
		policy.Default.MinRisk = new(0.7)
	}
	o.Choose.Policy = alerting.NewPolicy(*policy)
	return o, policy
}

// stampedAlerts are the alerts of flags with the rows' results, by the policy that stamps flags.
func stampedAlerts(rows []measure.Row, o alerting.PolicyOptions, c *calibration.Calibration) []bool {
	if least, ok := c.AlertRisk(); ok {
		o.CalibratedMinRisk = &least
	}
	p, out := alerting.NewPolicy(o), make([]bool, len(rows))
	for i := range rows {
		f := schemas.Flag{Tenant: rows[i].Tenant}
		for k, fired := range rows[i].Fired(c, nil) {
			if fired {
				f.Fired = append(f.Fired, rows[i].Signals[k].Detector)
			}
		}
		if risk, ok := rows[i].Risk(c); ok {
			f.Risk = &risk
		}
		p.Stamp(&f)
		out[i] = f.Alert
	}
	return out
}

// No file that the command writes takes away an alert of an answer labelled bad, unless it says how many and --force is set.
// A minimum risk is fitted with its risk maps, or kept with them, and no map is constant.
func TestCalibrationLosesNoAlertUnsaid(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	t.Parallel()
	shipped, err := calibration.Default()
	require.NoError(t, err)
	pools := map[string][]measure.Row{"invented": measured(t, inventedRows(900))}
	for _, set := range datatest.SetsIfAny(t) {
		if lines := datatest.Rows(t, set); set == "ragtruth" || set == "attributionbench" || set == "halueval_qa" || set == "logprobs" {
			pools["train"] = append(pools["train"], measured(t, decodeRows(t, lines[:min(len(lines), 400)]))...)
		}
	}
	for name, pool := range pools {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			outcomes := map[string]int{}
			for seed := range uint64(*labelFiles) {
				random := rand.New(rand.NewPCG(seed, 34))
				o, policy := randomOptions(random, shipped)
				outcomes[calibrateOnce(t, o, policy, drawRows(random, pool), fmt.Sprint("seed ", seed))]++
			}
			t.Log(outcomes)
			require.Positive(t, outcomes["written"])
			require.Positive(t, outcomes["refused"])
		})
	}
}

func decodeRows(t *testing.T, lines [][]byte) []schemas.Labelled {
	t.Helper()
	rows := make([]schemas.Labelled, len(lines))
	for i, line := range lines {
		require.NoError(t, json.DecodeLabelled(line, &rows[i]))
	}
	return rows
}

// calibrateOnce calibrates on rows, requires what the command promises, and returns what it did.
func calibrateOnce(t *testing.T, o Options, policy *alerting.PolicyOptions, rows []measure.Row, seed string) string {
	t.Helper()
	o.Out = filepath.Join(t.TempDir(), "calibration.yaml")
	var c calibrationResult
	if err := o.calibrate(t.Context(), rows, &c); err != nil {
		require.ErrorIs(t, err, thresholds.ErrLabels, seed)
		return "too few labels"
	}
	next, err := calibration.New(c.file)
	require.NoError(t, err, seed)
	lost := 0
	before, after := stampedAlerts(rows, *policy, o.InForce), stampedAlerts(rows, *policy, next)
	for i := range rows {
		if rows[i].Positive && before[i] && !after[i] {
			lost++
		}
	}
	requireOneScale(t, &c, o.Choose.Keep, seed)
	var out, errs bytes.Buffer
	if err = o.writeAndPrint(&out, &errs, &c); lost == 0 {
		require.NoError(t, err, seed)
		require.FileExists(t, o.Out, seed)
		return "written"
	}
	require.ErrorIs(t, err, ErrLostAlerts, seed)
	require.NoFileExists(t, o.Out, seed)
	said := fmt.Sprintf("%d of %d alerts on answers labelled wrong would disappear", lost, countWrong(rows, before))
	require.ErrorContains(t, err, said, seed)
	require.NotContains(t, out.String(), "wrote", seed)
	o.Force = true
	require.NoError(t, o.writeAndPrint(&out, &errs, &c), seed)
	require.FileExists(t, o.Out, seed)
	require.Contains(t, errs.String(), said, seed)
	return "refused"
}

func countWrong(rows []measure.Row, alerts []bool) (n int) {
	for i := range rows {
		if rows[i].Positive && alerts[i] {
			n++
		}
	}
	return n
}

// requireOneScale requires that the minimum risk belongs to the risk maps of the file.
func requireOneScale(t *testing.T, c *calibrationResult, keep *calibration.Calibration, seed string) {
	t.Helper()
	for i := range c.file.Risk {
		require.True(t, c.file.Risk[i].Rises(), seed)
	}
	if c.file.Alert == nil {
		return
	}
	require.Equal(t, keep.File().Alert, c.file.Alert, seed)
	require.Equal(t, keep.File().Risk, c.file.Risk, seed)
}

// A file that loses alerts replaces neither the file in force nor another one at its place.
func TestLosingFileKeepsTheFormerOne(t *testing.T) {
	t.Parallel()
	c := newCalibrateTest(t, recordedRows()...)
	old := calibration.File{Format: 1, ID: "2026-01-01-00000000", Thresholds: []calibration.Threshold{
		{Detector: "alpha", Threshold: 0.4, Armed: true}, {Detector: "beta", Threshold: 0.6, Armed: true},
	}}
	require.NoError(t, calibration.Save(c.o.Out, old))
	force, err := calibration.New(old)
	require.NoError(t, err)
	c.o.InForce = force
	content, err := os.ReadFile(c.o.Out)
	require.NoError(t, err)
	err = c.run(t)
	require.ErrorIs(t, err, ErrLostAlerts)
	require.ErrorContains(t, err, "compared with 2026-01-01-00000000, and ")
	require.Equal(t, []string{"calibration.yaml", "labels.jsonl"}, slices.Sorted(slices.Values(c.files(t))))
	after, err := os.ReadFile(c.o.Out)
	require.NoError(t, err)
	require.Equal(t, string(content), string(after))

	c.o.Force = true
	require.NoError(t, c.run(t))
	require.Contains(t, c.err.String(), "written because of --force")
	require.True(t, strings.HasSuffix(strings.TrimSpace(c.out.String()), "calibration.yaml"))
}

// memoryLabels are labelled rows in memory.
type memoryLabels struct{ rows []schemas.Labelled }

func (l *memoryLabels) Next(row *schemas.Labelled) error {
	if len(l.rows) == 0 {
		return io.EOF
	}
	*row, l.rows = l.rows[0], l.rows[1:]
	return nil
}

func (l *memoryLabels) Place() string { return "row" }
