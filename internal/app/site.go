package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// site is something to be served over HTTP.
type site struct {
	name, address string
	key           string // of the configuration that names the address
	handler       http.Handler
	writeTimeout  time.Duration
	stopTime      time.Duration  // for the requests in progress at the end
	log           *slog.Logger   // may be nil
	started       func(net.Addr) // called once it listens; may be nil
}

// Timeouts and limits of every server.
const (
	siteReadTimeout = 5 * time.Second
	siteIdleTimeout = 2 * time.Minute
	siteMaxHeader   = 16 << 10
)

// listenAndServe serves until ctx ends, then lets the requests in progress finish. The error names the address that could
// not be opened.
func listenAndServe(ctx context.Context, s *site) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", s.address)
	if err != nil {
		return fmt.Errorf("%s: %w: choose another address with %s, or stop what uses it", s.name, err, s.key)
	}
	server := &http.Server{
		Handler:           s.handler,
		ReadTimeout:       siteReadTimeout,
		ReadHeaderTimeout: siteReadTimeout,
		WriteTimeout:      s.writeTimeout,
		IdleTimeout:       siteIdleTimeout,
		MaxHeaderBytes:    siteMaxHeader,
	}
	if s.log != nil {
		server.ErrorLog = slog.NewLogLogger(s.log.Handler(), slog.LevelWarn)
		s.log.InfoContext(ctx, "server listens", "server", s.name, "address", listener.Addr().String())
	}
	if s.started != nil {
		s.started(listener.Addr())
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	select {
	case err := <-served: // not asked to stop: the listener broke
		return fmt.Errorf("%s: %w", s.name, err)
	case <-ctx.Done():
	}
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.stopTime)
	defer cancel()
	if err := server.Shutdown(stop); err != nil {
		_ = server.Close() // a request outlived its time; nobody is left to tell
	}
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	return nil
}
