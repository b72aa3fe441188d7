package json

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/schemas"
)

func TestDecodeTime(t *testing.T) {
	cases := map[string]string{ // "" = refused, "0" = the unknown time
		`"2026-11-21T10:00:00Z"`:              "2026-11-21T10:00:00Z",
		`"2026-11-21t10:00:00z"`:              "2026-11-21T10:00:00Z",
		`"2026-11-21 10:00:00+00:00"`:         "2026-11-21T10:00:00Z",
		`"2026-11-21T10:00:00.123456789123Z"`: "2026-11-21T10:00:00.123456789Z",
		`"2026-11-21T00:30:00+05:30"`:         "2026-11-20T19:00:00Z",
		`"2026-11-21T10:00:00-23:59"`:         "2026-11-22T09:59:00Z",
		`"2016-12-31T23:59:60Z"`:              "2017-01-01T00:00:00Z",
		`"2024-02-29T00:00:00Z"`:              "2024-02-29T00:00:00Z",
		`"0001-01-01T00:00:00Z"`:              "0",
		`"9999-12-31T23:59:59.999999999Z"`:    "9999-12-31T23:59:59.999999999Z",
		`1795255200000`:                       "2026-11-21T10:00:00Z",
		`1795255200`:                          "2026-11-21T10:00:00Z",
		`1795255200.25`:                       "2026-11-21T10:00:00.25Z",
		`1.7952552e9`:                         "2026-11-21T10:00:00Z",
		`"1795255200"`:                        "2026-11-21T10:00:00Z",
		`"1795255200.5"`:                      "2026-11-21T10:00:00.5Z",
		`"1795255200250"`:                     "2026-11-21T10:00:00.25Z",
		`1795255200250.4`:                     "2026-11-21T10:00:00.25Z",
		`1795255200250000`:                    "2026-11-21T10:00:00.25Z",
		`1795255200250000000`:                 "2026-11-21T10:00:00.25Z",
		`"1795255200250000000"`:               "2026-11-21T10:00:00.25Z",
		`99999999999`:                         "5138-11-16T09:46:39Z",
		`100000000000`:                        "1973-03-03T09:46:40Z",
		`-1`:                                  "1969-12-31T23:59:59Z",
		`1e-9`:                                "0",
		`1e20`:                                "",
		`1e400`:                               "",
		`"inf"`:                               "",
		`0`:                                   "0",
		`""`:                                  "",
		`"2026-11-21"`:                        "",
		`"2026-11-21T10:00:00"`:               "",
		`"2026-11-21T10:00:00,5Z"`:            "",
		`"2026-11-21T10:00:00.Z"`:             "",
		`"2026-11-21T1:00:00Z"`:               "",
		`"2026-11-21T24:00:00Z"`:              "",
		`"2026-11-21T10:60:00Z"`:              "",
		`"2026-11-21T10:00:61Z"`:              "",
		`"2026-13-01T10:00:00Z"`:              "",
		`"2026-00-01T10:00:00Z"`:              "",
		`"2026-02-29T10:00:00Z"`:              "",
		`"2026-11-21T10:00:00+24:00"`:         "",
		`"2026-11-21T10:00:00+05:60"`:         "",
		`"2026-11-21T10:00:00+0500"`:          "",
		`"0001-01-01T00:00:00+01:00"`:         "",
		`"0000-06-01T00:00:00Z"`:              "",
		`"9999-12-31T23:59:59-01:00"`:         "",
		`9223372036854775807`:                 "2262-04-11T23:47:16.855Z",
		`-62135596800001`:                     "",
	}
	d := NewDecoder(Options{})
	for v, want := range cases {
		t.Run(v, func(t *testing.T) {
			raw := []byte(`{"answer":"a","occurred_at":` + v + `}`)
			var in schemas.Interaction
			require.NoError(t, d.Decode(raw, &in))
			requireOracle(t, raw)
			if want == "" {
				require.Equal(t, []string{"occurred_at"}, in.Malformed)
				require.True(t, in.OccurredAt.IsZero())
				return
			}
			require.Empty(t, in.Malformed)
			if want == "0" {
				require.True(t, in.OccurredAt.IsZero())
				return
			}
			require.Equal(t, want, in.OccurredAt.Format(time.RFC3339Nano))
		})
	}
}

