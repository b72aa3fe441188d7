package ui

import (
	"context"
	"errors"
	"fmt"
	"html/template"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"confab/alerting"
	"confab/detectors"
	"confab/detectors/standard"
	"confab/internal/kafka"
	"confab/internal/redact"
	"confab/internal/worker/access"
	"confab/internal/worker/config"
	"confab/internal/worker/httpserver"
	"confab/internal/worker/records"
)

// Options are the dependencies of the page. All but Started are required.
type Options struct {
	Config  *config.Config
	Kafka   kafka.Config
	Logger  *slog.Logger
	Now     func() time.Time
	Started func(net.Addr) // called once the server listens
}

// Server is the page. Close it after Run.
type Server struct {
	Options

	settings *config.UI
	gate     *access.Gate
	store    *store
	feed     *feed
	texts    *records.Lookup
	redactor *redact.Redactor
	producer *kafka.Producer
	closers  []func()

	templates *template.Template
}

// New makes the page and its producer. No broker need answer.
func New(o Options) (s *Server, err error) {
	c := &o.Config.UI
	held := newStore(c.Flags, detectors.Names(standard.Deep(standard.Dependencies{})), alerting.NewPolicy(o.Config.PolicyOptions()), o.Now)
	s = &Server{
		Options: o, settings: c, redactor: o.Config.Redaction.Redactor(),
		store: held,
	}
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	if s.gate, err = access.NewGate(&c.Auth); err != nil {
		return nil, err
	}
	if s.templates, err = parsePages(); err != nil {
		return nil, err
	}
	registry, err := o.Config.OpenRegistry(nil)
	if err != nil {
		return nil, err
	}
	if registry != nil {
		s.closers = append(s.closers, registry.Close)
	}
	if s.producer, err = kafka.NewProducer(o.Kafka); err != nil {
		return nil, err
	}
	s.closers = append(s.closers, s.producer.Close)
	s.texts = records.NewLookup(o.Config, o.Kafka)
	s.closers = append(s.closers, s.texts.Close)
	s.feed = &feed{
		kafka: o.Kafka, topics: o.Config.Kafka.Topics, decode: records.NewFlagReader(registry), store: held, now: o.Now, log: o.Logger,
	}
	return s, nil
}

// Close closes what New opened.
func (s *Server) Close() {
	for _, closeIt := range slices.Backward(s.closers) {
		closeIt()
	}
	s.closers = nil
}

// Run reads the topics and serves the page until ctx ends, then lets requests in progress finish for stop.
func (s *Server) Run(ctx context.Context, stop time.Duration) error {
	secure, err := access.ServerTLS(&s.settings.TLS, s.Logger)
	if err != nil {
		return fmt.Errorf("ui.tls: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	errs := make(chan error, 2)
	var work sync.WaitGroup
	work.Go(func() {
		defer cancel()
		errs <- s.feed.run(ctx)
	})
	work.Go(func() {
		defer cancel()
		errs <- httpserver.Serve(ctx, &httpserver.Options{
			Name: "page", Address: s.settings.Listen, Key: "ui.listen (confab ui: --listen)", AnyPort: s.Config.IsUnset("ui.listen"), Handler: s.Handler(), TLS: secure,
			WriteTimeout: writeTimeout, StopTime: stop, Log: s.Logger, Started: s.Started,
		})
	})
	work.Wait()
	return errors.Join(<-errs, <-errs)
}

const (
	writeTimeout = 30 * time.Second // of a response: a lookup of texts and a slow client
	maxForm      = 64 << 10
)

var errBehind = errors.New("still reads the topics for the first time")

// Ready returns an error until the topics were read once.
func (s *Server) Ready() error {
	if s.feed.getStatus().CaughtUp {
		return nil
	}
	return errBehind
}

// pageRoute is one path of the page.
type pageRoute struct {
	pattern string
	handle  func(s *Server, q *pageRequest) error
}

func pageRoutes() []pageRoute {
	return []pageRoute{
		{"GET /{$}", (*Server).showHome},
		{"GET /incidents", (*Server).showList},
		{"GET /incidents/{id}", (*Server).showIncident},
		{"POST /incidents/{id}/label", (*Server).saveLabel},
		{"GET /review", (*Server).showReview},
		{"GET /trends", (*Server).showTrends},
		{"GET /assets/{name}", (*Server).showAsset},
		{"/", (*Server).showNothing},
	}
}

// Handler serves the pages.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	for _, r := range pageRoutes() {
		mux.HandleFunc(r.pattern, func(w http.ResponseWriter, h *http.Request) { s.serve(w, h, &r) }) //nolint:contextcheck // the request has it
	}
	if s.settings.Auth.Proxy.UserHeader != "" { // it may keep the name that people use
		return mux
	}
	if own := httpserver.HostOf(s.settings.Listen); config.IsLoopback(own) {
		return httpserver.LocalHosts(own, mux)
	}
	return mux
}
