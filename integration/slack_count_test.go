//go:build integration

package integration_test

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/integration"
)

// countIncidents is how many incidents the messages of the channel tell of. A message that stands twice counts once.
func (s *fakeSlack) countIncidents(t *testing.T) int {
	t.Helper()
	count := map[string]int{}
	for _, p := range s.snapshot() {
		count[p.Message] = p.incidentCount(t)
	}
	sum := 0
	for _, n := range count {
		sum += n
	}
	return sum
}

// possiblyDuplicated reports whether the message says that it may repeat another one.
func (p slackPost) possiblyDuplicated() bool {
	return strings.Contains(strings.ToLower(p.Text+p.Blocks), "possible duplicate")
}

// incidentCount is how many incidents the message says it tells of, in the line that stands in a notification.
func (p slackPost) incidentCount(t *testing.T) int {
	t.Helper()
	found := countPattern.FindStringSubmatch(p.Text)
	require.NotNil(t, found, "a message of a form unknown: %s", p.Text)
	number := found[1] + found[2] + found[3]
	if number == "" {
		return 1
	}
	n, err := strconv.Atoi(number)
	require.NoError(t, err)
	return n
}

// countPattern are the first lines of a group, of a digest and of a detector that may be broken.
var countPattern = regexp.MustCompile(`^(?:\[\w+\] Possible hallucination(?: ×(\d+))?, incident |\[digest\] (\d+) possible hallucination|\[broken\] .*, (\d+) incidents?\b)`)

// awaitDelivered waits until nobody waits to be told by the worker.
func (w *worker) awaitDelivered(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	require.NoError(t, integration.Await(ctx, "nothing waits to be told", func(context.Context) (bool, error) {
		metrics := w.scrape(t) //nolint:contextcheck // it asks in the context of the test
		require.Contains(t, metrics, "confab_alert_pending_incidents")
		untold := metrics["confab_alert_pending_incidents"]
		return untold == 0, fmt.Errorf("%g incidents wait", untold)
	}))
}
