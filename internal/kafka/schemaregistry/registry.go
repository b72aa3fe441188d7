// Package schemaregistry is a client of a Confluent-compatible schema registry: schemas by id, which are cached, and by
// subject, with registration and compatibility checks. Of Apicurio's registry it reads its own ids, too. Responses are
// bounded, and errors hold no text of the server.
package schemaregistry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/twmb/franz-go/pkg/sr"
	"golang.org/x/sync/singleflight"

	"confab/internal/httpclient"
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

	lookups singleflight.Group

	mu     sync.Mutex
	known  map[ID]WriterSchema
	misses *lru.Cache[ID, missingSchema]
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
	misses, err := lru.New[ID, missingSchema](maxMisses)
	if err != nil {
		return nil, fmt.Errorf("schema registry: %w", err)
	}
	return &Client{
		opts: opts, client: client, http: httpClient, metrics: newClientMetrics(opts.Metrics, opts.Now),
		known: map[ID]WriterSchema{}, misses: misses,
	}, nil
}

// Close closes idle connections.
func (r *Client) Close() { r.http.CloseIdleConnections() }

// Schema returns the schema of an id. ErrNotApicurio means that only Apicurio's registry knows such ids; ErrUnknownSchema that there is
// none after UnknownRetry; a *PendingError that there is none yet; any other error that the registry could not be asked.
func (r *Client) Schema(ctx context.Context, id ID) (WriterSchema, error) {
	if w, found, err := r.cached(id); found || err != nil {
		return w, err
	}
	reply := r.lookups.DoChan(id.String(), func() (any, error) {
		return r.fetchSchema(context.WithoutCancel(ctx), id) // other callers wait for it; the client's timeout bounds it
	})
	select {
	case got := <-reply:
		w, _ := got.Val.(WriterSchema)
		return w, got.Err
	case <-ctx.Done():
		return WriterSchema{}, fmt.Errorf("look up %s: %w", id, ctx.Err())
	}
}

func (r *Client) cached(id ID) (w WriterSchema, found bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if w, found = r.known[id]; found {
		return w, true, nil
	}
	return w, false, r.cachedMiss(id)
}

// fetchSchema asks the registry and caches the result.
func (r *Client) fetchSchema(ctx context.Context, id ID) (WriterSchema, error) {
	if w, found, err := r.cached(id); found || err != nil { // another caller has just asked
		return w, err
	}
	s, err := r.ask(ctx, id)
	if errors.Is(err, ErrNotApicurio) {
		return WriterSchema{}, err
	}
	if err == nil && s.Schema == "" {
		err = errNoSchema
	}
	w := WriterSchema{Type: s.Type.String(), Text: s.Schema, HasReferences: len(s.References) > 0}
	if errors.Is(err, errOversized) {
		w, err = WriterSchema{Oversized: true}, nil
	}
	err = r.describeError("look up "+id.String(), err)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.metrics.observeLookup(err)
	switch {
	case err == nil:
		r.known[id] = w
		r.misses.Remove(id)
		return w, nil
	case !errors.Is(err, ErrUnknownSchema):
		return WriterSchema{}, err
	}
	now := r.opts.Now()
	m, again := r.misses.Get(id)
	if !again {
		m.first = now
	}
	m.last = now
	r.misses.Add(id, m)
	if left := m.first.Add(r.opts.UnknownRetry).Sub(now); left > 0 {
		err = &PendingError{ID: id, wait: min(left, pendingRetry)}
	}
	return WriterSchema{}, err
}

// cachedMiss returns the error of a cached miss, nil when the registry must be asked. The caller holds r.mu.
func (r *Client) cachedMiss(id ID) error {
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
		return fmt.Errorf("look up %s: %w", id, ErrUnknownSchema)
	}
	return nil
}

// PendingError means that the registry does not have a schema yet and UnknownRetry has not passed.
type PendingError struct {
	ID   ID
	wait time.Duration
}

func (e *PendingError) Error() string {
	return fmt.Sprintf("the schema registry does not have %s, at least not yet", e.ID)
}

// RetryAfter returns when to ask again.
func (e *PendingError) RetryAfter() time.Duration { return e.wait }

// clientMetrics count lookups. Answers from the cache are not counted.
type clientMetrics struct {
	lookups *prometheus.CounterVec
	since   atomic.Int64 // Unix nanoseconds of the first failure in a row, 0 after a success
	now     func() time.Time
}

func newClientMetrics(reg prometheus.Registerer, now func() time.Time) *clientMetrics {
	m := &clientMetrics{now: now}
	f := promauto.With(reg)
	m.lookups = f.NewCounterVec(prometheus.CounterOpts{
		Name: "confab_registry_lookups_total", Help: "Schemas asked for at the registry, by result: found, unknown or error.",
	}, []string{"result"})
	for _, result := range []string{"found", "unknown", "error"} {
		m.lookups.WithLabelValues(result)
	}
	f.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "confab_registry_stall_seconds", Help: "For how long the registry has not answered lookups; 0 when it does.",
	}, m.stallSeconds)
	return m
}

func (m *clientMetrics) stallSeconds() float64 {
	since := m.since.Load()
	if since == 0 {
		return 0
	}
	return max(0, m.now().Sub(time.Unix(0, since)).Seconds())
}

// observeLookup counts a lookup.
func (m *clientMetrics) observeLookup(err error) {
	switch {
	case err == nil:
		m.lookups.WithLabelValues("found").Inc()
	case errors.Is(err, ErrUnknownSchema):
		m.lookups.WithLabelValues("unknown").Inc()
	default:
		m.lookups.WithLabelValues("error").Inc()
		m.since.CompareAndSwap(0, m.now().UnixNano())
		return
	}
	m.since.Store(0)
}
