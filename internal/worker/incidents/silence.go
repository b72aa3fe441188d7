package incidents

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"confab/internal/console"
	"confab/internal/kafka"
	"confab/internal/worker/cluster"
	"confab/schemas"
	"confab/schemas/json"
)

// SilenceOptions say where silences are stored.
type SilenceOptions struct {
	Kafka kafka.Config
	Topic string // compacted; every partition holds every silence
	Now   func() time.Time
}

// Bounds of silences.
const (
	maxSilence  = 30 * 24 * time.Hour
	keepSilence = 30 * 24 * time.Hour // after its end
	groupDigits = 32                  // hexadecimal digits of a group's key
)

// StoredSilence is a silence in the topic.
type StoredSilence struct {
	schemas.Silence
	UpdatedAt time.Time
}

// Active reports whether the silence is in effect at the time.
func (k *StoredSilence) Active(now time.Time) bool { return !now.Before(k.From) && now.Before(k.Until) }

// AddSilence writes the silence s from now on for d and describes it on w. It removes silences that ended long ago.
func AddSilence(ctx context.Context, w io.Writer, o SilenceOptions, s schemas.Silence, d time.Duration) error {
	if err := checkSilence(&s, d); err != nil {
		return err
	}
	var err error
	if s.User, s.Comment, err = checkTexts(s.User, s.Comment); err != nil {
		return err
	}
	s.From = o.Now().UTC().Truncate(time.Second)
	s.Until = s.From.Add(d)
	kept, partitions, err := o.read(ctx)
	if err != nil {
		return err
	}
	for i := range kept {
		if old := &kept[i]; o.Now().Sub(old.Until) > keepSilence {
			if err := o.write(ctx, old.ID, nil, partitions); err != nil {
				return err
			}
		}
	}
	if err := o.put(ctx, &s, partitions); err != nil {
		return fmt.Errorf("silence %s may be stored in some partitions only; `confab silence --expire %s` ends it: %w", s.ID, s.ID, err)
	}
	return console.Printf(w, "silence %s: %s, until %s\n", s.ID, describeSilence(&s), s.Until.Format(time.RFC3339))
}

func checkSilence(s *schemas.Silence, d time.Duration) error {
	m := &s.Matchers
	given := 0
	for _, v := range [...]string{m.Tenant, m.Service, m.Operation, m.Provider, m.Model, strings.Join(m.Detectors, "")} {
		given += min(len(v), 1)
	}
	switch {
	case given == 0 && s.Group == "":
		return console.InputErrorf("a silence without a matcher would mute all alerts: give a --tenant, --service, --operation, --model, --detector or a --group")
	case given > 0 && s.Group != "":
		return console.InputErrorf("--group names one group by its key: leave the other matchers out")
	case s.Group != "" && (len(s.Group) != groupDigits || strings.Trim(s.Group, "0123456789abcdef") != ""):
		return console.InputErrorf("--group: the key of a group is %d hexadecimal digits, as its records in llm.alerts are keyed", groupDigits)
	case d <= 0:
		return console.InputErrorf("--for is missing: give a duration, such as 1h")
	case d > maxSilence:
		return console.InputErrorf("--for %s: at most %d days; for longer, mute a detector by alerting.muted or a tenant by tenants.NAME.alerting", d, maxSilence/(24*time.Hour))
	}
	slices.Sort(m.Detectors)
	m.Detectors = slices.Compact(m.Detectors)
	return checkDetectors(m.Detectors...)
}

// ExpireSilence ends a silence now. id may be a prefix that matches one silence only.
func ExpireSilence(ctx context.Context, w io.Writer, o SilenceOptions, id string) error {
	kept, partitions, err := o.read(ctx)
	if err != nil {
		return err
	}
	kept = slices.DeleteFunc(kept, func(k StoredSilence) bool { return id == "" || !strings.HasPrefix(k.ID, id) })
	if exact := slices.IndexFunc(kept, func(k StoredSilence) bool { return k.ID == id }); exact >= 0 {
		kept = kept[exact : exact+1]
	}
	switch {
	case len(kept) == 0:
		return console.InputErrorf("there is no silence %s: `confab silence --all` shows them", console.Sanitize(id))
	case len(kept) > 1:
		return console.InputErrorf("%d silences start with %s, such as %s and %s: write more digits", len(kept), console.Sanitize(id), kept[0].ID, kept[1].ID)
	}
	s, now := kept[0].Silence, o.Now().UTC().Truncate(time.Second)
	if !now.Before(s.Until) {
		return console.Printf(w, "silence %s has ended at %s\n", console.Sanitize(s.ID), s.Until.Format(time.RFC3339))
	}
	s.Until = now
	if err := o.put(ctx, &s, partitions); err != nil {
		return err
	}
	return console.Printf(w, "silence %s has ended: %s\n", console.Sanitize(s.ID), describeSilence(&s))
}

// put writes the silence to every partition.
func (o *SilenceOptions) put(ctx context.Context, s *schemas.Silence, partitions int) error {
	state := schemas.AlertState{Status: schemas.AlertSilence, Until: s.Until, UpdatedAt: o.Now().UTC(), Silence: s}
	value, err := json.AppendAlertState(nil, &state)
	if err != nil {
		return err
	}
	return o.write(ctx, s.ID, value, partitions)
}

func (o *SilenceOptions) write(ctx context.Context, id string, value []byte, partitions int) error {
	ms := make([]kafka.Message, partitions)
	for p := range ms {
		ms[p] = kafka.Message{Topic: o.Topic, Partition: int32(p), Key: []byte(id), Value: value}
	}
	return Produce(ctx, o.Kafka, ms...)
}

// read reads all stored silences. If partitions differ, the newest record counts.
func (o *SilenceOptions) read(ctx context.Context) (kept []StoredSilence, partitions int, err error) {
	if partitions, err = cluster.PartitionCount(ctx, o.Kafka, o.Topic); err != nil {
		return nil, 0, err
	}
	live := map[silencePlace]*schemas.AlertState{}
	err = kafka.Read(ctx, kafka.ReaderOptions{Config: o.Kafka, Topics: []string{o.Topic}, StopAtEnd: true}, func(r *kafka.FetchedRecord) error {
		at := silencePlace{r.Partition, string(r.Key)}
		if !bytes.Contains(r.Value, []byte(`"silence"`)) {
			delete(live, at)
			return nil
		}
		a := new(schemas.AlertState)
		if err := json.DecodeAlertState(r.Value, a); err != nil {
			return fmt.Errorf("%s partition %d offset %d cannot be read: %w", r.Topic, r.Partition, r.Offset, err)
		}
		if a.Silence != nil && a.Silence.ID == at.key {
			live[at] = a
		}
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	return gatherSilences(live), partitions, nil
}

// silencePlace is the partition and key of a silence's record.
type silencePlace struct {
	partition int32
	key       string
}

func gatherSilences(live map[silencePlace]*schemas.AlertState) (kept []StoredSilence) {
	byID := map[string]*StoredSilence{}
	for at, a := range live {
		k := byID[at.key]
		if k == nil {
			k = &StoredSilence{}
			byID[at.key] = k
		}
		if k.ID == "" || cmp.Or(a.UpdatedAt.Compare(k.UpdatedAt), a.Until.Compare(k.Until)) > 0 {
			k.Silence, k.UpdatedAt = *a.Silence, a.UpdatedAt
		}
	}
	for _, k := range byID {
		kept = append(kept, *k)
	}
	slices.SortFunc(kept, func(a, b StoredSilence) int { return cmp.Or(a.Until.Compare(b.Until), cmp.Compare(a.ID, b.ID)) })
	return kept
}
