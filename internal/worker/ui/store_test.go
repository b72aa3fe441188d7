package ui

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/alerting"
	"confab/schemas"
)

func noon() time.Time { return time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC) }

func everyone(string) bool { return true }

func testStore(limit int) *store {
	s := newStore(limit, nil, alerting.NewPolicy(alerting.PolicyOptions{}), noon)
	s.show()
	return s
}

func testID(i int) string { return fmt.Sprintf("%064x", i+1) }

func testTime(i int) time.Time { return noon().Add(time.Duration(i-2000) * time.Second) }

// addTestFlag adds a flag of the incident i, at its time.
func addTestFlag(t testing.TB, s *store, i int, change func(f *schemas.Flag)) {
	t.Helper()
	risk := 0.8
	f := &schemas.Flag{
		IncidentID: testID(i), Pass: schemas.PassFast, InteractionID: fmt.Sprintf("i-%d", i), Tenant: "acme", Service: "shop", Model: "gpt",
		Fired: []string{"facts"}, Risk: &risk, Recommendation: schemas.Block, Alert: true,
		Signals: []schemas.Signal{{Detector: "facts", Outcome: schemas.Fired, Score: 0.9, Threshold: 0.5}},
	}
	if change != nil {
		change(f)
	}
	require.NoError(t, s.addFlag(f, testTime(i)))
}

// listed are the interactions of the rows that a filter selects, read in parts.
func listed(t testing.TB, s *store, f filter, part int) (ids []string) {
	t.Helper()
	if f.Tenants == nil {
		f.Tenants = everyone
	}
	for after, more := "", true; more; {
		rows, next, err := s.list(&f, after, part)
		require.NoError(t, err)
		for _, r := range rows {
			ids = append(ids, strings.TrimPrefix(r.Interaction, "i-"))
		}
		after, more = next, next != ""
	}
	return ids
}

func sums(s *store) (c counts) {
	s.scan(&filter{Tenants: everyone}, nil, func(r *row) bool { c.add(r); return true })
	return c
}

func TestStoreKeepsWhatItWasGiven(t *testing.T) {
	s := testStore(1000)
	label := schemas.Feedback{IncidentID: testID(1), Verdict: schemas.Wrong, User: "ann", Source: schemas.FromCLI, At: noon()}
	early := schemas.Feedback{IncidentID: testID(2), Verdict: schemas.Fine, User: "bob", Source: schemas.FromCLI, At: noon()}
	for range 2 { // a repeat changes nothing
		addTestFlag(t, s, 1, nil)
		addTestFlag(t, s, 0, nil)
		s.addLabel(&label)
		addTestFlag(t, s, 2, nil)
		s.addLabel(&early)
	}
	in, found := s.get(testID(1))
	require.True(t, found)
	require.Equal(t, []schemas.Feedback{label}, in.Labels)
	require.Contains(t, string(in.Flags[0]), testID(1))
	require.Equal(t, schemas.Wrong, in.Rows[0].Verdict)
	require.Equal(t, []string{"2"}, listed(t, s, filter{Verdict: string(schemas.Fine)}, 10))
	require.Equal(t, counts{Fast: 3, Flagged: 3, Alerts: 3, Wrong: 1, Fine: 1}, sums(s))

	later := label
	later.Verdict, later.At = schemas.Fine, noon().Add(time.Minute)
	s.addLabel(&later)
	s.addLabel(&label) // the last label of a person counts
	require.Equal(t, 2, sums(s).Fine)
	s.reset()
	require.Empty(t, listed(t, s, filter{}, 10))
	addTestFlag(t, s, 1, nil)
	_, found = s.get(testID(1))
	require.False(t, found || len(listed(t, s, filter{}, 10)) > 0, "nothing is shown before the marks were read")
}

func TestFilters(t *testing.T) {
	s := testStore(1000)
	for i, change := range []func(f *schemas.Flag){
		0: nil,
		1: func(f *schemas.Flag) { f.Tenant, f.Service = "bank", "desk" },
		2: func(f *schemas.Flag) { f.Model, f.Recommendation = "other", schemas.Allow },
		3: func(f *schemas.Flag) { f.Pass = schemas.PassDeep },
		4: func(f *schemas.Flag) { f.Fired, f.Alert, f.Sampled = nil, false, true },
		5: func(f *schemas.Flag) { f.TraceID = "00ff" },
	} {
		addTestFlag(t, s, i, change)
	}
	bank := func(t string) bool { return t == "bank" }
	for name, c := range map[string]struct {
		f    filter
		want string
	}{
		"all":            {filter{}, "543210"},
		"service":        {filter{Service: "desk"}, "1"},
		"tenant":         {filter{Tenant: "bank"}, "1"},
		"tenants":        {filter{Tenants: bank}, "1"},
		"foreign tenant": {filter{Tenants: bank, Tenant: "acme"}, ""},
		"model":          {filter{Model: "other"}, "2"},
		"recommendation": {filter{Recommendation: "allow"}, "2"},
		"deep":           {filter{Pass: schemas.PassDeep}, "3"},
		"fast":           {filter{Pass: schemas.PassFast}, "54210"},
		"detector":       {filter{Detector: "facts"}, "53210"},
		"no detector":    {filter{Detector: "fact"}, ""},
		"unflagged":      {filter{Unflagged: true}, "4"},
		"fired":          {filter{Fired: true}, "53210"},
		"sampled":        {filter{Sampled: true}, "4"},
		"alert":          {filter{Alert: true}, "53210"},
		"text":           {filter{Text: " i-4 "}, "4"},
		"incident":       {filter{Text: testID(3)}, "3"},
		"trace":          {filter{Text: "00ff"}, "5"},
		"from":           {filter{From: testTime(4)}, "54"},
		"until":          {filter{Until: testTime(2)}, "10"},
		"no label":       {filter{Verdict: noVerdict}, "543210"},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, strings.Join(listed(t, s, c.f, 2), ""))
		})
	}
	for _, cursor := range []string{"x", "00", "1." + testID(1), "1." + testID(1) + ".slow", "z." + testID(1) + ".fast"} {
		_, _, err := s.list(&filter{Tenants: everyone}, cursor, 2)
		require.ErrorIs(t, err, errCursor, cursor)
	}
}

