package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	extproc "github.com/envoyproxy/go-control-plane/envoy/service/ext_proc/v3"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// The program serves Envoy, logs in to Confab, and stops when its context ends.
func TestServeProcessor(t *testing.T) {
	seen := make(chan http.Header, 1)
	confab := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(checkedHeader, "full")
		seen <- r.Header
	}))
	t.Cleanup(confab.Close)
	token, address := filepath.Join(t.TempDir(), "token"), freeAddress(t)
	require.NoError(t, os.WriteFile(token, []byte("secret\n"), 0o600))
	s, err := parseFlags([]string{"-listen", address, "-confab", confab.URL, "-tenant", "shop", "-token-file", token})
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	done := make(chan error, 1)
	go func() { done <- serveProcessor(ctx, s) }()

	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithDefaultCallOptions(grpc.WaitForReady(true)))
	require.NoError(t, err)
	got := playEnvoy(t, extproc.NewExternalProcessorClient(conn), call{body: question, modelHeader: jsonType, modelBody: completion(wrong)})
	require.Equal(t, http.StatusOK, got.status)
	h := <-seen
	require.Equal(t, "Bearer secret", h.Get("Authorization"))
	require.Equal(t, "shop", h.Get("X-Confab-Tenant"))
	require.NoError(t, conn.Close())
	stop()
	select {
	case err = <-done:
		require.NoError(t, err)
	case <-time.After(10 * time.Second):
		t.Fatal("the program does not stop")
	}
}

func TestFlagErrors(t *testing.T) {
	for _, args := range [][]string{{"-on-failure", "maybe"}, {"-streams", "drop"}, {"-timeout", "0s"}, {"-max-body", "0"}, {"-unknown"}} {
		_, err := parseFlags(args)
		require.Error(t, err, args)
	}
	for _, confab := range []string{"", "localhost:9470", "ftp://localhost", "http://"} {
		_, err := newChecker(settings{confab: confab}, "")
		require.ErrorContains(t, err, "-confab", confab)
	}
	require.ErrorContains(t, serveProcessor(t.Context(), settings{confab: "http://localhost", tokenFile: "absent"}), "read the token")
}
