//go:build integration

package integration

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// topicOffsets is where brokers keep committed offsets.
const topicOffsets = "__consumer_offsets"

// commitHistory returns the commits of a group for a partition of the input, one in a line, as the log of the brokers has
// them: also those of transactions, with the markers that end them. It explains repeats.
func (r *round) commitHistory(t *testing.T, group string, partition int32) []string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cl, err := kgo.NewClient(kgo.SeedBrokers(r.seeds...), kgo.ConsumeTopics(topicOffsets),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.KeepControlRecords())
	require.NoError(t, err)
	defer cl.Close()
	left, err := EndOffsets(ctx, cl, topicOffsets)
	require.NoError(t, err)
	byLog := map[int32][]string{}
	open := map[string]bool{} // transactions with a commit for the partition, by log and writer
	for len(left) > 0 {
		fetches := cl.PollFetches(ctx)
		require.NoError(t, fetches.Err())
		fetches.EachRecord(func(rec *kgo.Record) {
			if rec.Offset+1 >= left[rec.Partition] {
				delete(left, rec.Partition)
			}
			writer := fmt.Sprintf("%d/%d", rec.ProducerID, rec.ProducerEpoch)
			at := fmt.Sprintf("%s %d/%d epoch %d by %s", rec.Timestamp.UTC().Format("15:04:05.000"), rec.Partition, rec.Offset, rec.LeaderEpoch, writer)
			id := fmt.Sprint(rec.Partition, " ", rec.ProducerID)
			if rec.Attrs.IsControl() {
				var key kmsg.ControlRecordKey
				require.NoError(t, key.ReadFrom(rec.Key))
				if open[id] {
					byLog[rec.Partition] = append(byLog[rec.Partition], fmt.Sprintf("%s: marker %v", at, key.Type))
					delete(open, id)
				}
				return
			}
			var key kmsg.OffsetCommitKey
			if len(rec.Key) < 2 || rec.Key[0] != 0 || rec.Key[1] > 1 || key.ReadFrom(rec.Key) != nil ||
				key.Group != group || key.Topic != topicIn || key.Partition != partition {
				return
			}
			what := "removed"
			if rec.Value != nil {
				var value kmsg.OffsetCommitValue
				require.NoError(t, value.ReadFrom(rec.Value))
				what = fmt.Sprintf("offset %d %s", value.Offset, value.Metadata)
			}
			if rec.Attrs.IsTransactional() {
				open[id] = true
				what = "in a transaction: " + what
			}
			byLog[rec.Partition] = append(byLog[rec.Partition], at+": "+what)
		})
	}
	for _, lines := range byLog {
		return lines // a group has one log
	}
	return nil
}

// explainRepeats returns the commits of the partition of the first repeat.
func (r *round) explainRepeats(t *testing.T, flags, letters []Record) error {
	t.Helper()
	seen := map[RecordPosition]bool{}
	for _, rec := range slices.Concat(flags, letters) {
		at, _, err := readFlag(rec)
		if err != nil {
			at, err = readLetter(rec)
		}
		if err != nil {
			continue
		}
		if seen[at] {
			return fmt.Errorf("commits of partition %d:\n%s", at.Partition, strings.Join(r.commitHistory(t, "confab-detect", at.Partition), "\n"))
		}
		seen[at] = true
	}
	return nil
}
