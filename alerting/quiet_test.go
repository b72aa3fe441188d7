package alerting

import (
	"testing"
	"time"
	_ "time/tzdata" // the zones below on every machine

	"github.com/stretchr/testify/require"
)

func loadZone(t *testing.T, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	require.NoError(t, err)
	return z
}

func TestQuiet(t *testing.T) {
	utc, berlin := time.UTC, loadZone(t, "Europe/Berlin")
	at := func(z *time.Location, day, hour, minute int) time.Time {
		return time.Date(2026, time.November, day, hour, minute, 0, 0, z) // the 16th is a Monday
	}
	night := QuietHours{From: "22:00", To: "07:00", TimeZone: "Europe/Berlin"}
	weekend := QuietHours{Days: []string{"sat", "sun"}, From: "00:00", To: "24:00", TimeZone: "Europe/Berlin"}
	friday := QuietHours{Days: []string{"fri"}, From: "18:00", To: "00:00", TimeZone: "Europe/Berlin"}
	for _, tt := range []struct {
		name  string
		hours []QuietHours
		now   time.Time
		until time.Time // zero: not quiet
	}{
		{"none", nil, at(utc, 16, 3, 0), time.Time{}},
		{"before", []QuietHours{{From: "12:00", To: "13:00"}}, at(utc, 16, 11, 59), time.Time{}},
		{"the first minute", []QuietHours{{From: "12:00", To: "13:00"}}, at(utc, 16, 12, 0), at(utc, 16, 13, 0)},
		{"the last moment", []QuietHours{{From: "12:00", To: "13:00"}}, at(utc, 16, 13, 0).Add(-1), at(utc, 16, 13, 0)},
		{"the end", []QuietHours{{From: "12:00", To: "13:00"}}, at(utc, 16, 13, 0), time.Time{}},
		{"in local time", []QuietHours{night}, at(utc, 16, 21, 30), at(berlin, 17, 7, 0)},
		{"past midnight", []QuietHours{night}, at(berlin, 17, 0, 0), at(berlin, 17, 7, 0)},
		{"in the morning", []QuietHours{night}, at(berlin, 17, 6, 59), at(berlin, 17, 7, 0)},
		{"by day", []QuietHours{night}, at(berlin, 17, 12, 0), time.Time{}},
		{"another day", []QuietHours{weekend}, at(berlin, 20, 23, 59), time.Time{}},
		{"Saturday lasts to Sunday's end", []QuietHours{weekend}, at(berlin, 21, 0, 0), at(berlin, 23, 0, 0)},
		{
			"a night that began on a day not named",
			[]QuietHours{{Days: []string{"mon"}, From: "22:00", To: "07:00"}},
			at(utc, 18, 1, 0),
			time.Time{},
		},
		{
			"a night that began on a day named",
			[]QuietHours{{Days: []string{"mon"}, From: "22:00", To: "07:00"}},
			at(utc, 17, 1, 0), at(utc, 17, 7, 0),
		},
		{"adjacent and overlapping windows are one", []QuietHours{weekend, night, friday}, at(berlin, 20, 18, 0), at(berlin, 23, 7, 0)},
		{
			"the first that ends last",
			[]QuietHours{{From: "12:00", To: "15:00"}, {From: "13:00", To: "14:00"}},
			at(utc, 16, 13, 30), at(utc, 16, 15, 0),
		},
		{
			"zones may differ",
			[]QuietHours{night, {From: "06:00", To: "08:00"}},
			at(utc, 16, 23, 0), at(utc, 17, 8, 0),
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			require.Empty(t, validateQuiet("quiet_hours", tt.hours))
			p := NewPolicy(PolicyOptions{Default: RuleOptions{Quiet: tt.hours}})
			until, quiet := p.Quiet("any", tt.now)
			require.Equal(t, !tt.until.IsZero(), quiet)
			if quiet {
				require.True(t, tt.until.Equal(until), "until %s", until)
			}
		})
	}
}

// In Berlin the time goes from 03:00 back to 02:00 on 2026-10-25, and from 02:00 to 03:00 on 2026-03-29.
func TestQuietWithClockChanges(t *testing.T) {
	utc := func(month time.Month, day, hour, minute int) time.Time {
		return time.Date(2026, month, day, hour, minute, 0, 0, time.UTC)
	}
	for _, tt := range []struct {
		name     string
		from, to string
		now      time.Time
		until    time.Time
	}{
		{"the night of autumn is an hour longer", "22:00", "07:00", utc(time.October, 24, 20, 0), utc(time.October, 25, 6, 0)},
		{"the night of spring is an hour shorter", "22:00", "07:00", utc(time.March, 28, 21, 0), utc(time.March, 29, 5, 0)},
		{"02:30 comes twice: the first", "02:00", "02:30", utc(time.October, 25, 0, 15), utc(time.October, 25, 0, 30)},
		{"02:30 comes twice: between", "02:00", "02:30", utc(time.October, 25, 0, 45), time.Time{}},
		{"02:30 comes twice: again", "02:00", "02:30", utc(time.October, 25, 1, 15), utc(time.October, 25, 1, 30)},
		{"an end in the hour that comes twice", "01:00", "02:30", utc(time.October, 24, 23, 30), utc(time.October, 25, 0, 30)},
		{"the whole hour that comes twice", "02:00", "03:00", utc(time.October, 25, 0, 0), utc(time.October, 25, 2, 0)},
		{"an end in the skipped hour", "01:00", "02:30", utc(time.March, 29, 0, 30), utc(time.March, 29, 1, 0)},
		{"a beginning in the skipped hour", "02:30", "04:00", utc(time.March, 29, 1, 0), utc(time.March, 29, 2, 0)},
		{"the skipped hour", "02:00", "03:00", utc(time.March, 29, 1, 0), time.Time{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ws := quietWindows([]QuietHours{{From: tt.from, To: tt.to, TimeZone: "Europe/Berlin"}})
			until, quiet := quietUntil(ws, tt.now)
			require.Equal(t, !tt.until.IsZero(), quiet)
			if quiet {
				require.Equal(t, tt.until, until)
			}
		})
	}
}

