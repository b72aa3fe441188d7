package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sr/srfake"

	"confab/internal/kafka/embedded"
)

// repository is the root, seen from this package.
const repository = "../.."

// The documents whose commands are run. A command is a line of a sh block that starts with confab, bin/confab or make.
func documents(t *testing.T) []string {
	t.Helper()
	docs, err := filepath.Glob(filepath.Join(repository, "docs", "*.md"))
	require.NoError(t, err)
	for _, name := range []string{"README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md"} {
		docs = append(docs, filepath.Join(repository, name))
	}
	return docs
}

var (
	shBlock = regexp.MustCompile("(?ms)^```sh\n(.*?)^```")
	comment = regexp.MustCompile(`\s+#.*$`)
)

// TestDocumentedCommandsRun runs every documented command line of confab as it stands, in one directory and against one
// embedded broker, in the order of the documents; and holds every make target against the Makefile.
func TestDocumentedCommandsRun(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	makefile, err := os.ReadFile(filepath.Join(repository, "Makefile"))
	require.NoError(t, err)
	stage := newDocsHarness(t)
	seen := map[string]bool{}
	for _, doc := range documents(t) {
		text, err := os.ReadFile(doc)
		require.NoError(t, err)
		for _, block := range shBlock.FindAllStringSubmatch(string(text), -1) {
			for line := range strings.Lines(block[1]) {
				line = comment.ReplaceAllString(strings.TrimSpace(line), "")
				if target, ok := strings.CutPrefix(line, "make "); ok {
					require.Contains(t, string(makefile), "\n"+target+":", "%s: %s", doc, line)
				}
				if strings.Contains(line, "confab ") && !strings.HasPrefix(line, "make ") && !seen[line] {
					seen[line] = true
					t.Run(line, func(t *testing.T) { stage.run(t, line) })
				}
			}
		}
	}
	require.GreaterOrEqual(t, len(seen), 8, "the documents lost their commands")
}

// docsHarness is a directory with the files that the documented commands use, and a broker.
type docsHarness struct {
	dir string
	env []string
}

