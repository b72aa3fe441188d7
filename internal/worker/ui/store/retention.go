package store

import (
	"bytes"
	"slices"
	"time"

	bolt "go.etcd.io/bbolt"

	"confab/schemas"
)

const (
	maxExpired = 5000 // rows that one transaction removes
	maxOrphans = 2    // labels and alert states, per flag that may be stored
)

// Expire applies the limits without new records.
func (s *Store) Expire() error { return s.Apply(&Batch{}) }

// expire removes the oldest rows beyond the limits, counts that are too old, and what belongs to no row if there is too
// much of it.
func (w *writer) expire() error {
	oldest := w.now.Add(-w.store.MaxAge)
	c := w.rows.Cursor()
	for range maxExpired {
		key, value := c.First()
		if key == nil || !w.exceeds() && !keyTime(key).Before(oldest) {
			break
		}
		if err := w.removeRow(bytes.Clone(key), bytes.Clone(value)); err != nil {
			return err
		}
	}
	hours := w.hours.Cursor()
	limit := timeKey(oldest.Truncate(time.Hour))
	for key, _ := hours.First(); key != nil && bytes.Compare(key[:8], limit) < 0; key, _ = hours.First() {
		if err := w.hours.Delete(bytes.Clone(key)); err != nil {
			return err
		}
	}
	if err := w.expireMarks(); err != nil {
		return err
	}
	return w.removeOrphans()
}

func (w *writer) exceeds() bool {
	return w.flagCount > int64(w.store.MaxIncidents) || w.byteCount > w.store.MaxBytes
}

// removeRow removes a row, and labels and alert state with the last row of its incident.
func (w *writer) removeRow(key, value []byte) error {
	w.flagCount--
	w.byteCount -= int64(len(value) + len(w.flags.Get(key)))
	view, ok := viewRow(key, value)
	if ok {
		if row, err := view.decode(); err == nil {
			if err := w.forget(&row); err != nil {
				return err
			}
		}
	}
	if err := w.flags.Delete(key); err != nil {
		return err
	}
	return w.rows.Delete(key)
}

func (w *writer) forget(row *Row) error {
	id, ok := parseID(row.Incident)
	if !ok {
		return nil
	}
	if err := w.ids.Delete(append(slices.Clip(id), passByte(row.Pass))); err != nil || w.isStored(id) {
		return err
	}
	if err := w.alerts.Delete(id); err != nil {
		return err
	}
	return w.removeLabels(id)
}

func (w *writer) isStored(id []byte) bool {
	return w.ids.Get(append(slices.Clip(id), passByte(schemas.PassFast))) != nil || w.ids.Get(append(slices.Clip(id), passByte(schemas.PassDeep))) != nil
}

func (w *writer) removeLabels(id []byte) error {
	for {
		key, _ := w.labels.Cursor().Seek(id)
		if !bytes.HasPrefix(key, id) {
			return nil
		}
		if err := w.labels.Delete(bytes.Clone(key)); err != nil {
			return err
		}
		w.labelCount--
	}
}

// removeOrphans removes labels and alert states of incidents that are not stored, once there are too many.
func (w *writer) removeOrphans() error {
	limit := int64(maxOrphans * w.store.MaxIncidents)
	if w.labelCount > max(limit, readCount(w.meta, "sweep labels")) {
		removed, err := w.sweep(w.labels)
		if w.labelCount -= removed; err != nil {
			return err
		}
		if err := writeCount(w.meta, "sweep labels", 2*w.labelCount); err != nil {
			return err
		}
	}
	written := readCount(w.meta, "written alerts") + w.alertWrites
	if written > limit {
		if _, err := w.sweep(w.alerts); err != nil {
			return err
		}
		written = 0
	}
	return writeCount(w.meta, "written alerts", written)
}

// sweep removes the entries whose incident is not stored.
func (w *writer) sweep(b *bolt.Bucket) (removed int64, err error) {
	var stale [][]byte
	c := b.Cursor()
	for k, _ := c.First(); k != nil; k, _ = c.Next() {
		if len(k) < idBytes || !w.isStored(k[:idBytes]) {
			stale = append(stale, bytes.Clone(k))
		}
	}
	for _, k := range stale {
		if err := b.Delete(k); err != nil {
			return removed, err
		}
		removed++
	}
	return removed, nil
}
