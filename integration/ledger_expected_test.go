package integration

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestIncidentIDs compares our computation with the permanent vectors of docs/identity.md.
func TestIncidentIDs(t *testing.T) {
	for _, v := range []struct{ tenant, id, answer, want string }{
		{"default", "resp_1", "The Eiffel Tower was completed in 1889.", "57030c12dd1addec386b77a14a4d78627be448d2858b8744e1a2f175bf8639dc"},
		{"acme", "", "", "8a13669e16e5e645501751999d35bf2342d7215bac66dc38f585a93db4b7e892"},
		{"münchen-東京", "réponse-😀", "Zażółć gęślą jaźń 😀", "1c16b8456bdfbdafd3df349553f3c7aee439f766cb6867a54b6b3162b380f45e"},
	} {
		require.Equal(t, v.want, incidentID(v.tenant, v.id, v.answer))
	}
}

// TestInputs: the mix has every kind, duplicates share an id and reworded ones do not.
func TestInputs(t *testing.T) {
	const n = 2000
	list, err := Inputs(n, 7)
	require.NoError(t, err)
	again, err := Inputs(n, 7)
	require.NoError(t, err)
	require.Equal(t, list, again, "a seed gives the same inputs twice")
	other, err := Inputs(n, 8)
	require.NoError(t, err)
	require.NotEqual(t, list, other)

	kinds := map[Kind]int{}
	for _, in := range list {
		kinds[in.Kind]++
		require.Equal(t, in.Kind == Tombstone, in.Value == nil)
	}
	require.Len(t, kinds, 6)
	b, err := NewExpected("cluster", "in", "default", placeInputs(list))
	require.NoError(t, err)
	require.Len(t, b.DeadLetters, kinds[Poison])
	require.Len(t, b.Tombstones, kinds[Tombstone])
	require.Equal(t, kinds[Named]+kinds[Unnamed]+kinds[Reworded], b.Incidents())
	require.Len(t, b.Flags, b.Incidents()+kinds[Duplicate])
}

// TestUnknownKind: a record of an unknown kind is an error.
func TestUnknownKind(t *testing.T) {
	_, err := NewExpected("c", "in", "default", []Record{{Value: []byte("{}")}})
	require.ErrorContains(t, err, `its header ledger-kind is ""`)
	_, err = NewExpected("c", "in", "default", []Record{{Value: []byte("{"), Headers: map[string]string{KindHeader: string(Named)}}})
	require.ErrorContains(t, err, "input {0 0}: unexpected end of JSON input")
}

// auditCase is an output to audit: that of a faultless worker, unless a case changes it.
type auditCase struct {
	expected  *Expected
	flags     []RecordPosition
	incidents []Record
	letters   []Record
}

func faultlessCase(t *testing.T) *auditCase {
	t.Helper()
	list, err := Inputs(300, 1)
	require.NoError(t, err)
	records := placeInputs(list)
	w := &auditCase{}
	w.expected, err = NewExpected("c", "in", "default", records)
	require.NoError(t, err)
	for _, r := range records {
		if id, ok := w.expected.Flags[r.RecordPosition]; ok {
			w.flags = append(w.flags, r.RecordPosition)
			w.incidents = append(w.incidents, flagRecord(id, r.RecordPosition))
		}
		if _, ok := w.expected.DeadLetters[r.RecordPosition]; ok {
			r.Headers = map[string]string{
				"__connect.errors.partition": strconv.Itoa(int(r.Partition)),
				"__connect.errors.offset":    strconv.FormatInt(r.Offset, 10),
			}
			w.letters = append(w.letters, r)
		}
	}
	return w
}

// placeInputs assigns positions in a topic of two partitions.
func placeInputs(list []Input) []Record {
	out := make([]Record, len(list))
	for i, in := range list {
		out[i] = Record{
			RecordPosition: RecordPosition{Partition: int32(i % 2), Offset: int64(i / 2)}, Key: in.Key, Value: in.Value,
			Headers: map[string]string{KindHeader: string(in.Kind)},
		}
	}
	return out
}

