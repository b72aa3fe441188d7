package consumer

import (
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"confab/internal/logtest"
)

// startLines runs a loop until its partitions are assigned, and returns what it logs about where they start.
func startLines(t *testing.T, r *loopHarness, opts Options[string]) []string {
	t.Helper()
	var log logtest.Buffer
	opts.Logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
	run := r.start(t, opts)
	eventually(t, func() bool { return run.loop.Ready() })
	synctest.Wait()
	require.NoError(t, run.stop())
	var lines []string
	for line := range strings.Lines(log.String()) {
		if strings.Contains(line, "committed offsets") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}

const resetRemedy = "stop the workers, then reset the offsets (kafka-consumer-groups --bootstrap-server BROKER --group confab-test " +
	"--topic in --reset-offsets --to-earliest --execute), or set another kafka.consumer_group and use --from-start"

// TestStartIsLogged: partitions without a committed offset say where they start and what is not read, in one line per
// topic; those with one say nothing unless someone asked for the oldest record.
func TestStartIsLogged(t *testing.T) {
	const unread = `level=WARN msg="no committed offsets, starting at the end: records before it are not read" topic=in partitions=2 not_read=`
	const remedy, tooLate = ` remedy="kafka.start_offset: earliest, or confab run --from-start`, ` remedy="the offsets are committed now, ` +
		`and --from-start comes too late; to read these records, `
	for _, tt := range []struct {
		name  string
		setup func(t *testing.T, r *loopHarness, opts *Options[string])
		want  []string
	}{
		{"at the end", func(t *testing.T, r *loopHarness, opts *Options[string]) {
			r.produce(t, 0, numberedValues(0, 7)...)
			r.produce(t, 1, "one")
		}, []string{unread + `"up to 8 records"` + tooLate + resetRemedy + `"`}},
		{"after retention", func(t *testing.T, r *loopHarness, opts *Options[string]) {
			r.produce(t, 0, numberedValues(0, 7)...)
			require.NoError(t, r.cluster.DeleteRecords(inTopic, 0, 6))
			opts.DryRun = true
		}, []string{unread + `"up to 1 record"` + remedy + `"`}},
		{"nothing before", func(t *testing.T, r *loopHarness, opts *Options[string]) {}, []string{
			`level=INFO msg="no committed offsets, starting at the end" topic=in partitions=2 not_read="0 records"`,
		}},
		{"at the start", func(t *testing.T, r *loopHarness, opts *Options[string]) {
			r.produce(t, 0, "one", "two")
			opts.StartOffset = StartEarliest
		}, []string{`level=INFO msg="no committed offsets, starting at the oldest record" topic=in partitions=2 to_read="up to 2 records"`}},
		{"committed", func(t *testing.T, r *loopHarness, opts *Options[string]) {
			r.produce(t, 0, "one", "two")
			startLines(t, r, *opts)
			r.produce(t, 0, "three")
		}, nil},
		{"committed and --from-start", func(t *testing.T, r *loopHarness, opts *Options[string]) {
			r.produce(t, 0, "one", "two")
			startLines(t, r, *opts)
			opts.StartOffset, opts.FromStart = StartEarliest, true
		}, []string{`level=INFO msg="committed offsets win over --from-start" topic=in partitions=2 not_read_again="up to 2 records" group=confab-test ` +
			`remedy="to read all records again, ` + resetRemedy + `"`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newVirtualHarness(t, 2)
				opts := r.options(copyHandler)
				opts.StartOffset = StartLatest
				tt.setup(t, r, &opts)
				require.Equal(t, tt.want, startLines(t, r, opts))
			})
		})
	}
}
