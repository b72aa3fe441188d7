package dispatch

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/schemas"
)

// TestManyGroupsBecomeDigests: when more groups wait in a channel than it can post soon, the first ones get messages of their
// own. The others go to a digest of their tenant, although no tenant has used up its tokens.
func TestManyGroupsBecomeDigests(t *testing.T) {
	const tenants, each = 5, 5
	runVirtual(t, harnessOptions{}, func(t *testing.T, d *harness) {
		d.sink.SetDown(true)
		for n := range each {
			for k := range tenants {
				f := asSevere(similarFlag(n, k))
				f.Tenant = string(rune('a' + k))
				d.add(0, f)
			}
			sleepVirtual(time.Second)
		}
		d.sink.SetDown(false)
		sleepVirtual(5 * time.Minute)
		sent, _ := d.sink.Delivered()
		require.EqualValues(t, tenants*each, sent)
		own, digests := 0, map[string]int{}
		for _, a := range d.sink.Alerts() {
			if a.Kind == schemas.AlertGroup {
				own++
				continue
			}
			require.Equal(t, schemas.DigestThrottled, a.Cause)
			digests[a.Tenant]++
		}
		require.Equal(t, maxPendingGroups, own)
		require.Len(t, digests, tenants)
		for tenant, n := range digests {
			require.Equal(t, 1, n, tenant)
		}
	})
}

// TestHighSeverityDigestIsEditedSoon: a new group of high severity does not wait for the group interval to enter a digest.
func TestHighSeverityDigestIsEditedSoon(t *testing.T) {
	for _, high := range []bool{true, false} {
		o := harnessOptions{groups: GroupOptions{NewMessages: BucketOptions{Burst: 1, Every: time.Hour}}}
		runVirtual(t, o, func(t *testing.T, d *harness) {
			add := func(n int) {
				f := similarFlag(n, 0)
				if high {
					f = asSevere(f)
				}
				d.add(0, f)
			}
			add(0)
			add(1) // the digest
			sleepVirtual(20 * time.Second)
			require.Len(t, d.sink.Alerts(), 2)
			add(2)
			sleepVirtual(time.Second)
			sent, _ := d.sink.Delivered()
			require.Equal(t, high, sent == 3, "high severity %v: %d sent", high, sent)
			add(3)
			sleepVirtual(highDigestInterval + time.Second)
			sent, _ = d.sink.Delivered()
			require.Equal(t, high, sent == 4, "high severity %v: %d sent", high, sent)
			sleepVirtual(time.Minute)
			sent, _ = d.sink.Delivered()
			require.EqualValues(t, 4, sent)
			require.Len(t, d.sink.Alerts(), 2, "by edits")
		})
	}
}
