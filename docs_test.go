package confab_test

import (
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	required  = regexp.MustCompile(`(?m)^\t(\S+) v\S+$`) // direct: without the comment "indirect"
	explained = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| \\S")
)

// Every direct dependency is explained, and nothing else is.
func TestDependenciesAreExplained(t *testing.T) {
	names := func(file string, pattern *regexp.Regexp) (all []string) {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, m := range pattern.FindAllStringSubmatch(string(text), -1) {
			all = append(all, m[1])
		}
		return all
	}
	require.ElementsMatch(t, names("go.mod", required), names("docs/dependencies.md", explained))
}
