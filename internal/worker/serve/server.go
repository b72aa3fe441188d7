package serve

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"mime"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	collogspb "go.opentelemetry.io/proto/otlp/collector/logs/v1"
	coltracepb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"golang.org/x/sync/semaphore"

	"confab"
	"confab/internal/kafka"
	"confab/internal/worker/access"
	"confab/internal/worker/config"
	"confab/internal/worker/coverage"
	"confab/internal/worker/httpserver"
	"confab/internal/worker/records"
	"confab/internal/worker/recordshape"
	"confab/schemas/json"
)

// Deep makes the evaluator of deep evaluations. Call the function after use.
type Deep func() (*confab.Evaluator, func(), error)

// Options are the dependencies of a server. Publish and Vote may be nil, Produce and Limits are for serve.otlp_topic, and the
// other fields are required.
type Options struct {
	Config    *config.Config
	Evaluator *atomic.Pointer[confab.Evaluator] // replaced on reload; one request uses one evaluator
	Deep      Deep
	Publish   Publish                          // writes what was checked; nil writes nothing
	Produce   func(kafka.Message, func(error)) // as that of kafka.Producer
	Limits    *kafka.SizeLimits
	Vote      Vote                      // writes votes of end users; nil: they are refused
	Checks    *coverage.GroundingChecks // may be nil
	Registry  prometheus.Registerer
	Logger    *slog.Logger
	Now       func() time.Time
	Started   func(net.Addr) // called once the server listens; may be nil
}

// Server checks interactions on request. It is safe for concurrent use.
type Server struct {
	Options

	settings *config.Serve
	gate     *access.Gate
	slots    *semaphore.Weighted
	limits   *tenantLimits
	metrics  *Metrics
	plain    *json.Decoder
	brief    *json.Mapping                 // of POST /check
	input    *records.FileInput            // completes interactions
	presets  map[string]*records.FileInput // by name
	deep     *deepEvaluator
	bodies   *semaphore.Weighted // bytes of all bodies, besides the first ones of each
	exports  *semaphore.Weighted // bytes of what was received over OTLP and is not acknowledged
	cutting  sync.Mutex          // one request is cut at a time, for its memory
}

// Limits of the bodies of all requests in progress: as many of the largest size, but at least some bytes.
const (
	bodiesAtOnce = 8
	minBodies    = 16 << 20
)

// New makes a server.
func New(o Options) (*Server, error) {
	c := &o.Config.Serve
	gate, err := access.NewGate(&c.Auth)
	if err != nil {
		return nil, err
	}
	room := max(bodiesAtOnce*int64(c.MaxBodySize), minBodies)
	s := &Server{
		Options: o, settings: c, gate: gate, slots: semaphore.NewWeighted(int64(c.MaxConcurrent)),
		limits: newTenantLimits(o.Config), metrics: NewMetrics(o.Registry),
		presets: make(map[string]*records.FileInput),
		deep:    &deepEvaluator{open: o.Deep},
		bodies:  semaphore.NewWeighted(room),
		exports: semaphore.NewWeighted(room),
	}
	if s.brief, err = newBriefMapping(int(c.MaxBodySize)); err != nil {
		return nil, err
	}
	sized := *o.Config
	sized.Kafka.MaxRecordBytes = c.MaxBodySize // a body is no record of a topic
	if s.plain, err = recordshape.NewDecoder(recordshape.Options{}, json.Options{MaxBytes: int(c.MaxBodySize)}); err != nil {
		return nil, err
	}
	if s.input, err = records.NewFileInput(o.Config, ""); err != nil {
		return nil, err
	}
	for _, name := range recordshape.PresetNames() {
		if s.presets[name], err = records.NewPresetInput(&sized, name); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Run serves until ctx ends, then lets requests in progress finish for stop.
func (s *Server) Run(ctx context.Context, stop time.Duration) error {
	secure, err := access.ServerTLS(&s.settings.TLS, s.Logger)
	if err != nil {
		return fmt.Errorf("serve.tls: %w", err)
	}
	defer s.deep.close()
	return httpserver.Serve(ctx, &httpserver.Options{
		Name: "check server", Address: s.settings.Listen, Key: "serve.listen (confab serve: --listen)", Handler: s.Handler(), TLS: secure,
		ReadTimeout: s.settings.ReadTimeout, Streams: true, GRPC: true, StopTime: stop, Log: s.Logger, Started: s.Started,
	})
}

// apiRoute is one path of the API.
type apiRoute struct {
	path   string
	method string
	handle func(s *Server, q *webRequest) error
	kinds  []string // of bodies; nil: it takes none and needs no login
}

// Media types of bodies.
const (
	kindJSON  = "application/json"
	kindLines = "application/x-ndjson"
	kindProto = "application/x-protobuf"
	kindGRPC  = "application/grpc"
)

// apiRoutes are the API; openapi.yaml describes it.
func apiRoutes() []apiRoute {
	return []apiRoute{
		{"/v1/check", http.MethodPost, (*Server).check, []string{kindJSON, kindLines, "application/jsonl", "application/jsonlines"}},
		{"/check", http.MethodPost, (*Server).checkBrief, []string{kindJSON}},
		{"/v1/check/chat", http.MethodPost, (*Server).checkChat, []string{kindJSON}},
		{"/v1/traces", http.MethodPost, (*Server).receive, []string{kindProto, kindJSON}},
		{"/v1/logs", http.MethodPost, (*Server).receive, []string{kindProto, kindJSON}},
		{"/v1/feedback", http.MethodPost, (*Server).feedback, []string{kindJSON}},
		{"/openapi.yaml", http.MethodGet, (*Server).describe, nil},
		{"/healthz", http.MethodGet, (*Server).health, nil},
	}
}

// callRoutes are the calls of gRPC.
func callRoutes() []apiRoute {
	return []apiRoute{
		{coltracepb.TraceService_Export_FullMethodName, http.MethodPost, (*Server).receive, []string{kindGRPC, kindGRPC + "+proto"}},
		{collogspb.LogsService_Export_FullMethodName, http.MethodPost, (*Server).receive, []string{kindGRPC, kindGRPC + "+proto"}},
	}
}

func (r *apiRoute) isOTLP() bool {
	return r.kinds != nil && (r.kinds[0] == kindProto || r.kinds[0] == kindGRPC)
}

// Handler serves the API.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	for _, r := range slices.Concat(apiRoutes(), callRoutes()) {
		mux.HandleFunc(r.path, func(w http.ResponseWriter, q *http.Request) { s.serve(w, q, &r) })
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, q *http.Request) { s.serve(w, q, nil) })
	if s.settings.Auth.IsEmpty() { // on loopback: other sites must not reach it through a browser
		return httpserver.NoSniff(httpserver.LocalHosts(httpserver.HostOf(s.settings.Listen), mux))
	}
	return httpserver.NoSniff(mux)
}

