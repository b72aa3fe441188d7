package records

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"confab/internal/kafka"
	"confab/internal/worker/config"
	"confab/schemas"
)

// ErrGone says that the interaction is no longer retained.
var ErrGone = errors.New("the interaction is no longer retained")

// lookupTimeout bounds one lookup.
const lookupTimeout = 5 * time.Second

// Lookup finds interactions. It is safe for concurrent use.
type Lookup struct {
	config *config.Config
	kafka  kafka.Config
	topics []string

	mu    sync.Mutex
	read  RecordReader // nil until the cluster is known
	close func()
}

// NewLookup makes a lookup in the input topics of the configuration.
func NewLookup(c *config.Config, k kafka.Config) *Lookup {
	return &Lookup{config: c, kafka: k, close: func() {}, topics: append(c.Kafka.InputTopics(), c.Kafka.Topics.Sampled)}
}

// Close releases what reads records.
func (l *Lookup) Close() { l.close() }

// Find returns the interaction of a flag. The error is ErrGone, or says why the topic cannot be read.
func (l *Lookup) Find(ctx context.Context, f *schemas.Flag) (found *schemas.Interaction, err error) {
	at := f.Origin
	if !slices.Contains(l.topics, at.Topic) || at.Partition < 0 || at.Offset < 0 {
		return nil, ErrGone
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	read, err := l.openReader(ctx)
	if err != nil {
		return nil, err
	}
	spot := kafka.RecordPosition{Topic: at.Topic, Partition: at.Partition, Offset: at.Offset}
	err = kafka.FetchRecord(ctx, l.kafka, spot, func(r *kafka.FetchedRecord) error {
		list, _, err := read(ctx, r)
		for _, in := range list { // a topic that was made anew has other records at the same offsets
			if id := in.EventID(); id.IncidentID() == f.IncidentID {
				found = in
			}
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("look up interaction: %w", err)
	}
	if found == nil {
		return nil, ErrGone
	}
	return found, nil
}

// openReader makes the reader once, as soon as the cluster answers: its id is part of the ids of interactions.
func (l *Lookup) openReader(ctx context.Context) (RecordReader, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.read != nil {
		return l.read, nil
	}
	admin, err := kafka.NewAdmin(l.kafka)
	if err != nil {
		return nil, err
	}
	defer admin.Close()
	cluster, err := admin.ClusterID(ctx)
	if err != nil {
		return nil, fmt.Errorf("read cluster id: %w", err)
	}
	read, done, err := NewRecordReader(l.config, cluster)
	if err != nil {
		return nil, err
	}
	l.read, l.close = read, done
	return read, nil
}
