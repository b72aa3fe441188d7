package doctor

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"confab/internal/console"
	"confab/internal/kafka"
)

const (
	createTopic = "`confab topics apply` creates it"
	lookAtTopic = "check the brokers: one is down, or its replicas lag"
)

func (d *clusterCheck) eachTopic(ctx context.Context) {
	names := make([]string, 0, len(d.Topics))
	for _, n := range d.Topics {
		names = append(names, n.Name)
	}
	topics, err := d.admin.Topics(ctx, names...)
	if err != nil {
		d.report(checkTopic, "", func(r *console.Report) { r.Fail(err.Error(), lookAtTopic) })
		return
	}
	d.topics = topics
	for i := range d.Topics {
		need := &d.Topics[i]
		d.report(checkTopic, need.Name, func(r *console.Report) { examineTopic(r, need, topics) })
	}
}

// examineTopic compares one topic with its need. A topic without problems has one finding.
func examineTopic(r *console.Report, need *kafka.TopicRequirement, topics map[string]*kafka.TopicState) {
	s := topics[need.Name]
	switch {
	case s == nil:
		r.Skip("the brokers did not describe it", "")
		return
	case errors.Is(s.Err, kafka.ErrDenied):
		r.Fail("may not be described", "grant DESCRIBE: `confab topics plan --principal User:NAME` prints the commands")
		return
	case s.Err != nil:
		r.Fail(s.Err.Error(), lookAtTopic)
		return
	case !s.Exists:
		r.Fail("does not exist, or may not be described", createTopic+"; if access rules are on, grant DESCRIBE")
		return
	}
	examinePartitions(r, need, topics)
	switch {
	case errors.Is(s.ConfigsErr, kafka.ErrDenied):
		r.Skip("its settings cannot be read", "grant DESCRIBE_CONFIGS, or run the doctor as another user")
	case s.ConfigsErr != nil:
		r.Skip(fmt.Sprintf("its settings cannot be read: %v", s.ConfigsErr), "run the doctor again in a minute")
	default:
		examineRetention(r, need, s)
		examineReplicas(r, s)
		examineMessageSize(r, need, s)
	}
	if len(r.Findings) == 0 {
		r.OK(fmt.Sprintf("%d partitions, %d copies, %s", s.Partitions, s.Replicas, s.Configs["cleanup.policy"]))
	}
}

func examinePartitions(r *console.Report, need *kafka.TopicRequirement, topics map[string]*kafka.TopicState) {
	s := topics[need.Name]
	if len(s.Leaderless) > 0 {
		r.Fail(fmt.Sprintf("partitions %v have no leader: they cannot be read or written", s.Leaderless), lookAtTopic)
	}
	if len(s.UnderReplicated) > 0 {
		r.Warn(fmt.Sprintf("partitions %v have replicas that are out of sync", s.UnderReplicated), lookAtTopic)
	}
	other := topics[need.SamePartitions]
	if other != nil && other.Exists && other.Partitions != s.Partitions {
		r.Fail(fmt.Sprintf("%d partitions, but %s has %d: the state of an incident is kept in the partition of the same number",
			s.Partitions, need.SamePartitions, other.Partitions),
			"make both counts equal: add partitions to the smaller topic while no alert role runs")
	}
}

func examineRetention(r *console.Report, need *kafka.TopicRequirement, s *kafka.TopicState) {
	policy := s.Configs["cleanup.policy"]
	compacts, deletes := strings.Contains(policy, "compact"), strings.Contains(policy, "delete")
	switch {
	case need.Compacted && !compacts:
		r.Fail("cleanup.policy is "+policy+": alert state expires, and its messages are sent again",
			"set cleanup.policy=compact")
	case need.Compacted && deletes:
		r.Warn("cleanup.policy is "+policy+": alert state expires", "set cleanup.policy=compact")
	case !need.Compacted && !need.MayCompact && compacts:
		r.Fail("cleanup.policy is "+policy+": a record may be deleted unread when another one with its key is written",
			"set cleanup.policy=delete")
	}
	ms, err := strconv.ParseInt(s.Configs["retention.ms"], 10, 64)
	kept := time.Duration(ms) * time.Millisecond
	if err == nil && !need.Compacted && ms >= 0 && ms < need.MinRetention.Milliseconds() {
		r.Warn(fmt.Sprintf("keeps records for %s: a longer outage loses unread records", formatDays(kept)),
			fmt.Sprintf("set retention.ms to %d (%s) or more", need.MinRetention.Milliseconds(), formatDays(need.MinRetention)))
	}
}

func examineReplicas(r *console.Report, s *kafka.TopicState) {
	least, err := strconv.Atoi(s.Configs["min.insync.replicas"])
	switch {
	case s.Replicas < 2:
		r.Warn("1 copy of each partition: a lost disk loses records that were acknowledged",
			"move to replication factor 3 (kafka-reassign-partitions) with min.insync.replicas 2")
	case err != nil:
	case least > s.Replicas:
		r.Fail(fmt.Sprintf("min.insync.replicas is %d and there are %d copies: no write can succeed", least, s.Replicas),
			"lower min.insync.replicas or add copies")
	case least < 2:
		r.Warn("min.insync.replicas is 1: an acknowledged record may be on one disk only", "set min.insync.replicas=2")
	case least == s.Replicas:
		r.Warn(fmt.Sprintf("min.insync.replicas is %d, as many as there are copies: one broker down stops writing", least),
			"add a copy, or lower it by one")
	}
	if s.Configs["unclean.leader.election.enable"] == "true" {
		r.Warn("unclean.leader.election.enable is true: acknowledged records may be lost when a leader dies",
			"set unclean.leader.election.enable=false")
	}
}

func examineMessageSize(r *console.Report, need *kafka.TopicRequirement, s *kafka.TopicState) {
	most, err := strconv.Atoi(s.Configs["max.message.bytes"])
	if err != nil || most >= need.MinMessageBytes {
		return
	}
	remedy := fmt.Sprintf("set max.message.bytes to %d or more", need.MinMessageBytes)
	if need.OrLower != "" {
		remedy += ", or lower " + need.OrLower
	}
	r.Warn(fmt.Sprintf("max.message.bytes is %d: %s", most, need.TooSmall), remedy)
}

// formatDays formats a duration in days from one day on.
func formatDays(d time.Duration) string {
	if days := d.Hours() / 24; days >= 1 {
		return strconv.FormatFloat(days, 'f', -1, 64) + " days"
	}
	return d.String()
}
