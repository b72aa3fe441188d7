package dispatch

import (
	"encoding/json"
	"io"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"confab/alerting/alertmanager"
	"confab/alerting/alerttest"
	"confab/alerting/httpsend"
)

// firedAlert is an alert in the form of Alertmanager's API.
type firedAlert struct {
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
	StartsAt    time.Time         `json:"startsAt"`
	EndsAt      time.Time         `json:"endsAt"`
}

// requestRouter is an Alertmanager in memory that keeps alerts by their labels.
type requestRouter struct {
	mu     sync.Mutex
	alerts map[string]firedAlert
	posts  int
	lost   int // how many further replies are lost after the alert was taken
}

func (r *requestRouter) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	var got []firedAlert
	if err := json.Unmarshal(body, &got); err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.posts++
	for _, p := range got {
		key, _ := json.Marshal(p.Labels)
		r.alerts[string(key)] = p
	}
	if r.lost > 0 {
		r.lost--
		return alerttest.NoReply(req)
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: http.NoBody, Request: req}, nil
}

// TestAGroupIsOneAlert: lost replies, incidents of other partitions that were detected earlier, a deep pass in which
// other detectors fire, and a restart all end in one alert of Alertmanager, with the exact count.
func TestAGroupIsOneAlert(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &requestRouter{alerts: map[string]firedAlert{}, lost: 2}
		a := alertmanager.New(alertmanager.Options{URL: "http://am:9093", Options: httpsend.Options{Transport: r}})
		d := newHarness(t, harnessOptions{partitions: 3, notifier: a}).run()
		start := time.Now()
		first := similarFlag(1, 0)
		d.add(0, first)
		sleepVirtual(time.Minute)
		for i := 1; i < 38; i++ {
			f := similarFlag(1, i)
			f.Operation = "summarize" // not a grouping label
			f.DetectedAt = start.Add(-time.Duration(i) * time.Second)
			d.add(int32(i%3), f)
		}
		judged := asDeep(first)
		judged.Fired = append([]string{"consistency"}, judged.Fired...)
		d.add(0, judged)
		sleepVirtual(3 * time.Minute)
		d.stop()

		again := newHarness(t, harnessOptions{partitions: 3, notifier: a, logs: d.logs}).run()
		again.add(2, similarFlag(1, 38))
		sleepVirtual(3 * time.Minute)
		require.Len(t, r.alerts, 1)
		for _, p := range r.alerts {
			require.Equal(t, "39", p.Annotations["count"])
			require.Equal(t, "service-1", p.Labels["service"])
			require.NotContains(t, p.Labels, "operation")
			require.Len(t, p.Labels["problem"], 16)
			require.True(t, p.EndsAt.After(time.Now()), "it is firing")
			require.True(t, p.StartsAt.Before(start), "another partition has an earlier one")
		}
		require.Zero(t, r.lost)
		require.Greater(t, r.posts, 4)
	})
}
