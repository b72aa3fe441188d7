package tune

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"confab/internal/console"
	"confab/internal/tablefile"
	"confab/schemas"
)

// verdict is one row of a table of verdicts.
type verdict struct {
	place  string
	table  string   // the file
	ids    []string // of what was judged, the narrowest first
	tenant string   // empty: any
	weight float64  // 1 by the probability of being drawn; 0 without one
	wrong  bool
}

// verdicts are those of the tables.
type verdicts struct {
	all    []*verdict
	faults []string
	empty  int // rows without a verdict, such as answers that were not reviewed yet
}

const incidentColumn = "incident_id"

// idColumns are the columns of ids, in the order in which they are tried.
func idColumns() []string { return []string{incidentColumn, "interaction_id", "span_id", "trace_id"} }

// read reads a table.
func (v *verdicts) read(path string) error {
	table, bad, err := tablefile.ReadTable(path)
	if err != nil {
		return err
	}
	for _, b := range bad {
		v.faults = append(v.faults, b.Error())
	}
	if err := checkColumns(path, table); err != nil {
		return err
	}
	for _, row := range table {
		one, err := parseVerdict(row)
		switch {
		case err != nil:
			v.faults = append(v.faults, row.Place+": "+err.Error())
		case one == nil:
			v.empty++
		default:
			one.table = path
			v.all = append(v.all, one)
		}
	}
	return nil
}

// checkColumns returns an error for a table without ids or verdicts.
func checkColumns(path string, table []tablefile.Row) error {
	columns := map[string]bool{}
	for _, row := range table {
		for name := range row.Values {
			columns[name] = true
		}
	}
	said := columns["verdict"] || columns["label"]
	switch {
	case columns["answer"] && columns["probability"] && !said: // empty cells are absent
		return fmt.Errorf("%s: no verdict is filled in: write wrong or fine in the column verdict", path)
	case len(table) > 0 && (!said || !slices.ContainsFunc(idColumns(), func(name string) bool { return columns[name] })):
		return fmt.Errorf("%s: expected a column with ids (%s) and one with verdicts (verdict or label); its columns are %s; labelled rows are read without a log: confab tune --labels %s", path,
			strings.Join(idColumns(), ", "), console.Sanitize(strings.Join(slices.Sorted(maps.Keys(columns)), ", ")), path)
	}
	return nil
}

// parseVerdict reads one row; nil without a verdict.
func parseVerdict(row tablefile.Row) (*verdict, error) {
	cell := func(name string) string { return strings.TrimSpace(row.Values[name]) }
	v := &verdict{place: row.Place, tenant: cell("tenant")}
	word := cell("verdict") + cell("label")
	if word == "" {
		return nil, nil //nolint:nilnil // says nothing
	}
	said, known := schemas.ParseVerdict(word)
	if !known {
		return nil, fmt.Errorf("verdict %q: write wrong or fine, what the answer is", word)
	}
	v.wrong = said == schemas.Wrong
	for _, column := range idColumns() {
		if id := cell(column); id != "" {
			v.ids = append(v.ids, id)
		}
		if column == incidentColumn && len(v.ids) > 0 {
			break // the id is of this very answer: another one under the same interaction is another answer
		}
	}
	if len(v.ids) == 0 {
		return nil, errors.New("has no id: expected one of " + strings.Join(idColumns(), ", "))
	}
	if text := cell("probability"); text != "" {
		p, err := strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64) // as some spreadsheets write it
		if err != nil || !(p >= 1e-6 && p <= 1) {
			return nil, fmt.Errorf("probability %q: expected a number from 0.000001 to 1", text)
		}
		v.weight = 1 / p
	}
	return v, nil
}

// readVerdicts measures the log and joins it with the tables of verdicts.
func (f *fitRun) readVerdicts(ctx context.Context) error {
	var v verdicts
	for _, path := range f.o.Labels {
		if err := v.read(path); err != nil {
			return &console.InputError{Err: err}
		}
	}
	index := newAnswerIndex()
	s, err := f.o.survey(ctx, f.errw, index.add)
	if err != nil {
		return err
	}
	f.log, f.answers, f.perDay = *s, s.rows, s.perDay
	if err := f.assign(&v, index); err != nil {
		return err
	}
	unweighted := 0
	for i := range s.rows {
		said := index.verdicts[s.rows[i].Group]
		if said == nil {
			continue
		}
		if said.weight == 0 {
			unweighted++
		}
		row := s.rows[i]
		row.Weight = said.weight
		f.add(row, said.wrong)
		f.prints.Add(fmt.Appendf(nil, "%s %v %g", row.Group, said.wrong, said.weight))
	}
	if unweighted > 0 {
		f.limits = append(f.limits, fmt.Sprintf("how %d of the answers were chosen: they have no probability and count as one answer each; the figures hold if they are random", unweighted))
	}
	return f.writeRows(ctx, index)
}

// assign gives each verdict to its answer, and reports what has none.
func (f *fitRun) assign(v *verdicts, index *answerIndex) error {
	unmatched, repeated := 0, 0
	for _, one := range v.all {
		switch outcome, other := index.assign(one); outcome {
		case noMatch:
			unmatched++
		case severalMatches:
			v.faults = append(v.faults, fmt.Sprintf("%s: the id %s is of several answers: judge single answers", one.place, one.ids[0]))
		case contradiction:
			v.faults = append(v.faults, fmt.Sprintf("%s: contradicts %s: the answer gets no label", one.place, other))
		case repetition:
			repeated++
		case taken:
		}
	}
	if len(v.all) > 0 && unmatched == len(v.all) {
		return console.InputErrorf("0 of %d verdicts match an answer of %s: is it the log that they are about, read with the same map and tenant? The first verdict has the id %q, the first answer %q",
			len(v.all), f.o.Log.Path, console.Sanitize(v.all[0].ids[0]), console.Sanitize(index.first))
	}
	f.reportCount(v.empty, "rows have no verdict yet")
	f.reportCount(unmatched, "verdicts match no answer of the log")
	f.reportCount(repeated, "verdicts repeat another one of the answer")
	console.PrintFaults(f.errw, v.faults, 20)
	if len(v.faults) > 0 && !f.o.Lenient {
		return errFaultyLabels
	}
	return nil
}

// reportCount says how many rows are left out, and why.
func (f *fitRun) reportCount(n int, why string) {
	if n > 0 {
		fmt.Fprintf(f.errw, "%d %s\n", n, why)
	}
}
