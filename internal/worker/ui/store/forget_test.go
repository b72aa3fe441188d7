package store

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	bolt "go.etcd.io/bbolt"

	"confab/schemas"
)

// An incident is forgotten in whatever order its records are read, and stays so.
func TestForgottenIncidents(t *testing.T) {
	o := testOptions(t)
	o.MaxAge = 24 * time.Hour
	s := openStore(t, o)
	label := func(i int) schemas.Feedback {
		return schemas.Feedback{IncidentID: testID(i), Verdict: schemas.Confirmed, User: "person-of-incident", At: noon()}
	}
	alert := AlertRecord{Incident: testID(1), State: &schemas.AlertState{Status: schemas.AlertSent, Channel: "C-of-incident"}}
	deep := testFlag(1, func(f *schemas.Flag) { f.Pass = schemas.PassDeep })
	require.NoError(t, s.Apply(&Batch{
		Flags: []FlagRecord{testFlag(0, nil), testFlag(1, nil), deep}, Labels: []schemas.Feedback{label(0), label(1)}, Alerts: []AlertRecord{alert},
		Forgotten: []string{"../../x", ""},
	}))
	for range 2 { // marks may be read again
		require.NoError(t, s.Apply(&Batch{Forgotten: []string{testID(1), testID(7)}}))
	}
	again := &Batch{Flags: []FlagRecord{testFlag(1, nil), deep, testFlag(7, nil)}, Labels: []schemas.Feedback{label(1)}, Alerts: []AlertRecord{alert}}
	require.NoError(t, s.Apply(again))
	p, err := s.List(&Filter{Tenants: everyone}, "", 10)
	require.NoError(t, err)
	require.Equal(t, []string{"i-0"}, ids(p), "the other incident stays")
	st, err := s.Stats()
	require.NoError(t, err)
	require.EqualValues(t, 1, st.Flags)
	require.EqualValues(t, 1, st.Labels)
	id, _ := parseID(testID(1))
	require.NoError(t, s.view(func(tx *bolt.Tx) error {
		for _, name := range []string{bucketIDs, bucketLabels, bucketAlerts} {
			k, _ := tx.Bucket([]byte(name)).Cursor().Seek(id)
			require.False(t, bytes.HasPrefix(k, id), name)
		}
		return nil
	}))
	s.Now = func() time.Time { return noon().Add(3 * 24 * time.Hour) }
	require.NoError(t, s.Expire())
	require.NoError(t, s.view(func(tx *bolt.Tx) error {
		require.Zero(t, tx.Bucket([]byte(bucketForgotten)).Stats().KeyN, "marks do not stay for ever")
		return nil
	}))
}
