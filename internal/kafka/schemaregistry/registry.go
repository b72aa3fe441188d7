package schemaregistry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/twmb/franz-go/pkg/sr"
)

// ErrUnknownSchema says that the registry answered, and that it has no such schema.
var ErrUnknownSchema = errors.New("the schema registry has no such schema")

const (
	// missTTL is for how long a schema that the registry did not have is not asked for again.
	missTTL = 30 * time.Second
	// pendingRetry is how long a record waits before an id that may still appear is asked for again.
	pendingRetry = time.Second
	// maxMisses bounds the ids that are remembered as missing: they come from whoever writes records.
	maxMisses = 4096
)

// Options say how to reach a schema registry that speaks Confluent's API. URL is required.
type Options struct {
	URL      string
	Username string // basic authentication
	Password string
	Token    string // bearer authentication
	CAFile   string // PEM; the system's roots when empty
	Timeout  time.Duration
	// UnknownRetry is for how long, from the first time it was asked for, a missing id may still appear: a producer can
	// be faster than the registry's replicas.
	UnknownRetry time.Duration
	Metrics      prometheus.Registerer // nil counts nothing
	Now          func() time.Time      // time.Now when nil
}

// WriterSchema is the schema that a producer wrote a record with.
type WriterSchema struct {
	Type          string // AVRO, JSON or PROTOBUF
	Text          string
	HasReferences bool // to other schemas, which are not fetched
	// Oversized says that the schema is longer than is read; Type and Text are empty.
	Oversized bool
}

// Client looks up and registers schemas. What an id means never changes, so schemas are kept for ever; misses are
// kept for half a minute. Concurrent questions about one id are one request. It is safe for concurrent use.
type Client struct {
	opts    Options
	client  *sr.Client
	http    *http.Client
	metrics *clientMetrics

	mu      sync.Mutex
	known   map[uint32]WriterSchema
	pending map[uint32]*pendingLookup
	misses  *lru.Cache[uint32, missingSchema]
}

// pendingLookup is a request on its way; its answer may be read once done is closed.
type pendingLookup struct {
	done   chan struct{}
	writer WriterSchema
	err    error
}

// missingSchema is an id that the registry did not have.
type missingSchema struct{ first, last time.Time }

// New prepares a client without touching the network.
func New(opts Options) (*Client, error) {
	opts.Timeout = cmp.Or(opts.Timeout, 5*time.Second)
	if opts.Now == nil {
		opts.Now = time.Now
	}
	client, httpClient, err := newRegistryClient(&opts)
	if err != nil {
		return nil, err
	}
	misses, err := lru.New[uint32, missingSchema](maxMisses)
	if err != nil {
		return nil, fmt.Errorf("schema registry: %w", err)
	}
	return &Client{
		opts: opts, client: client, http: httpClient, metrics: newClientMetrics(opts.Metrics, opts.Now),
		known: map[uint32]WriterSchema{}, pending: map[uint32]*pendingLookup{}, misses: misses,
	}, nil
}

// Close ends the idle connections.
func (r *Client) Close() { r.http.CloseIdleConnections() }

// Schema is the schema of an id. ErrUnknownSchema means that there is none, also after UnknownRetry; a *PendingError
// that there is none yet; any other error that the registry could not be asked, which says nothing about the id.
func (r *Client) Schema(ctx context.Context, id uint32) (WriterSchema, error) {
	for {
		r.mu.Lock()
		if w, ok := r.known[id]; ok {
			r.mu.Unlock()
			return w, nil
		}
		if err := r.cachedMiss(id); err != nil {
			r.mu.Unlock()
			return WriterSchema{}, err
		}
		q, underway := r.pending[id]
		if !underway {
			q = &pendingLookup{done: make(chan struct{})}
			r.pending[id] = q
		}
		r.mu.Unlock()
		if !underway {
			r.fetchSchema(ctx, id, q)
			return q.writer, q.err
		}
		select {
		case <-q.done:
		case <-ctx.Done():
			return WriterSchema{}, fmt.Errorf("look up schema %d: %w", id, ctx.Err())
		}
		if !errors.Is(q.err, context.Canceled) { // whoever asked was told to stop; we were not
			return q.writer, q.err
		}
	}
}

// fetchSchema puts the question to the registry and remembers the answer.
func (r *Client) fetchSchema(ctx context.Context, id uint32, q *pendingLookup) {
	s, err := r.client.SchemaByID(ctx, int(id))
	if err == nil && s.Schema == "" {
		err = errNoSchema
	}
	oversized := errors.Is(err, errOversized)
	if oversized {
		err = nil
	}
	err = r.describeError(fmt.Sprintf("look up schema %d", id), err)
	r.mu.Lock()
	defer r.mu.Unlock()
	defer close(q.done)
	delete(r.pending, id)
	r.metrics.observeLookup(ctx, err)
	switch {
	case err == nil:
		q.writer = WriterSchema{Type: s.Type.String(), Text: s.Schema, HasReferences: len(s.References) > 0}
		if oversized {
			q.writer = WriterSchema{Oversized: true}
		}
		r.known[id] = q.writer
		r.misses.Remove(id)
	case errors.Is(err, ErrUnknownSchema):
		now := r.opts.Now()
		m, again := r.misses.Get(id)
		if !again {
			m.first = now
		}
		m.last = now
		r.misses.Add(id, m)
		q.err = err
		if left := m.first.Add(r.opts.UnknownRetry).Sub(now); left > 0 {
			q.err = &PendingError{ID: id, wait: min(left, pendingRetry)}
		}
	default:
		q.err = err
	}
}

// cachedMiss is the answer that a remembered miss gives, nil when the registry is to be asked. r.mu is held.
func (r *Client) cachedMiss(id uint32) error {
	m, ok := r.misses.Get(id)
	if !ok {
		return nil
	}
	now := r.opts.Now()
	if left := m.first.Add(r.opts.UnknownRetry).Sub(now); left > 0 {
		if wait := m.last.Add(pendingRetry).Sub(now); wait > 0 {
			return &PendingError{ID: id, wait: min(left, wait)}
		}
		return nil
	}
	// Asked at least once after the window: then the miss stands for a while.
	if m.last.Sub(m.first) >= r.opts.UnknownRetry && now.Sub(m.last) < missTTL {
		return fmt.Errorf("look up schema %d: %w", id, ErrUnknownSchema)
	}
	return nil
}

// PendingError says that the registry does not have a schema yet, and that it is too early to give up.
type PendingError struct {
	ID   uint32
	wait time.Duration
}

func (e *PendingError) Error() string {
	return fmt.Sprintf("the schema registry does not have schema %d, at least not yet", e.ID)
}

// RetryAfter is when to ask again.
func (e *PendingError) RetryAfter() time.Duration { return e.wait }
