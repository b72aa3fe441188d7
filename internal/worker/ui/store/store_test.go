package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/schemas"
)

func noon() time.Time { return time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC) }

func everyone(string) bool { return true }

func testOptions(t testing.TB) Options {
	return Options{
		Path: filepath.Join(t.TempDir(), "sub", "ui.db"), MaxIncidents: 1000, MaxBytes: 64 << 20, MaxAge: 30 * 24 * time.Hour,
		Now: noon, Logger: slog.New(slog.DiscardHandler),
	}
}

func openStore(t testing.TB, o Options) *Store {
	t.Helper()
	s, err := Open(o)
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func testID(i int) string { return fmt.Sprintf("%064x", i+1) }

func testFlag(i int, change func(f *schemas.Flag)) FlagRecord {
	risk := 0.8
	f := &schemas.Flag{
		IncidentID: testID(i), Pass: schemas.PassFast, InteractionID: fmt.Sprintf("i-%d", i), Tenant: "acme", Service: "shop", Model: "gpt",
		Fired: []string{"facts"}, Risk: &risk, Recommendation: schemas.Block, Alert: true,
		Signals: []schemas.Signal{{Detector: "facts", Outcome: schemas.Fired, Score: 0.9, Threshold: 0.5}},
	}
	if change != nil {
		change(f)
	}
	raw, _ := json.Marshal(f)
	return FlagRecord{Flag: f, JSON: raw, At: noon().Add(time.Duration(i-2000) * time.Second)}
}

func ids(p Page) (list []string) {
	for _, r := range p.Rows {
		list = append(list, r.Interaction)
	}
	return list
}

func TestStoreKeepsWhatItWasGiven(t *testing.T) {
	o := testOptions(t)
	s := openStore(t, o)
	label := schemas.Feedback{IncidentID: testID(1), Verdict: schemas.Confirmed, User: "ann", Source: schemas.FromCLI, At: noon()}
	early := schemas.Feedback{IncidentID: testID(2), Verdict: schemas.FalsePositive, User: "bob", Source: schemas.FromCLI, At: noon()}
	b := &Batch{Flags: []FlagRecord{testFlag(0, nil), testFlag(1, nil)}, Labels: []schemas.Feedback{label, early}, Next: map[Partition]int64{{"t", 1}: 7}}
	require.NoError(t, s.Apply(b))
	require.NoError(t, s.Apply(b), "a repeat changes nothing")
	require.NoError(t, s.Apply(&Batch{Flags: []FlagRecord{testFlag(2, nil)}}), "its label came before")
	require.NoError(t, s.Close())

	s = openStore(t, o)
	st, err := s.Stats()
	require.NoError(t, err)
	require.Equal(t, int64(3), st.Flags)
	require.Equal(t, int64(2), st.Labels)
	next, ok := s.Next("t", 1)
	require.True(t, ok)
	require.Equal(t, int64(7), next)
	_, ok = s.Next("t", 0)
	require.False(t, ok)
	in, found, err := s.Get(testID(1))
	require.NoError(t, err)
	require.True(t, found)
	require.Equal(t, []schemas.Feedback{label}, in.Labels)
	require.JSONEq(t, string(b.Flags[1].JSON), string(in.Flags[0]))
	require.Equal(t, schemas.Confirmed, in.Rows[0].Verdict)
	page, err := s.List(&Filter{Tenants: everyone, Verdict: string(schemas.FalsePositive)}, "", 10)
	require.NoError(t, err)
	require.Equal(t, []string{"i-2"}, ids(page))
	var sum Counts
	require.NoError(t, s.Hours(noon().Add(-24*time.Hour), func(h *Hour) { sum.Add(&h.Counts) }))
	require.Equal(t, Counts{Fast: 3, Flagged: 3, Alerts: 3, Confirmed: 1, FalsePositives: 1}, sum)

	later := label
	later.Verdict, later.At = schemas.FalsePositive, noon().Add(time.Minute)
	require.NoError(t, s.Apply(&Batch{Labels: []schemas.Feedback{later, label}}), "the last label of a person counts")
	sum = Counts{}
	require.NoError(t, s.Hours(noon().Add(-24*time.Hour), func(h *Hour) { sum.Add(&h.Counts) }))
	require.Equal(t, int64(2), sum.FalsePositives)
	require.Zero(t, sum.Confirmed)
}

func TestFilters(t *testing.T) {
	s := openStore(t, testOptions(t))
	change := []func(f *schemas.Flag){
		0: nil,
		1: func(f *schemas.Flag) { f.Tenant, f.Service = "bank", "desk" },
		2: func(f *schemas.Flag) { f.Model, f.Recommendation = "other", schemas.Allow },
		3: func(f *schemas.Flag) { f.Pass = schemas.PassDeep },
		4: func(f *schemas.Flag) { f.Fired, f.Alert, f.Sampled = nil, false, true },
		5: func(f *schemas.Flag) { f.TraceID = "00ff" },
	}
	b := &Batch{}
	for i, c := range change {
		b.Flags = append(b.Flags, testFlag(i, c))
	}
	require.NoError(t, s.Apply(b))
	for name, c := range map[string]struct {
		f    Filter
		want string
	}{
		"all":            {Filter{}, "543210"},
		"service":        {Filter{Service: "desk"}, "1"},
		"tenant":         {Filter{Tenant: "bank"}, "1"},
		"tenants":        {Filter{Tenants: func(t string) bool { return t == "bank" }}, "1"},
		"foreign tenant": {Filter{Tenants: func(t string) bool { return t == "bank" }, Tenant: "acme"}, ""},
		"model":          {Filter{Model: "other"}, "2"},
		"recommendation": {Filter{Recommendation: "allow"}, "2"},
		"deep":           {Filter{Pass: schemas.PassDeep}, "3"},
		"fast":           {Filter{Pass: schemas.PassFast}, "54210"},
		"detector":       {Filter{Detector: "facts"}, "53210"},
		"no detector":    {Filter{Detector: "fact"}, ""},
		"unflagged":      {Filter{Unflagged: true}, "4"},
		"fired":          {Filter{Fired: true}, "53210"},
		"sampled":        {Filter{Sampled: true}, "4"},
		"alert":          {Filter{Alert: true}, "53210"},
		"text":           {Filter{Text: " i-4 "}, "4"},
		"incident":       {Filter{Text: testID(3)}, "3"},
		"trace":          {Filter{Text: "00ff"}, "5"},
		"from":           {Filter{From: b.Flags[4].At}, "54"},
		"until":          {Filter{Until: b.Flags[2].At}, "10"},
		"no label":       {Filter{Verdict: NoVerdict}, "543210"},
	} {
		t.Run(name, func(t *testing.T) {
			f := c.f
			if f.Tenants == nil {
				f.Tenants = everyone
			}
			var got strings.Builder
			for cursor, more := "", true; more; { // pages of two
				p, err := s.List(&f, cursor, 2)
				require.NoError(t, err)
				for _, id := range ids(p) {
					got.WriteString(strings.TrimPrefix(id, "i-"))
				}
				cursor = p.Next
				more = cursor != ""
			}
			require.Equal(t, c.want, got.String())
		})
	}
	for _, cursor := range []string{"x", "00", "zz" + strings.Repeat("0", 30)} {
		_, err := s.List(&Filter{Tenants: everyone}, cursor, 2)
		require.ErrorIs(t, err, ErrCursor)
	}
}

func TestRetention(t *testing.T) {
	o := testOptions(t)
	o.MaxIncidents = 10
	s := openStore(t, o)
	b := &Batch{Next: map[Partition]int64{{"t", 0}: 1}}
	for i := range 25 {
		b.Flags = append(b.Flags, testFlag(i, nil))
	}
	b.Flags = append(b.Flags, FlagRecord{Flag: testFlag(99, nil).Flag, JSON: []byte("{}"), At: noon().Add(-31 * 24 * time.Hour)})
	b.Labels = []schemas.Feedback{{IncidentID: testID(0), Verdict: schemas.Confirmed, User: "u", At: noon()}, {IncidentID: testID(20), Verdict: schemas.Confirmed, User: "u", At: noon()}}
	require.NoError(t, s.Apply(b))
	p, err := s.List(&Filter{Tenants: everyone}, "", 100)
	require.NoError(t, err)
	require.Equal(t, "i-24", p.Rows[0].Interaction)
	require.Len(t, p.Rows, 10)
	_, found, err := s.Get(testID(0))
	require.NoError(t, err)
	require.False(t, found)
	st, err := s.Stats()
	require.NoError(t, err)
	require.Equal(t, int64(1), st.Labels, "that of a removed incident is gone")

	s.MaxAge = time.Second
	require.NoError(t, s.Expire())
	st, err = s.Stats()
	require.NoError(t, err)
	require.Zero(t, st.Flags+st.Bytes+st.Labels)

	s.MaxAge, s.MaxBytes = time.Hour*1000, 3000
	require.NoError(t, s.Apply(b), "bounded by bytes")
	st, err = s.Stats()
	require.NoError(t, err)
	require.Positive(t, st.Flags)
	require.LessOrEqual(t, st.Bytes, int64(3000))
}

// A clock ahead does not put a flag above all others for ever.
func TestTimesAhead(t *testing.T) {
	s := openStore(t, testOptions(t))
	f := testFlag(0, nil)
	f.At = noon().Add(1000 * time.Hour)
	require.NoError(t, s.Apply(&Batch{Flags: []FlagRecord{f}}))
	p, err := s.List(&Filter{Tenants: everyone}, "", 1)
	require.NoError(t, err)
	require.Equal(t, noon(), p.Rows[0].At)
}

func TestInvalidRecordsAreLeftOut(t *testing.T) {
	s := openStore(t, testOptions(t))
	require.NoError(t, s.Apply(&Batch{
		Flags:  []FlagRecord{testFlag(0, func(f *schemas.Flag) { f.IncidentID = "../../x" })},
		Labels: []schemas.Feedback{{IncidentID: "x", Verdict: schemas.Confirmed}, {IncidentID: testID(1), Verdict: "perhaps"}},
		Alerts: []AlertRecord{{Incident: "group"}},
	}))
	st, err := s.Stats()
	require.NoError(t, err)
	require.Zero(t, st.Flags+st.Labels)
	_, found, err := s.Get("../../x")
	require.NoError(t, err)
	require.False(t, found)
}

func TestDamagedFilesAreMovedAside(t *testing.T) {
	for name, damage := range map[string]func(t *testing.T, path string){
		"no database": func(t *testing.T, path string) {
			require.NoError(t, os.WriteFile(path, []byte(strings.Repeat("not a database ", 4000)), 0o600))
		},
		"truncated": func(t *testing.T, path string) {
			require.NoError(t, os.Truncate(path, 20<<10))
		},
		"overwritten": func(t *testing.T, path string) {
			raw, err := os.ReadFile(path)
			require.NoError(t, err)
			for i := 4 * 4096; i < len(raw); i++ {
				raw[i] = 0xA5
			}
			require.NoError(t, os.WriteFile(path, raw, 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := testOptions(t)
			s := openStore(t, o)
			b := &Batch{}
			for i := range 300 {
				b.Flags = append(b.Flags, testFlag(i, nil))
			}
			require.NoError(t, s.Apply(b))
			require.NoError(t, s.Close())
			damage(t, o.Path)
			s = openStore(t, o)
			st, err := s.Stats()
			require.NoError(t, err)
			require.Zero(t, st.Flags, "rebuilt from the topics")
			require.FileExists(t, o.Path+".damaged")
		})
	}
}

func TestOneProcessOnly(t *testing.T) {
	o := testOptions(t)
	openStore(t, o)
	_, err := Open(o)
	require.ErrorContains(t, err, "another process")
}

func fillStore(tb testing.TB, s *Store, n int) {
	tb.Helper()
	pad := strings.Repeat("x", 2500)
	for from := 0; from < n; from += 1000 {
		b := &Batch{Next: map[Partition]int64{{"t", 0}: int64(from)}}
		for i := from; i < from+1000; i++ {
			r := testFlag(i, func(f *schemas.Flag) {
				f.Service, f.Model, f.Calibration = fmt.Sprint("service-", i%20), fmt.Sprint("model-", i%7), pad
				f.IncidentID = fmt.Sprintf("%016x%048x", uint64(i)*0x9E3779B97F4A7C15, i)
			})
			r.At = noon().Add(time.Duration(i-n) * time.Millisecond)
			b.Flags = append(b.Flags, r)
		}
		require.NoError(tb, s.Apply(b))
	}
}

func BenchmarkStore(b *testing.B) {
	o := testOptions(b)
	o.MaxIncidents, o.MaxBytes = 100_000, 1<<30
	s := openStore(b, o)
	begin := time.Now()
	fillStore(b, s, 100_000)
	b.Logf("100,000 flags of 3 kB stored at %.0f/s", 100_000/time.Since(begin).Seconds())
	st, err := s.Stats()
	require.NoError(b, err)
	b.Logf("file %d MB", st.File>>20)
	for name, f := range map[string]Filter{
		"first page": {}, "rare": {Service: "service-3", Model: "nothing"}, "service": {Service: "service-3"}, "text": {Text: "i-17"},
	} {
		f.Tenants = everyone
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				_, err := s.List(&f, "", 50)
				require.NoError(b, err)
			}
		})
	}
}

