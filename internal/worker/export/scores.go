package export

import (
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

// missingError names the targets that the backend does not have yet. Nothing of the request was written.
type missingError struct{ ids []string }

func (e *missingError) Error() string {
	return fmt.Sprintf("%d traces or spans are not there yet", len(e.ids))
}

// scoreWriter writes flags as scores to a backend.
type scoreWriter struct {
	*client
	*backend

	now func() time.Time

	mu      sync.Mutex // held during a delivery
	failing bool
	upSince time.Time // end of the last outage
	// What became of the batch in progress: scores that were written or refused, and ids that were found. A batch with more
	// scores than a rate limit allows goes on where it ended.
	done  map[string]error
	found map[string]string
}

func newScoreWriter(e *config.Export, name string) (*scoreWriter, error) {
	b := newBackend(e, name)
	c, err := newClient(e, name, b.url, b.headers)
	if err != nil {
		return nil, err
	}
	return &scoreWriter{client: c, backend: b, now: time.Now, done: map[string]error{}, found: map[string]string{}}, nil
}

// deliver writes the scores of flags. Those that the backend refuses reject their flag; its other scores are written. A flag
// whose span the backend does not have is repeated for the time of spanWait, and rejected after it.
func (w *scoreWriter) deliver(ctx context.Context, flags []*schemas.Flag) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	r := &round{scoreWriter: w, flags: make(map[string]*schemas.Flag, len(flags)), rejected: map[string]error{}, waiting: map[string]bool{}}
	if err := r.deliver(ctx, flags); err != nil {
		w.failing = w.failing || ctx.Err() == nil
		return err
	}
	if w.failing {
		w.failing, w.upSince = false, w.now()
	}
	if r.settleMissing(); len(r.waiting) > 0 {
		return fmt.Errorf("%d flags wait for their traces to arrive in %s", len(r.waiting), w.name)
	}
	clear(w.done)
	clear(w.found)
	if len(r.rejected) > 0 {
		return &rejectedError{r.rejected}
	}
	return nil
}

// round is one delivery.
type round struct {
	*scoreWriter

	flags    map[string]*schemas.Flag // by id
	rejected map[string]error         // by id
	waiting  map[string]bool          // ids of flags whose span is missing
}

func (r *round) deliver(ctx context.Context, flags []*schemas.Flag) error {
	for _, f := range flags {
		r.flags[flagID(f)] = f
	}
	kinds := map[string][]score{} // of spans, of traces
	for _, f := range flags {
		if r.flags[flagID(f)] != f { // a later copy replaces it
			continue
		}
		at, err := r.place(ctx, f)
		if _, missing := errors.AsType[*missingError](err); missing {
			r.waiting[flagID(f)] = true
		} else if refused, ok := errors.AsType[*refusedError](err); ok {
			r.reject(flagID(f), refused)
		} else if err != nil {
			return err
		} else {
			kinds[at.kind()] = append(kinds[at.kind()], scoresOf(f, at)...)
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		for batch := range slices.Chunk(r.unsettled(kinds[kind]), r.size) {
			if err := halve(ctx, batch, r.write, func(s score, err error) { r.settle(&s, err) }); err != nil {
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
	if r.search == nil {
		return at, nil
	}
	s := r.search(at)
	if s == nil {
		return at, nil
	}
	key := at.kind() + s.id
	if r.found[key] == "" {
		missing := &missingError{[]string{s.id}}
		err := r.send(ctx, &request{
			op: "find a span in " + r.name, method: http.MethodGet, path: s.path, contentType: "application/json",
			read: func(reply []byte, _ http.Header) error {
				id, ok := s.read(reply)
				if !ok {
					return errOtherService
				}
				r.found[key] = id
				return nil
			},
			absent: func(reply []byte) error { // the project comes with its first trace
				if !json.Valid(reply) {
					return nil
				}
				return missing
			},
		})
		if err == nil && r.found[key] == "" {
			err = missing
		}
		if err != nil {
			return at, err
		}
	}
	return at.as(r.found[key]), nil
}

// key identifies a score with all that is written of it.
func (s *score) key() string {
	meta, err := json.Marshal(s.metadata) //nolint:gosec // the pass is that of the evaluation
	return fmt.Sprintf("%q %q %q %q %q %x %s %v", s.owner, s.at, s.name, s.label, s.explanation, s.value, meta, err)
}

// unsettled returns the scores about which an earlier attempt has not decided.
func (r *round) unsettled(all []score) (rest []score) {
	for i := range all {
		switch refusal, known := r.done[all[i].key()]; {
		case !known:
			rest = append(rest, all[i])
		case refusal != nil:
			r.reject(all[i].flag, refusal)
		}
	}
	return rest
}

// settle notes that a score was written, or why it was refused.
func (r *round) settle(s *score, refusal error) {
	r.done[s.key()] = refusal
	if refusal != nil {
		r.reject(s.flag, refusal)
	}
}

func (r *round) reject(flag string, err error) {
	if r.rejected[flag] == nil {
		r.rejected[flag] = err
	}
}

// write writes scores of one kind, without those whose spans are missing.
func (r *round) write(ctx context.Context, batch []score) error {
	body, err := json.Marshal(r.body(batch))
	if err != nil {
		return &refusedError{err}
	}
	err = r.send(ctx, &request{
		op: "write scores to " + r.name, method: r.method, path: r.path(batch[0].at), contentType: "application/json", body: body,
		read: func(reply []byte, _ http.Header) error {
			if !r.success(reply) {
				return errOtherService
			}
			return nil
		},
		absent: func(reply []byte) error {
			if r.missing != nil {
				if ids := r.missing(reply); len(ids) > 0 {
					return &missingError{ids}
				}
			}
			return nil
		},
	})
	if missing, ok := errors.AsType[*missingError](err); ok {
		return r.writeOthers(ctx, batch, missing)
	}
	if err == nil {
		for i := range batch {
			r.settle(&batch[i], nil)
		}
	}
	return err
}

func (r *round) writeOthers(ctx context.Context, batch []score, missing *missingError) error {
	var others []score
	for i := range batch {
		if slices.Contains(missing.ids, batch[i].at.id()) {
			r.waiting[batch[i].flag] = true
		} else {
			others = append(others, batch[i])
		}
	}
	switch len(others) {
	case 0:
		return nil
	case len(batch):
		return fmt.Errorf("%s does not name the spans of the batch that it misses", r.name) // so a repeat would not end
	}
	return r.write(ctx, others)
}

// settleMissing rejects the waiting flags whose time is over. It runs from the detection of the flag or, after an outage of
// the backend, from its end. So a backlog of flags whose traces were sampled away does not wait.
func (r *round) settleMissing() {
	now := r.now()
	for flag := range r.waiting {
		age := now.Sub(r.flags[flag].DetectedAt)
		inTime := age < spanWait && age > -spanWait // a date further in the future is wrong
		if inTime || now.Sub(r.upSince) < spanWait {
			continue
		}
		delete(r.waiting, flag)
		r.reject(flag, fmt.Errorf("%s does not have the span %s after the detection: send it the trace, too", r.name, spanWait))
	}
}