// The oldest flags go beyond the number and the bytes, with the labels of their incidents.
func TestBoundsOfTheStore(t *testing.T) {
	s := testStore(10)
	for _, i := range []int{3, 0, 24, 1} { // in any order
		addTestFlag(t, s, i, nil)
	}
	for i := range 25 {
		addTestFlag(t, s, i, nil)
		s.addLabel(&schemas.Feedback{IncidentID: testID(i), Verdict: schemas.Wrong, User: "u", At: noon()})
	}
	require.Equal(t, "24 23 22 21 20 19 18 17 16 15", strings.Join(listed(t, s, filter{}, 3), " "))
	require.False(t, s.wants(testTime(0)))
	require.True(t, s.wants(testTime(25)))
	_, found := s.get(testID(0))
	require.False(t, found)
	addTestFlag(t, s, 24, func(f *schemas.Flag) { f.Pass = schemas.PassDeep })
	require.Len(t, listed(t, s, filter{}, 3), 10, "every flag counts")
	for i := range 100 { // labels of flags that are not held
		s.addLabel(&schemas.Feedback{IncidentID: testID(1000 + i), Verdict: schemas.Wrong, User: "u", At: noon()})
	}
	require.LessOrEqual(t, len(s.incidents), 10)
	s.bytes = 3 * (fixedBytes + 1000)
	addTestFlag(t, s, 30, nil)
	require.Positive(t, s.size())
	require.LessOrEqual(t, s.held, s.bytes)
	require.Less(t, len(s.incidents), 5)
}

// A clock ahead does not put a flag above all others for ever.
func TestTimesAhead(t *testing.T) {
	s := testStore(10)
	require.NoError(t, s.addFlag(&schemas.Flag{IncidentID: testID(0)}, noon().Add(1000*time.Hour)))
	rows, _, err := s.list(&filter{Tenants: everyone}, "", 1)
	require.NoError(t, err)
	require.Equal(t, noon(), rows[0].At)
}

func TestInvalidRecordsAreLeftOut(t *testing.T) {
	s := testStore(10)
	addTestFlag(t, s, 0, func(f *schemas.Flag) { f.IncidentID = "../../x" })
	for _, l := range []schemas.Feedback{{IncidentID: "x", Verdict: schemas.Wrong}, {IncidentID: testID(1), Verdict: "perhaps"}, {IncidentID: "../../x", Verdict: schemas.Forgotten}} {
		s.addLabel(&l)
	}
	require.Empty(t, s.incidents)
	require.Empty(t, s.forgotten)
}

// An incident is forgotten in whatever order its records are read, and stays so.
func TestForgottenIncidents(t *testing.T) {
	s := testStore(100)
	deep := func(f *schemas.Flag) { f.Pass = schemas.PassDeep }
	label := schemas.Feedback{IncidentID: testID(1), Verdict: schemas.Wrong, User: "ann", At: noon()}
	addTestFlag(t, s, 0, nil)
	for range 2 { // what is forgotten may be read again
		addTestFlag(t, s, 1, nil)
		addTestFlag(t, s, 1, deep)
		s.addLabel(&label)
		addTestFlag(t, s, 0, nil)
		for range 2 {
			for _, i := range []int{1, 7} {
				s.addLabel(&schemas.Feedback{IncidentID: testID(i), Verdict: schemas.Forgotten, At: noon()})
			}
		}
		addTestFlag(t, s, 7, nil)
		require.Equal(t, []string{"0"}, listed(t, s, filter{}, 10), "the other incident stays")
		require.Len(t, s.incidents, 1)
		require.Len(t, s.marks, 2)
	}
}

// 20,000 flags of the samples stay far below the 256 MB of the documentation, and no flags exceed them.
func TestMemoryOfThePage(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	_, flags := sampleMessages(t, testConfig(t), nil)
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	for name, c := range map[string]struct {
		limit   int
		padding string
		most    uint64
	}{"samples": {20_000, "", 120 << 20}, "large": {100_000, strings.Repeat("long ", 6000), 256 << 20}} {
		before, s := heap(), testStore(c.limit)
		for i := range min(c.limit, 20_000) {
			f := flags[i%len(flags)]
			f.IncidentID, f.InteractionID = testID(i), fmt.Sprint("i-", i)
			f.Calibration += c.padding
			require.NoError(t, s.addFlag(&f, noon()))
		}
		used := heap() - before
		t.Logf("%s: %d flags, heap %d MiB, counted %d MiB", name, s.size(), used>>20, s.held>>20)
		require.Less(t, used, c.most, name)
	}
}

// size returns the number of flags.
func (s *store) size() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.rows)
}
