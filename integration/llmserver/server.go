//go:build integration

package llmserver

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// Options configure a server; the zero value serves chat with the test model.
type Options struct {
	Model    string // a GGUF file; TinyFacts when ""
	Context  int    // tokens of a prompt and its reply; 0 is 1024, or the model's limit if that is less
	Embed    bool   // serve embeddings instead of chat
	Template string // chat template file, for a model without one
	Stop     string // stop sequence; "" for none
}

// Server is a running process. Close it.
type Server struct {
	port   int
	cmd    *exec.Cmd
	stdin  io.Closer // closing it ends the process
	log    bytes.Buffer
	loaded chan struct{} // closed when it listens
	done   chan struct{} // closed when it has ended
}

// packageDir returns this directory, also for tests of other packages.
func packageDir() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Dir(file)
}

// TinyFacts returns the file of the test model: a Llama of 1.5 million parameters with a context of 224 tokens that knows
// some capitals, chemical symbols, years, authors and sums, and not others.
func TinyFacts() string { return filepath.Join(packageDir(), "testdata", "tiny-facts.gguf") }

// RequirePython returns a Python that can serve. Without one it skips the test, or fails it with REQUIRE_LLM=1.
func RequirePython(t testing.TB) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(packageDir(), "python.sh"))
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err == nil {
		return strings.TrimSpace(string(out))
	}
	message := fmt.Sprintf("no server of language models: %v: %s", err, bytes.TrimSpace(errs.Bytes()))
	if os.Getenv("REQUIRE_LLM") == "1" {
		t.Fatalf("%s (REQUIRE_LLM=1 forbids the skip)", message)
	}
	t.Skip(message)
	return ""
}

// Start starts a server with that Python. Until Await returns it refuses connections, then requests with status 503. It
// outlives ctx.
func Start(ctx context.Context, python string, o Options) (*Server, error) {
	port, err := freePort(ctx)
	if err != nil {
		return nil, err
	}
	if o.Model == "" {
		o.Model = TinyFacts()
	}
	args := []string{filepath.Join(packageDir(), "serve.py"), o.Model, "--port", strconv.Itoa(port)}
	if o.Context > 0 {
		args = append(args, "--context", strconv.Itoa(o.Context))
	}
	if o.Embed {
		args = append(args, "--embed")
	}
	if o.Template != "" {
		args = append(args, "--template", o.Template)
	}
	if o.Stop != "" {
		args = append(args, "--stop", o.Stop)
	}
	s := &Server{port: port, cmd: exec.Command(python, args...), loaded: make(chan struct{}), done: make(chan struct{})} //nolint:noctx // Close ends it
	s.cmd.Stderr = &s.log
	if s.stdin, err = s.cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("start a server of language models: %w", err)
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start a server of language models: %w", err)
	}
	if err := s.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start a server of language models: %w", err)
	}
	go s.watch(out)
	return s, nil
}

func (s *Server) watch(out io.Reader) {
	defer close(s.done)
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if lines.Text() == "listening" {
			close(s.loaded)
			break
		}
	}
	_, _ = io.Copy(io.Discard, out) // until the process ends
	_ = s.cmd.Wait()                // the log has the cause
}

// URL returns the base URL, with the version.
func (s *Server) URL() string { return "http://127.0.0.1:" + strconv.Itoa(s.port) + "/v1" }

// Await returns when the model is loaded.
func (s *Server) Await(ctx context.Context) error {
	select {
	case <-s.loaded:
		return nil
	case <-s.done:
		return fmt.Errorf("the server of language models ended:\n%s", s.tail())
	case <-ctx.Done():
		return fmt.Errorf("the model is not loaded: %w", ctx.Err())
	}
}

// Close ends the process and waits for that.
func (s *Server) Close() error {
	err := s.stdin.Close()
	if killed := s.cmd.Process.Kill(); killed != nil && !errors.Is(killed, os.ErrProcessDone) {
		err = errors.Join(err, killed)
	}
	<-s.done
	if err != nil {
		return fmt.Errorf("end the server of language models: %w", err)
	}
	return nil
}

// tail returns the end of the log. Call it after the process has ended.
func (s *Server) tail() []byte {
	const limit = 2000
	log := s.log.Bytes()
	return log[max(0, len(log)-limit):]
}

func freePort(ctx context.Context) (int, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("find a free port: %w", err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
