package receivers

import (
	"iter"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/alerting/alerttest"
	"confab/alerting/dispatch/alertlog"
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
	none := func(func(alertlog.Entry, error) bool) {}
	var views []alertlog.Log
	names := []string{"default", "pager", "pager-2"}
	for i, name := range names {
		v, _ := View(name, log, iter.Seq2[alertlog.Entry, error](none))
		views = append(views, v)
		require.NoError(t, v.Put(t.Context(),
			alertlog.Entry{Key: "g", State: &schemas.AlertState{Status: schemas.AlertPending, Group: &schemas.AlertGroupState{Members: int64(i + 1)}}},
			alertlog.Entry{Key: "m", State: &schemas.AlertState{Status: schemas.AlertSent, Member: &schemas.AlertMember{Group: "g", Ordinal: int64(i + 1)}}},
			alertlog.Entry{Key: "x", State: &schemas.AlertState{Status: schemas.AlertSent}},
		))
	}
	require.NoError(t, log.Put(t.Context(), alertlog.Entry{Key: "s", State: &schemas.AlertState{Status: schemas.AlertSilence, Silence: &schemas.Silence{ID: "s"}}}))
	require.NoError(t, views[1].Put(t.Context(), alertlog.Entry{Key: "x"}))
	for i, name := range names {
		got := entries(t, name, log)
		require.EqualValues(t, i+1, got["g"].Group.Members, name)
		require.EqualValues(t, i+1, got["m"].Member.Ordinal, name)
		require.NotNil(t, got["s"].Silence, name)
		require.Len(t, got, map[bool]int{true: 4, false: 4}[got["x"] != nil], name)
		m, found := views[i].Get("m")
		require.True(t, found)
		require.EqualValues(t, i+1, m.Member.Ordinal)
		require.Nil(t, m.Receiver)
		_, found = views[i].Get("x")
		require.Equal(t, i != 1, found, "%s: it was deleted for one only", name)
	}
}

// TestOlderReleasesIgnoreReceivers: they see neither members nor groups of other receivers, so they deliver nothing of them.
func TestOlderReleasesIgnoreReceivers(t *testing.T) {
	log := alerttest.NewFakeLog()
	v, _ := View("pager", log, func(func(alertlog.Entry, error) bool) {})
	require.NoError(t, v.Put(t.Context(),
		alertlog.Entry{Key: "g", State: &schemas.AlertState{Status: schemas.AlertPending, Group: &schemas.AlertGroupState{Members: 1}}},
		alertlog.Entry{Key: "m", State: &schemas.AlertState{Status: schemas.AlertSent, Member: &schemas.AlertMember{Group: "g", Ordinal: 1}}},
	))
	for _, key := range []string{"pager/g", "pager/m"} {
		rec, found := log.Get(key)
		require.True(t, found)
		require.Nil(t, rec.Group)
		require.Nil(t, rec.Member)
		require.Nil(t, rec.Silence)
	}
}
