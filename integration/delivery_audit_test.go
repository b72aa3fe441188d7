//go:build integration

package integration_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// requireChannel expects every due incident in the count of exactly one message, and no message posted twice unless the
// second is marked as possibly duplicated.
func (ch *deliveryTest) requireChannel(t *testing.T) {
	posts := ch.slack.snapshot()
	unmarked, count := map[string]int{}, map[string]int{}
	edits, marked, kills := 0, 0, 0
	for _, p := range posts {
		require.NotEmpty(t, p.Message, "every message carries its id: %s", p.Text)
		require.Contains(t, ch.due, p.Incident, "the first incident of a message is none that is due")
		count[p.Message] = p.incidentCount(t)
		edits += p.Edits
		if p.possiblyDuplicated() {
			marked++
		} else {
			unmarked[p.Message]++
		}
	}
	sum := 0
	for id, n := range unmarked {
		require.LessOrEqual(t, n, 1, "posts of message %s without a mark", id)
	}
	for _, n := range count {
		sum += n
	}
	for _, n := range ch.kills {
		kills += n
	}
	t.Logf("%d SIGKILLs (%v); %d incidents delivered by %d messages (%d posts, %d marked as a possible repeat), %d edits, %d answers lost",
		kills, ch.kills, sum, len(count), len(posts), marked, edits, ch.slack.lost)
	require.Equal(t, len(ch.due), sum, "incidents in the counts of all messages")
	require.Positive(t, edits, "no group has grown: the test would prove little")
}

// alertRecord is a record of llm.alerts, decoded without our own types.
type alertRecord struct {
	Status string `json:"status"`
	TS     string `json:"ts"`
	Member *struct {
		Group   string `json:"group"`
		Ordinal int    `json:"ordinal"`
	} `json:"member"`
	Group *struct {
		Message        string `json:"message"`
		Members        int    `json:"members"`
		CountOffset    int    `json:"count_offset"`
		DisplayedCount int    `json:"displayed_count"`
	} `json:"group"`
	Silence *struct {
		User string `json:"user"`
	} `json:"silence"`
}

// groupPart identifies the part of a group in one partition.
type groupPart struct {
	partition int32
	group     string
}

// liveRecords returns the records of llm.alerts after compaction, by partition and key.
func (ch *deliveryTest) liveRecords(t *testing.T) map[groupPart]alertRecord {
	t.Helper()
	all, err := ch.ReadTopic(t.Context(), topicAlerts)
	require.NoError(t, err)
	live := map[groupPart]alertRecord{}
	for _, r := range all {
		at := groupPart{r.Partition, r.Key}
		delete(live, at)
		if len(r.Value) > 0 {
			var record alertRecord
			require.NoError(t, json.Unmarshal(r.Value, &record))
			live[at] = record
		}
	}
	return live
}

// requireAlertRecords expects a place in a group for each due incident, places without a gap, and group records that
// match the messages in the channel.
func (ch *deliveryTest) requireAlertRecords(t *testing.T) {
	live := ch.liveRecords(t)
	ordinals := map[groupPart][]int{}
	members := map[string]bool{}
	for at, r := range live {
		if r.Member == nil {
			continue
		}
		require.Contains(t, []string{"sent", "labelled"}, r.Status)
		require.False(t, members[at.group], "incident %s has two places", at.group)
		members[at.group] = true
		group := groupPart{at.partition, r.Member.Group}
		ordinals[group] = append(ordinals[group], r.Member.Ordinal)
	}
	due := map[string]bool{}
	for id := range ch.due {
		due[id] = true
	}
	require.Equal(t, due, members, "incidents with a place in a group")

	delivered, stands := map[string]int{}, map[string]slackPost{}
	for _, p := range ch.slack.snapshot() {
		stands[p.Message] = p
	}
	for at, places := range ordinals {
		r := live[at]
		require.NotNil(t, r.Group, "group %s of partition %d has members and no record", at.group, at.partition)
		slices.Sort(places)
		for i, n := range places {
			require.Equal(t, i+1, n, "the places in a group")
		}
		require.Equal(t, "sent", r.Status)
		require.Equal(t, [2]int{len(places), len(places)}, [2]int{r.Group.Members, r.Group.DisplayedCount}, "members and shown")
		require.Equal(t, stands[r.Group.Message].TS, r.TS)
		delivered[r.Group.Message] += r.Group.DisplayedCount - r.Group.CountOffset
	}
	for id, n := range delivered {
		require.Equal(t, stands[id].incidentCount(t), n, "count of message %s", id)
	}
	t.Logf("%d group parts of %d messages", len(ordinals), len(delivered))
}
