package join

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/calibration/measure"
	"confab/internal/cli/labelled"
	"confab/internal/console"
	"confab/schemas"
)

func admit(in *schemas.Interaction, origin schemas.Origin) {
	in.Tenant = cmp.Or(in.Tenant, schemas.DefaultTenant)
	in.ID = cmp.Or(in.ID, fmt.Sprint("line ", origin.Offset))
}

// joinTest runs one join; files are written into its folder.
type joinTest struct {
	folder, out, errs string
	rows              []schemas.Labelled
}

func runJoin(t *testing.T, interactions, scores string, change func(o *Options)) (j joinTest, err error) {
	t.Helper()
	j.folder = t.TempDir()
	o := Options{
		Interactions: labelled.InteractionFile{Path: j.file(t, "interactions.jsonl", interactions), Admit: admit},
		Out:          filepath.Join(j.folder, "labels.jsonl"),
	}
	if scores != "" {
		name := "scores.csv"
		if strings.ContainsAny(scores[:1], "[{") {
			name = "scores.jsonl"
		}
		o.Scores = j.file(t, name, scores)
	}
	if change != nil {
		change(&o)
	}
	var out, errs bytes.Buffer
	err = Run(t.Context(), &out, &errs, o)
	shorten := strings.NewReplacer(j.folder+string(filepath.Separator), "")
	j.out, j.errs = shorten.Replace(out.String()), shorten.Replace(errs.String())
	if err != nil {
		err = fmt.Errorf("%w", shortError{shorten.Replace(err.Error()), err})
	}
	if _, missing := os.Stat(o.Out); missing == nil {
		j.rows = readLabels(t, o.Out)
	}
	return j, err
}

// shortError is an error without the folder of the test.
type shortError struct {
	text string
	err  error
}

func (e shortError) Error() string { return e.text }

func (e shortError) Unwrap() error { return e.err }

func (j *joinTest) file(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(j.folder, name)
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

func readLabels(t *testing.T, path string) (rows []schemas.Labelled) {
	t.Helper()
	labels, err := measure.OpenLabels(path)
	require.NoError(t, err)
	defer labels.Close()
	for {
		var row schemas.Labelled
		err := labels.Next(&row)
		if errors.Is(err, io.EOF) {
			return rows
		}
		require.NoError(t, err)
		rows = append(rows, row)
	}
}

func readSample(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", name))
	require.NoError(t, err)
	return string(content)
}

func TestJoinWritesLabelledRows(t *testing.T) {
	t.Parallel()
	j, err := runJoin(t, readSample(t, "interactions.jsonl"),
		"interaction_id,verdict,probability,by\np-1,false_positive,0.25,ann\np-2,confirmed,1,ann\np-3,confirmed,,bob\np-4,,,\n", nil)
	require.NoError(t, err)
	require.Len(t, j.rows, 3)
	require.Contains(t, j.out, "4 verdicts read: 1 have no verdict")
	require.Equal(t, []float64{4, 1, 0}, []float64{j.rows[0].Weight, j.rows[1].Weight, j.rows[2].Weight})
	require.Equal(t, j.rows[0].Group, j.rows[1].Group, "the same sources")
	require.NotEqual(t, j.rows[0].Group, j.rows[2].Group)
	require.Equal(t, "qa", j.rows[0].Task)
	require.Equal(t, "Parcels leave within two working days.", j.rows[0].Interaction.Sources[0].Text)

	again, err := runJoin(t, `{"interaction":{"interaction_id":"a","answer":"A."},"label":0,"task":"t","group":"g","dataset":"d"}`,
		`{"interaction_id":"a","label":1}`, nil)
	require.NoError(t, err)
	require.Equal(t, []any{1, "t", "g", "d"}, []any{again.rows[0].Label, again.rows[0].Task, again.rows[0].Group, again.rows[0].Dataset})
}

func TestJoinReportsWhatItLeavesOut(t *testing.T) {
	t.Parallel()
	interactions := `{"interaction_id":"a","answer":"A."}
{"interaction_id":"b","tenant":"acme","answer":"B."}
{"interaction_id":"b","tenant":"zoo","answer":"B."}
not JSON
{"interaction_id":"c","answer":"C."}
`
	scores := `interaction_id,tenant,verdict,probability
a,,confirmed,
a,,false_positive,
b,,confirmed,
b,acme,confirmed,
b,acme,confirmed,
b,zoo,maybe,
c,,confirmed,2
,,confirmed,
gone,,confirmed,
short
`
	j, err := runJoin(t, interactions, scores, nil)
	require.ErrorIs(t, err, ErrLeftOut)
	require.EqualError(t, err, "some rows were left out: 7")
	require.Equal(t, []string{
		"scores.csv:11: 1 cells where the first line has 4 names",
		`scores.csv:7: verdict "maybe": write confirmed or 1 if the answer is wrong, false_positive or 0 if it is fine`,
		`scores.csv:8: probability "2": expected a number from 0.000001 to 1`,
		"scores.csv:9: has no id: expected one of incident_id, interaction_id, span_id, trace_id",
		"scores.csv:3: contradicts scores.csv:2: the answer gets no label",
		"scores.csv:4: the id b is of several interactions: judge single answers",
		"interactions.jsonl:4: syntax at byte 1: no JSON value",
	}, strings.Split(strings.TrimSpace(j.errs), "\n"))
	require.Equal(t, "1 of 5 interactions labelled, 1 of them faulty; 3 have no label\n10 verdicts read: 1 repeat another verdict of the answer, 1 match no interaction\nwrote labels.jsonl\n", j.out)
}

func TestJoinRefuses(t *testing.T) {
	t.Parallel()
	one := `{"interaction_id":"a","answer":"A."}`
	var many strings.Builder
	many.WriteString("trace_id,label\n")
	for i := range 200 {
		fmt.Fprintf(&many, "trace-%d,1\n", i)
	}
	for name, c := range map[string]struct{ scores, want string }{
		"nothing matches":  {many.String(), `0 of 200 verdicts match an interaction: compare ids: verdicts have "trace-0", "trace-1", "trace-2"; interactions have "a"`},
		"columns":          {"id,points\na,1\n", "scores.csv: expected a column with ids (incident_id, interaction_id, span_id, trace_id) and one with verdicts (verdict or label); its columns are id, points"},
		"nothing reviewed": {"incident_id,interaction_id,verdict,probability,drawn\ni,a,,0.5,random\n", "scores.csv: no verdict is filled in: write confirmed where the answer is wrong, false_positive where it is fine"},
		"no verdict":       {"trace_id,label\na,bad\n", "scores.csv: no row has a verdict that can be used"},
		"empty":            {" ", "scores.csv is empty"},
	} {
		j, err := runJoin(t, one, c.scores, nil)
		require.EqualError(t, err, c.want, name)
		_, input := errors.AsType[*console.InputError](err)
		require.True(t, input, name)
		require.Empty(t, j.rows, name)
	}
	_, err := runJoin(t, one, "trace_id,label\na,1\n", func(o *Options) { o.Interactions.Path = "gone.jsonl" })
	require.EqualError(t, err, "gone.jsonl does not exist")
}
