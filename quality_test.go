package confab_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestReadmeQuotesTheMeasurement holds every figure of README's quality table, with its interval, against
// docs/quality.md.
func TestReadmeQuotesTheMeasurement(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	page, err := os.ReadFile("docs/quality.md")
	require.NoError(t, err)
	lines := []struct{ quoted, measured string }{
		{"| RAGTruth, all |", "| ragtruth | all | risk |"},
		{"| AttributionBench", "| attributionbench | all | risk |"},
		{"| SummEdits", "| summedits | all | risk |"},
		{"| two or more, RAGTruth mix: precision", "| ragtruth | mix | two-or-more |"},
	}
	figure := regexp.MustCompile(`\*\*(\.\d{3}) \((\.\d\d–(?:\.\d\d|1\.00))\)\*\*`)
	_, table, _ := strings.Cut(string(readme), "<!-- quality -->\n")
	table, _, _ = strings.Cut(table, "\n\n")
	require.Len(t, strings.Split(table, "\n"), len(lines)+2, "a line of the table that nothing is held against")
	for _, l := range lines {
		quoted := figure.FindStringSubmatch(lineWith(table, l.quoted))
		require.NotNil(t, quoted, "README's table has no figure in the line %s", l.quoted)
		require.Contains(t, lineWith(string(page), l.measured), "| "+quoted[1]+" "+quoted[2]+" |", "README says otherwise in the line %s: quote docs/quality.md", l.quoted)
	}
}

// lineWith is the line of the text that begins so.
func lineWith(text, begin string) string {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, begin) {
			return line
		}
	}
	return ""
}
