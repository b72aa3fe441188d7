package store

import (
	"bytes"
	"slices"
	"time"

	"confab/schemas"
)

// forgetIncident removes everything about an incident, and notes that nothing of it is stored again: its flags may still be
// read from their topic.
func (w *writer) forgetIncident(incident string) error {
	id, ok := parseID(incident)
	if !ok {
		return nil
	}
	for _, pass := range []schemas.Pass{schemas.PassFast, schemas.PassDeep} {
		if key := bytes.Clone(w.ids.Get(append(slices.Clip(id), passByte(pass)))); key != nil {
			if err := w.removeRow(key, bytes.Clone(w.rows.Get(key))); err != nil {
				return err
			}
		}
	}
	if err := w.alerts.Delete(id); err != nil {
		return err
	}
	if err := w.removeLabels(id); err != nil {
		return err
	}
	return w.forgotten.Put(id, timeKey(w.now))
}

const (
	markAges   = 2              // times MaxAge, after which no flag of a forgotten incident is stored for its age
	sweepMarks = 24 * time.Hour // between two searches for old marks
)

// expireMarks removes the marks of incidents that were forgotten long ago.
func (w *writer) expireMarks() error {
	const swept = "swept marks"
	if w.now.Sub(time.UnixMilli(readCount(w.meta, swept))) < sweepMarks {
		return nil
	}
	oldest := timeKey(w.now.Add(-markAges * w.store.MaxAge))
	var stale [][]byte
	c := w.forgotten.Cursor()
	for k, at := c.First(); k != nil && len(stale) < maxExpired; k, at = c.Next() {
		if bytes.Compare(at, oldest) < 0 {
			stale = append(stale, bytes.Clone(k))
		}
	}
	for _, k := range stale {
		if err := w.forgotten.Delete(k); err != nil {
			return err
		}
	}
	return writeCount(w.meta, swept, w.now.UnixMilli())
}
