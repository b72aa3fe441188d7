package worker

import (
	"cmp"
	"flag"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/hostile"
	"confab/internal/worker/config"
)

var hostileMix = flag.String("hostile.mix", "claims,numbers", "kinds that BenchmarkHostileMix mixes into ordinary records, with commas")

// BenchmarkHostileMix is the throughput of one partition with one hostile record in a hundred, compared with that of ordinary
// records alone ("none"). Read events/s; the ratio to none is what a producer can take from a partition. Name the corpus's
// median and worst kinds, as make hostile prints them:
//
//	go test ./internal/worker -run '^$' -bench HostileMix -benchtime 20000x -args -hostile.mix 'claims,minLength by a fan'
func BenchmarkHostileMix(b *testing.B) {
	b.Run("none", func(b *testing.B) { benchmarkMix(b, "") })
	for name := range strings.SplitSeq(*hostileMix, ",") {
		b.Run(name, func(b *testing.B) { benchmarkMix(b, name) })
	}
}

// benchmarkMix consumes b.N events, every hundredth of them of the kind, each of those with another text. A
// kind with @1 or @2 behind it begins with that seed, which is where the text is placed.
func benchmarkMix(b *testing.B, kind string) {
	name, layout, _ := strings.Cut(kind, "@")
	first, err := strconv.Atoi(cmp.Or(layout, "0"))
	require.NoError(b, err, "the seed behind %q", name)
	k, known := hostile.Find(name)
	require.True(b, known || kind == "", "there is no kind %q", name)
	seeds := startBroker(b)
	typical := renewed(b, typicalEvents(64))
	var bad [][]byte
	fillInput(b, seeds, b.N, func(i int) []byte {
		if kind == "" || i%100 != 50 {
			return typical(i)
		}
		if len(bad) < 64 {
			r := k.Record(k.Full, uint64(first+3*len(bad)))
			bad = append(bad, hostileValue(b, &r))
		}
		return bad[i/100%len(bad)]
	})
	b.ResetTimer()
	before := cpuTime()
	consumeWorker(b, seeds, config.EmitFlagged)
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
	b.ReportMetric(float64((cpuTime()-before).Microseconds())/float64(b.N), "cpu-µs/event")
}
