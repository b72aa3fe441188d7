package avro

import (
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/schemas"
	"confab/schemas/json/scan"
)

const (
	valueCap   = 1 << 20       // the default limit of a value
	allocLimit = 16 * valueCap // of one decode
)

// itemBlocks is an array or a map of n items in blocks of the largest size.
func itemBlocks(n int, item func(i int) []byte) []byte {
	var b []byte
	for i := range n {
		if i%MaxItems == 0 {
			b = append(b, varintBytes(int64(min(MaxItems, n-i)))...)
		}
		b = append(b, item(i)...)
	}
	return append(b, 0)
}

func repeatedItems(b ...byte) func(int) []byte { return func(int) []byte { return b } }

// denseList is a list whose items take many times their bytes in memory.
type denseList struct {
	typ  string
	item func(i int) []byte
}

func denseLists() map[string]denseList {
	array := func(items string) string { return `{"type":"array","items":` + items + `}` }
	record := func(nulls int, last string) string {
		fields := ""
		for i := range nulls {
			fields += `{"name":"n` + strconv.Itoa(i) + `","type":"null"},`
		}
		return array(`{"type":"record","name":"I","fields":[` + fields + `{"name":"b","type":` + last + `}]}`)
	}
	entry := func(i int) []byte {
		key := strconv.FormatInt(int64(36*36*36+i), 36)
		return append(append(varintBytes(int64(len(key))), key...), 0)
	}
	return map[string]denseList{
		"booleans":                 {array(`"boolean"`), repeatedItems(0)},
		"longs":                    {array(`"long"`), repeatedItems(0)},
		"large longs":              {array(`"long"`), repeatedItems(varintBytes(1 << 20)...)},
		"bytes":                    {array(`"bytes"`), repeatedItems(0)},
		"strings":                  {array(`"string"`), repeatedItems(0)},
		"enums":                    {array(`{"type":"enum","name":"E","symbols":["A"]}`), repeatedItems(0)},
		"unions":                   {array(`["null","boolean"]`), repeatedItems(2, 1)},
		"unions of two strings":    {array(`["bytes","string"]`), repeatedItems(2, 2, 'a')},
		"nulls in unions":          {array(`["null","boolean"]`), repeatedItems(0)},
		"records":                  {record(0, `"boolean"`), repeatedItems(1)},
		"records of 8 fields":      {record(7, `"boolean"`), repeatedItems(1)},
		"records of 9 fields":      {record(8, `"boolean"`), repeatedItems(1)},
		"records of 16 fields":     {record(15, `"boolean"`), repeatedItems(1)},
		"records of unions":        {record(0, `["null","boolean"]`), repeatedItems(2, 1)},
		"empty arrays":             {array(array(`"int"`)), repeatedItems(0)},
		"arrays of one":            {array(array(`"int"`)), repeatedItems(2, 0, 0)},
		"arrays of a record":       {array(record(0, `"boolean"`)), repeatedItems(2, 1, 0)},
		"empty maps":               {array(`{"type":"map","values":"int"}`), repeatedItems(0)},
		"maps of one":              {array(`{"type":"map","values":"int"}`), repeatedItems(2, 0, 0, 0)},
		"a map":                    {`{"type":"map","values":"int"}`, entry},
		"a map of bytes":           {`{"type":"map","values":"bytes"}`, entry},
		"a map of unions, of null": {`{"type":"map","values":["null","string"]}`, entry},
	}
}

// densest finds, by what the walk charges, the value of valueCap bytes with the most items that is still read.
func (l denseList) densest(t *testing.T, s *Schema) []byte {
	t.Helper()
	value := func(n int) []byte {
		body := append([]byte{0}, itemBlocks(n, l.item)...)
		pad := max(0, valueCap-len(body)-4)
		return append(append(body, varintBytes(int64(pad))...), make([]byte, pad)...)
	}
	least, most := 1, valueCap/len(l.item(0))
	for least < most-1 {
		n := (least + most) / 2
		if body := value(n); checkValue(s.root, body) == nil && len(body) <= valueCap {
			least = n
		} else {
			most = n
		}
	}
	return value(least)
}

// TestDecodeCost: the memory that one decode takes is bounded by 16 times the limit of a value, whatever the schema makes
// of few bytes.
func TestDecodeCost(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	for name, l := range denseLists() {
		t.Run(name, func(t *testing.T) {
			s := loadSchema(t, recordOf(`{"name":"answer","type":"string"},{"name":"x","type":`+l.typ+`},{"name":"pad","type":"bytes"}`))
			body := l.densest(t, s)
			require.InDelta(t, valueCap, len(body), 64)
			var in schemas.Interaction
			got := allocated(func() { require.NoError(t, s.DecodeInteraction(body, &in)) })
			require.Less(t, got, uint64(allocLimit))
			var flag schemas.Flag
			got = allocated(func() { require.NoError(t, DecodeFlag(s, body, &flag)) })
			t.Logf("%.1f MiB", float64(got)/(1<<20))
			require.Less(t, got, uint64(allocLimit))
			require.Greater(t, got, uint64(valueCap/4), "the list is dense: goavro takes memory")
		})
	}
}

// TestRefusalCost: what is refused, or lost as a malformed field, takes no memory to speak of.
func TestRefusalCost(t *testing.T) {
	for name, c := range hostileSchemas() {
		t.Run(name, func(t *testing.T) {
			s, err := NewSchema(recordOf(strings.TrimSuffix(`{"name":"answer","type":"string"},`+c.fields, ",")))
			require.NoError(t, err)
			body := append([]byte{0}, c.body...)
			var in schemas.Interaction
			got := allocated(func() { err = s.DecodeInteraction(body, &in) })
			require.Equal(t, !strings.HasPrefix(c.want, malformed), err != nil)
			require.Less(t, got, uint64(valueCap/2))
		})
	}
}

// TestSchemaCost: a schema is refused, or loaded, within bounded memory, whatever its size.
func TestSchemaCost(t *testing.T) {
	deep := func(n int, open, end string) string {
		return strings.Repeat(open, n) + `"int"` + strings.Repeat(end, n)
	}
	recursive := func(size int) string {
		return recordOf(`{"name":"a","type":["null","R"],"doc":"` + strings.Repeat("x", size) + `"}`)
	}
	field := func(typ string) string { return recordOf(`{"name":"a","type":` + typ + `}`) }
	for name, text := range map[string]string{
		"recursive, 60 kB":        recursive(60_000),
		"recursive, 100 kB":       recursive(100_000),
		"recursive, 1 MB":         recursive(1_000_000),
		"recursive, 5 MB":         recursive(5_000_000),
		"arrays, 100 kB":          field(deep(4_000, `{"type":"array","items":`, "}")),
		"arrays, 5 MB":            field(deep(200_000, `{"type":"array","items":`, "}")),
		"unions of unions, 60 kB": field(deep(30_000, `[`, "]")),
		"types of types, 60 kB":   field(deep(6_000, `{"type":`, "}")),
		"5 MB of spaces":          recordOf(strings.Repeat(" ", 5_000_000)),
		"fixed of 0":              field(`{"type":"fixed","name":"F","size":0}`),
		"no JSON, 60 kB":          strings.Repeat("[", 60_000),
	} {
		t.Run(name, func(t *testing.T) {
			var err error
			got := allocated(func() { _, err = NewSchema(text) })
			require.Equal(t, scan.ReasonBadSchema, errorReason(t, err))
			require.Less(t, len(err.Error()), 300, "no text of the schema")
			require.Less(t, got, uint64(allocLimit))
		})
	}
}

// allocated is the bytes that do allocates.
func allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
