package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/internal/kafka/embedded"
	"confab/internal/logtest"
)

// wrongAnswers are interactions whose answers their sources contradict.
const wrongAnswers = `{"interaction_id":"wrong-1","service":"bot","answer":"The lifetime warranty covers theft and accidental damage everywhere [9]. Express parcels cost 30 euros [9].","sources":["Parcels leave the Rotterdam warehouse within two working days. Express parcels cost 14 euros."]}
{"interaction_id":"right-1","service":"bot","answer":"Parcels leave the Rotterdam warehouse within two working days [1].","sources":["Parcels leave the Rotterdam warehouse within two working days. Express parcels cost 14 euros."]}
`

// TestReadmeShowsFlags runs the README's block about topics as a person types it, without waiting for anything: the worker
// in one terminal, the rest in another. It must end with a flag.
func TestReadmeShowsFlags(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(repository, "README.md"))
	require.NoError(t, err)
	block := regexp.MustCompile("(?ms)^```sh\n([^`]*confab topics apply[^`]*)^```").FindSubmatch(page)
	require.NotNil(t, block, "README.md has a block with `confab topics apply`")
	cluster, err := embedded.Start(embedded.Options{})
	require.NoError(t, err)
	t.Cleanup(cluster.Close)
	s := &docsHarness{dir: t.TempDir(), env: append(os.Environ(), "KAFKA_BROKERS="+strings.Join(cluster.Seeds(), ","), "CONFAB_ADMIN_LISTEN=127.0.0.1:0")}
	require.NoError(t, os.Mkdir(filepath.Join(s.dir, "examples"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(s.dir, "examples", "interactions.jsonl"), []byte(wrongAnswers), 0o600))
	require.NoError(t, os.Symlink(os.Args[0], filepath.Join(s.dir, "confab")))

	var ran []string
	for line := range strings.Lines(string(block[1])) {
		line = comment.ReplaceAllString(strings.TrimSpace(line), "")
		name := strings.Join(strings.Fields(line)[1:2], "")
		switch {
		case line == "":
			continue
		case strings.Contains(line, "--dry-run"), strings.Contains(line, "--dead-letters"):
			name = strings.Fields(line)[2]
			s.interrupt(t, line)
		case name == "run":
			t.Cleanup(s.background(t, line))
		case name == "tail":
			s.expect(t, line, regexp.MustCompile(`wrong-1 +bot +citation`))
		default:
			s.sh(t, line)
		}
		ran = append(ran, name)
	}
	require.Equal(t, []string{"config", "config", "topics", "doctor", "produce", "--dry-run", "run", "tail", "--dead-letters"}, ran)
}

// background runs the line until the returned function is called.
func (s *docsHarness) background(t *testing.T, line string) (stop func()) {
	t.Helper()
	cmd := s.command(context.Background(), "exec "+line)
	var out logtest.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	require.NoError(t, cmd.Start())
	return func() {
		require.NoError(t, cmd.Process.Signal(syscall.SIGINT))
		require.NoError(t, cmd.Wait(), "%s\n%s", line, &out)
	}
}

// expect runs the line until its output matches.
func (s *docsHarness) expect(t *testing.T, line string, want *regexp.Regexp) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := s.command(ctx, "exec "+line)
	r, w := io.Pipe()
	cmd.Stdout, cmd.Stderr = w, w
	require.NoError(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait(); _ = w.Close() }()
	var all strings.Builder
	buffer, found := make([]byte, 4096), false
	for !found {
		n, err := r.Read(buffer)
		all.Write(buffer[:n])
		found = want.MatchString(all.String())
		require.True(t, found || err == nil, "%s: %s\n%s", line, want, &all)
	}
	go func() { _, _ = io.Copy(io.Discard, r) }()
	require.NoError(t, cmd.Process.Signal(syscall.SIGINT))
	require.NoError(t, <-ended)
}
