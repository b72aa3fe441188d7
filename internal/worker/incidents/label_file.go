package incidents

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"confab/internal/console"
	"confab/internal/kafka"
	"confab/internal/worker/cluster"
	"confab/schemas"
	"confab/schemas/json"
)

// LabelFileOptions say which labels to read, and where to write them.
type LabelFileOptions struct {
	Incidents  FindOptions // without Incident
	Topic      string      // of the labels
	File       string      // CSV, JSON Lines or a JSON list
	User       string      // labels where a row names no person
	Force      bool        // label whole ids that are not found
	SkipFaulty bool        // leave faulty rows out instead of writing nothing
	DryRun     bool        // write nothing
}

// LabelFromFile writes the labels of a file, and a summary to w; faulty rows go to errw with their lines. A label that
// is in the topic already is not written again.
func LabelFromFile(ctx context.Context, w, errw io.Writer, o LabelFileOptions) error {
	f, err := readLabelFile(o.File, o.User, o.Incidents.Now())
	if err != nil {
		return err
	}
	for _, topic := range []string{o.Incidents.Topic, o.Topic} {
		if err := cluster.RequireTopic(ctx, o.Incidents.Kafka, topic); err != nil {
			return err
		}
	}
	if err := f.findFlags(ctx, &o.Incidents); err != nil {
		return err
	}
	f.resolve(o.Force)
	console.PrintFaults(errw, f.faults)
	if len(f.faults) > 0 && !o.SkipFaulty {
		return inputErrorf("%d of %d rows cannot be used, nothing was written: correct them, or leave them out with --skip-faulty", len(f.faults), f.read)
	}
	fresh, known, older, err := f.unwritten(ctx, &o)
	if err != nil {
		return err
	}
	if !o.DryRun {
		if err := writeLabels(ctx, &o, fresh); err != nil {
			return err
		}
	}
	return console.Printf(w, "%s", f.summary(len(fresh), known, older, o.DryRun))
}

func (f *labelFile) summary(written, known, older int, dryRun bool) string {
	verb := "written"
	if dryRun {
		verb = "would be written"
	}
	parts := []string{fmt.Sprintf("%d rows: %d labels %s", f.read, written, verb)}
	for _, p := range []struct {
		n    int
		text string
	}{
		{known, "were there already"},
		{older, "are older than another label of the same person"},
		{f.empty, "have no verdict"},
		{len(f.faults), "are faulty and were left out"},
	} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.text))
		}
	}
	return strings.Join(parts, ", ") + "\n"
}

// wantedFlags index rows by the flags that they may mean.
type wantedFlags struct {
	prefixes     map[string][]*labelRow
	lengths      []int // of the prefixes
	interactions map[interactionKey][]*labelRow
}

func (f *labelFile) wantedFlags() *wantedFlags {
	w := &wantedFlags{prefixes: map[string][]*labelRow{}, interactions: map[interactionKey][]*labelRow{}}
	for _, r := range f.rows {
		if r.incident == "" {
			w.interactions[r.interaction] = append(w.interactions[r.interaction], r)
			continue
		}
		w.prefixes[r.incident] = append(w.prefixes[r.incident], r)
		if !slices.Contains(w.lengths, len(r.incident)) {
			w.lengths = append(w.lengths, len(r.incident))
		}
	}
	return w
}

// byKey returns the rows that may mean the flag under the record's key.
func (w *wantedFlags) byKey(key []byte) (rows []*labelRow) {
	for _, n := range w.lengths {
		if n <= len(key) {
			rows = append(rows, w.prefixes[string(key[:n])]...)
		}
	}
	return rows
}

// findFlags reads all retained flags and gives each row the one that it means.
func (f *labelFile) findFlags(ctx context.Context, o *FindOptions) error {
	wanted, records := f.wantedFlags(), 0
	reader, err := kafka.NewReader(kafka.ReaderOptions{Config: o.Kafka, Topics: []string{o.Topic}, StopAtEnd: true})
	if err != nil {
		return err
	}
	err = reader.Read(ctx, func(r *kafka.FetchedRecord) error {
		if records++; o.Progress != nil {
			o.Progress(records)
		}
		rows := wanted.byKey(r.Key)
		if len(rows) == 0 && len(wanted.interactions) == 0 {
			return nil
		}
		flag := new(schemas.Flag)
		if err := o.Decode(ctx, r.Value, flag); err != nil {
			return fmt.Errorf("%s partition %d offset %d cannot be read as a flag: %w", r.Topic, r.Partition, r.Offset, err)
		}
		for _, row := range append(rows, wanted.interactions[interactionKey{flag.Tenant, flag.InteractionID}]...) {
			row.offer(flag)
		}
		return nil
	})
	if o.Done != nil {
		o.Done()
	}
	return err
}

// offer takes a flag that the row may mean.
func (r *labelRow) offer(flag *schemas.Flag) {
	switch {
	case r.flag == nil:
		r.flag = flag
	case r.flag.IncidentID != flag.IncidentID:
		if !slices.Contains(r.others, flag.IncidentID) {
			r.others = append(r.others, flag.IncidentID)
		}
	case !outranked(flag, r.flag):
		r.flag = flag
	}
}

// standingLabels are the last labels that count, by incident and person.
func standingLabels(ctx context.Context, o *LabelFileOptions) (map[string]map[string]schemas.Feedback, error) {
	standing := map[string]map[string]schemas.Feedback{}
	_, err := EachLabel(ctx, o.Incidents.Kafka, o.Topic, func(l *schemas.Feedback) { // calibrate reports unreadable labels
		if l.Verdict == schemas.Forgotten {
			delete(standing, l.IncidentID)
			return
		}
		said := standing[l.IncidentID]
		if said == nil {
			said = map[string]schemas.Feedback{}
			standing[l.IncidentID] = said
		}
		if old, known := said[l.User]; !known || !l.At.Before(old.At) {
			said[l.User] = *l
		}
	})
	return standing, err
}

// unwritten returns the labels that the topic lacks, and counts those that it has and those that an equal person's later
// label outdates.
func (f *labelFile) unwritten(ctx context.Context, o *LabelFileOptions) (fresh []schemas.Feedback, known, older int, err error) {
	standing, err := standingLabels(ctx, o)
	if err != nil {
		return nil, 0, 0, err
	}
	for _, r := range f.rows {
		old, has := standing[r.label.IncidentID][r.label.User]
		switch {
		case has && old.Verdict == r.label.Verdict && old.Comment == r.label.Comment:
			known++
		case has && r.label.At.Before(old.At):
			older++
		default:
			fresh = append(fresh, r.label)
		}
	}
	return fresh, known, older, nil
}

func writeLabels(ctx context.Context, o *LabelFileOptions, labels []schemas.Feedback) error {
	var messages []kafka.Message
	for i := range labels {
		value, err := json.AppendFeedback(nil, &labels[i])
		if err != nil {
			return err
		}
		messages = append(messages, kafka.Message{Topic: o.Topic, Partition: kafka.AnyPartition, Key: []byte(labels[i].IncidentID), Value: value})
	}
	return Produce(ctx, o.Incidents.Kafka, messages...)
}
