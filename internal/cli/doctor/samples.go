package doctor

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"confab/internal/finding"
	"confab/internal/kafka"
	"confab/schemas"
)

const (
	sampleRecords = 20 // maximum over all partitions of an input
	minimumDepth  = 5  // records read from the end of each partition, or more if there are few partitions
)

// topicSample is what was read of an input.
type topicSample struct {
	err    error
	read   int
	unused int               // records that the filter of the input leaves out
	faults map[string]int    // records that cannot be decoded, by reason
	first  map[string]string // the remedy of the first of each

	answers, unchecked int            // evaluated, and those of which nothing was measured
	reasons            map[string]int // why
}

// samples decodes and evaluates the last records of every input, without joining the worker's group.
func (d *clusterCheck) samples(ctx context.Context) {
	for _, topic := range d.Inputs {
		if s := d.topics[topic]; s == nil || !s.Exists {
			for _, check := range []string{checkSample, checkContent} {
				d.report(check, topic, func(r *finding.Report) { r.Skip("the topic could not be read", "") })
			}
			continue
		}
		s := d.readSample(ctx, topic)
		d.report(checkSample, topic, s.examineRecords)
		d.report(checkContent, topic, s.examineContent)
	}
}

func (d *clusterCheck) readSample(ctx context.Context, topic string) *topicSample {
	s := &topicSample{faults: map[string]int{}, first: map[string]string{}, reasons: map[string]int{}}
	partitions := max(1, d.topics[topic].Partitions)
	depth := max(minimumDepth, (sampleRecords+partitions-1)/partitions)
	reader, err := kafka.NewReader(kafka.ReaderOptions{
		Config: d.Kafka, Topics: []string{topic}, StopAtEnd: true,
		Start: kafka.Position{Kind: kafka.PositionLast, Offset: int64(depth)},
	})
	if err != nil {
		s.err = err
		return s
	}
	s.err = reader.Read(ctx, func(rec *kafka.FetchedRecord) error {
		if rec.Value == nil {
			return nil // a tombstone, which the worker skips
		}
		d.addRecord(ctx, s, rec)
		if s.read++; s.read == sampleRecords {
			return kafka.ErrStop
		}
		return nil
	})
	return s
}

// addRecord decodes a record and evaluates its interactions.
func (d *clusterCheck) addRecord(ctx context.Context, s *topicSample, rec *kafka.FetchedRecord) {
	list, err := d.Sample(ctx, rec)
	if err != nil {
		reason := err.Error()
		if s.faults[reason]++; s.faults[reason] == 1 && d.Remedy != nil {
			s.first[reason] = d.Remedy(rec.Topic, reason, rec.Value)
		}
	}
	if err == nil && len(list) == 0 {
		s.unused++
	}
	if d.Evaluate == nil {
		return
	}
	for _, in := range list {
		s.answers++
		f := d.Evaluate(ctx, in)
		if in.Answer == "" {
			f.Checked, f.Unchecked = schemas.CheckedNone, []string{"no answer text"}
		}
		if f.Checked == schemas.CheckedNone {
			s.unchecked++
			for _, reason := range f.Unchecked {
				s.reasons[reason]++
			}
		}
	}
}

// examineRecords reports whether the records can be decoded.
func (s *topicSample) examineRecords(r *finding.Report) {
	bad, most := 0, ""
	for _, reason := range slices.Sorted(maps.Keys(s.faults)) {
		bad += s.faults[reason]
		if s.faults[reason] > s.faults[most] {
			most = reason
		}
	}
	detail := fmt.Sprintf("%d of the last %d records cannot be read: %s", bad, s.read, listCounts(s.faults))
	remedy := cmp.Or(s.first[most], "docs/interaction.md explains the reasons; correct the producer, or format, map and tenant_from of the input")
	switch {
	case s.err != nil:
		r.Skip(s.err.Error(), "grant READ if access rules are on")
	case s.read == 0:
		r.Skip("no records yet", "`confab produce` writes some")
	case bad == s.read:
		r.Fail(detail, remedy)
	case bad > 0:
		r.Warn(detail, remedy)
	case s.unused == s.read:
		r.Warn(fmt.Sprintf("all of the last %d records are skipped by where", s.read),
			"compare kafka.inputs[].where with a record: `confab check --input TOPIC FILE` shows what it selects")
	case s.unused > 0:
		r.OK(fmt.Sprintf("the last %d records can be read, %d are skipped by where", s.read, s.unused))
	default:
		r.OK(fmt.Sprintf("the last %d records can be read", s.read))
	}
}

// examineContent reports how many of the answers can be checked, and what is missing for the others.
func (s *topicSample) examineContent(r *finding.Report) {
	detail := fmt.Sprintf("%d of %d answers have nothing to check", s.unchecked, s.answers)
	switch {
	case s.answers == 0:
		r.Skip("no record could be evaluated", "")
	case 2*s.unchecked >= s.answers:
		r.Warn(fmt.Sprintf("%s: %s", detail, listCounts(s.reasons)),
			"send what the model was given in sources (docs/interaction.md), or map it (docs/existing-topics.md): `confab check --input TOPIC FILE` shows the fields")
	default:
		r.OK(detail)
	}
}

// listCounts lists names with their counts.
func listCounts(counts map[string]int) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		list = append(list, fmt.Sprintf("%s (%d)", name, counts[name]))
	}
	return strings.Join(list, ", ")
}
