package redact_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"confab/calibration/shares"
	"confab/internal/golden"
	"confab/internal/redact"
)

// labelledText is a text with the secrets that it holds, each at every place.
type labelledText struct {
	Text    string
	Secrets []struct{ Text, Kind string }
}

func readTexts(t *testing.T, file string) (rows []labelledText) {
	t.Helper()
	f, err := os.Open("testdata/" + file)
	require.NoError(t, err)
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var row labelledText
		require.NoError(t, json.Unmarshal(lines.Bytes(), &row))
		rows = append(rows, row)
	}
	require.NoError(t, lines.Err())
	return rows
}

// kindCount is how many secrets of a kind were hidden as a whole, or partly.
type kindCount struct{ secrets, hidden, partly int }

func (k *kindCount) row(name string) string {
	recall := float64(k.hidden) / float64(k.secrets)
	low, high := shares.Wilson(recall, float64(k.secrets))
	return fmt.Sprintf("| %s | %d | %d | %d | %.3f | %.3f to %.3f |\n", name, k.secrets, k.hidden, k.partly, recall, low, high)
}

// redactionCount is what the built-in patterns replace of labelled texts.
type redactionCount struct {
	kinds            map[string]*kindCount
	all              kindCount
	missed, wrong    []string
	words, falseRows int
}

func countRedactions(rows []labelledText) *redactionCount {
	c := &redactionCount{kinds: map[string]*kindCount{}}
	redactor := redact.NewRedactor(nil)
	for _, row := range rows {
		found := redactor.Spans(row.Text)
		c.words += len(strings.Fields(row.Text))
		labelled := make([]bool, len(row.Text))
		for _, s := range row.Secrets {
			for at := 0; ; at += len(s.Text) {
				i := strings.Index(row.Text[at:], s.Text)
				if i < 0 {
					break
				}
				at += i
				for k := range s.Text {
					labelled[at+k] = true
				}
				c.add(row.Text, s.Kind, at, at+len(s.Text), found)
			}
		}
		before := len(c.wrong)
		for _, f := range found {
			if !slices.Contains(labelled[f.Start:f.End], true) {
				c.wrong = append(c.wrong, f.Label+" "+row.Text[f.Start:f.End])
			}
		}
		if len(c.wrong) > before {
			c.falseRows++
		}
	}
	return c
}

// add counts the secret at a place: it is hidden if all its letters and digits are replaced.
func (c *redactionCount) add(text, kind string, start, end int, found []redact.Span) {
	if c.kinds[kind] == nil {
		c.kinds[kind] = &kindCount{}
	}
	left, replaced := 0, 0
	for i, r := range text[start:end] {
		covered := slices.ContainsFunc(found, func(f redact.Span) bool { return f.Start <= start+i && start+i < f.End })
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
		case covered:
			replaced++
		default:
			left++
		}
	}
	for _, k := range []*kindCount{c.kinds[kind], &c.all} {
		k.secrets++
		switch {
		case left == 0:
			k.hidden++
		case replaced > 0:
			k.partly++
		}
	}
	if left > 0 {
		c.missed = append(c.missed, text[start:end])
	}
}

// Recall of the built-in patterns on the texts that they were made with, on a list that was written before them and was not used
// to make them, and on texts without secrets. The first has its table in docs/privacy.md.
func TestRecall(t *testing.T) {
	t.Parallel()
	for file, gate := range map[string]struct {
		rows, wrong int
		recall      float64
	}{
		"rows.jsonl":     {rows: 331, recall: 0.95},
		"second.jsonl":   {rows: 103, recall: 0.85},
		"harmless.jsonl": {rows: 206, wrong: 1},
	} {
		rows := readTexts(t, file)
		require.Len(t, rows, gate.rows, file)
		c := countRedactions(rows)
		require.GreaterOrEqual(t, float64(c.all.hidden), gate.recall*float64(c.all.secrets), "%s: %v", file, c.missed)
		require.LessOrEqual(t, c.falseRows, gate.wrong, "%s: %v", file, c.wrong)
	}
}

func TestRecallIsDocumented(t *testing.T) {
	t.Parallel()
	const privacyPage = "../../docs/privacy.md"
	rows := readTexts(t, "rows.jsonl")
	c := countRedactions(rows)
	table := "| kind | secrets | hidden | partly | recall | 95 % interval |\n| --- | ---:| ---:| ---:| --- | --- |\n"
	for _, name := range slices.Sorted(maps.Keys(c.kinds)) {
		table += c.kinds[name].row(name)
	}
	table += c.all.row("all")
	table += fmt.Sprintf("\nFalse redactions: %d in %d of %d texts, %.2f per 1,000 words.\n", len(c.wrong), c.falseRows, len(rows), 1000*float64(len(c.wrong))/float64(c.words))
	page, err := os.ReadFile(privacyPage)
	require.NoError(t, err)
	section := regexp.MustCompile(`(?s)(<!-- recall -->\n).*?(<!-- end -->)`)
	require.Len(t, section.FindAll(page, -1), 1)
	golden.Equal(t, privacyPage, section.ReplaceAll(page, []byte("${1}\n"+table+"\n${2}")))
}
