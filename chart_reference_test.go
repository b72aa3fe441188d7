package confab_test

import (
	"cmp"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/golden"
)

const chartHead = `# Confab Helm chart

<!-- Generated from the comments of values.yaml by ` + "`go test . -run TestChartReference -update`" + `. Do not edit. -->

Runs [Confab](../../README.md) on Kubernetes. [Kubernetes](../../docs/kubernetes.md) describes installation and operation. The values
are closed by ` + "`values.schema.json`" + `: a misspelt key is refused. ` + "`config`" + ` is the content of ` + "`confab.yaml`" + `, which the worker checks at start.

| value | default | meaning |
|---|---|---|
`

// TestChartReference generates the chart's README from values.yaml: a comment that starts with two hyphens explains the
// key below it.
func TestChartReference(t *testing.T) {
	t.Parallel()
	values, err := os.ReadFile("helm/confab/values.yaml")
	require.NoError(t, err)
	var table strings.Builder
	var path []string
	comment := ""
	for _, m := range regexp.MustCompile(`(?m)^( *)(?:# -- (.+)|(\w+):(.*))$`).FindAllStringSubmatch(string(values), -1) {
		indent, explanation, key, value := m[1], m[2], m[3], strings.TrimSpace(m[4])
		if explanation != "" {
			comment = explanation
			continue
		}
		path = append(path[:len(indent)/2], key)
		if comment != "" {
			fmt.Fprintf(&table, "| `%s` | %s | %s |\n", strings.Join(path, "."), cmp.Or(quoted(value), "see values.yaml"), comment)
		}
		comment = ""
	}
	golden.Equal(t, "helm/confab/README.md", chartHead+table.String())
}

func quoted(value string) string {
	if value == "" {
		return ""
	}
	return "`" + value + "`"
}