// A file that is damaged or cut off while it is open ends reads and writes with ErrCorrupt, every time, and no panic.
func TestDamageWhileOpen(t *testing.T) {
	for name, damage := range map[string]func(t *testing.T, path string){
		"overwritten": func(t *testing.T, path string) {
			t.Helper()
			f, err := os.OpenFile(path, os.O_WRONLY, 0o600)
			require.NoError(t, err)
			defer f.Close()
			info, err := f.Stat()
			require.NoError(t, err)
			_, err = f.WriteAt(bytes.Repeat([]byte{0xff}, int(info.Size())-16<<10), 16<<10)
			require.NoError(t, err)
		},
		"cut off": func(t *testing.T, path string) {
			t.Helper()
			require.NoError(t, os.Truncate(path, 16<<10))
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := testOptions(t)
			o.MaxIncidents = 5000
			s, err := Open(o)
			require.NoError(t, err)
			fillStore(t, s, 2000)
			damage(t, o.Path)
			for range 2 {
				_, err = s.List(&Filter{Tenants: everyone, Text: "nothing"}, "", 50)
				require.ErrorIs(t, err, ErrCorrupt)
				require.ErrorIs(t, s.Apply(&Batch{Flags: []FlagRecord{testFlag(1, nil)}, Next: map[Partition]int64{{"t", 0}: 9}}), ErrCorrupt)
			}
			require.NoError(t, s.Close(), "the lock of the file ends with the process")
		})
	}
}
