package export

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"confab/internal/worker/config"
	"confab/schemas"
)

// spanWait is how long after its detection a flag waits for its span to arrive in the backend.
const spanWait = 2 * time.Minute

// errMissing refuses scores of a span that the backend does not have yet.
var errMissing = errors.New("the span is not there")

// scoreWriter writes flags as scores to a backend. A batch that is repeated is written again: each score replaces the one with its id.
type scoreWriter struct {
	*client
	*backend

	now func() time.Time

	mu      sync.Mutex
	failing bool
	upSince time.Time // end of the last outage
}

func newScoreWriter(e *config.Export, name string) (*scoreWriter, error) {
	b := newBackend(e, name)
	c, err := newClient(e, name, b.url, b.headers)
	if err != nil {
		return nil, err
	}
	return &scoreWriter{client: c, backend: b, now: time.Now}, nil
}

// deliver writes the scores of flags. Those that the backend refuses reject their flag; its other scores are written. A flag
// whose span the backend does not have is repeated for the time of spanWait, and rejected after it.
func (w *scoreWriter) deliver(ctx context.Context, flags []*schemas.Flag) error {
	r := &round{scoreWriter: w, refused: map[string]error{}, found: map[target]target{}}
	err := r.deliver(ctx, flags)
	upSince := w.noteOutage(err != nil && ctx.Err() == nil)
	if err != nil {
		return err
	}
	waiting := 0
	for _, f := range flags {
		if id := flagID(f); errors.Is(r.refused[id], errMissing) {
			if w.waits(f, upSince) {
				waiting++
			} else {
				r.refused[id] = fmt.Errorf("%s does not have the span %s after the detection: send it the trace, too", w.name, spanWait)
			}
		}
	}
	switch {
	case waiting > 0:
		return fmt.Errorf("%d flags wait for their traces to arrive in %s", waiting, w.name)
	case len(r.refused) > 0:
		return &rejectedError{r.refused}
	}
	return nil
}

// noteOutage returns when the last outage ended.
func (w *scoreWriter) noteOutage(failed bool) time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.failing && !failed {
		w.upSince = w.now()
	}
	w.failing = failed
	return w.upSince
}

// waits reports whether the span of a flag may still arrive: within spanWait of the detection or, after an outage of the
// backend, of its end. So a backlog of flags whose traces were sampled away does not wait.
func (w *scoreWriter) waits(f *schemas.Flag, upSince time.Time) bool {
	age := w.now().Sub(f.DetectedAt)
	return age < spanWait && age > -spanWait || w.now().Sub(upSince) < spanWait // a date further in the future is wrong
}

// round is one delivery.
type round struct {
	*scoreWriter

	refused map[string]error  // by id of the flag: the first refusal
	found   map[target]target // ids of the backend
}

func (r *round) refuse(flag string, err error) {
	if r.refused[flag] == nil || errors.Is(err, errMissing) { // a repeat finds the other refusal again
		r.refused[flag] = err
	}
}

func (r *round) deliver(ctx context.Context, flags []*schemas.Flag) error {
	last := map[string]*schemas.Flag{}
	for _, f := range flags {
		last[flagID(f)] = f
	}
	kinds := map[string][]score{} // of spans, of traces
	for _, f := range flags {
		if last[flagID(f)] != f { // a later copy replaces it
			continue
		}
		at, err := r.place(ctx, f)
		if refused, ok := errors.AsType[*refusedError](err); ok {
			r.refuse(flagID(f), refused)
		} else if err != nil {
			return err
		} else {
			kinds[at.kind()] = append(kinds[at.kind()], scoresOf(f, at)...)
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		for batch := range slices.Chunk(kinds[kind], r.size) {
			if err := halve(ctx, batch, r.write, func(s score, err error) { r.refuse(s.flag, err) }); err != nil {
				return err
			}
		}
	}
	return nil
}

// place says where the scores of a flag belong, in ids of the backend.
func (r *round) place(ctx context.Context, f *schemas.Flag) (target, error) {
	at, err := r.locate(f)
	if err != nil {
		return at, &refusedError{err}
	}
	if r.search == nil || r.found[at] != (target{}) {
		return cmp.Or(r.found[at], at), nil
	}
	s := r.search(at)
	if s == nil {
		return at, nil
	}
	id := ""
	err = r.send(ctx, &request{
		op: "find a span in " + r.name, method: http.MethodGet, path: s.path, contentType: "application/json",
		read: func(reply []byte, _ http.Header) (err error) {
			found, ok := s.read(reply)
			if id = found; !ok {
				return errOtherService
			}
			return nil
		},
		missing: json.Valid, // the project comes with its first trace
	})
	if err == nil && id == "" {
		err = &refusedError{errMissing}
	}
	if err == nil {
		r.found[at] = at.as(id)
	}
	return r.found[at], err
}

// write writes scores of one kind.
func (r *round) write(ctx context.Context, batch []score) error {
	body, err := json.Marshal(r.body(batch))
	if err != nil {
		return &refusedError{err}
	}
	return r.send(ctx, &request{
		op: "write scores to " + r.name, method: r.method, path: r.path(batch[0].at), contentType: "application/json", body: body,
		read: func(reply []byte, _ http.Header) error {
			if !r.success(reply) {
				return errOtherService
			}
			return nil
		},
		missing: r.missing,
	})
}
