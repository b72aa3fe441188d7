package json

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/schemas"
	"confab/schemas/json/scan"
)

func TestMappingReadsTimes(t *testing.T) {
	at := time.Date(2026, 11, 21, 10, 0, 0, 250e6, time.UTC)
	tests := []struct {
		entry, value string
		want         time.Time
		reason       string
	}{
		{"/t", `"2026-11-21T11:00:00.25+01:00"`, at, ""},
		{"/t", `1795255200250`, at, ""},
		{"/t", `1795255200.25`, at, ""},
		{"/t", `1795255200250.0`, at, ""},
		{"/t", `1795255200.25`, at, ""},
		{"/t", `1795255200`, at.Truncate(time.Second), ""},
		{"/t", `1.79525520025e9`, at, ""},
		{"/t", `"2026-11-21T10:00:00.25Z"`, at, ""},
		{"/t", `1795255200250000`, at, ""},
		{"/t", `1795255200250000000`, at, ""},
		{"/t", `0`, time.Time{}, ""},
		{"/t", `null`, time.Time{}, ""},
		{"/t", `1e400`, at, scan.ReasonOutOfRange},
		{"/t", `"1795255200250000000"`, at, ""},
		{"/t", `"1795255200250"`, at, ""},
		{"/t", `"1795255200.25"`, at, ""},
		{"/t", `"1795255200.25"`, at, ""},
		{"/t", `"yesterday"`, at, scan.ReasonOutOfRange},
		{"/t", `[]`, at, scan.ReasonWrongType},
	}
	for _, tt := range tests {
		t.Run(tt.entry+" "+tt.value, func(t *testing.T) {
			var in schemas.Interaction
			record := []byte(`{"a":"","t":` + tt.value + `}`)
			require.NoError(t, newMapping(t, map[string]string{"answer": "/a", "occurred_at": tt.entry}).Decode(record, &in))
			if tt.reason != "" {
				require.Equal(t, []string{"occurred_at"}, in.Malformed)
				required := newMapping(t, map[string]string{"answer": "/a", "occurred_at": "required " + tt.entry})
				require.Equal(t, tt.reason, errorReason(t, required.Decode(record, &in)))
				return
			}
			require.Empty(t, in.Malformed)
			require.Equal(t, tt.want, in.OccurredAt)
		})
	}
}

// A date and a time of day of two places are one time. Without the second it is the date.
func TestMappingJoinsDateAndTime(t *testing.T) {
	m := newMapping(t, map[string]string{"answer": "/a", "occurred_at": "dmy /d + /c | dmy /w/d + /w/c"}).WithLimits(Options{Zone: time.UTC})
	for record, want := range map[string]string{
		`"d":"21/11/2026","c":"9:05"`:                           "2026-11-21T09:05:00Z",
		`"d":"21/11/2026","c":"1:05:30 PM"`:                     "2026-11-21T13:05:30Z",
		`"d":"2026-11-21","c":"9:05"`:                           "2026-11-21T09:05:00Z",
		`"d":"2026-11-21","c":"19:05:00"`:                       "2026-11-21T19:05:00Z",
		`"d":"2026-11-21T08:00:00Z","c":null`:                   "2026-11-21T08:00:00Z",
		`"d":"21/11/2026"`:                                      "2026-11-21T00:00:00Z",
		`"d":"21/11/2026","c":[]`:                               "2026-11-21T00:00:00Z",
		`"w":"{\"d\":\"4/5/2026\",\"c\":\"21:05\"}","c":"9:05"`: "2026-05-04T21:05:00Z",
	} {
		var in schemas.Interaction
		require.NoError(t, m.Decode([]byte(`{"a":"",`+record+`}`), &in), record)
		require.Empty(t, in.Malformed, record)
		require.Equal(t, want, in.OccurredAt.Format(time.RFC3339), record)
	}
}
