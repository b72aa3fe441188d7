package ui

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"confab/alerting/card"
	"confab/schemas"
)

// filter selects rows. Zero fields select all.
type filter struct {
	Tenants          func(tenant string) bool // of the person who asks; required
	Tenant           string
	Service          string
	Model            string
	Detector         string // that fired
	Recommendation   string
	Verdict          string // of people: wrong, fine, or none
	Pass             schemas.Pass
	Text             string // part of the id of incident, interaction or trace
	From, Until      time.Time
	Alert            bool // alerts only
	Fired, Unflagged bool // with, without a detector that fired
	Sampled          bool
}

// noVerdict selects rows without a label.
const noVerdict = "none"

func (f *filter) matches(r *row) bool {
	switch {
	case f.Alert && !r.Alert, f.Sampled && !r.Sampled, f.Fired && len(r.Fired) == 0, f.Unflagged && len(r.Fired) > 0,
		f.Detector != "" && !slices.Contains(r.Fired, f.Detector), f.Verdict != "" && f.Verdict != cmp.Or(string(r.Verdict), noVerdict):
		return false
	}
	return f.matchesTexts(r)
}

func (f *filter) matchesTexts(r *row) bool {
	return isOneOf(f.Tenant, r.Tenant) && isOneOf(f.Service, r.Service) && isOneOf(f.Model, r.Model) &&
		isOneOf(f.Recommendation, string(r.Recommendation)) && isOneOf(string(f.Pass), string(r.Pass)) &&
		(strings.Contains(r.Incident, f.Text) || strings.Contains(r.Interaction, f.Text) || strings.Contains(r.Trace, f.Text)) && f.Tenants(r.Tenant)
}

// isOneOf reports whether the value is the wanted one, or any is.
func isOneOf(want, have string) bool { return want == "" || want == have }

// errCursor says that a cursor was not made by list.
var errCursor = errors.New("the cursor of the page is not valid")

// cursor is the place of a row in the order of rows.
func (r *row) cursor() string {
	return fmt.Sprintf("%d.%s.%s", r.At.UnixMilli(), r.Incident, r.Pass)
}

func parseCursor(s string) (r row, err error) {
	at, rest, _ := strings.Cut(s, ".")
	id, pass, _ := strings.Cut(rest, ".")
	ms, err := strconv.ParseInt(at, 10, 64)
	if err != nil || !card.IsIncidentID(id) || pass != string(schemas.PassFast) && pass != string(schemas.PassDeep) {
		return r, errCursor
	}
	return row{At: time.UnixMilli(ms).UTC(), Incident: id, Pass: schemas.Pass(pass)}, nil
}

// list returns up to limit rows after the cursor, newest first, and the cursor of the following part; "" at the end.
func (s *store) list(f *filter, after string, limit int) (rows []row, next string, err error) {
	var start *row
	if after != "" {
		r, err := parseCursor(after)
		if err != nil {
			return nil, "", err
		}
		start = &r
	}
	s.scan(f, start, func(r *row) bool {
		if len(rows) == limit {
			next = rows[limit-1].cursor()
			return false
		}
		rows = append(rows, *r)
		return true
	})
	return rows, next, nil
}

// scan calls fn for the rows before the given one that the filter selects, newest first, until it returns false. fn does not
// keep its row.
func (s *store) scan(f *filter, before *row, fn func(r *row) bool) {
	g := *f
	g.Text = strings.TrimSpace(f.Text)
	s.mu.RLock()
	defer s.mu.RUnlock()
	end := len(s.rows)
	if before != nil {
		end, _ = slices.BinarySearchFunc(s.rows, before, func(e *entry, r *row) int { return e.compare(r) })
	}
	for i := end - 1; s.visible && i >= 0 && !s.rows[i].At.Before(f.From); i-- {
		r := &s.rows[i].row
		if (f.Until.IsZero() || r.At.Before(f.Until)) && g.matches(r) && !fn(r) {
			return
		}
	}
}

// found is everything that is held about an incident.
type found struct {
	Flags  [][]byte // JSON of the flags, the fast one first
	Rows   []row
	Labels []schemas.Feedback // the oldest first
}

// get returns an incident; false if none of its flags is held.
func (s *store) get(id string) (out found, ok bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	in := s.incidents[id]
	if in == nil || !s.visible {
		return out, false
	}
	for _, e := range []*entry{in.fast, in.deep} {
		if e != nil {
			out.Rows, out.Flags = append(out.Rows, e.row), append(out.Flags, e.json)
		}
	}
	out.Labels = slices.Clone(in.labels)
	return out, true
}

// counts are the counts of an hour, a day or a name.
type counts struct {
	Fast      int // flags of the fast pass
	Flagged   int // of these, with a detector that fired
	Alerts    int // of these, alerts
	Unchecked int // of Fast, without anything to check
	Deep      int // flags of the deep pass
	DeepFired int

	Wrong int // alerts on answers that people call wrong
	Fine  int
}

func (c *counts) add(r *row) {
	one := func(to *int, when bool) {
		if when {
			*to++
		}
	}
	one(&c.Wrong, r.Alert && r.Verdict == schemas.Wrong)
	one(&c.Fine, r.Alert && r.Verdict == schemas.Fine)
	if r.Pass == schemas.PassDeep {
		one(&c.Deep, true)
		one(&c.DeepFired, len(r.Fired) > 0)
		return
	}
	one(&c.Fast, true)
	one(&c.Flagged, len(r.Fired) > 0)
	one(&c.Alerts, r.Alert)
	one(&c.Unchecked, r.Unchecked)
}
