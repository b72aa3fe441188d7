package tuning

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"confab"
	"confab/calibration"
	"confab/internal/console"
	"confab/internal/kafka"
	"confab/internal/worker/cluster"
	"confab/internal/worker/incidents"
)

// Version is a calibration that was fitted to live traffic.
type Version struct {
	ID          string    `json:"id"`               // of the calibration
	Base        string    `json:"base"`             // of the files that it replaces, see BaseOf
	Parent      string    `json:"parent,omitempty"` // the version before it; "" for the files
	At          time.Time `json:"at"`
	Words       []string  `json:"words"`       // what it changes
	Calibration string    `json:"calibration"` // the content of a calibration file
}

// Choice says which version is in force.
type Choice struct {
	Version string    `json:"version"` // "" for the files
	At      time.Time `json:"at"`
	Held    bool      `json:"held,omitempty"` // a person went back: later versions are proposed, not applied
}

// Refit is the last refit.
type Refit struct {
	Until   time.Time `json:"until"` // end of the answers that it read
	At      time.Time `json:"at"`
	Outcome Outcome   `json:"outcome"`
	Version string    `json:"version,omitempty"` // that it applied or proposed
	Judged  int       `json:"judged"`            // answers with a verdict of the judge
	Words   []string  `json:"words"`             // for people: what it did and why
}

// State is what the topic of versions holds.
type State struct {
	Versions map[string]*Version
	InForce  Choice
	Refit    Refit
	Told     time.Time // Refit.At of the last one that on-call was told of
}

// Keys of the topic's records. All are in one partition, so that they are read in the order in which they were written.
const (
	versionsPartition = 0
	versionPrefix     = "version/"
	keyInForce        = "in_force"
	keyRefit          = "refit"
	keyTold           = "told"
)

// The limits of the topic.
const (
	maxVersions    = 12 // that are kept
	maxRecordBytes = 900 << 10
)

var errTooLarge = errors.New("the record is too large")

// errForeign says that a record is none of this topic's.
var errForeign = errors.New("no record of calibrations has such a key: another program writes to the topic")

// apply adds a record. One that is damaged changes nothing.
func (s *State) apply(r *kafka.FetchedRecord) error {
	key := string(r.Key)
	if id, is := strings.CutPrefix(key, versionPrefix); is {
		return s.applyVersion(id, r.Value)
	}
	if r.Value == nil {
		return nil // Confab deletes versions only
	}
	var next State
	into := map[string]any{keyInForce: &next.InForce, keyRefit: &next.Refit, keyTold: &next.Told}[key]
	if into == nil {
		return errForeign
	}
	if err := decodeStrict(r.Value, into); err != nil {
		return err
	}
	switch key {
	case keyInForce:
		s.InForce = next.InForce
	case keyRefit:
		s.Refit = next.Refit
	default:
		s.Told = next.Told
	}
	return nil
}

// applyVersion adds or deletes a version. It must be as valid as a file.
func (s *State) applyVersion(id string, value []byte) error {
	if value == nil {
		delete(s.Versions, id)
		return nil
	}
	v := new(Version)
	if err := decodeStrict(value, v); err != nil {
		return err
	}
	cal, err := calibration.Load(strings.NewReader(v.Calibration))
	switch {
	case err != nil:
		return err
	case v.ID != id || cal.ID() != id || v.Base == "":
		return fmt.Errorf("key, id and calibration name %q, %q and %q, base %q: they must agree", id, v.ID, cal.ID(), v.Base)
	}
	if s.Versions == nil {
		s.Versions = map[string]*Version{}
	}
	s.Versions[id] = v
	return nil
}

func decodeStrict(value []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(value))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is more than one value")
	}
	return nil
}

// clone shares the versions, which do not change.
func (s *State) clone() *State {
	next := *s
	next.Versions = maps.Clone(s.Versions)
	return &next
}

// Current is the version in force; nil for the files.
func (s *State) Current() *Version { return s.Versions[s.InForce.Version] }

// covers reports whether the answers up to then were read. A refit of the future, which a wrong clock made, covers nothing.
func (r *Refit) covers(until, now time.Time) bool {
	return !r.Until.Before(until) && !r.Until.After(now)
}

// madeBy is the version in force if the refit of answers up to then made it.
func (s *State) madeBy(until time.Time) *Version {
	if v := s.Current(); v != nil && v.At.Equal(until) {
		return v
	}
	return nil
}

