package facts

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/detectors/detectortest"
	"confab/internal/datatest"
	"confab/internal/golden"
	"confab/internal/hostile"
	"confab/schemas"
	schemasjson "confab/schemas/json"
)

// TestExamples: each rule fires on its faulty examples, with the words that it names, and stays quiet on the others; no other rule
// accuses a right example.
func TestExamples(t *testing.T) {
	t.Parallel()
	d, err := New(Options{})
	require.NoError(t, err)
	for _, r := range Rules() {
		require.GreaterOrEqual(t, len(r.Examples), 2, r.ID)
		for _, x := range r.Examples {
			t.Run(r.ID, func(t *testing.T) {
				in := &schemas.Interaction{Answer: x.Answer}
				if x.Source != "" {
					in.Sources = []schemas.Source{{ID: "1", Text: x.Source}}
				}
				if x.User != "" {
					in.Messages = []schemas.Message{{Role: "user", Content: x.User}}
				}
				f, _ := detectortest.Detect(t, d, in)
				if x.Fires == "" {
					require.Empty(t, f.Evidence, x.Answer)
					return
				}
				require.NotEmpty(t, f.Evidence, x.Answer)
				require.Equal(t, r.ID, f.Evidence[0].Rule)
				require.Equal(t, x.Fires, x.Answer[f.Evidence[0].Start:f.Evidence[0].End])
			})
		}
	}
}

// measuredSets are the labelled rows that the rules are measured on: the files of each set, and how many fine answers a rule may
// accuse.
var measuredSets = []struct {
	name, files string
	most        func(right int) int
}{
	{"modern", "modern/train/*.jsonl.gz", func(int) int { return 2 }},
	{"ragtruth", "ragtruth/train.jsonl.gz", inThousand},
	{"begin", "begin/train.jsonl.gz", inThousand},
	{"attributionbench", "attributionbench/train.jsonl.gz", inThousand},
	{"summedits", "summedits/train.jsonl.gz", inThousand},
}

// inThousand is 0.5 %, at least one.
func inThousand(right int) int { return max(1, right*5/1000) }

// precisionFile holds the measured answers by rule.
const precisionFile = "testdata/precision.golden"

// TestPrecision counts the right and wrong answers on which each rule fires. No rule may accuse more fine ones than the limit.
func TestPrecision(t *testing.T) {
	t.Parallel()
	d, err := New(Options{})
	require.NoError(t, err)
	fired := map[string][2]int{}
	out := "| rule |"
	for _, set := range measuredSets {
		rows := [2]int{}
		for _, path := range datatest.Files(t, set.files) {
			eachRow(t, path, func(row *schemas.Labelled) {
				rows[row.Label]++
				f, _ := detectortest.Detect(t, d, &row.Interaction)
				seen := map[string]bool{}
				for i := range f.Evidence {
					seen[f.Evidence[i].Rule] = true
				}
				for rule := range seen {
					n := fired[set.name+rule]
					n[row.Label]++
					fired[set.name+rule] = n
				}
			})
		}
		out += fmt.Sprintf(" %s: %d fine, %d wrong |", set.name, rows[0], rows[1])
		for _, r := range Rules() {
			require.LessOrEqual(t, fired[set.name+r.ID][0], set.most(rows[0]), "fine answers of %s that %s accuses", set.name, r.ID)
		}
	}
	out += "\n|---|" + strings.Repeat("---|", len(measuredSets)) + "\n"
	for _, r := range Rules() {
		out += "| " + r.ID + " |"
		for _, set := range measuredSets {
			n := fired[set.name+r.ID]
			out += fmt.Sprintf(" %d, %d |", n[0], n[1])
		}
		out += "\n"
	}
	golden.Equal(t, precisionFile, out)
}

// eachRow reads the rows of a file.
func eachRow(t *testing.T, path string, f func(row *schemas.Labelled)) {
	t.Helper()
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	z, err := gzip.NewReader(file)
	require.NoError(t, err)
	content, err := io.ReadAll(z)
	require.NoError(t, err)
	for line := range bytes.Lines(content) {
		var row schemas.Labelled
		require.NoError(t, schemasjson.DecodeLabelled(line, &row))
		f(&row)
	}
}

// TestReference keeps docs/rules.md.
func TestReference(t *testing.T) {
	t.Parallel()
	measured, err := os.ReadFile(precisionFile)
	require.NoError(t, err)
	page, err := os.ReadFile("../../docs/rules.md")
	require.NoError(t, err)
	_, tools, _ := strings.Cut(string(page), "\n## Rules of tools\n") // of the detector tools
	golden.Equal(t, "../../docs/rules.md", reference()+"\n## Measured\n\nTraining answers on which each rule fires: fine ones, wrong ones. A rule that accuses more fine answers is taken out.\n\n"+string(measured)+"\n## Rules of tools\n"+tools)
}

func reference() string {
	var b strings.Builder
	b.WriteString("# Rules of facts\n\nThe detector `facts` fires where one of these rules proves a fault. `evidence.rule` of a flag has its id. A figure counts as supported if a source or the\nuser has it in any form, or if it follows from such figures.\n")
	for _, r := range Rules() {
		fmt.Fprintf(&b, "\n## %s\n\nFires on %s. Compared with: %s.", r.ID, r.Doc, r.Needs)
		if r.Langs != "" {
			fmt.Fprintf(&b, " Words of %s.", r.Langs)
		}
		b.WriteString("\n\n| source or user | answer | accused |\n|---|---|---|\n")
		for _, x := range r.Examples {
			fmt.Fprintf(&b, "| %s | %s | %s |\n", cell(strings.TrimSpace(x.Source+" "+x.User)), cell(x.Answer), cell(x.Fires))
		}
	}
	return b.String()
}

// cell is the text of a table cell.
func cell(s string) string {
	return strings.NewReplacer("|", "\\|", "\n", " ⏎ ").Replace(s)
}

// TestHostileRecords: no kind of hostile record takes more than a part of the budget.
func TestHostileRecords(t *testing.T) {
	t.Parallel()
	d, err := New(Options{})
	require.NoError(t, err)
	for _, k := range hostile.Kinds() {
		t.Run(k.Name, func(t *testing.T) {
			r := k.Record(k.Full/4, 0)
			_, doc := detectortest.Detect(t, d, &r.Interaction)
			require.LessOrEqual(t, doc.Work().Spent(), int64(detectors.MaxWork/4))
		})
	}
}
