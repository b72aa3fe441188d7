package store

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/cespare/xxhash/v2"
	bolt "go.etcd.io/bbolt"

	"confab/alerting/dispatch"
	"confab/schemas"
)

// Batch are records that are stored together, with the offsets after them.
type Batch struct {
	Flags  []FlagRecord
	Labels []schemas.Feedback
	Alerts []AlertRecord
	// Forgotten are incidents of which everything is removed, and nothing is stored again.
	Forgotten []string
	Next      map[Partition]int64
}

// FlagRecord is a flag with its JSON and the time of its record.
type FlagRecord struct {
	Flag *schemas.Flag
	JSON []byte
	At   time.Time
}

// AlertRecord is the alert state of an incident; without a State it is removed.
type AlertRecord struct {
	Incident string
	State    *schemas.AlertState
}

// Names of counts in the bucket meta.
const (
	countFlags  = "flags"
	countBytes  = "bytes"
	countLabels = "labels"
)

const (
	idBytes   = 32 // of an incident's id
	maxPeople = 16 // whose labels of one incident are kept
)

// Apply stores a batch, or nothing of it. A flag or label that is stored already changes nothing, whatever the offsets.
func (s *Store) Apply(b *Batch) error {
	return s.update(func(tx *bolt.Tx) error {
		w := newWriter(s, tx)
		for i := range b.Flags {
			if err := w.addFlag(&b.Flags[i]); err != nil {
				return fmt.Errorf("store flag: %w", err)
			}
		}
		for i := range b.Labels {
			if err := w.addLabel(&b.Labels[i]); err != nil {
				return fmt.Errorf("store label: %w", err)
			}
		}
		for i := range b.Alerts {
			if err := w.setAlert(&b.Alerts[i]); err != nil {
				return fmt.Errorf("store alert: %w", err)
			}
		}
		for _, incident := range b.Forgotten {
			if err := w.forgetIncident(incident); err != nil {
				return fmt.Errorf("forget incident: %w", err)
			}
		}
		for p, next := range b.Next {
			if err := tx.Bucket([]byte(bucketOffsets)).Put(offsetKey(p), binary.BigEndian.AppendUint64(nil, uint64(next))); err != nil {
				return fmt.Errorf("store offset: %w", err)
			}
		}
		return w.finish()
	})
}

// writer is the state of one write transaction.
type writer struct {
	store                            *Store
	now                              time.Time
	meta, rows, flags, ids           *bolt.Bucket
	labels, alerts, hours            *bolt.Bucket
	forgotten                        *bolt.Bucket
	flagCount, byteCount, labelCount int64
	alertWrites                      int64
	counts                           map[hourKey]*Counts // changes, by hour and series
}

func newWriter(s *Store, tx *bolt.Tx) *writer {
	w := &writer{
		store: s, now: s.Now(), meta: tx.Bucket([]byte(bucketMeta)), rows: tx.Bucket([]byte(bucketRows)), flags: tx.Bucket([]byte(bucketFlags)),
		ids: tx.Bucket([]byte(bucketIDs)), labels: tx.Bucket([]byte(bucketLabels)), alerts: tx.Bucket([]byte(bucketAlerts)), hours: tx.Bucket([]byte(bucketHours)),
		counts: map[hourKey]*Counts{}, forgotten: tx.Bucket([]byte(bucketForgotten)),
	}
	w.flagCount, w.byteCount, w.labelCount = readCount(w.meta, countFlags), readCount(w.meta, countBytes), readCount(w.meta, countLabels)
	w.rows.FillPercent, w.flags.FillPercent = appendFill, appendFill
	return w
}

// appendFill is how full pages are made whose keys mostly grow.
const appendFill = 0.9

func parseID(incident string) ([]byte, bool) {
	id, err := hex.DecodeString(incident)
	return id, err == nil && len(id) == idBytes
}

func passByte(p schemas.Pass) byte {
	if p == schemas.PassDeep {
		return 'd'
	}
	return 'f'
}

