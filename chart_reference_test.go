package confab_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/golden"
)

// TestChartConfigSchema generates the definition of `config` in the chart's schema of values from the schema of confab.yaml, so that a
// misspelt key of the configuration fails when the chart is linted. It is on one line, without explanations.
func TestChartConfigSchema(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("internal/worker/config/confab.schema.json")
	require.NoError(t, err)
	var schema map[string]any
	require.NoError(t, json.Unmarshal(text, &schema))
	bare, ok := withoutProse(schema, false).(map[string]any)
	require.True(t, ok)
	defs := bare["$defs"]
	delete(bare, "$defs")
	line, err := json.Marshal(bare)
	require.NoError(t, err)
	reference, err := json.Marshal(defs.(map[string]any)["reference"]) //nolint:forcetypeassert // a test
	require.NoError(t, err)
	lines := fmt.Sprintf("    \"reference\": %s,\n    \"config\": %s,\n", reference, bytes.ReplaceAll(line, []byte("#/$defs/"), []byte("#/definitions/")))

	values, err := os.ReadFile("helm/confab/values.schema.json")
	require.NoError(t, err)
	own := regexp.MustCompile(`(?m)^    "reference": .*\n    "config": .*,\n`)
	require.Len(t, own.FindAll(values, -1), 1, "one definition of config, on one line")
	golden.Equal(t, "helm/confab/values.schema.json", own.ReplaceAllLiteral(values, []byte(lines)))
}

// withoutProse is a schema without its descriptions and defaults. inNames says that the keys are names of properties.
func withoutProse(schema any, inNames bool) any {
	switch s := schema.(type) {
	case map[string]any:
		bare := map[string]any{}
		for key, value := range s {
			if inNames || !slices.Contains([]string{"description", "default", "title", "$schema"}, key) {
				bare[key] = withoutProse(value, !inNames && (key == "properties" || key == "$defs"))
			}
		}
		return bare
	case []any:
		for i := range s {
			s[i] = withoutProse(s[i], false)
		}
	}
	return schema
}

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

// TestChartKnowsSecrets holds that the chart refuses every secret setting in its config, which is a ConfigMap.
func TestChartKnowsSecrets(t *testing.T) {
	t.Parallel()
	guards, err := os.ReadFile("helm/confab/templates/_guards_secrets.tpl")
	require.NoError(t, err)
	list := regexp.MustCompile(`(?s)"confab.secretNames" -}}\n\[(.*?)]`).FindSubmatch(guards)
	require.NotNil(t, list)
	known := strings.Split(string(list[1]), ", ")
	page, err := os.ReadFile("docs/configuration.md")
	require.NoError(t, err)
	rows := regexp.MustCompile("(?m)^\\| `([^`]+)` \\| (name: )?secret ").FindAllSubmatch(page, -1)
	require.NotEmpty(t, rows)
	for _, row := range rows {
		key := string(row[1])
		name := key[strings.LastIndex(key, ".")+1:]
		if !slices.Contains([]string{"http_headers", "proxy_url"}, name) && !strings.HasSuffix(key, ".webhook.url") {
			require.Contains(t, known, name, "%s is secret: add it to confab.secretNames", key)
		}
	}
}
