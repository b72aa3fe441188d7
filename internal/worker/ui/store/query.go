package store

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	bolt "go.etcd.io/bbolt"

	"confab/schemas"
)

// Filter selects rows. Zero fields select all.
type Filter struct {
	Tenants          func(tenant string) bool // of the person who asks; required
	Tenant           string
	Service          string
	Model            string
	Detector         string // that fired
	Recommendation   string
	Verdict          string // of people: confirmed, false_positive, or none
	Pass             schemas.Pass
	Text             string // part of the id of incident, interaction or trace
	From, Until      time.Time
	Alert            bool // alerts only
	Fired, Unflagged bool // with, without a detector that fired
	Sampled          bool
}

// NoVerdict selects rows without a label.
const NoVerdict = "none"

// Page is a part of a list, newest rows first.
type Page struct {
	Rows []Row
	Next string // the cursor of the following part; "" at the end
}

// ErrCursor says that a cursor was not made by List.
var ErrCursor = errors.New("the cursor of the page is not valid")

// List returns up to limit rows that the filter selects, after the cursor.
func (s *Store) List(f *Filter, cursor string, limit int) (p Page, err error) {
	err = s.Scan(f, cursor, func(key []byte, r *Row) bool {
		if len(p.Rows) == limit {
			return false
		}
		p.Rows = append(p.Rows, *r)
		p.Next = hex.EncodeToString(key)
		return true
	})
	if len(p.Rows) < limit {
		p.Next = ""
	}
	return p, err
}

// Scan calls fn for the rows that the filter selects, newest first, until it returns false.
func (s *Store) Scan(f *Filter, cursor string, fn func(key []byte, r *Row) bool) error {
	after, err := hex.DecodeString(cursor)
	if err != nil || cursor != "" && len(after) != keyBytes {
		return ErrCursor
	}
	m := newMatcher(f)
	return s.view(func(tx *bolt.Tx) error {
		c := tx.Bucket([]byte(bucketRows)).Cursor()
		for key, value := startBefore(c, after, f.Until); key != nil; key, value = c.Prev() {
			v, ok := viewRow(key, value)
			if !ok {
				continue
			}
			if !f.From.IsZero() && v.at().Before(f.From) {
				break
			}
			if !m.matches(v) {
				continue
			}
			r, err := v.decode()
			if err == nil && !fn(key, &r) {
				break
			}
		}
		return nil
	})
}

// startBefore moves to the newest row before both the cursor and the end.
func startBefore(c *bolt.Cursor, after []byte, until time.Time) (key, value []byte) {
	limit := after
	if !until.IsZero() {
		if end := timeKey(until); len(limit) == 0 || bytes.Compare(end, limit) < 0 {
			limit = end
		}
	}
	if len(limit) == 0 {
		return c.Last()
	}
	if k, _ := c.Seek(limit); k == nil {
		return c.Last()
	}
	return c.Prev()
}

// matcher decides by a row's bytes.
type matcher struct {
	*Filter

	tenant, service, model, recommendation, detector []byte
	text                                             []byte
	allowed                                          map[string]bool // answers of Tenants
}

func newMatcher(f *Filter) *matcher {
	return &matcher{
		Filter: f, tenant: []byte(f.Tenant), service: []byte(f.Service), model: []byte(f.Model), recommendation: []byte(f.Recommendation),
		detector: []byte(f.Detector), text: []byte(strings.TrimSpace(f.Text)), allowed: map[string]bool{},
	}
}

func (m *matcher) matchesBits(v rowView) bool {
	switch {
	case m.Alert && !v.has(bitAlert), m.Sampled && !v.has(bitSampled),
		m.Pass == schemas.PassDeep && !v.has(bitDeep), m.Pass == schemas.PassFast && v.has(bitDeep),
		m.Verdict == string(schemas.Confirmed) && !v.has(bitConfirmed), m.Verdict == string(schemas.FalsePositive) && !v.has(bitFalsePositive),
		m.Verdict == NoVerdict && v.bits[0]&(bitConfirmed|bitFalsePositive) != 0:
		return false
	}
	return true
}