// Dates as people write them are read where a time needs no zone; which of two numbers is the day is never guessed.
func TestDatesOfPeople(t *testing.T) {
	const noon, midnight = "2026-11-02T12:06:00Z", "2026-11-02T00:00:00Z"
	for text, want := range map[string][3]string{ // by order: "", dmy, mdy
		"02.11.2026 12:06":              {noon, noon, noon},
		"02.11.2026, 12:06:00.5 pm":     {"2026-11-02T12:06:00Z", noon, noon},
		"2026/11/02 12:06:00":           {noon, noon, noon},
		"2026/11/2":                     {midnight, midnight, midnight},
		"2026.11.02":                    {midnight, midnight, midnight},
		"Nov 02, 2026 12:06 PM":         {noon, noon, noon},
		"November 2, 2026 12:06pm":      {noon, noon, noon},
		"2 November 2026":               {midnight, midnight, midnight},
		"02-Nov-2026 12:06":             {noon, noon, noon},
		"Mon, 02 Nov 2026 12:06:00 GMT": {noon, noon, noon},
		"Mon, 2 Sept 2026":              {"2026-09-02T00:00:00Z", "2026-09-02T00:00:00Z", "2026-09-02T00:00:00Z"},
		"Sept. 2, 2026":                 {"2026-09-02T00:00:00Z", "2026-09-02T00:00:00Z", "2026-09-02T00:00:00Z"},
		"2/11/2026 12:06 p.m.":          {"", noon, "2026-02-11T12:06:00Z"},
		"11/2/2026 12:06:00 AM":         {"", "2026-02-11T00:06:00Z", "2026-11-02T00:06:00Z"},
		"11-2-2026 1:06 PM +01:00":      {"", "2026-02-11T12:06:00Z", "2026-11-02T12:06:00Z"},
		"25/11/2026":                    {"", "2026-11-25T00:00:00Z", ""},
		"11/25/2026":                    {"", "", "2026-11-25T00:00:00Z"},
		"02.11.2026 12:06 Uhr":          {noon, noon, noon},
		"2026-11-02 12:06:00,000":       {noon, noon, noon},
		"02.11.26 12:06":                {noon, noon, noon},
		"02.13.2026":                    {},
		"November 2nd, 2026":            {},
		"02/11/2026 13:06 PM":           {},
		"Foo 02, 2026":                  {},
		"02/11/26":                      {},
		"11:06":                         {},
		"yesterday":                     {},
	} {
		for i, order := range []string{"", "dmy", "mdy"} {
			var read string
			if at := ParseTime(text, order); !at.IsZero() {
				read = at.Format(time.RFC3339)
			}
			require.Equal(t, want[i], read, "%s %s", text, order)
		}
	}
	var in schemas.Interaction
	require.NoError(t, NewDecoder(Options{}).Decode([]byte(`{"answer":"a","occurred_at":"02.11.2026 12:06"}`), &in))
	require.Equal(t, []string{"occurred_at"}, in.Malformed, "of which zone?")
	record := []byte(`{"a":"a","t":"11/2/2026 12:06 PM"}`)
	require.NoError(t, newMapping(t, map[string]string{"answer": "/a", "occurred_at": "mdy /t"}).Decode(record, &in))
	require.Equal(t, []string{"11/2/2026 12:06 PM", "mdy"}, []string{in.UnreadTime, in.UnreadOrder}, "the order is known, the zone is not")
	zoned := newMapping(t, map[string]string{"answer": "/a", "occurred_at": "mdy /t"}).WithLimits(Options{Zone: time.FixedZone("", 3600)})
	require.NoError(t, zoned.Decode(record, &in))
	require.Equal(t, noon, in.OccurredAt.Add(time.Hour).Format(time.RFC3339))
}