// For every quarter of an hour of a year, quietUntil agrees with local time, and until is the first time after.
func TestQuietAgreesWithLocalTime(t *testing.T) {
	berlin := loadZone(t, "Europe/Berlin")
	ws := quietWindows([]QuietHours{
		{From: "22:30", To: "02:30", TimeZone: "Europe/Berlin"},
		{Days: []string{"sun"}, From: "02:15", To: "03:15", TimeZone: "Europe/Berlin"},
	})
	isQuiet := func(now time.Time) bool {
		local := now.In(berlin)
		m := local.Hour()*60 + local.Minute()
		return m >= 22*60+30 || m < 2*60+30 || local.Weekday() == time.Sunday && m >= 2*60+15 && m < 3*60+15
	}
	start := time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)
	for now, end := start, start.AddDate(1, 0, 0); now.Before(end); now = now.Add(15 * time.Minute) {
		until, quiet := quietUntil(ws, now)
		require.Equal(t, isQuiet(now), quiet, "%s", now)
		if !quiet {
			continue
		}
		require.False(t, isQuiet(until), "%s until %s", now, until)
		for at := now; at.Before(until); at = at.Add(15 * time.Minute) {
			require.True(t, isQuiet(at), "%s until %s", now, until)
		}
	}
}

func TestQuietByTenant(t *testing.T) {
	noon := []QuietHours{{From: "12:00", To: "13:00"}}
	p := NewPolicy(PolicyOptions{Default: RuleOptions{Quiet: noon}, Tenants: map[string]TenantOptions{
		"plain": {},
		"never": {Alerting: RuleOptions{Quiet: []QuietHours{}}},
		"tea":   {Alerting: RuleOptions{Quiet: []QuietHours{{From: "17:00", To: "18:00"}}}},
	}})
	for tenant, hours := range map[string][]int{"": {12}, "unnamed": {12}, "plain": {12}, "never": nil, "tea": {17}, "TEA": {12}} {
		var got []int
		for hour := range 24 {
			if _, quiet := p.Quiet(tenant, time.Date(2026, 11, 21, hour, 30, 0, 0, time.UTC)); quiet {
				got = append(got, hour)
			}
		}
		require.Equal(t, hours, got, tenant)
	}
}

func TestQuietRejects(t *testing.T) {
	bad := PolicyOptions{
		Default: RuleOptions{Quiet: []QuietHours{
			{Days: []string{"mon", "Monday", ""}, From: "7:00", To: "25:00", TimeZone: "Berlin"},
			{From: "24:00", To: "07:60"},
			{From: "08:00", To: "08:00", TimeZone: "Local"},
			{},
		}},
		Tenants: map[string]TenantOptions{
			"always": {Alerting: RuleOptions{Quiet: []QuietHours{{From: "00:00", To: "24:00"}}}},
			"nearly": {Alerting: RuleOptions{Quiet: []QuietHours{
				{Days: []string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"}, From: "22:00", To: "12:00"}, {From: "11:00", To: "22:01"},
			}}},
			"good": {Alerting: RuleOptions{Quiet: []QuietHours{{From: "00:00", To: "23:59", TimeZone: "Asia/Kathmandu"}}}},
		},
	}
	want := []string{
		`alerting.quiet_hours[0].days: "Monday" is not a day; use mon, tue, wed, thu, fri, sat, sun`,
		`alerting.quiet_hours[0].days: "" is not a day`,
		`alerting.quiet_hours[0].from: "7:00" is not a time of day; use 00:00 to 23:59`,
		`alerting.quiet_hours[0].to: "25:00" is not a time of day; use 00:00 to 24:00`,
		`alerting.quiet_hours[0].time_zone: "Berlin" is not a time zone; use an IANA name such as Europe/Berlin`,
		`alerting.quiet_hours[1].from: "24:00" is not a time of day`,
		`alerting.quiet_hours[1].to: "07:60" is not a time of day`,
		`alerting.quiet_hours[2].to: 08:00 is when the quiet hours begin`,
		`alerting.quiet_hours[2].time_zone: "Local" is not a time zone`,
		`alerting.quiet_hours[3].from: "" is not a time of day`,
		`alerting.quiet_hours[3].to: "" is not a time of day`,
		`tenants.always.alerting.quiet_hours: quiet hours never end`,
		`tenants.nearly.alerting.quiet_hours: quiet hours never end`,
	}
	err := bad.Validate(detectors())
	for _, w := range want {
		require.ErrorContains(t, err, w)
	}
	joined, ok := err.(interface{ Unwrap() []error })
	require.True(t, ok)
	require.Len(t, joined.Unwrap(), len(want), "one error per setting")
}
