package confab_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/worker/config"
)

// featureRow is a row of docs/features.md: number, published, where it is here with its tests, what differs (if anything).
var featureRow = regexp.MustCompile(`(?m)^\| (R?\d+[a-z]*) \|([^|]*)\|([^|]*)\|(?:[^|]*\|)?$`)

// Every published feature has a command, key, metric or path that exists here, and a test that is declared.
func TestFeatures(t *testing.T) {
	t.Parallel()
	read := func(name string) string {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		return string(text)
	}
	p := &productNames{commands: read("docs/cli.md"), metrics: read("docs/metrics.md"), api: read("internal/worker/serve/openapi.yaml"), keys: map[string]bool{}}
	for _, e := range config.Reference(config.Default()) {
		for at := strings.Split(e.Path, "."); len(at) > 0; at = at[:len(at)-1] {
			p.keys[strings.Join(at, ".")] = true
		}
	}
	tests := map[string]bool{}
	eachFile(t, func(name string, raw []byte) {
		if strings.HasSuffix(name, "_test.go") {
			for _, m := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllStringSubmatch(string(raw), -1) {
				tests[m[1]] = true
			}
		}
	})
	rows := featureRow.FindAllStringSubmatch(read("docs/features.md"), -1)
	require.Len(t, rows, 13+46+12+16+24+15)
	seen := map[string]bool{}
	for _, row := range rows {
		require.False(t, seen[row[1]], "%s is there twice", row[1])
		seen[row[1]] = true
		for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row[3], -1) {
			p.require(t, row[1], m[1])
		}
		named := regexp.MustCompile(`\bTest\w+`).FindAllString(row[3], -1)
		require.NotEmpty(t, named, row[1])
		for _, name := range named {
			require.True(t, tests[name], "%s: no test is called %s", row[1], name)
		}
	}
}

// productNames are the pages that name commands, metrics and paths of the API, and the keys.
type productNames struct {
	commands, metrics, api string
	keys                   map[string]bool
}

// require fails unless the command with its flag, the metric, the path of the API or the key exists.
func (p *productNames) require(t *testing.T, row, what string) {
	t.Helper()
	switch {
	case strings.HasPrefix(what, "confab "):
		command, flag, _ := strings.Cut(what, " --")
		_, page, found := strings.Cut(p.commands, "\n## "+command+"\n")
		require.True(t, found, "%s: no command %s", row, command)
		page, _, _ = strings.Cut(page, "\n## ")
		require.Contains(t, page, " --"+flag, "%s: %s has no flag", row, command)
	case strings.HasPrefix(what, "confab_"):
		require.Contains(t, p.metrics, "| `"+what+"` |", row)
	case strings.HasPrefix(what, "POST "):
		require.Contains(t, p.api, "\n  "+strings.TrimPrefix(what, "POST ")+":\n", row)
	default:
		require.True(t, p.keys[what], "%s: no key %s", row, what)
	}
}