// serve answers one request; r is nil for unknown paths.
func (s *Server) serve(w http.ResponseWriter, raw *http.Request, r *apiRoute) {
	began := s.Now()
	q := &webRequest{Request: raw, route: r, reply: &webReply{w: w}, began: began, limit: int(s.settings.MaxBodySize), bodies: s.bodies}
	q.kind, _, _ = mime.ParseMediaType(raw.Header.Get("Content-Type")) // none is refused like another
	q.input, q.published = &s.Config.Kafka.Inputs[0], s.settings.Publish == config.PublishAll
	if r != nil && r.isOTLP() {
		q.input, q.published, q.bodies = s.Config.OTLPInput(), true, s.exports
	}
	path := "other"
	if r != nil {
		path = r.path
	}
	err := s.answer(q, r) //nolint:contextcheck // the request has it
	if err != nil {
		p := s.problem(err)
		q.fail(p)
		if path != "/healthz" {
			s.auditRefusal(raw.Context(), q, path, p)
		}
	}
	s.metrics.observe(path, q.reply.status, s.Now().Sub(began))
}

// auditLines counts the refused lines of a request, by code, and logs them in one line.
func (s *Server) auditLines(q *webRequest, refused map[string]int) {
	for code, n := range refused {
		s.metrics.refused.WithLabelValues(code).Add(float64(n))
	}
	if len(refused) > 0 {
		s.Logger.InfoContext(q.Context(), "lines refused", "client", q.RemoteAddr, "principal", q.principal.Name,
			"last_tenant", q.tenant, "codes", refused)
	}
}

// auditRefusal counts and logs a request that is refused.
func (s *Server) auditRefusal(ctx context.Context, q *webRequest, path string, p *apiProblem) {
	s.metrics.refused.WithLabelValues(p.code).Inc()
	s.Logger.InfoContext(ctx, "request refused", "route", path, "client", q.RemoteAddr, "principal", q.principal.Name,
		"tenant", q.tenant, "status", p.status, "code", p.code)
}

// answer admits the request and handles it.
func (s *Server) answer(q *webRequest, r *apiRoute) (err error) {
	switch {
	case r == nil:
		return errUnknownPath
	case q.Method != r.method && (r.method != http.MethodGet || q.Method != http.MethodHead):
		q.reply.header().Set("Allow", r.method)
		return errMethod
	case r.isOTLP() && s.settings.OTLPTopic == "":
		return errNoReceiver
	case r.kinds == nil:
		return r.handle(s, q)
	}
	if q.principal, err = s.gate.Authenticate(q.Request); err != nil {
		s.gate.Refuse(q.reply.header(), q.Request, s.Logger)
		return err
	}
	if err := s.acquireSlot(q.Context()); err != nil {
		return err
	}
	defer s.slots.Release(1)
	defer func() { q.bodies.Release(q.counted) }()
	if err := q.openBody(s.settings); err != nil {
		return err
	}
	return r.handle(s, q)
}

// slotWait is how long a request waits for others to end.
const slotWait = time.Second

func (s *Server) acquireSlot(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, slotWait)
	defer cancel()
	if err := s.slots.Acquire(limited, 1); err != nil {
		return cmp.Or(ctx.Err(), error(errOverloaded))
	}
	return nil
}

func (s *Server) health(q *webRequest) error {
	q.reply.write(http.StatusOK, "text/plain; charset=utf-8", []byte("ok\n"))
	return nil
}
