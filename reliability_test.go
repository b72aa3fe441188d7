package confab_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestReliabilityPageIsTrue compares docs/testing/reliability.md with the sources: every row names a test, and every test that
// is named exists.
func TestReliabilityPageIsTrue(t *testing.T) {
	page, err := os.ReadFile("docs/testing/reliability.md")
	require.NoError(t, err)
	tests := make(map[string]bool)
	require.NoError(t, fs.WalkDir(os.DirFS("."), ".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		src, err := os.ReadFile(path)
		for _, m := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllSubmatch(src, -1) {
			tests[string(m[1])] = true
		}
		return err
	}))
	rows := 0
	for line := range strings.Lines(string(page)) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "| ") || strings.Contains(line, "held by |") {
			continue
		}
		cells := strings.Split(strings.Trim(line, "| "), "|")
		named := regexp.MustCompile("`(Test\\w+)`").FindAllStringSubmatch(cells[len(cells)-1], -1)
		require.NotEmpty(t, named, "no test holds: %s", line)
		for _, m := range named {
			require.True(t, tests[m[1]], "%s does not exist", m[1])
		}
		rows++
	}
	require.GreaterOrEqual(t, rows, 27)
}

// TestClientVersion: older clients acknowledge records that were never written.
func TestClientVersion(t *testing.T) {
	mod, err := os.ReadFile("go.mod")
	require.NoError(t, err)
	m := regexp.MustCompile(`github\.com/twmb/franz-go v(\d+)\.(\d+)\.(\d+)\n`).FindStringSubmatch(string(mod))
	require.NotNil(t, m)
	version := 0
	for _, part := range m[1:] {
		n, err := strconv.Atoi(part)
		require.NoError(t, err)
		version = 1000*version + n
	}
	require.GreaterOrEqual(t, version, 1_022_002, "franz-go %s", m[0])
}

// TestClientCallsToAvoid looks for client calls that the Kafka packages must not use.
func TestClientCallsToAvoid(t *testing.T) {
	avoid := map[string]string{
		"RecordDeliveryTimeout":              "a batch in flight may be written after it has failed",
		"AllowIdempotentProduceCancellation": "likewise",
		"MarkCommitRecords":                  "keeps the maximum, ignoring gaps and ownership",
		"MarkCommitOffsets":                  "likewise",
		"CommitUncommittedOffsets":           "commits what was merely polled",
		"CommitMarkedOffsets":                "likewise",
		"AutoCommitMarks":                    "likewise",
		"RangeBalancer":                      "one balancer per group for ever",
		"RoundRobinBalancer":                 "likewise",
		"StickyBalancer":                     "likewise",
		"ServerSideBalancer":                 "commits of the new protocol race below Kafka 4.3",
		"GroupTransactSession":               "only exactly-once delivery has a session",
		"NewGroupTransactSession":            "likewise",
		"BeginTransaction":                   "only the fenced log writes in transactions of its own",
		"TransactionalID":                    "likewise",
	}
	allowed := map[string][]string{
		"compacted/fenced.go": {"BeginTransaction", "TransactionalID"},
		"access.go":           {"TransactionalID"}, // of a request that begins nothing
		"config.go":           {"GroupTransactSession", "NewGroupTransactSession", "TransactionalID"},
		"txn_session.go":      {"GroupTransactSession"},
		"member.go":           {"ServerSideBalancer"}, // with kafka.group_protocol: consumer only
	}
	seen := 0
	for _, dir := range []string{"consumer", "internal/kafka"} {
		require.NoError(t, fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, path), nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if sel, ok := n.(*ast.SelectorExpr); ok {
					why, bad := avoid[sel.Sel.Name]
					bad = bad && !slices.Contains(allowed[path], sel.Sel.Name)
					require.False(t, bad, "%s/%s uses %s: %s", dir, path, sel.Sel.Name, why)
					seen++
				}
				return true
			})
			return nil
		}))
	}
	require.Greater(t, seen, 100, "no selector was read")
}
