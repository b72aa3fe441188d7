package receivers

import (
	"iter"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/alerting"
	"confab/alerting/alerttest"
	"confab/schemas"
)

// entries are the records of a log as a receiver sees them, by key.
func entries(t *testing.T, receiver string, log *alerttest.FakeLog) map[string]*schemas.AlertState {
	t.Helper()
	_, records := View(receiver, log, log.Records())
	out := map[string]*schemas.AlertState{}
	for e, err := range records {
		require.NoError(t, err)
		out[e.Key] = e.State
	}
	return out
}

// TestViewsAreSeparate: receivers share a partition, and each has its own records under the same keys; silences are of all.
func TestViewsAreSeparate(t *testing.T) {
	log := alerttest.NewFakeLog()
	none := func(func(alerting.StateEntry, error) bool) {}
	var views []alerting.StateLog
	names := []string{"default", "pager", "pager-2"}
	for i, name := range names {
		v, _ := View(name, log, iter.Seq2[alerting.StateEntry, error](none))
		views = append(views, v)
		require.NoError(t, v.Put(t.Context(),
			alerting.StateEntry{Key: "g", State: &schemas.AlertState{Status: schemas.AlertPending, Group: &schemas.AlertGroupState{Members: int64(i + 1)}}},
			alerting.StateEntry{Key: "m", State: &schemas.AlertState{Status: schemas.AlertSent, Member: &schemas.AlertMember{Group: "g", Ordinal: int64(i + 1)}}},
			alerting.StateEntry{Key: "x", State: &schemas.AlertState{Status: schemas.AlertSent}},
		))
	}
	require.NoError(t, log.Put(t.Context(), alerting.StateEntry{Key: "s", State: &schemas.AlertState{Status: schemas.AlertSilence, Silence: &schemas.Silence{ID: "s"}}}))
	require.NoError(t, views[1].Put(t.Context(), alerting.StateEntry{Key: "x"}))
	for i, name := range names {
		got := entries(t, name, log)
		require.EqualValues(t, i+1, got["g"].Group.Members, name)
		require.EqualValues(t, i+1, got["m"].Member.Ordinal, name)
		require.NotNil(t, got["s"].Silence, name)
		require.Len(t, got, map[bool]int{true: 4, false: 4}[got["x"] != nil], name)
		m, found := views[i].Get("m")
		require.True(t, found)
		require.EqualValues(t, i+1, m.Member.Ordinal)
		_, found = views[i].Get("x")
		require.Equal(t, i != 1, found, "%s: it was deleted for one only", name)
	}
}
