package budget

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestBudgetRecordBytes: later versions must read the records written now, within a window at least.
func TestBudgetRecordBytes(t *testing.T) {
	key := budgetKey{"acme|eu", windowAt(time.Date(2026, 11, 21, 23, 59, 59, 0, time.FixedZone("", -3600)), 24*time.Hour), 5}
	require.Equal(t, "acme|eu|2026-11-22T00:00:00Z/86400s|5", key.String())
	value := budgetValue{Reserved: 120000, Spent: 4711}
	require.JSONEq(t, `{"v":1,"reserved":120000,"spent":4711}`, string(value.encode()))

	read, ok := parseBudgetKey(key.String())
	require.True(t, ok)
	require.Equal(t, key, read)
	got, err := decodeBudgetValue([]byte(`{"v":2,"reserved":120000,"spent":4711,"later":[1]}`))
	require.NoError(t, err)
	require.Equal(t, budgetValue{2, 120000, 4711}, got)
}

func TestForeignKeysAndDamagedValues(t *testing.T) {
	for _, text := range []string{
		"", "|", "||", "a|b|c", "a|2026-11-22T00:00:00Z/86400s|", "a|2026-11-22T00:00:00Z/86400s|+1", "a|2026-11-22T00:00:00Z/0s|1",
		"a|2026-11-22T00:00:00Z/86400|1", "a|2026-11-22T00:00:00+01:00/86400s|1", "a|2026-11-22T00:00:00Z/9999999999999s|1",
		"a|2026-11-22T00:00:00Z/86400s|4294967296", "a|2026-11-22T00:00:00Z|1", "a|2026-11-22/86400s|1",
	} {
		_, ok := parseBudgetKey(text)
		require.False(t, ok, text)
	}
	for _, text := range []string{"", "null", "{}", "7", `{"v":1,"reserved":-1}`, `{"v":1,"reserved":"9"}`, `{"v":1,"reserved":1,"spent":-1}`} {
		_, err := decodeBudgetValue([]byte(text))
		require.Error(t, err, text)
	}
}

func TestWindowsFollowUTC(t *testing.T) {
	at := time.Date(2026, 11, 21, 18, 40, 0, 0, time.UTC) // a Saturday
	for length, want := range map[time.Duration]string{
		time.Minute:        "2026-11-21T18:40:00Z/60s",
		24 * time.Hour:     "2026-11-21T00:00:00Z/86400s",
		7 * 24 * time.Hour: "2026-11-16T00:00:00Z/604800s",
	} {
		require.Equal(t, want, windowAt(at, length).String())
	}
}

func FuzzBudgetKey(f *testing.F) {
	f.Add("acme|2026-11-22T00:00:00Z/86400s|5")
	f.Add("a|b|2026-11-22T00:00:00Z/60s|0")
	f.Add("|0000-01-01T00:00:00Z/1s|0")
	f.Fuzz(func(t *testing.T, text string) {
		if key, ok := parseBudgetKey(text); ok {
			require.Equal(t, text, key.String())
		}
	})
}
