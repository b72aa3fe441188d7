package dispatch

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"confab/alerting"
	"confab/alerting/alerttest"
	"confab/alerting/httpsend"
	slacksink "confab/alerting/slack"
	"confab/schemas"
)

// floodPolicy has six tenants. Two share a channel; high severity goes to two further channels.
func floodPolicy() *alerting.Policy {
	tenants := map[string]alerting.TenantOptions{}
	for i := range 6 {
		tenants[fmt.Sprintf("tenant-%d", i)] = alerting.TenantOptions{Alerting: alerting.RuleOptions{
			Channel: fmt.Sprintf("C0NORMAL%d", max(1, i)), High: alerting.SeverityOptions{Channel: fmt.Sprintf("C0HIGH%d", i/3)},
		}}
	}
	return alerting.NewPolicy(alerting.PolicyOptions{Tenants: tenants})
}

// floodFlag is the i-th flag. A tenth are of high severity, in up to 12 groups of each tenant; the others are in up to 30.
func floodFlag(i int) schemas.Flag {
	tenant, rest := i%6, i/6
	f := similarFlag(rest%10, i)
	f.Tenant = fmt.Sprintf("tenant-%d", tenant)
	f.Model = fmt.Sprintf("model-%d", rest/10%3)
	if rest%10 == 9 {
		f = asSevere(f)
		f.Service = fmt.Sprintf("pay-%d", rest/10%12)
		f.Model = "model-0"
	}
	return f
}

// TestFlood (T12): 10,000 alerts in a minute through a Slack with all kinds of faults.
func TestFlood(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	seeds := uint64(1)
	if os.Getenv("FULL_COUNTS") != "" {
		seeds = 4
	}
	for _, forbid := range []bool{false, true} {
		for seed := range seeds {
			t.Run(fmt.Sprintf("history forbidden %v, seed %d", forbid, seed), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { runFlood(t, forbid, seed) })
			})
		}
	}
}

func runFlood(t *testing.T, forbid bool, seed uint64) {
	const alerts, partitions = 10_000, 12
	api := newSlackAPI(seed)
	api.faults, api.noHistory = 0.15, forbid
	api.down = func(channel string, now time.Duration) string {
		switch {
		case channel == "C0NORMAL2" && now > 20*time.Second && now < 90*time.Second:
			return "is_archived"
		case now > 100*time.Second && now < 130*time.Second:
			return "token_revoked"
		}
		return ""
	}
	bot, err := slacksink.NewBot(slacksink.BotOptions{Token: alerttest.Token, Channel: "C0DEFAULT", Options: httpsend.Options{Transport: api}})
	require.NoError(t, err)
	d := newHarness(t, harnessOptions{partitions: partitions, policy: floodPolicy(), notifier: recordingSink{bot, api}}).run()
	start := time.Now()
	arrivals := make(map[string][]time.Duration, 72) // by group, of high severity
	sent := make(map[string]*delivery, 72)
	for i := range alerts {
		if gap := time.Until(start.Add(time.Duration(i) * time.Minute / alerts)); gap > 0 {
			sleepVirtual(gap)
			recordDeliveries(d, arrivals, sent)
		}
		f := floodFlag(i)
		require.Equal(t, Grouped, d.add(int32(i/7%partitions), f))
		if d.store.policy.Severity(&f) == schemas.SeverityHigh {
			k := d.store.kindOf(&f)
			arrivals[k.key()] = append(arrivals[k.key()], time.Since(start))
		}
	}
	for range 120 * 60 {
		if sleepVirtual(time.Second); d.Idle() && d.totals().pending == 0 {
			break
		}
		recordDeliveries(d, arrivals, sent)
	}
	recordDeliveries(d, arrivals, sent)
	drained := time.Since(start)
	require.True(t, d.Idle())
	auditFlood(t, api, alerts, forbid)
	delays := deliveryDelays(t, api, arrivals, sent)
	p95 := delays[len(delays)*95/100]
	require.Less(t, p95, time.Minute)

	require.Less(t, d.output.Len(), 1000*int(drained/time.Minute+1), "a line a minute")
	alerttest.RequireNoSecrets(t, d.output.String())
	t.Logf("high severity: %d alerts, from flag to post p50 %s, p95 %s, max %s; drained after %s",
		len(delays), delays[len(delays)/2], p95, delays[len(delays)-1], drained)
}

// delivery is when a message or a digest first showed a group.
type delivery struct {
	shown    time.Duration       // when the log first had it as displayed; negative: not yet
	attempts map[string]struct{} // announced messages; Slack may have accepted one and its reply was lost
}

// recordDeliveries notes which groups of high severity have been shown by now.
func recordDeliveries(d *harness, arrivals map[string][]time.Duration, sent map[string]*delivery) {
	for key := range arrivals {
		h := sent[key]
		if h == nil {
			h = &delivery{shown: -1, attempts: map[string]struct{}{}}
			sent[key] = h
		}
		d.locked(func() {
			for _, part := range d.store.groups[key].parts {
				g := part.record.Group
				switch {
				case h.shown >= 0:
				case g.DisplayedCount > 0:
					h.shown = time.Since(d.t0)
				case part.record.Status == schemas.AlertPending && g.Message != "":
					h.attempts[g.Message] = struct{}{}
				}
			}
		})
	}
}

// deliveryDelays are the times from each flag of high severity to the first message with its group, sorted.
func deliveryDelays(t *testing.T, api *slackAPI, arrivals map[string][]time.Duration, sent map[string]*delivery) []time.Duration {
	t.Helper()
	accepted := map[string]time.Duration{}
	for _, c := range api.channels {
		for _, m := range c.messages {
			if _, again := accepted[m.id]; !again {
				accepted[m.id] = m.at
			}
		}
	}
	var out []time.Duration
	for key, times := range arrivals {
		first := sent[key].shown
		require.GreaterOrEqual(t, first, time.Duration(0), key)
		for id := range sent[key].attempts {
			if at, ok := accepted[id]; ok {
				first = min(first, at)
			}
		}
		for _, at := range times {
			out = append(out, max(0, first-at))
		}
	}
	slices.Sort(out)
	return out
}

func auditFlood(t *testing.T, api *slackAPI, alerts int64, forbid bool) {
	t.Helper()
	var sent, posts, twice int64
	edits := api.edits
	for name, c := range api.channels {
		seen := map[string]int64{}
		for _, m := range c.messages {
			if _, again := seen[m.id]; again {
				twice++
				require.True(t, m.marked, "repeated without the mark")
				require.Positive(t, api.lost[m.id], "repeated though no reply was lost")
			}
			seen[m.id] = m.alert.Count
			posts++
		}
		for _, n := range seen {
			sent += n
		}
		for i := 1; i < len(c.posts); i++ {
			require.GreaterOrEqual(t, c.posts[i]-c.posts[i-1], time.Second, name)
		}
	}
	require.Equal(t, alerts, sent)
	require.Zero(t, api.unknown)
	if !forbid {
		require.Zero(t, twice, "found again, not repeated")
	}
	for _, fault := range []string{"429 int", "429 date", "429 none", "500", "hang", "reset after accept", "400", "403", "msg_blocks_too_long", "is_archived", "token_revoked"} {
		require.Positive(t, api.injected[fault], fault)
	}
	t.Logf("%d alerts delivered in %d messages, %d repeated (all marked), %d edits; faults %v", sent, posts, twice, edits, api.injected)
}
