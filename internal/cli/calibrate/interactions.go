package calibrate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	incidentlabels "confab/calibration/feedback"
	"confab/internal/kafka"
	"confab/internal/worker/cluster"
	"confab/schemas"
)

// interactionFetch fetches the retained interactions of labelled incidents.
type interactionFetch struct {
	o         *FeedbackOptions
	incidents []incidentlabels.LabelledIncident
	read      InteractionReader

	labels []schemas.Labelled // the group is the incident id
	found  map[string]bool    // by incident id
	denied bool               // reading a topic of interactions was denied
}

// fetch reads the interactions at the positions in their flags.
func (t *interactionFetch) fetch(ctx context.Context) error {
	wanted := map[kafka.RecordPosition][]*incidentlabels.LabelledIncident{}
	var spots []kafka.RecordPosition
	for i := range t.incidents {
		at := t.incidents[i].FinalFlag().Origin
		if !slices.Contains(t.o.Inputs, at.Topic) {
			continue
		}
		spot := kafka.RecordPosition{Topic: at.Topic, Partition: at.Partition, Offset: at.Offset}
		spots = append(spots, spot)
		wanted[spot] = append(wanted[spot], &t.incidents[i])
	}
	read, done, err := t.open(ctx)
	if err != nil {
		return err
	}
	defer done()
	t.read = read
	err = kafka.FetchRecords(ctx, t.o.Kafka, spots, func(r *kafka.FetchedRecord) error {
		for _, said := range wanted[kafka.RecordPosition{Topic: r.Topic, Partition: r.Partition, Offset: r.Offset}] {
			if err := t.take(ctx, r, said.FinalFlag().Origin.Index, said); err != nil {
				return err
			}
		}
		return nil
	})
	if t.denied = errors.Is(err, kafka.ErrDenied); t.denied {
		return nil
	}
	return err
}

// take keeps the interaction if its id matches the label: the topic may have been recreated.
func (t *interactionFetch) take(ctx context.Context, r *kafka.FetchedRecord, index int, said *incidentlabels.LabelledIncident) error {
	in, found, err := t.read(ctx, r, index)
	if err != nil {
		return fmt.Errorf("%s partition %d offset %d cannot be read as an interaction: %w", r.Topic, r.Partition, r.Offset, err)
	}
	if found && !t.found[said.IncidentID] && in.EventID().IncidentID() == said.IncidentID {
		t.found[said.IncidentID] = true
		t.labels = append(t.labels, schemas.Labelled{Interaction: *in, Labelled: true, Group: said.IncidentID})
	}
	return nil
}

func (t *interactionFetch) open(ctx context.Context) (read InteractionReader, done func(), err error) {
	clusterID := ""
	if err := cluster.WithAdmin(ctx, t.o.Kafka, func(ctx context.Context, admin *kafka.Admin) (err error) {
		clusterID, err = admin.ClusterID(ctx)
		return err
	}); err != nil {
		return nil, nil, err
	}
	return t.o.Open(clusterID)
}