func newDocsHarness(t *testing.T) *docsHarness {
	t.Helper()
	cluster, err := embedded.Start(embedded.Options{})
	require.NoError(t, err)
	t.Cleanup(cluster.Close)
	s := &docsHarness{dir: t.TempDir()}
	registry := srfake.New()
	t.Cleanup(registry.Close)
	s.env = append(os.Environ(), "CONFAB_SCHEMA_REGISTRY_URL="+registry.URL(), "KAFKA_BROKERS="+strings.Join(cluster.Seeds(), ","), "CONFAB_ADMIN_LISTEN=127.0.0.1:0", "CONFAB_SERVE_LISTEN=127.0.0.1:0", "CONFAB_UI_LISTEN=127.0.0.1:0",
		"CONFAB_OBSERVATIONS_ENABLED=true")
	const row = `{"interaction_id":"i-1","service":"bot","answer":"Parcels leave within two working days.","sources":["Parcels leave within two working days."]}`
	require.NoError(t, os.WriteFile(filepath.Join(s.dir, "interactions.jsonl"), []byte(row+"\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(s.dir, "log.jsonl"), []byte(row+"\n"), 0o600))
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err = io.WriteString(w, `{"interaction":`+row+`,"label":0}`+"\n")
	require.NoError(t, err)
	require.NoError(t, w.Close())
	require.NoError(t, os.WriteFile(filepath.Join(s.dir, "rows.jsonl.gz"), packed.Bytes(), 0o600))
	s.labels(t)
	require.NoError(t, os.Symlink(os.Args[0], filepath.Join(s.dir, "confab")))
	examples, err := filepath.Abs(filepath.Join(repository, "examples"))
	require.NoError(t, err)
	require.NoError(t, os.Symlink(examples, filepath.Join(s.dir, "examples")))
	s.config(t)
	s.sh(t, "confab topics apply --partitions 1")
	s.commit(t, cluster.Seeds())
	return s
}

// commit makes the group of the role detect, which has read nothing yet.
func (s *docsHarness) commit(t *testing.T, seeds []string) {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(seeds...))
	require.NoError(t, err)
	defer client.Close()
	const topic = "llm.interactions"
	at := kadm.Offsets{topic: {0: {Topic: topic, LeaderEpoch: -1}}}
	require.NoError(t, kadm.NewClient(client).CommitAllOffsets(t.Context(), "confab-detect", at))
}

// labels writes enough labelled rows to calibrate on.
func (s *docsHarness) labels(t *testing.T) {
	t.Helper()
	places := []string{"Lisbon", "Oslo", "Vienna", "Dublin", "Prague", "Athens", "Warsaw"}
	var rows strings.Builder
	for i := range 120 {
		source := fmt.Sprintf("The museum in %s opened in %d and shows %d paintings.", places[i%7], 1900+i, 40+i)
		answer := fmt.Sprintf("The museum in %s opened in %d and shows %d paintings.", places[(i+i%2)%7], 1900+i+7*(i%2), 40+i)
		fmt.Fprintf(&rows, `{"interaction":{"interaction_id":"s-%d","answer":%q,"sources":[%q]},"label":%d,"task":"t","group":"s%d"}`+"\n", i, answer, source, i%2, i)
		fmt.Fprintf(&rows, `{"interaction":{"interaction_id":"l-%d","answer":"{\"k%d\":1}","response_schema":"{\"required\":[\"k0\"]}"},"label":%d,"task":"t","group":"g%d"}`+"\n", i, i%2, i%2, i)
	}
	require.NoError(t, os.WriteFile(filepath.Join(s.dir, "labels.jsonl"), []byte(rows.String()), 0o600))
}

// config writes the example as confab.yaml, where the documents' commands look for it.
func (s *docsHarness) config(t *testing.T) {
	t.Helper()
	s.sh(t, "confab config example > confab.yaml")
}

// endless are the commands that run until they are stopped.
var endless = regexp.MustCompile(`confab (broker|run|serve|tail|demo|ui)\b`)

func (s *docsHarness) run(t *testing.T, line string) {
	if endless.MatchString(line) && !strings.Contains(line, "--once") && !strings.Contains(line, "--stop-at-end") {
		s.interrupt(t, line)
		return
	}
	if strings.Contains(line, "--labels labels.csv") { // a person fills the table in
		s.sh(t, "sed -i.bak '2s/^,/fine,/' labels.csv")
	}
	s.sh(t, line)
}

// sh runs the line as a person's shell would; bin/confab and confab are the program under test.
func (s *docsHarness) sh(t *testing.T, line string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	out, err := s.command(ctx, line).CombinedOutput()
	require.NoError(t, err, "%s\n%s", line, out)
}

// interrupt runs the line until it has said something, then stops it as Ctrl-C does, and expects an orderly end.
func (s *docsHarness) interrupt(t *testing.T, line string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := s.command(ctx, "exec "+line)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGKILL) }
	r, w := io.Pipe()
	cmd.Stdout, cmd.Stderr = w, w
	require.NoError(t, cmd.Start())
	said := make(chan struct{})
	go func() {
		if _, err := r.Read(make([]byte, 1)); err == nil {
			close(said)
		}
		_, _ = io.Copy(io.Discard, r)
	}()
	select {
	case <-said:
	case <-time.After(3 * time.Second): // a follower has nothing to say on a quiet topic
	}
	require.NoError(t, cmd.Process.Signal(syscall.SIGINT))
	require.NoError(t, cmd.Wait(), line)
	require.NoError(t, w.Close())
}

func (s *docsHarness) command(ctx context.Context, line string) *exec.Cmd {
	line = strings.ReplaceAll(line, "bin/confab", "confab")
	cmd := exec.CommandContext(ctx, "sh", "-c", line)
	cmd.Dir, cmd.Env = s.dir, append(s.env, "PATH="+s.dir+":"+os.Getenv("PATH"))
	return cmd
}
