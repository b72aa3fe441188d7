package coverage

import (
	"context"
	"maps"
	"math"
	"slices"
	"sync/atomic"
)

// topicCounter counts the answers of an input topic.
type topicCounter struct {
	answers, unchecked, damaged atomic.Uint64
}

// topicCount is what a topicCounter held.
type topicCount struct {
	answers, unchecked uint64
	damaged            uint64 // answers of records with malformed fields
	skipped            uint64 // records without an answer to evaluate
}

func newTopicCounters(topics []string) map[string]*topicCounter {
	counters := make(map[string]*topicCounter, len(topics))
	for _, topic := range topics {
		counters[topic] = &topicCounter{}
	}
	return counters
}

// add counts an answer. A nil counter, as of a topic that is not an input, counts nothing.
func (c *topicCounter) add(unchecked, damaged bool) {
	if c == nil {
		return
	}
	c.answers.Add(1)
	if unchecked {
		c.unchecked.Add(1)
	}
	if damaged {
		c.damaged.Add(1)
	}
}

// topicCounts reads the counters. Answers are read last, so that no more are unchecked than there are.
func (r *Recorder) topicCounts() map[string]topicCount {
	counts := make(map[string]topicCount, len(r.topics))
	for topic, c := range r.topics {
		n := topicCount{unchecked: c.unchecked.Load(), damaged: c.damaged.Load()}
		n.answers = c.answers.Load()
		if r.options.Skipped != nil {
			n.skipped = r.options.Skipped(topic)
		}
		counts[topic] = n
	}
	return counts
}

func (c topicCount) minus(b topicCount) topicCount {
	return topicCount{c.answers - b.answers, c.unchecked - b.unchecked, c.damaged - b.damaged, c.skipped - b.skipped}
}

// warnTopics logs each input topic of which every record is skipped, of which too many answers are unchecked, unless all topics
// together have a line, and of which too many records have malformed fields.
func (r *Recorder) warnTopics(ctx context.Context, s *Summary, together bool) {
	limit, log := r.options.Warning, r.options.Logger
	for _, topic := range slices.Sorted(maps.Keys(s.topics)) {
		c := s.topics[topic]
		if c.answers == 0 && c.skipped >= uint64(limit.Answers) {
			log.WarnContext(ctx, "every record of a topic was skipped", "topic", topic, "skipped", c.skipped,
				"remedy", "compare kafka.inputs[].where with a record: `confab check --input TOPIC FILE` shows what it selects")
		}
		if c.answers < uint64(limit.Answers) {
			continue
		}
		if share := c.share(c.unchecked); share >= limit.Share && !together {
			log.WarnContext(ctx, "many answers of a topic had nothing to check",
				"topic", topic, "answers", c.answers, "unchecked", c.unchecked, "share", math.Round(100*share)/100,
				"remedy", "`confab doctor` reads the last records of each topic: it has the reasons, the unknown fields and the remedy")
		}
		if share := c.share(c.damaged); share >= limit.Share {
			log.WarnContext(ctx, "many records of a topic had malformed fields",
				"topic", topic, "answers", c.answers, "malformed", c.damaged, "share", math.Round(100*share)/100,
				"malformed_fields", s.MalformedText(), "remedy", s.MalformedRemedy())
		}
	}
}

// share is the part of the answers, of which there is at least one.
func (c topicCount) share(part uint64) float64 {
	return min(1, float64(part)/float64(max(1, c.answers)))
}
