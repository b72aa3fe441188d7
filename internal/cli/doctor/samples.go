package doctor

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"confab/internal/console"
	"confab/internal/kafka"
	"confab/internal/worker/coverage"
)

const (
	sampleRecords = 20 // maximum over all partitions of an input
	minimumDepth  = 5  // records read from the end of each partition, or more if there are few partitions
)

// topicSample is what was read of an input.
type topicSample struct {
	err     error
	read    int
	unused  int               // records that the filter of the input leaves out
	faults  map[string]int    // records that cannot be decoded, by reason
	first   map[string]string // the remedy of the first of each
	content coverage.Summary
}

// samples decodes and evaluates the last records of every input, without joining the worker's group.
func (d *clusterCheck) samples(ctx context.Context) {
	for _, topic := range d.Inputs {
		if s := d.topics[topic]; s == nil || !s.Exists {
			for _, check := range []string{checkSample, checkContent} {
				d.report(check, topic, func(r *console.Report) { r.Skip("the topic could not be read", "") })
			}
			continue
		}
		s := d.readSample(ctx, topic)
		d.report(checkSample, topic, s.examineRecords)
		d.report(checkContent, topic, func(r *console.Report) {
			if d.Suite == nil {
				r.Skip("the detectors cannot be built", "")
				return
			}
			examineContent(r, &s.content)
		})
	}
}

func (d *clusterCheck) readSample(ctx context.Context, topic string) *topicSample {
	s := &topicSample{faults: map[string]int{}, first: map[string]string{}}
	partitions := max(1, d.topics[topic].Partitions)
	depth := max(minimumDepth, (sampleRecords+partitions-1)/partitions)
	of := kafka.ReaderOptions{
		Config: d.Kafka, Topics: []string{topic}, StopAtEnd: true,
		Start: kafka.Position{Kind: kafka.PositionLast, Offset: int64(depth)},
	}
	s.err = kafka.Read(ctx, of, func(rec *kafka.FetchedRecord) error {
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
	if d.Suite == nil {
		return
	}
	for _, in := range list {
		e := d.Suite.Evaluate(ctx, in)
		s.content.Add(e, d.KnowsModel == nil || d.KnowsModel(in.Model))
		e.Release()
	}
}

// examineRecords reports whether the records can be decoded.
func (s *topicSample) examineRecords(r *console.Report) {
	bad := 0
	var reasons []string
	most := ""
	for _, reason := range slices.Sorted(maps.Keys(s.faults)) {
		bad += s.faults[reason]
		if s.faults[reason] > s.faults[most] {
			most = reason
		}
		reasons = append(reasons, fmt.Sprintf("%s (%d)", reason, s.faults[reason]))
	}
	detail := fmt.Sprintf("%d of the last %d records cannot be read: %s", bad, s.read, strings.Join(reasons, ", "))
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

// contentRemedy says what to do about spans without prompt and answer.
const contentRemedy = "set OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY (older instrumentations: true, with the text in the logs topic), " +
	"for OpenLLMetry TRACELOOP_TRACE_CONTENT=true, for OpenInference unset OPENINFERENCE_HIDE_INPUTS and OPENINFERENCE_HIDE_OUTPUTS: docs/otlp.md"

// examineContent reports how many of the answers can be checked, and what is missing for the others.
func examineContent(r *console.Report, s *coverage.Summary) {
	if s.Answers == 0 {
		r.Skip("no record could be evaluated", "")
		return
	}
	if len(s.Malformed) > 0 {
		r.Warn(fmt.Sprintf("malformed fields in %d of %d records: %s", s.Damaged, s.Answers, s.Malformed), s.MalformedRemedy())
	}
	if len(s.Failures) > 0 {
		r.Warn(fmt.Sprintf("detectors failed or were skipped: %s, in %d answers", s.Failures, s.Answers), coverage.FailureRemedy)
	}
	if s.NoContent > 0 {
		r.Warn(fmt.Sprintf("%d of %d answers came as spans without prompt and answer: the application does not record content", s.NoContent, s.Answers),
			contentRemedy)
	}
	if len(s.NotFound) > 0 {
		r.Warn("spans have no answer where their convention has it; their attributes with text: "+s.NotFound.NameText(), coverage.NotFoundRemedy)
	}
	for _, model := range s.NewModels.Names() {
		r.Warn(fmt.Sprintf("model %s has no calibration (%d of %d answers): its thresholds are those of other models", model, s.NewModels[model], s.Answers),
			"label answers of this model and run `confab tune` on them together with the labels of the other models: docs/tuning.md")
	}
	if s.Prompts > 0 {
		examinePrompts(r, s)
	}
	if 2*s.NoSources >= s.Answers {
		r.Warn(fmt.Sprintf("%d of %d records have no sources%s", s.NoSources, s.Answers, unknownSuffix(s)), s.SourcesRemedy())
	}
	unchecked := s.Unchecked.Sum()
	switch detail := fmt.Sprintf("%d of %d answers have nothing to check", unchecked, s.Answers); {
	case 2*unchecked >= s.Answers:
		r.Warn(detail+": "+s.Unchecked.String(), s.Remedy())
	case len(r.Findings) > 0:
		r.OK(detail)
	default:
		r.OK(detail + unknownSuffix(s))
	}
	r.OK(fmt.Sprintf("%d of %d answers have log-probabilities, which confidence needs", s.Logprobs, s.Answers))
}

// examinePrompts reports in how many prompts sources were found.
func examinePrompts(r *console.Report, s *coverage.Summary) {
	detail := fmt.Sprintf("sources found in %d of %d prompts", s.Sourced, s.Prompts)
	switch s.Sourced {
	case s.Prompts:
		r.OK(detail)
	case 0: // the warning on records without sources says the rest
	default:
		r.Warn(detail+"; the first without: "+s.Unsourced, "compare that prompt with docs/prompt-sources.md")
	}
}

func unknownSuffix(s *coverage.Summary) string {
	if len(s.Unknown) == 0 {
		return ""
	}
	return "; unknown fields: " + s.Unknown.NameText()
}
