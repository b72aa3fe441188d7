package incidents

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"confab/detectors/standard"
	"confab/internal/console"
	"confab/internal/kafka"
	"confab/internal/worker/cluster"
	"confab/schemas"
)

// FlagDecoder reads the value of a flag's record.
type FlagDecoder func(ctx context.Context, value []byte, f *schemas.Flag) error

// FindOptions say which incident to find, and where.
type FindOptions struct {
	Kafka    kafka.Config
	Topic    string // of the flags
	Incident string // its id, or a prefix of it
	Decode   FlagDecoder
	Now      func() time.Time
	Progress func(records int) // called after every record; may be nil
	Done     func()            // called after the last read; may be nil
}

// checkDetectors refuses names that no flag has.
func checkDetectors(names ...string) error {
	for _, name := range names {
		if name != "" && !slices.Contains(standard.Names(), name) {
			return console.InputErrorf("--detector %s: there is no such detector: name one of %s", console.Sanitize(name), strings.Join(standard.Names(), ", "))
		}
	}
	return nil
}

// ErrUnknownIncident says that no retained flag has such an id.
var ErrUnknownIncident = errors.New("unknown incident")

const (
	incidentDigits = 64 // hexadecimal digits of a whole id
	prefixDigits   = 8  // of the shortest prefix
)

// incidentID normalizes an id or prefix, and reports whether it is whole.
func incidentID(s string) (id string, whole bool, err error) {
	id = strings.ToLower(strings.TrimSpace(s))
	if len(id) < prefixDigits || len(id) > incidentDigits || strings.Trim(id, "0123456789abcdef") != "" {
		return "", false, console.InputErrorf("%q is not an incident id: write its %d hexadecimal digits, or the first %d or more of them", console.Sanitize(s), incidentDigits, prefixDigits)
	}
	return id, len(id) == incidentDigits, nil
}

// Find returns the newest deep flag of an incident, else the newest fast one. A whole id is searched in its key's partition,
// first in the last day. A prefix is searched in all retained flags and must match one incident. The error wraps
// ErrUnknownIncident if none is found.
func Find(ctx context.Context, o FindOptions) (*schemas.Flag, error) {
	id, whole, err := incidentID(o.Incident)
	if err != nil {
		return nil, err
	}
	found, err := o.search(ctx, id, whole)
	if o.Done != nil {
		o.Done()
	}
	if err != nil {
		return nil, err
	}
	ids := slices.Sorted(maps.Keys(found))
	switch len(ids) {
	case 0:
		return nil, fmt.Errorf("%w: no flag in %s has an id that starts with %s: `confab tail --from-start --json` shows their ids", ErrUnknownIncident, o.Topic, id)
	case 1:
		return found[ids[0]], nil
	}
	return nil, console.InputErrorf("%d incidents start with %s, such as %s and %s: write more digits", len(ids), id, ids[0], ids[1])
}

// search returns the best flag of every incident whose id starts with id. It stops at the first range that has one.
func (o *FindOptions) search(ctx context.Context, id string, whole bool) (found map[string]*schemas.Flag, err error) {
	found = map[string]*schemas.Flag{}
	starts := []kafka.ReaderOptions{{}}
	if whole {
		n, err := cluster.PartitionCount(ctx, o.Kafka, o.Topic)
		if err != nil {
			return nil, err
		}
		of := kafka.ReaderOptions{Partitions: []int32{kafka.PartitionOf([]byte(id), n)}}
		newest := of
		newest.Start = kafka.Position{Kind: kafka.PositionTime, Time: o.Now().Add(-24 * time.Hour)}
		starts = []kafka.ReaderOptions{newest, of}
	}
	for _, start := range starts {
		_, err = o.readFlags(ctx, start, func(key []byte) bool { return strings.HasPrefix(string(key), id) }, func(f *schemas.Flag) error {
			if known := found[f.IncidentID]; known == nil || known.Pass != schemas.PassDeep || f.Pass == schemas.PassDeep {
				found[f.IncidentID] = f
			}
			return nil
		})
		if err != nil || len(found) > 0 {
			break
		}
	}
	return found, err
}
