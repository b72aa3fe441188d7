package httpserver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Options are the options of [Serve].
type Options struct {
	Name, Address string
	Key           string // configuration key of the address
	Handler       http.Handler
	WriteTimeout  time.Duration
	StopTime      time.Duration  // for the requests in progress at the end
	Log           *slog.Logger   // may be nil
	started       func(net.Addr) // called once it listens; may be nil
}

// Timeouts and limits of every server.
const (
	readTimeout    = 5 * time.Second
	idleTimeout    = 2 * time.Minute
	maxHeaderBytes = 16 << 10
)

// Serve serves until ctx ends, then lets requests in progress finish for StopTime. The error of an address that cannot be
// opened names its configuration key.
func Serve(ctx context.Context, s *Options) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", s.Address)
	if err != nil {
		return fmt.Errorf("%s: %w: choose another address with %s, or stop what uses it", s.Name, err, s.Key)
	}
	server := &http.Server{
		Handler:           s.Handler,
		ReadTimeout:       readTimeout,
		ReadHeaderTimeout: readTimeout,
		WriteTimeout:      s.WriteTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
	}
	if s.Log != nil {
		server.ErrorLog = slog.NewLogLogger(s.Log.Handler(), slog.LevelWarn)
		s.Log.InfoContext(ctx, "started server", "server", s.Name, "address", listener.Addr().String())
	}
	if s.started != nil {
		s.started(listener.Addr())
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	select {
	case err := <-served: // the listener failed
		return fmt.Errorf("%s: %w", s.Name, err)
	case <-ctx.Done():
	}
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.StopTime)
	defer cancel()
	if err := server.Shutdown(stop); err != nil {
		_ = server.Close() // requests exceeded StopTime
	}
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("%s: %w", s.Name, err)
	}
	return nil
}
