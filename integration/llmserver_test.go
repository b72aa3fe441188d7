//go:build integration

package integration

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// ModelOptions configure a server; the zero value serves chat with the test model.
type ModelOptions struct {
	Model    string // a GGUF file; TinyFacts when ""
	Context  int    // tokens of a prompt and its reply; 0 is 1024, or the model's limit if that is less
	Embed    bool   // serve embeddings instead of chat
	Rerank   bool   // rank passages instead of chat
	Template string // chat template file, for a model without one
	Stop     string // stop sequence; "" for none
}

// ModelServer is a running process. Close it.
type ModelServer struct {
	port   int
	cmd    *exec.Cmd
	stdin  io.Closer // closing it ends the process
	log    bytes.Buffer
	loaded chan struct{} // closed when it listens
	done   chan struct{} // closed when it has ended
}

// modelDir has the script, the model and the requirements.
func modelDir() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "llmserver")
}

// TinyFacts returns the file of the test model: a Llama of 1.5 million parameters with a context of 224 tokens that knows
// some capitals, chemical symbols, years, authors and sums, and not others.
func TinyFacts() string { return filepath.Join(modelDir(), "testdata", "tiny-facts.gguf") }

// RequirePython returns a Python that can serve. Without one it skips the test, or fails it with REQUIRE_LLM=1.
func RequirePython(t testing.TB) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(modelDir(), "python.sh"))
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

// StartModel starts a server with that Python. Until Await returns it refuses connections, then requests with status 503. It
// outlives ctx.
func StartModel(ctx context.Context, python string, o ModelOptions) (*ModelServer, error) {
	port, err := FreePort(ctx)
	if err != nil {
		return nil, err
	}
	if o.Model == "" {
		o.Model = TinyFacts()
	}
	args := []string{filepath.Join(modelDir(), "serve.py"), o.Model, "--port", strconv.Itoa(port)}
	if o.Context > 0 {
		args = append(args, "--context", strconv.Itoa(o.Context))
	}
	if o.Embed {
		args = append(args, "--embed")
	}
	if o.Rerank {
		args = append(args, "--rerank")
	}
	if o.Template != "" {
		args = append(args, "--template", o.Template)
	}
	if o.Stop != "" {
		args = append(args, "--stop", o.Stop)
	}
	s := &ModelServer{port: port, cmd: exec.Command(python, args...), loaded: make(chan struct{}), done: make(chan struct{})} //nolint:noctx // Close ends it
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

func (s *ModelServer) watch(out io.Reader) {
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
func (s *ModelServer) URL() string { return "http://127.0.0.1:" + strconv.Itoa(s.port) + "/v1" }

// Await returns when the model is loaded.
func (s *ModelServer) Await(ctx context.Context) error {
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
func (s *ModelServer) Close() error {
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
func (s *ModelServer) tail() []byte {
	const limit = 2000
	log := s.log.Bytes()
	return log[max(0, len(log)-limit):]
}
