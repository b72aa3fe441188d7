//go:build integration

package integration_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// requireExample skips the test where what it runs is missing, unless the environment says that examples must run.
func requireExample(t *testing.T, present bool, missing string) {
	t.Helper()
	if !present {
		require.Empty(t, os.Getenv("REQUIRE_EXAMPLES"), missing)
		t.Skip(missing)
	}
}

// postgresServer is a PostgreSQL server with the tables of examples/connect/postgres.sql.
type postgresServer struct {
	bin, port string
}

// startPostgres starts a server on a loopback port with its data in a temporary directory; it stops with the test.
func startPostgres(t *testing.T) *postgresServer {
	t.Helper()
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb") // where Debian puts it
	require.NoError(t, err)
	if path, err := exec.LookPath("initdb"); err == nil && len(found) == 0 {
		path, err = filepath.EvalSymlinks(path)
		require.NoError(t, err)
		found = append(found, path)
	}
	requireExample(t, len(found) > 0, "no PostgreSQL server; on Debian: apt-get install postgresql")
	p := &postgresServer{bin: filepath.Dir(found[len(found)-1]), port: freePort(t)}
	dir, err := os.MkdirTemp("", "confab-postgres-") //nolint:usetesting // the server's user cannot enter t.TempDir
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	run := func(name string, args ...string) *exec.Cmd {
		cmd := exec.Command(filepath.Join(p.bin, name), args...) //nolint:noctx // stopped in order
		cmd.Dir = dir
		if os.Getuid() == 0 { // the server refuses to run as root
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: unprivileged(t, dir)}
		}
		return cmd
	}
	data := filepath.Join(dir, "data")
	out, err := run("initdb", "-D", data, "-U", "confab", "--auth=trust", "--no-sync", "-E", "UTF8", "--locale=C").CombinedOutput()
	require.NoError(t, err, string(out))
	server := run("postgres", "-D", data, "-k", dir, "-p", p.port, "-c", "listen_addresses=127.0.0.1", "-c", "fsync=off", "-c", "timezone=UTC")
	var log syncBuffer
	server.Stdout, server.Stderr = &log, &log
	require.NoError(t, server.Start())
	t.Cleanup(func() {
		require.NoError(t, server.Process.Signal(syscall.SIGINT)) // fast shutdown
		require.NoError(t, server.Wait(), log.text())
	})
	isReady := []string{"-h", "127.0.0.1", "-p", p.port, "-U", "confab", "-d", "postgres"}
	if !assert.Eventually(t, func() bool {
		return exec.CommandContext(t.Context(), filepath.Join(p.bin, "pg_isready"), isReady...).Run() == nil
	}, 30*time.Second, 50*time.Millisecond) {
		t.Fatal(log.text())
	}
	p.query(t, "postgres", "CREATE DATABASE confab")
	ddl, err := os.ReadFile("../examples/connect/postgres.sql")
	require.NoError(t, err)
	p.query(t, "confab", string(ddl))
	return p
}

// unprivileged is a user that may own the directory.
func unprivileged(t *testing.T, dir string) *syscall.Credential {
	t.Helper()
	account, err := user.Lookup("nobody")
	require.NoError(t, err)
	uid, err := strconv.ParseUint(account.Uid, 10, 32)
	require.NoError(t, err)
	gid, err := strconv.ParseUint(account.Gid, 10, 32)
	require.NoError(t, err)
	require.NoError(t, os.Chown(dir, int(uid), int(gid)))
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
}

// query returns the rows of the last statement, columns separated by a bar.
func (p *postgresServer) query(t *testing.T, database, statements string) string {
	t.Helper()
	psql := exec.CommandContext(t.Context(), filepath.Join(p.bin, "psql"), "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1",
		"-h", "127.0.0.1", "-p", p.port, "-U", "confab", "-d", database)
	psql.Stdin = strings.NewReader(statements)
	out, err := psql.CombinedOutput()
	require.NoError(t, err, string(out))
	return strings.TrimSpace(string(out))
}

// load copies flags into confab_inbox, as the head of examples/connect/postgres.sql says.
func (p *postgresServer) load(t *testing.T, records [][]byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "flags.jsonl")
	require.NoError(t, os.WriteFile(path, append(bytes.Join(records, []byte("\n")), '\n'), 0o600))
	ddl, err := os.ReadFile("../examples/connect/postgres.sql")
	require.NoError(t, err)
	_, copying, found := strings.Cut(string(ddl), `psql -c "`)
	require.True(t, found)
	copying, _, found = strings.Cut(copying, "\"\n")
	require.True(t, found)
	p.query(t, "confab", strings.Replace(copying, "flags.jsonl", path, 1)+"\n")
}

// TestPostgresFlags loads repeated and reordered flags of the sample interactions and compares the table and the views.
func TestPostgresFlags(t *testing.T) {
	p := startPostgres(t)
	flags := sampleFlags(t)
	records, deep := repeatedFlags(t, flags)
	p.load(t, records)
	checkPostgres(t, p, flags, deep)

	require.Equal(t, "0", p.query(t, "confab", "SELECT count(*) FROM confab_inbox"))
	p.load(t, [][]byte{[]byte("not JSON"), []byte("{}"), []byte(`{"incident_id": 1, "fired": 2}`)})
	require.Equal(t, "3", p.query(t, "confab", "SELECT count(*) FROM confab_inbox"))
	flagged := 0
	for _, f := range flags {
		if len(f.Fired) > 0 && !deep[f.Incident] {
			flagged++
		}
	}
	require.Equal(t, fmt.Sprintf("%d|%d", len(flags), flagged),
		p.query(t, "confab", "SELECT sum(flags), sum(flagged) FROM confab_rates WHERE extract(minute FROM window_start)::int % 15 = 0"))

	// Ids may hold any character, and members that were left out have defaults.
	hostile := `{"incident_id":"h","pass":"fast","interaction_id":"a\u0000\\u0000\"'","tenant":"t","occurred_at":"2026-11-22T12:00:00.123456789Z",` +
		`"origin":{"topic":"file","partition":0,"offset":1,"index":0},"signals":[],"fired":[],"risk":null,"recommendation":"allow","alert":false}`
	require.True(t, json.Valid([]byte(hostile)))
	p.load(t, [][]byte{[]byte(hostile)})
	require.Equal(t, "a\uFFFD\\u0000\"'||LOG|f|2026-11-22 12:00:00.123457+00",
		p.query(t, "confab", "SELECT interaction_id, service, action, alert, occurred_at FROM confab_flags WHERE incident_id = 'h'"))
}

// checkPostgres compares the flat view with the flags: the deep flag of an incident, else the fast one.
func checkPostgres(t *testing.T, p *postgresServer, flags []sampleFlag, deep map[string]bool) {
	t.Helper()
	var rows []map[string]any
	require.NoError(t, json.Unmarshal([]byte(p.query(t, "confab", "SELECT json_agg(f) FROM confab_flags_flat AS f")), &rows))
	require.Len(t, rows, len(flags))
	byID := map[string]map[string]any{}
	for _, row := range rows {
		byID[row["incident_id"].(string)] = row
	}
	for _, f := range flags {
		row := byID[f.Incident]
		if deep[f.Incident] {
			f = parseSample(t, deepFlag(t, f))
		}
		require.Equal(t, f.flatRow(), restrict(row, f.flatRow()))
	}
}