func flagRecord(id string, at RecordPosition) Record {
	return Record{Key: id, Value: fmt.Appendf(nil, `{"incident_id":%q,"pass":"fast","origin":{"partition":%d,"offset":%d}}`, id, at.Partition, at.Offset)}
}

func (w *auditCase) tombstone() RecordPosition {
	for at := range w.expected.Tombstones {
		return at
	}
	return RecordPosition{}
}

// TestAudit breaks a faultless output in one way at a time.
func TestAudit(t *testing.T) {
	unique := func(w *auditCase) int { // index of an interaction with a unique incident
		count := map[string]int{}
		for _, id := range w.expected.Flags {
			count[id]++
		}
		for i, at := range w.flags {
			if count[w.expected.Flags[at]] == 1 {
				return i
			}
		}
		return -1
	}
	for _, c := range []struct {
		name  string
		spoil func(w *auditCase)
		want  AuditResult
	}{
		{"nothing", func(*auditCase) {}, AuditResult{}},
		{"a flag is lost", func(w *auditCase) { i := unique(w); w.incidents = append(w.incidents[:i], w.incidents[i+1:]...) }, AuditResult{Missing: 1, Unaccounted: 1}},
		{"a dead letter is lost", func(w *auditCase) { w.letters = w.letters[1:] }, AuditResult{Unaccounted: 1}},
		{"a dead letter with another value", func(w *auditCase) { w.letters[0].Value = []byte("other") }, AuditResult{Unaccounted: 1}},
		{"a flag twice", func(w *auditCase) { w.incidents = append(w.incidents, w.incidents[3]) }, AuditResult{Duplicates: 1}},
		{"a dead letter twice", func(w *auditCase) { w.letters = append(w.letters, w.letters[0]) }, AuditResult{Duplicates: 1}},
		{"a repeat under another id", func(w *auditCase) { w.incidents = append(w.incidents, flagRecord("ffff", w.flags[3])) }, AuditResult{Extra: 1, Duplicates: 1, AfterID: 1}},
		{"a wrong id", func(w *auditCase) { i := unique(w); w.incidents[i] = flagRecord("ffff", w.flags[i]) }, AuditResult{Missing: 1, Extra: 1, Unaccounted: 1}},
		{"a flag of a tombstone", func(w *auditCase) { w.incidents = append(w.incidents, flagRecord("ffff", w.tombstone())) }, AuditResult{Extra: 1, Unaccounted: 1}},
		{"a flag of a place that is not there", func(w *auditCase) {
			w.incidents = append(w.incidents, flagRecord("ffff", RecordPosition{Partition: 9, Offset: 9}))
		}, AuditResult{Extra: 1, Unaccounted: 1}},
		{"a dead letter of an interaction", func(w *auditCase) {
			r := w.letters[0]
			at := w.flags[0]
			r.Headers = map[string]string{"__connect.errors.partition": strconv.Itoa(int(at.Partition)), "__connect.errors.offset": strconv.FormatInt(at.Offset, 10)}
			w.letters = append(w.letters, r)
		}, AuditResult{Unaccounted: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := faultlessCase(t)
			c.spoil(w)
			v, err := w.expected.Audit(w.incidents, w.letters)
			require.NoError(t, err)
			got := *v
			got.Examples = nil
			require.Equal(t, c.want, got)
			fine := c.want.Missing+c.want.Extra+c.want.Unaccounted+c.want.AfterID == 0
			require.Equal(t, fine, v.Err() == nil)
			require.Equal(t, fine, len(v.Examples) == 0)
		})
	}
}

