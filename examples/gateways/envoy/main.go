// Command envoygateway is an external processor (ext_proc) for Envoy: confab serve checks the answers of chat completions that pass
// through Envoy, and the processor acts on the result.
//
//	cd examples/gateways/envoy && go run . -confab http://localhost:9470
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	extproc "github.com/envoyproxy/go-control-plane/envoy/service/ext_proc/v3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
)

// settings are the flags of the command line.
type settings struct {
	listen, confab, tenant, tokenFile string

	timeout      time.Duration
	maxBody      int      // bytes of a request and of a response, after decompression
	failClosed   bool     // an answer that cannot be checked is refused
	checkStreams bool     // streams are held back until they were checked
	pass         []string // paths that pass unchecked
}

func main() {
	s, err := parseFlags(os.Args[1:])
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err == nil {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		err = serveProcessor(ctx, s)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func parseFlags(args []string) (s settings, err error) {
	flags := flag.NewFlagSet("envoygateway", flag.ContinueOnError)
	flags.StringVar(&s.listen, "listen", "127.0.0.1:9480", "address for Envoy, gRPC")
	flags.StringVar(&s.confab, "confab", "http://localhost:9470", "URL of confab serve")
	flags.StringVar(&s.tenant, "tenant", "", "tenant of all answers; the client's X-Confab-Tenant is ignored")
	flags.StringVar(&s.tokenFile, "token-file", "", "file with the token of confab serve")
	flags.DurationVar(&s.timeout, "timeout", 2*time.Second, "longest time for one answer; less than message_timeout of Envoy")
	flags.IntVar(&s.maxBody, "max-body", 1<<20, "bytes of a request or response that are checked; less than per_connection_buffer_limit_bytes of Envoy")
	onFailure := flags.String("on-failure", "closed", "what happens to an answer that cannot be checked: open (passes) or closed (503)")
	pass := flags.String("pass", "/v1/models,/v1/embeddings", "paths that pass unchecked, separated by commas; others than these and chat completions are refused")
	streams := flags.String("streams", "check", "streamed answers: check (held back until the end) or pass")
	if err := flags.Parse(args); err != nil {
		return s, err
	}
	s.pass = strings.Split(*pass, ",")
	s.failClosed, s.checkStreams = *onFailure == "closed", *streams == "check"
	switch {
	case *onFailure != "open" && *onFailure != "closed":
		return s, fmt.Errorf("-on-failure is %q: set open or closed", *onFailure)
	case *streams != "check" && *streams != "pass":
		return s, fmt.Errorf("-streams is %q: set check or pass", *streams)
	case s.timeout <= 0 || s.maxBody <= 0:
		return s, errors.New("-timeout and -max-body must be above 0")
	}
	return s, nil
}

// serveProcessor serves Envoy until the context ends.
func serveProcessor(ctx context.Context, s settings) error {
	var token []byte
	if s.tokenFile != "" {
		text, err := os.ReadFile(s.tokenFile)
		if err != nil {
			return fmt.Errorf("read the token: %w", err)
		}
		token = bytes.TrimSpace(text)
	}
	check, err := newChecker(s, string(token))
	if err != nil {
		return err
	}
	logger := slog.New(slog.NewTextHandler(os.Stderr, nil))
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", s.listen)
	if err != nil {
		return err
	}
	server := newServer(&processor{settings: s, checker: check, logger: logger}, s.maxBody)
	go func() {
		<-ctx.Done()
		forced := time.AfterFunc(s.timeout, server.Stop)
		defer forced.Stop()
		server.GracefulStop()
	}()
	logger.Info("processor started", "address", listener.Addr().String(), "confab", s.confab)
	return server.Serve(listener)
}

// newServer registers the processor and the health service, which Envoy's health checks ask.
func newServer(p extproc.ExternalProcessorServer, maxBody int) *grpc.Server {
	server := grpc.NewServer(grpc.MaxRecvMsgSize(max(8*maxBody, 16<<20)), grpc.MaxConcurrentStreams(1024))
	extproc.RegisterExternalProcessorServer(server, p)
	grpc_health_v1.RegisterHealthServer(server, health.NewServer())
	return server
}
