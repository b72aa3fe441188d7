package store

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"time"

	bolt "go.etcd.io/bbolt"

	"confab/schemas"
)

// Counts are the counts of one hour and series. They outlive the rows.
type Counts struct {
	Fast      int64 `json:"f,omitempty"` // flags of the fast pass
	Flagged   int64 `json:"g,omitempty"` // of these, with a detector that fired
	Alerts    int64 `json:"a,omitempty"` // of these, alerts
	Unchecked int64 `json:"u,omitempty"` // of Fast, without anything to check
	Deep      int64 `json:"d,omitempty"` // flags of the deep pass
	DeepFired int64 `json:"e,omitempty"`

	Confirmed      int64 `json:"c,omitempty"` // labelled alerts
	FalsePositives int64 `json:"p,omitempty"`
}

// Add adds other counts.
func (c *Counts) Add(o *Counts) {
	to, from := c.fields(), o.fields()
	for i := range to {
		*to[i] += *from[i]
	}
}

func (c *Counts) fields() [8]*int64 {
	return [...]*int64{&c.Fast, &c.Flagged, &c.Alerts, &c.Unchecked, &c.Deep, &c.DeepFired, &c.Confirmed, &c.FalsePositives}
}

// Series is what is counted together.
type Series struct {
	Tenant, Service, Model string
}

// Other replaces service and model of a series once an hour has too many.
const Other = "other"

// maxSeries bounds the series of one hour and tenant, maxTenants its tenants.
const maxSeries = 400

type hourKey struct {
	hour   int64 // Unix milliseconds
	series Series
}

func (w *writer) counter(r *Row) *Counts {
	key := hourKey{r.At.Truncate(time.Hour).UnixMilli(), Series{cutName(r.Tenant), cutName(r.Service), cutName(r.Model)}}
	c := w.counts[key]
	if c == nil {
		c = new(Counts)
		w.counts[key] = c
	}
	return c
}

// cutName shortens a name in counts. A tenant of such a length is not shown by anyone's access, so nothing leaks.
func cutName(s string) string { return s[:min(len(s), maxRowText)] }

func (w *writer) count(r *Row, n int64) {
	c := w.counter(r)
	if r.Pass == schemas.PassDeep {
		c.Deep += n
		if len(r.Fired) > 0 {
			c.DeepFired += n
		}
		return
	}
	c.Fast += n
	if len(r.Fired) > 0 {
		c.Flagged += n
	}
	if r.Alert {
		c.Alerts += n
	}
	if r.Unchecked {
		c.Unchecked += n
	}
}

func (w *writer) countVerdict(r *Row, v schemas.HumanVerdict, n int64) {
	if !r.Alert {
		return
	}
	switch v { //nolint:exhaustive // the mark of forgotten incidents is not a label
	case schemas.Confirmed:
		w.counter(r).Confirmed += n
	case schemas.FalsePositive:
		w.counter(r).FalsePositives += n
	}
}

// key is the hour, the tenant, the service and the model.
func (k hourKey) key() []byte {
	b := binary.BigEndian.AppendUint64(nil, uint64(max(0, k.hour)))
	for _, s := range []string{k.series.Tenant, k.series.Service, k.series.Model} {
		b = appendText(b, s, maxRowText)
	}
	return b
}

func parseHour(b []byte) (k hourKey, ok bool) {
	if len(b) < 8 {
		return k, false
	}
	k.hour = int64(binary.BigEndian.Uint64(b))
	rest := b[8:]
	for _, field := range []*string{&k.series.Tenant, &k.series.Service, &k.series.Model} {
		text, more, ok := cutText(rest)
		if !ok {
			return k, false
		}
		*field, rest = string(text), more
	}
	return k, true
}

// writeHours adds the changes to the stored counts.
func (w *writer) writeHours() error {
	left := map[string]int{} // further series, by hour and tenant
	for k, change := range w.counts {
		if *change == (Counts{}) {
			continue
		}
		key := k.key()
		had := w.hours.Get(key)
		if had == nil {
			prefix := appendText(binary.BigEndian.AppendUint64(nil, uint64(max(0, k.hour))), k.series.Tenant, maxRowText)
			free, known := left[string(prefix)]
			if !known {
				free = maxSeries - countPrefix(w.hours, prefix)
			}
			left[string(prefix)] = free - 1
			if free <= 0 {
				k.series.Service, k.series.Model = Other, Other
				key = k.key()
				had = w.hours.Get(key)
			}
		}
		var sum Counts
		if had != nil && json.Unmarshal(had, &sum) != nil {
			return errRow
		}
		sum.Add(change)
		value, err := json.Marshal(&sum)
		if err != nil {
			return err
		}
		if err := w.hours.Put(key, value); err != nil {
			return err
		}
	}
	return nil
}

func countPrefix(b *bolt.Bucket, prefix []byte) (n int) {
	c := b.Cursor()
	for k, _ := c.Seek(prefix); bytes.HasPrefix(k, prefix) && n <= maxSeries; k, _ = c.Next() {
		n++
	}
	return n
}