// Pending is the version that the last refit proposed, unless a choice was made since; nil for none.
func (s *State) Pending() *Version {
	if s.Refit.Outcome != Proposed || s.InForce.At.After(s.Refit.At) {
		return nil
	}
	return s.Versions[s.Refit.Version]
}

// List are the versions, the newest first.
func (s *State) List() []*Version {
	return slices.SortedFunc(maps.Values(s.Versions), func(a, b *Version) int { return cmp.Or(b.At.Compare(a.At), strings.Compare(a.ID, b.ID)) })
}

// Digest identifies the version in force.
func (s *State) Digest() []byte {
	v := s.Current()
	if v == nil {
		return nil
	}
	sum := sha256.Sum256([]byte(v.Base + "\n" + v.Calibration))
	return sum[:]
}

// Over returns the tuning of the files, with the version in force in place of their calibration. A version holds for the files from
// which it was made: when a person changes one of them, or a release brings others, the files win until the next refit.
func (s *State) Over(files confab.Tuning) (t confab.Tuning, version *Version, err error) {
	v := s.Current()
	if v == nil {
		return files, nil, nil
	}
	base, err := BaseOf(files)
	if err != nil || v.Base != base {
		return files, nil, err
	}
	return files.WithCalibration("version "+v.ID, []byte(v.Calibration)), v, nil
}

// BaseOf identifies calibration and model, by their content.
func BaseOf(t confab.Tuning) (string, error) {
	cal, err := t.ParseCalibration()
	if err != nil {
		return "", err
	}
	model, err := t.ParseModel()
	if err != nil {
		return "", err
	}
	h := sha256.New()
	if err := calibration.Encode(h, cal.File()); err != nil {
		return "", err
	}
	h.Write([]byte(model.ID))
	return hex.EncodeToString(h.Sum(nil)[:8]), nil
}

// ReadState reads the topic to its end. Damaged records do not count.
func ReadState(ctx context.Context, k kafka.Config, topic string) (*State, error) {
	if err := cluster.RequireTopic(ctx, k, topic); err != nil {
		return nil, err
	}
	s := new(State)
	of := kafka.ReaderOptions{Config: k, Topics: []string{topic}, Partitions: []int32{versionsPartition}}
	err := cluster.Read(ctx, of, cluster.Timeout, func(r *kafka.FetchedRecord) error {
		_ = s.apply(r) // a Follower reports it
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read versions of the calibration: %w", err)
	}
	return s, nil
}

// record is the message of a key; a nil value deletes it.
func record(topic, key string, value any) (kafka.Message, error) {
	m := kafka.Message{Topic: topic, Partition: versionsPartition, Key: []byte(key)}
	if value == nil {
		return m, nil
	}
	var err error
	if m.Value, err = json.Marshal(value); err == nil && len(m.Value) > maxRecordBytes {
		err = fmt.Errorf("%s: %w: it has %d bytes, more than %d: remove thresholds of single tenants or operations", key, errTooLarge, len(m.Value), maxRecordBytes)
	}
	return m, err
}

// Rollback puts the version before the one in force in force, "" for the files. Later refits propose only, until a version is accepted.
func Rollback(ctx context.Context, k kafka.Config, topic string, now time.Time) error {
	s, err := ReadState(ctx, k, topic)
	if err != nil {
		return err
	}
	v, why := s.Current(), ""
	switch {
	case s.InForce.Version == "":
		why = "the calibration file is in force"
	case v == nil:
		why = s.InForce.Version + ", which was put in force, is damaged, so the calibration file is"
	case v.Parent != "" && s.Versions[v.Parent] == nil:
		why = fmt.Sprintf("%s, before %s, is not kept any more", v.Parent, v.ID)
	default:
		return choose(ctx, k, topic, Choice{Version: v.Parent, At: now.UTC(), Held: true})
	}
	return console.InputErrorf("there is no version to go back to: %s; `confab tune --versions` lists them", why)
}

// Accept puts a version in force.
func Accept(ctx context.Context, k kafka.Config, topic, id string, now time.Time) error {
	s, err := ReadState(ctx, k, topic)
	if err != nil {
		return err
	}
	if s.Versions[id] == nil {
		return console.InputErrorf("no such version of the calibration: %q; `confab tune --versions` lists them", id)
	}
	return choose(ctx, k, topic, Choice{Version: id, At: now.UTC()})
}

func choose(ctx context.Context, k kafka.Config, topic string, c Choice) error {
	m, err := record(topic, keyInForce, c)
	if err != nil {
		return err
	}
	return incidents.Produce(ctx, k, m)
}