// TestAuditTwoPasses: where all are sampled, an interaction needs a flag of either pass, under one id.
func TestAuditTwoPasses(t *testing.T) {
	at, id := RecordPosition{Offset: 3}, incidentID("poor", "i-1", "")
	of := func(pass, id string) Record {
		return Record{Key: id, Value: fmt.Appendf(nil, `{"incident_id":%q,"pass":%q,"origin":{"partition":0,"offset":3}}`, id, pass)}
	}
	for name, c := range map[string]struct {
		flags []Record
		want  AuditResult
	}{
		"both":                     {[]Record{of(fast, id), of(deep, id)}, AuditResult{}},
		"both, twice":              {[]Record{of(deep, id), of(fast, id), of(deep, id), of(fast, id)}, AuditResult{Duplicates: 2}},
		"no deep one":              {[]Record{of(fast, id)}, AuditResult{Missing: 1, Unaccounted: 1}},
		"a deep one of another":    {[]Record{of(fast, id), of(deep, "ffff")}, AuditResult{Missing: 1, Extra: 1, Unaccounted: 1}},
		"repeated under other id":  {[]Record{of(fast, id), of(deep, id), of(deep, "ffff")}, AuditResult{Extra: 1, Duplicates: 1, AfterID: 1}},
		"a pass that is not there": {[]Record{of(fast, id), of(deep, id), of("third", id)}, AuditResult{Extra: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			b, err := NewExpected("c", "in", "default", []Record{{
				RecordPosition: at, Value: []byte(`{"interaction_id":"i-1","tenant":"poor"}`), Headers: map[string]string{KindHeader: string(Named)},
			}})
			require.NoError(t, err)
			b.Passes = append(b.Passes, deep)
			v, err := b.Audit(c.flags, nil)
			require.NoError(t, err)
			v.Examples = nil
			require.Equal(t, &c.want, v)
		})
	}
}

// TestAuditUnreadableRecords: a record without an origin is an error.
func TestAuditUnreadableRecords(t *testing.T) {
	w := faultlessCase(t)
	_, err := w.expected.Audit([]Record{{Key: "a", Value: []byte(`{"incident_id":"a","pass":"fast"}`)}}, nil)
	require.ErrorContains(t, err, "origin <nil>")
	_, err = w.expected.Audit([]Record{{Key: "a", Value: []byte(`{`)}}, nil)
	require.Error(t, err)
	_, err = w.expected.Audit(nil, []Record{{}})
	require.ErrorContains(t, err, "dead letter at {0 0}")
}

func TestSchedule(t *testing.T) {
	harm := []FaultCount{{Kind: Kill, Count: 7, Slots: 3}, {Kind: KillBroker, Count: 3, Slots: 3, Each: true}}
	list := Schedule(20000, 5, harm)
	require.Equal(t, list, Schedule(20000, 5, harm), "a seed gives the same schedule twice")
	require.NotEqual(t, list, Schedule(20000, 6, harm))
	require.Len(t, list, 10)
	last, brokers := 0, map[int]bool{}
	for _, f := range list {
		require.Greater(t, f.At, last)
		require.Less(t, f.Slot, 3)
		last = f.At
		if f.Kind == KillBroker {
			brokers[f.Slot] = true
		}
	}
	require.LessOrEqual(t, last, 18000)
	require.Len(t, brokers, 3, "each broker is hit")
}

func TestReport(t *testing.T) {
	r := Report{
		Events: 100, Poison: 2, Windows: 1, Faults: []FaultCount{{Kind: Kill, Count: 9}, {Kind: Denied, Count: 1}, {Kind: Zombie}}, UnderLoad: 9, Seed: 3,
		Result: &AuditResult{Duplicates: 4}, Delivery: "at_least_once", Hop: "a → b", Tier: "in-memory broker", Versions: "x 1", Commit: "abc",
	}
	require.Empty(t, r.Invalid())
	require.Equal(t, "100 events, 10 faults (9 × SIGKILL of a worker, 1 × writes denied; 9 under load), 2 poison, 1 fault windows, seed 3; "+
		"missing 0, extra 0, duplicate 4 (0 after id), unaccounted 0; at_least_once; a → b; in-memory broker; x 1; commit abc", r.String())
	r.UnderLoad = 8
	require.Equal(t, "only 8 of 10 faults hit while records were being written", r.Invalid())
}
