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

// countIncidents returns the sum of the counts of all messages in the channel. A duplicated message counts once.
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

// possiblyDuplicated reports whether the message is marked as possibly duplicated.
func (p slackPost) possiblyDuplicated() bool {
	return strings.Contains(strings.ToLower(p.Text+p.Blocks), "possible duplicate")
}

// incidentCount returns the number of incidents in the message's notification line.
func (p slackPost) incidentCount(t *testing.T) int {
	t.Helper()
	found := countPattern.FindStringSubmatch(p.Text)
	require.NotNil(t, found, "a message of a form unknown: %s", p.Text)
	number := found[1] + found[2]
	if number == "" {
		return 1
	}
	n, err := strconv.Atoi(number)
	require.NoError(t, err)
	return n
}

// countPattern matches the first line of a group and a digest.
var countPattern = regexp.MustCompile(`^(?:Possible hallucination(?: ×(\d+))?(?: in .*)? \(\w+\), incident |(\d+) possible hallucination)`)

// pendingOfDefault counts pending incidents of the receiver default.
const pendingOfDefault = `confab_alert_pending_incidents`

// awaitDelivered waits until the worker has no pending incidents.
func (w *worker) awaitDelivered(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	require.NoError(t, integration.Await(ctx, "nothing is pending", func(context.Context) (bool, error) {
		metrics := w.scrape(t) //nolint:contextcheck // it asks in the context of the test
		require.Contains(t, metrics, pendingOfDefault)
		pending := metrics[pendingOfDefault]
		return pending == 0, fmt.Errorf("%g incidents pending", pending)
	}))
}
