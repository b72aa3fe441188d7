package worker

import (
	"flag"
	"fmt"
	"math"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"
)

var (
	soak     = flag.Duration("soak", 0, "length of the soak test; see make soak")
	soakRate = flag.Int("soak.rate", 1_500, "events a second of the soak test")
)

const (
	soakEvery  = 5 * time.Second
	soakWarmUp = 4 // samples in sixty, that is a fifteenth of the run, do not count
)

// soakMetrics are what is watched, with the most that the value may grow in an hour.
var soakMetrics = []struct {
	name, unit string
	scale      float64
	mayGrow    float64
}{
	{"process_resident_memory_bytes", "MiB", 1 << 20, 60},
	{"go_goroutines", "goroutines", 1, 5},
	{"process_open_fds", "descriptors and connections", 1, 5},
	{"confab_consumer_lag_records", "records of lag", 1, 1e9},
}

// TestSoak runs the built worker with the roles detect and alert under a steady load, of which one record in a hundred is no
// interaction, and fits a line to its memory, goroutines and descriptors. The broker keeps a minute of records.
func TestSoak(t *testing.T) {
	if *soak == 0 {
		t.Skip("make soak runs it")
	}
	seeds := startBrokerWith(t, "1m")
	binary, err := filepath.Abs("../../bin/confab")
	require.NoError(t, err)
	admin := freeAddress(t)
	file := filepath.Join(t.TempDir(), "confab.yaml")
	require.NoError(t, os.WriteFile(file, fmt.Appendf(nil,
		"roles: [detect, alert]\nkafka: {seed_brokers: [%s], start_offset: earliest, on_data_loss: earliest}\nadmin: {listen: %q}\nalerting: {console: true}\nlog: {level: warn}\n",
		strings.Join(seeds, ","), admin), 0o600))
	cmd := exec.CommandContext(t.Context(), binary, "run", "--config", file)
	require.NoError(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	loader := startLoader(t, seeds, fmt.Sprint("mixed ", *soakRate, " ", int(float64(*soakRate)*soak.Seconds())))

	series := make([]line, len(soakMetrics))
	began := time.Now()
	for tick := time.NewTicker(soakEvery); time.Since(began) < *soak; <-tick.C {
		select {
		case err := <-ended:
			require.Fail(t, "the worker ended", "%v", err)
		default:
		}
		values, err := sumMetrics("http://" + admin + "/metrics")
		if err != nil && time.Since(began) < time.Minute { // it starts
			continue
		}
		require.NoError(t, err)
		for i, m := range soakMetrics {
			series[i].add(time.Since(began).Hours(), values[m.name]/m.scale)
		}
	}
	last, err := sumMetrics("http://" + admin + "/metrics")
	require.NoError(t, err)
	require.NoError(t, loader.Wait())
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	require.NoError(t, <-ended)
	t.Logf("%s at %d events/s: %.0f interactions, %.0f dead letters", *soak, *soakRate, last["confab_interactions_total"], last["confab_dlq_records_total"])
	for i, m := range soakMetrics {
		s := series[i].after(len(series[i].x) * soakWarmUp / 60)
		slope, error95 := s.fit()
		t.Logf("%s: %.1f at the start, %.1f at the end, %+.2f ± %.2f an hour (95 %%, %d samples)", m.unit, s.y[0], s.y[len(s.y)-1], slope, error95, len(s.x))
		require.LessOrEqual(t, slope-error95, m.mayGrow, "%s grow", m.unit)
	}
}

// line is a series of points.
type line struct{ x, y []float64 }

func (l *line) add(x, y float64) { l.x, l.y = append(l.x, x), append(l.y, y) }

func (l *line) after(n int) line { return line{l.x[n:], l.y[n:]} }

// fit is the slope of the line of least squares, and the half width of its interval of 95 % for independent errors.
func (l *line) fit() (slope, error95 float64) {
	n := float64(len(l.x))
	meanX, meanY := mean(l.x), mean(l.y)
	var xx, xy, rest float64
	for i, x := range l.x {
		xx += (x - meanX) * (x - meanX)
		xy += (x - meanX) * (l.y[i] - meanY)
	}
	slope = xy / xx
	for i, x := range l.x {
		d := l.y[i] - meanY - slope*(x-meanX)
		rest += d * d
	}
	return slope, 1.96 * math.Sqrt(rest/(n-2)/xx)
}

func mean(values []float64) (sum float64) {
	for _, v := range values {
		sum += v / float64(len(values))
	}
	return sum
}

func TestFit(t *testing.T) {
	t.Parallel()
	l := line{[]float64{0, 1, 2, 3}, []float64{1, 3, 5, 7}}
	slope, error95 := l.fit()
	require.InDelta(t, 2, slope, 1e-9)
	require.InDelta(t, 0, error95, 1e-9)
	l.y = []float64{1, 4, 4, 7}
	slope, error95 = l.fit()
	require.InDelta(t, 1.8, slope, 1e-9)
	require.InDelta(t, 1.96*math.Sqrt(1.8/2/5), error95, 1e-9)
}

// sumMetrics returns the sum of each metric over its labels.
func sumMetrics(url string) (map[string]float64, error) {
	response, err := http.Get(url) //nolint:noctx // the test has a time limit
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(response.Body)
	if err != nil {
		return nil, err
	}
	sums := map[string]float64{}
	for name, f := range families {
		for _, m := range f.GetMetric() {
			sums[name] += m.GetGauge().GetValue() + m.GetCounter().GetValue()
		}
	}
	return sums, nil
}

func freeAddress(t *testing.T) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // it is closed at once
	require.NoError(t, err)
	defer listener.Close()
	return listener.Addr().String()
}
