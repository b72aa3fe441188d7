package events

import (
	"testing"

	"github.com/stretchr/testify/require"

	"confab/schemas"
)

// BenchmarkEncode is the cost of a request of 100 flags with six signals each.
func BenchmarkEncode(b *testing.B) {
	flags := make([]*schemas.Flag, 100)
	for i := range flags {
		flags[i] = flag(nil)
	}
	e := &Encoder{OpenInference: true}
	for name, encode := range map[string]func([]*schemas.Flag) ([]byte, error){"logs": e.Logs, "spans": e.Spans} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				raw, err := encode(flags)
				require.NoError(b, err)
				b.SetBytes(int64(len(raw)))
			}
		})
	}
}
