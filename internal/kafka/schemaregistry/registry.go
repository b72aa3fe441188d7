package schemaregistry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"confab/internal/httpclient"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/twmb/franz-go/pkg/sr"
)

// ErrUnknownSchema means that the registry answered and does not have the schema.
var ErrUnknownSchema = errors.New("the schema registry has no such schema")

const (
	// missTTL is how long a miss is cached.
	missTTL = 30 * time.Second
	// pendingRetry is the wait between lookups of an id that may still appear.
	pendingRetry = time.Second
	// maxMisses bounds the cached misses: producers choose the ids.
	maxMisses = 4096
)

// Options configure a Client. URL is required.
type Options struct {
	URL      string
	Username string // basic authentication
	Password string
	Token    string             // bearer authentication
	CAFile   string             // PEM; the system's roots when empty
	HTTP     httpclient.Options // proxy, certificates, OAuth 2.0, headers; its certificates replace CAFile
	Timeout  time.Duration
	// UnknownRetry is how long, from the first lookup, a missing id may still appear: a producer can be faster than the
	// registry's replicas.
	UnknownRetry time.Duration
	Metrics      prometheus.Registerer // nil counts nothing
	Now          func() time.Time      // time.Now when nil
}

// WriterSchema is the schema of the producer of a record.
type WriterSchema struct {
	Type          string // AVRO, JSON or PROTOBUF
	Text          string
	HasReferences bool // it refers to other schemas, which are not fetched
	// Oversized means that the schema exceeds the size limit; Type and Text are empty.
	Oversized bool
}

// Client looks up and registers schemas. The schema of an id never changes, so schemas are cached forever and misses for
// half a minute. Concurrent lookups of one id share one request. It is safe for concurrent use.
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

// pendingLookup is a request in flight; its result may be read once done is closed.
type pendingLookup struct {
	done   chan struct{}
	writer WriterSchema
	err    error
}

// missingSchema is an id that the registry does not have.
type missingSchema struct{ first, last time.Time }

// New returns a client. It does not use the network.
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

// Close closes idle connections.
func (r *Client) Close() { r.http.CloseIdleConnections() }

// Schema returns the schema of an id. ErrUnknownSchema means that there is none after UnknownRetry; a *PendingError that
// there is none yet; any other error that the registry could not be asked.
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
		if !errors.Is(q.err, context.Canceled) { // only the context of the other caller ended
			return q.writer, q.err
		}
	}
}

// fetchSchema asks the registry and caches the result.
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

// cachedMiss returns the error of a cached miss, nil when the registry must be asked. The caller holds r.mu.
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
	// Asked at least once after the window: the miss stands for missTTL.
	if m.last.Sub(m.first) >= r.opts.UnknownRetry && now.Sub(m.last) < missTTL {
		return fmt.Errorf("look up schema %d: %w", id, ErrUnknownSchema)
	}
	return nil
}

// PendingError means that the registry does not have a schema yet and UnknownRetry has not passed.
type PendingError struct {
	ID   uint32
	wait time.Duration
}

func (e *PendingError) Error() string {
	return fmt.Sprintf("the schema registry does not have schema %d, at least not yet", e.ID)
}

// RetryAfter returns when to ask again.
func (e *PendingError) RetryAfter() time.Duration { return e.wait }
