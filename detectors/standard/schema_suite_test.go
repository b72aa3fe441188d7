package standard_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/detectors/jsonschema"
	"confab/detectors/standard"
	"confab/internal/golden"
	"confab/schemas"
)

// TestSchemaSuite runs the official test suite: all required cases with formats as annotations, the optional ones for
// formats with formats asserted. Failures among the latter are listed in the golden file.
func TestSchemaSuite(t *testing.T) {
	rows := labelledRows(t, "jsonschema_suite")
	annotate, assert := jsonschema.DefaultOptions(), jsonschema.DefaultOptions()
	annotate.Format = jsonschema.FormatAnnotate
	required := buildConfidence(t, "schema", &annotate, standard.Dependencies{})
	optional := buildConfidence(t, "schema", &assert, standard.Dependencies{})
	type tally struct{ right, n int }
	formats := map[string]*tally{}
	all, total, refused, dynamic := tally{}, tally{}, 0, 0
	var wrong []string
	for i := range rows {
		id := rows[i].Interaction.ID
		_, format, isFormat := strings.Cut(id, "/optional/format/")
		d := required
		if isFormat {
			d = optional
		}
		verdict := verdictOf(d, &rows[i].Interaction)
		right := verdict == strconv.Itoa(rows[i].Label)
		if !isFormat {
			all.n++
			switch {
			case right:
				all.right++
			case strings.Contains(verdict, "a reference leads out of the schema"):
				refused++ // the suite serves these documents over HTTP; we load none
				require.Contains(t, rows[i].Interaction.ResponseSchema, "http://localhost:1234/")
			case strings.Contains(verdict, "$dynamicRef"):
				dynamic++
			default:
				t.Errorf("%s: %s, want %d\nschema %s\nanswer %s", id, verdict, rows[i].Label, rows[i].Interaction.ResponseSchema, rows[i].Interaction.Answer)
			}
			continue
		}
		format, _, _ = strings.Cut(format, "/")
		if formats[format] == nil {
			formats[format] = &tally{}
		}
		formats[format].n++
		total.n++
		if right {
			formats[format].right++
			total.right++
		} else {
			wrong = append(wrong, fmt.Sprintf("%s: %s, want %d", id, verdict, rows[i].Label))
		}
	}
	var report strings.Builder
	fmt.Fprintf(&report, "required: %d of %d right, %d refused for a reference out of the schema, %d for a dynamic one\noptional/format: %d of %d right\n\n", all.right, all.n, refused, dynamic, total.right, total.n)
	for _, f := range slices.Sorted(maps.Keys(formats)) {
		fmt.Fprintf(&report, "%-26s %d of %d\n", f, formats[f].right, formats[f].n)
	}
	fmt.Fprintf(&report, "\n%s\n", strings.Join(wrong, "\n"))
	golden.Equal(t, "testdata/schema_suite.golden", report.String())
}

// verdictOf returns 1 for a violation, 0 for none, else the error or the reason.
func verdictOf(d detectors.Detector, in *schemas.Interaction) string {
	doc := new(detectors.Document)
	doc.Reset(in)
	return verdictOfFinding(d.Detect(context.Background(), doc))
}

func verdictOfFinding(f detectors.Finding, err error) string {
	switch {
	case err != nil:
		return err.Error()
	case f.NotCheckable != "":
		return f.NotCheckable
	}
	return fmt.Sprint(f.Score)
}
