package httpserver

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"syscall"
	"time"
)

// Options are the options of [Serve].
type Options struct {
	Name, Address string
	Key           string // configuration key of the address
	AnyPort       bool   // if the port is taken, a free one is opened instead, with a warning
	Handler       http.Handler
	TLS           *tls.Config    // nil: HTTP
	ReadTimeout   time.Duration  // of the header, and of the body unless Streams; 0: the default
	WriteTimeout  time.Duration  // 0: none
	Streams       bool           // the handler sets the deadlines of bodies
	GRPC          bool           // HTTP/2 without encryption, too
	StopTime      time.Duration  // for the requests in progress at the end
	Log           *slog.Logger   // may be nil
	Started       func(net.Addr) // called once it listens; may be nil
}

// Timeouts and limits of every server.
const (
	readTimeout    = 5 * time.Second
	idleTimeout    = 2 * time.Minute
	maxHeaderBytes = 16 << 10
)

func (s *Options) listen(ctx context.Context) (net.Listener, error) {
	var lc net.ListenConfig
	listener, err := lc.Listen(ctx, "tcp", s.Address)
	if !s.AnyPort || !errors.Is(err, syscall.EADDRINUSE) {
		return listener, err
	}
	listener, err = lc.Listen(ctx, "tcp", net.JoinHostPort(HostOf(s.Address), "0"))
	if err == nil && s.Log != nil {
		// Each server has a message of its own, since equal warnings are logged once a minute.
		s.Log.WarnContext(ctx, s.Name+": default port is in use, listening on a free one", "taken", //nolint:sloglint // see above
			s.Address,
			"address", listener.Addr().String(), "remedy", "to choose a port, set "+s.Key)
	}
	return listener, err
}

// Serve serves until ctx ends, then lets requests in progress finish for StopTime. The error of an address that cannot be
// opened names its configuration key.
func Serve(ctx context.Context, s *Options) error {
	listener, err := s.listen(ctx)
	if err != nil {
		return fmt.Errorf("%s: %w: choose another address with %s, or stop what uses it", s.Name, err, s.Key)
	}
	server := &http.Server{
		Handler:           s.Handler,
		ReadTimeout:       cmp.Or(s.ReadTimeout, readTimeout),
		ReadHeaderTimeout: cmp.Or(s.ReadTimeout, readTimeout),
		WriteTimeout:      s.WriteTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
	}
	if s.Streams {
		server.ReadTimeout = 0
	}
	if s.GRPC {
		server.Protocols = new(http.Protocols)
		server.Protocols.SetHTTP1(true)
		server.Protocols.SetHTTP2(true)
		server.Protocols.SetUnencryptedHTTP2(true)
	}
	serve := server.Serve
	if s.TLS != nil {
		server.TLSConfig = s.TLS
		serve = func(l net.Listener) error { return server.ServeTLS(l, "", "") }
	}
	if s.Log != nil {
		server.ErrorLog = slog.NewLogLogger(s.Log.Handler(), slog.LevelWarn)
		s.Log.InfoContext(ctx, "started server", "server", s.Name, "address", listener.Addr().String())
	}
	if s.Started != nil {
		s.Started(listener.Addr())
	}
	served := make(chan error, 1)
	go func() { served <- serve(listener) }()
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
