package incidents

import (
	"context"
	"fmt"
	"io"
	"slices"

	"confab/internal/console"
	"confab/internal/kafka"
	"confab/internal/worker/cluster"
	"confab/schemas"
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

// LabelFromFile writes the labels of a file, and a summary to w; faulty rows go to errw with their lines.
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
		return console.InputErrorf("%d of %d rows cannot be used, nothing was written: correct them, or leave them out with --skip-faulty", len(f.faults), f.read)
	}
	verb := "would be written"
	if !o.DryRun {
		verb = "written"
		var labels []schemas.Feedback
		for _, r := range f.rows {
			labels = append(labels, r.label)
		}
		if err := writeLabels(ctx, o.Incidents.Kafka, o.Topic, labels); err != nil {
			return err
		}
	}
	text := fmt.Sprintf("%d rows: %d labels %s", f.read, len(f.rows), verb)
	if f.empty > 0 {
		text += fmt.Sprintf(", %d have no verdict", f.empty)
	}
	if len(f.faults) > 0 {
		text += fmt.Sprintf(", %d are faulty and were left out", len(f.faults))
	}
	return console.Printf(w, "%s\n", text)
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
	wanted := f.wantedFlags()
	key := func(key []byte) bool { return len(wanted.interactions) > 0 || len(wanted.byKey(key)) > 0 }
	_, err := o.readFlags(ctx, kafka.ReaderOptions{}, key, func(flag *schemas.Flag) error {
		for _, row := range append(wanted.byKey([]byte(flag.IncidentID)), wanted.interactions[interactionKey{flag.Tenant, flag.InteractionID}]...) {
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
