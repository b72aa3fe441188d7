package worker

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"math"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"confab/consumer"
	"confab/internal/kafka/schemaregistry"
	"confab/internal/worker/config"
	"confab/internal/worker/records"
	"confab/schemas/avro"
)

// decompressionBomb is a framed value, the schema that the registry answers for it, and the reason of its dead letter.
type decompressionBomb struct {
	schema string
	body   []byte
	reason string
}

func decompressionBombs() map[string]decompressionBomb {
	field := func(typ string) string {
		return `{"type":"record","name":"I","fields":[{"name":"answer","type":"string"},{"name":"x","type":` + typ + `}]}`
	}
	longs := func(values ...int64) (b []byte) {
		b = []byte{2, 'a'}
		for _, v := range values {
			b = binary.AppendVarint(b, v)
		}
		return b
	}
	array := func(items string) string { return field(`{"type":"array","items":` + items + `}`) }
	text, dict, long := field(`"string"`), field(`{"type":"map","values":"string"}`), field(`"long"`)
	union, enum := field(`["null","string"]`), field(`{"type":"enum","name":"E","symbols":["A"]}`)
	recursive := func(size int) string {
		return field(`["null","I"],"doc":"` + strings.Repeat("x", size) + `"`)
	}
	number := `{"type":"record","name":"I","fields":[{"name":"answer","type":"double"}]}`
	return map[string]decompressionBomb{
		"array of 1e8 strings":     {array(`"string"`), longs(1e8), "syntax"},
		"map of 2e7 strings":       {dict, longs(2e7), "syntax"},
		"array of 2e7 nulls":       {array(`"null"`), longs(2e7), "syntax"},
		"array of empty records":   {array(`{"type":"record","name":"E","fields":[]}`), longs(2e7), "syntax"},
		"array of 300,000 ints":    {array(`"int"`), append(longs(3e5), make([]byte, 3e5+1)...), "too_many"},
		"count of MinInt64":        {array(`"string"`), longs(math.MinInt64), "syntax"},
		"count of MaxInt64":        {array(`"string"`), longs(math.MaxInt64), "syntax"},
		"recursive schema, 60 kB":  {recursive(60_000), longs(0), "bad_schema"},
		"recursive schema, 100 kB": {recursive(100_000), longs(0), "bad_schema"},
		"recursive schema, 1 MB":   {recursive(1_000_000), longs(0), "bad_schema"},
		"deep schema":              {array(strings.Repeat(`{"type":"array","items":`, 1500) + `"int"` + strings.Repeat("}", 1500)), longs(0), "bad_schema"},
		"string of 2^62":           {text, longs(1 << 62), "syntax"},
		"string of -1":             {text, longs(-1), "syntax"},
		"string of MaxInt64":       {text, longs(math.MaxInt64), "syntax"},
		"union of 9":               {union, longs(9), "syntax"},
		"union of -1":              {union, longs(-1), "syntax"},
		"enum of 1":                {enum, longs(1), "syntax"},
		"enum of -1":               {enum, longs(-1), "syntax"},
		"long of 12 bytes":         {long, append(longs(), append(bytes.Repeat([]byte{0x80}, 11), 0)...), "syntax"},
		"bytes behind":             {text, append(longs(1), "xy"...), "trailing_bytes"},
		"no UTF-8":                 {text, append(longs(1), 0xff), "bad_utf8"},
		"NaN":                      {number, binary.LittleEndian.AppendUint64(nil, math.Float64bits(math.NaN())), "missing_answer"},
		"gzip in the frame":        {text, compressTwice(nil), "syntax"},
	}
}

// compressTwice is a megabyte of zeros, compressed by zstd and by gzip again, behind head.
func compressTwice(head []byte) []byte {
	enc, _ := zstd.NewWriter(nil) // its options are sound
	inner := enc.EncodeAll(make([]byte, 1<<20), nil)
	b := bytes.NewBuffer(head)
	w := gzip.NewWriter(b)
	_, _ = w.Write(inner) // into memory
	_ = w.Close()
	return b.Bytes()
}

// bombRegistry is a worker's registry that answers the schemas of bombs by their place in names.
func bombRegistry(t *testing.T, b *workerHarness, all map[string]decompressionBomb, names []string) *schemaregistry.Client {
	t.Helper()
	fake, client := newAvroRegistry(t, b)
	fake.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
		tail, ok := strings.CutPrefix(r.URL.Path, "/schemas/ids/")
		id, err := strconv.Atoi(tail)
		if !ok || err != nil || id < bombIDs || id >= bombIDs+len(names) {
			return false
		}
		w.Header().Set("Content-Type", "application/vnd.schemaregistry.v1+json")
		fmt.Fprintf(w, `{"schema":%s}`, strconv.QuoteToASCII(all[names[id-bombIDs]].schema))
		return true
	})
	return client
}

const (
	bombIDs    = 1000
	valueLimit = 1 << 20
)

// TestCodecRejectsAvroBombs: each is a dead letter with its cause; registry and decoder together allocate less than
// 16 times the limit of a value, and the cached schema makes the second one cheaper.
func TestCodecRejectsAvroBombs(t *testing.T) {
	all := decompressionBombs()
	var names []string
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	b := newWorkerHarness(t)
	codec := records.NewInteractionCodec([]config.Input{{Topic: "in", Format: config.FormatAuto, TenantFrom: config.TenantPayload}}, "cluster", 1<<20)
	codec.UseRegistry(bombRegistry(t, b, all, names))
	for i, name := range names {
		t.Run(name, func(t *testing.T) {
			value := avro.Frame(nil, uint32(bombIDs+i), all[name].body)
			for range 2 {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				got, err := codec.Decode(t.Context(), &consumer.Raw{Topic: "in", Value: value}, nil)
				runtime.ReadMemStats(&after)
				require.Empty(t, got)
				var bad *consumer.PoisonError
				require.ErrorAs(t, err, &bad)
				require.Equal(t, all[name].reason, bad.Reason)
				require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(16*valueLimit))
			}
		})
	}
}

// TestRunAvroBombs: every bomb is one dead letter, and the next record is read: no partition waits.
func TestRunAvroBombs(t *testing.T) {
	all := decompressionBombs()
	all["schema of 5 MB"] = decompressionBomb{strings.Repeat(" ", 5<<20), []byte{2, 'a'}, "bad_schema"}
	var names []string
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	b := newWorkerHarness(t)
	client := bombRegistry(t, b, all, names)
	want := map[string]int{"unknown_format": 2, "bad_frame": 3}
	stop := b.start()
	for i, name := range names {
		want[all[name].reason]++
		b.produce("llm.interactions", string(avro.Frame(nil, uint32(bombIDs+i), all[name].body)),
			encodeAvro(t, client, fmt.Sprintf(grounded, "after "+name)))
	}
	b.produce("llm.interactions", string(compressTwice(nil)), string(compressTwice([]byte("\xC3\x01"))),
		"\x00\x00\x00\x07", "\x00\x00\x00\x00\x00x", "\x00\xff\xff\xff\xffx", fmt.Sprintf(ungrounded, "last"))
	letters := 0
	for _, n := range want {
		letters += n
	}
	got := map[string]int{}
	for _, letter := range b.read("llm.interactions.dlq", letters) {
		got[headerOf(letter.Headers, "confab-reason")]++
	}
	require.Equal(t, want, got)
	eventually(t, func() bool { // dead letters count, too
		return b.metric(t, "confab_interactions_total", "role", "detect") == float64(len(all)+1+letters)
	}, 20*time.Second, 10*time.Millisecond)
	b.read("llm.incidents", 1)
	require.NoError(t, stop())
}
