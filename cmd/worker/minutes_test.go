package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// logLine is one answer about parcel i in the shape of another program's log.
var logLine = map[string]func(question, answer, source string, i int) string{
	"openai": func(question, answer, source string, i int) string {
		return fmt.Sprintf(`{"request":{"model":"m","messages":[{"role":"system","content":"Answer by the context.\n\nContext:\n%s"},{"role":"user","content":%q}]},`+
			`"response":{"id":"chatcmpl-%d","object":"chat.completion","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":%q},"finish_reason":"stop"}]}}`, source, question, i, answer)
	},
	"langchain": func(question, answer, source string, i int) string {
		return fmt.Sprintf(`{"id":"run-%d","question":%q,"answer":%q,"source_documents":[{"page_content":%q,"metadata":{"source":"a"},"type":"Document"}]}`, i, question, answer, source)
	},
	"own": func(question, answer, source string, i int) string {
		return fmt.Sprintf(`{"interaction_id":"a%d","prompt":%q,"answer":%q,"sources":[%q]}`, i, question, answer, source)
	},
}

// TestTenMinutes runs README's first block on logs of three shapes: each line as it stands, a person's clicks in between.
func TestTenMinutes(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(repository, "README.md"))
	require.NoError(t, err)
	block := regexp.MustCompile("(?ms)^```sh\n([^`]*confab check log.jsonl[^`]*)^```").FindSubmatch(page)
	require.NotNil(t, block, "README.md has a block with `confab check log.jsonl`")
	for name, write := range logLine {
		t.Run(name, func(t *testing.T) {
			s := &docsHarness{dir: t.TempDir(), env: os.Environ()}
			require.NoError(t, os.Symlink(os.Args[0], filepath.Join(s.dir, "confab")))
			var log bytes.Buffer
			for i := range 60 {
				days, said := 2+i, 2+i
				if i%6 == 0 {
					said += 7
				}
				fmt.Fprintln(&log, write(fmt.Sprintf("When does parcel %d leave?", i), fmt.Sprintf("Parcel %d leaves in %d days.", i, said),
					fmt.Sprintf("Parcel %d, the heavy one, leaves in %d days. It is insured.", i, days), i))
			}
			require.NoError(t, os.WriteFile(filepath.Join(s.dir, "log.jsonl"), log.Bytes(), 0o600))
			var ran []string
			for line := range strings.Lines(string(block[1])) {
				line = comment.ReplaceAllString(strings.TrimSpace(line), "")
				if strings.HasPrefix(line, "make ") {
					continue
				}
				if strings.Contains(line, "--labels labels.csv") {
					s.label(t)
				}
				s.sh(t, line)
				ran = append(ran, line)
			}
			require.Len(t, ran, 4)
			for _, file := range []string{"report.html", "labels.html", "calibration.yaml"} {
				require.FileExists(t, filepath.Join(s.dir, file))
			}
		})
	}
}

// label writes the table that labels.html saves when a person has clicked wrong and fine.
func (s *docsHarness) label(t *testing.T) {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(s.dir, "labels.html"))
	require.NoError(t, err)
	table := []string{"verdict,probability,incident_id,tenant,service,model"}
	for i, m := range regexp.MustCompile(`data-incident="([0-9a-f]{64})" data-tenant="([^"]*)" data-probability="([^"]+)"`).FindAllStringSubmatch(string(page), -1) {
		table = append(table, fmt.Sprintf("%s,%s,%s,%s,,", []string{"fine", "wrong"}[i%2], m[3], m[1], m[2]))
	}
	require.Len(t, table, 41)
	require.NoError(t, os.WriteFile(filepath.Join(s.dir, "labels.csv"), []byte(strings.Join(table, "\n")+"\n"), 0o600))
}
