package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// TestStandardLogQuotesNoReply: net/http logs what a server sends unasked, verbatim; the worker does not.
func TestStandardLogQuotesNoReply(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		muteStandardLog(&out)
		t.Cleanup(func() { log.SetOutput(os.Stderr) })
		transport := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
			ours, theirs := net.Pipe()
			go func() {
				defer theirs.Close()
				r := bufio.NewReader(theirs)
				if _, err := http.ReadRequest(r); err == nil {
					_, _ = io.WriteString(theirs, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
					synctestPause()
					_, _ = io.WriteString(theirs, "hunter2") // the client hangs up
				}
			}()
			return ours, nil
		}}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1/", http.NoBody)
		require.NoError(t, err)
		reply, err := (&http.Client{Transport: transport}).Do(req)
		require.NoError(t, err)
		_, err = io.ReadAll(reply.Body)
		require.NoError(t, err)
		require.NoError(t, reply.Body.Close())
		synctestPause()
		synctestPause()
		transport.CloseIdleConnections()
		require.Contains(t, out.String(), "Unsolicited response", "it is net/http that logs")
		require.NotContains(t, out.String(), "hunter2")
	})
}

// synctestPause lets virtual time pass.
func synctestPause() { <-time.After(time.Second) }