func (m *matcher) matches(v rowView) bool {
	if !m.matchesBits(v) {
		return false
	}
	var texts [10][]byte
	rest := v.rest
	for i := range texts {
		var ok bool
		if texts[i], rest, ok = cutText(rest); !ok {
			return false
		}
	}
	incident, tenant, interaction, trace := texts[0], texts[1], texts[5], texts[6]
	if !m.mayRead(tenant) || len(m.text) > 0 && !bytes.Contains(incident, m.text) && !bytes.Contains(interaction, m.text) && !bytes.Contains(trace, m.text) {
		return false
	}
	for i, want := range [][]byte{1: m.tenant, 2: m.service, 4: m.model, 7: m.recommendation} {
		if len(want) > 0 && !bytes.Equal(want, texts[i]) {
			return false
		}
	}
	return m.matchesFired(rest)
}

func (m *matcher) mayRead(tenant []byte) bool {
	allowed, known := m.allowed[string(tenant)]
	if !known {
		allowed = m.Tenants(string(tenant))
		m.allowed[string(tenant)] = allowed
	}
	return allowed
}

func (m *matcher) matchesFired(rest []byte) bool {
	if m.Fired && len(rest) == 0 || m.Unflagged && len(rest) > 0 {
		return false
	}
	if len(m.detector) == 0 {
		return true
	}
	for len(rest) > 0 {
		text, more, ok := cutText(rest)
		if !ok {
			return false
		}
		if bytes.Equal(text, m.detector) {
			return true
		}
		rest = more
	}
	return false
}

// Incident is everything that is stored about an incident.
type Incident struct {
	Flags  []json.RawMessage // JSON of the flags, the fast one first
	Rows   []Row
	Labels []schemas.Feedback // the oldest first
	Alert  *schemas.AlertState
}

// Get returns an incident; false if none of its flags is stored.
func (s *Store) Get(incident string) (in Incident, found bool, err error) {
	id, ok := parseID(incident)
	if !ok {
		return in, false, nil
	}
	err = s.view(func(tx *bolt.Tx) error {
		for _, pass := range []schemas.Pass{schemas.PassFast, schemas.PassDeep} {
			key := tx.Bucket([]byte(bucketIDs)).Get(append(slices.Clip(id), passByte(pass)))
			if key == nil {
				continue
			}
			v, ok := viewRow(key, tx.Bucket([]byte(bucketRows)).Get(key))
			if !ok {
				return errRow
			}
			row, err := v.decode()
			if err != nil {
				return err
			}
			in.Rows = append(in.Rows, row)
			in.Flags = append(in.Flags, bytes.Clone(tx.Bucket([]byte(bucketFlags)).Get(key)))
		}
		if len(in.Rows) == 0 {
			return nil
		}
		in.Labels = readLabels(tx.Bucket([]byte(bucketLabels)), id)
		if v := tx.Bucket([]byte(bucketAlerts)).Get(id); v != nil {
			in.Alert = new(schemas.AlertState)
			if json.Unmarshal(v, in.Alert) != nil {
				in.Alert = nil
			}
		}
		return nil
	})
	return in, len(in.Rows) > 0, err
}

// Hour is the counts of a series in an hour.
type Hour struct {
	At time.Time
	Series
	Counts
}

// Hours calls fn for the counts from a time on, by hour.
func (s *Store) Hours(from time.Time, fn func(h *Hour)) error {
	return s.view(func(tx *bolt.Tx) error {
		c := tx.Bucket([]byte(bucketHours)).Cursor()
		for key, value := c.Seek(timeKey(from.Truncate(time.Hour))); key != nil; key, value = c.Next() {
			k, ok := parseHour(key)
			h := Hour{At: time.UnixMilli(int64(binary.BigEndian.Uint64(key))).UTC(), Series: k.series}
			if ok && json.Unmarshal(value, &h.Counts) == nil {
				fn(&h)
			}
		}
		return nil
	})
}