// addFlag stores a flag. What is invalid, too old or known is left out.
func (w *writer) addFlag(r *FlagRecord) error {
	id, ok := parseID(r.Flag.IncidentID)
	if !ok || r.At.Before(w.now.Add(-w.store.MaxAge)) || w.forgotten.Get(id) != nil {
		return nil
	}
	idKey := append(slices.Clip(id), passByte(r.Flag.Pass))
	if w.ids.Get(idKey) != nil {
		return nil
	}
	at := r.At
	if at.After(w.now) {
		at = w.now
	}
	row := rowOf(r.Flag, at)
	row.Judged = isJudged(r.Flag, w.store.Deep)
	row.Verdict = latestVerdict(w.readLabels(id))
	key := binary.BigEndian.AppendUint64(timeKey(at), xxhash.Sum64(idKey))
	for w.rows.Get(key) != nil { // two ids of one hash and one millisecond
		binary.BigEndian.PutUint64(key[8:], binary.BigEndian.Uint64(key[8:])+1)
	}
	value := row.append(nil)
	w.count(&row, +1)
	w.countVerdict(&row, row.Verdict, +1)
	w.flagCount++
	w.byteCount += int64(len(value) + len(r.JSON))
	for _, e := range []struct {
		bucket     *bolt.Bucket
		key, value []byte
	}{{w.ids, idKey, key}, {w.rows, key, value}, {w.flags, key, r.JSON}} {
		if err := e.bucket.Put(e.key, e.value); err != nil {
			return err
		}
	}
	return nil
}

// addLabel stores the latest label of a person.
func (w *writer) addLabel(l *schemas.Feedback) error {
	id, ok := parseID(l.IncidentID)
	trimmed, valid := dispatch.TrimFeedback(*l)
	if !ok || !valid || w.forgotten.Get(id) != nil {
		return nil
	}
	key := append(slices.Clip(id), trimmed.User...)
	known := w.readLabels(id)
	at := slices.IndexFunc(known, func(k schemas.Feedback) bool { return k.User == trimmed.User })
	if at >= 0 && !trimmed.At.After(known[at].At) || at < 0 && len(known) >= maxPeople {
		return nil
	}
	value, err := json.Marshal(&trimmed)
	if err != nil {
		return err
	}
	if at < 0 {
		w.labelCount++
	}
	if err := w.labels.Put(key, value); err != nil {
		return err
	}
	return w.setVerdict(id, latestVerdict(w.readLabels(id)))
}

// setVerdict writes the verdict into the rows of an incident.
func (w *writer) setVerdict(id []byte, verdict schemas.HumanVerdict) error {
	for _, pass := range []schemas.Pass{schemas.PassFast, schemas.PassDeep} {
		key := bytes.Clone(w.ids.Get(append(slices.Clip(id), passByte(pass))))
		if key == nil {
			continue
		}
		view, ok := viewRow(key, w.rows.Get(key))
		if !ok {
			return errRow
		}
		row, err := view.decode()
		if err != nil {
			return err
		}
		w.countVerdict(&row, row.Verdict, -1)
		row.Verdict = verdict
		w.countVerdict(&row, verdict, +1)
		if err := w.rows.Put(key, row.append(nil)); err != nil {
			return err
		}
	}
	return nil
}

// readLabels are the labels of an incident, the oldest first.
func (w *writer) readLabels(id []byte) []schemas.Feedback { return readLabels(w.labels, id) }

func readLabels(bucket *bolt.Bucket, id []byte) (list []schemas.Feedback) {
	c := bucket.Cursor()
	for k, v := c.Seek(id); bytes.HasPrefix(k, id); k, v = c.Next() {
		var f schemas.Feedback
		if json.Unmarshal(v, &f) == nil {
			list = append(list, f)
		}
	}
	slices.SortStableFunc(list, func(a, b schemas.Feedback) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.User, b.User)) })
	return list
}

func latestVerdict(labels []schemas.Feedback) schemas.HumanVerdict {
	if len(labels) == 0 {
		return ""
	}
	return labels[len(labels)-1].Verdict
}

// setAlert stores the alert state of an incident that is stored.
func (w *writer) setAlert(a *AlertRecord) error {
	id, ok := parseID(a.Incident)
	if !ok {
		return nil
	}
	if a.State == nil || w.forgotten.Get(id) != nil {
		return w.alerts.Delete(id)
	}
	value, err := json.Marshal(a.State) //nolint:gosec // "pass" is a pass of evaluation
	if err != nil {
		return err
	}
	w.alertWrites++
	return w.alerts.Put(id, value)
}

// finish applies the limits and writes the counts.
func (w *writer) finish() error {
	if err := w.expire(); err != nil {
		return fmt.Errorf("remove old flags: %w", err)
	}
	if err := w.writeHours(); err != nil {
		return fmt.Errorf("store counts: %w", err)
	}
	for name, n := range map[string]int64{countFlags: w.flagCount, countBytes: w.byteCount, countLabels: w.labelCount} {
		if err := writeCount(w.meta, name, n); err != nil {
			return fmt.Errorf("store counts: %w", err)
		}
	}
	return nil
}
