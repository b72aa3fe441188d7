package standard_test

import (
	"context"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/internal/hostile"
	"confab/schemas"
)

// uncachedSchema changes the schema's text so that it is not cached.
func uncachedSchema(schema string, i int) string {
	return fmt.Sprintf(`{"$comment": "%d", %s`, i, strings.TrimPrefix(schema, "{"))
}

// BenchmarkSchemaHostile reports the CPU time and the counted work of one record of each kind, at sizes n/2 and n.
func BenchmarkSchemaHostile(b *testing.B) {
	for name := range schemaOutcomes() {
		k, known := hostile.Find(name)
		require.True(b, known, name)
		for _, n := range []int{k.Full / 2, k.Full} {
			in := k.Record(n, 0).Interaction
			schema, answer := in.ResponseSchema, in.Answer
			require.Less(b, len(schema), hostile.SchemaCap, name)
			require.LessOrEqual(b, len(answer), detectors.MaxTextBytes, name)
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) { benchmarkRecord(b, schema, answer) })
		}
	}
}

// BenchmarkSchemaOrdinary reports the same for ordinary records whose schema is compiled each time.
func BenchmarkSchemaOrdinary(b *testing.B) {
	for name, r := range ordinaryRecords() {
		b.Run(name, func(b *testing.B) { benchmarkRecord(b, r[0], r[1]) })
	}
}

func benchmarkRecord(b *testing.B, schema, answer string) {
	d := schemaDetector(b, nil)
	doc := new(detectors.Document)
	b.ReportAllocs()
	i, began := 0, cpuTime(b)
	for b.Loop() {
		doc.Reset(&schemas.Interaction{ResponseSchema: uncachedSchema(schema, i), Answer: answer, FinishReason: "stop"})
		_, err := d.Detect(context.Background(), doc)
		if i == 0 {
			b.Log(err)
		}
		i++
	}
	b.ReportMetric(float64((cpuTime(b)-began).Microseconds())/1000/float64(i), "cpu-ms/op")
	b.ReportMetric(float64(doc.Work().Spent())*float64(10*time.Nanosecond)/float64(time.Millisecond), "counted-ms/op")
}

// cpuTime returns the CPU time of this process on all cores.
func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
