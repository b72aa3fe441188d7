package join

import (
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

// score is one row of a file of verdicts.
type score struct {
	place  string
	ids    []string // of what was judged, the narrowest first
	tenant string   // empty: any
	weight float64  // 1 by the probability of being drawn; 0 without one
	label  int
}

// idColumns are the columns of ids, in the order in which they are tried.
func idColumns() []string { return []string{"incident_id", "interaction_id", "span_id", "trace_id"} }

// checkColumns returns an error for a table without ids or verdicts.
func checkColumns(path string, table []tablefile.Row) error {
	columns := map[string]bool{}
	for _, row := range table {
		for name := range row.Values {
			columns[name] = true
		}
	}
	verdicts := columns["verdict"] || columns["label"]
	switch {
	case columns["drawn"] && columns["probability"] && !verdicts: // empty cells are absent
		return fmt.Errorf("%s: no verdict is filled in: write confirmed where the answer is wrong, false_positive where it is fine", path)
	case len(table) > 0 && (!verdicts || !slices.ContainsFunc(idColumns(), func(name string) bool { return columns[name] })):
		return fmt.Errorf("%s: expected a column with ids (%s) and one with verdicts (verdict or label); its columns are %s", path,
			strings.Join(idColumns(), ", "), console.Sanitize(strings.Join(slices.Sorted(maps.Keys(columns)), ", ")))
	}
	return nil
}

// readScores reads the rows of a file that say something, and the faults of the others. skipped counts rows without a
// verdict, such as answers that were not reviewed yet.
func readScores(path string) (scores []*score, faults []string, skipped int, err error) {
	table, bad, err := tablefile.ReadTable(path)
	if err != nil {
		return nil, nil, 0, err
	}
	for _, b := range bad {
		faults = append(faults, b.Error())
	}
	if err := checkColumns(path, table); err != nil {
		return nil, nil, 0, err
	}
	for _, row := range table {
		s, err := parseScore(row)
		switch {
		case err != nil:
			faults = append(faults, row.Place+": "+console.Sanitize(err.Error()))
		case s == nil:
			skipped++
		default:
			scores = append(scores, s)
		}
	}
	return scores, faults, skipped, nil
}

// parseScore reads one row; nil without a verdict.
func parseScore(row tablefile.Row) (*score, error) {
	cell := func(name string) string { return strings.TrimSpace(row.Values[name]) }
	s := &score{place: row.Place, tenant: cell("tenant")}
	verdict := strings.ToLower(cell("verdict") + cell("label"))
	switch verdict {
	case "":
		return nil, nil //nolint:nilnil // says nothing
	case string(schemas.Wrong), "1":
		s.label = 1
	case string(schemas.Fine), "0":
	default:
		return nil, fmt.Errorf("verdict %q: write confirmed or 1 if the answer is wrong, false_positive or 0 if it is fine", verdict)
	}
	for _, column := range idColumns() {
		if id := cell(column); id != "" {
			s.ids = append(s.ids, id)
		}
	}
	if len(s.ids) == 0 {
		return nil, errors.New("has no id: expected one of " + strings.Join(idColumns(), ", "))
	}
	if text := cell("probability"); text != "" {
		p, err := strconv.ParseFloat(text, 64)
		if err != nil || !(p >= 1e-6 && p <= 1) {
			return nil, fmt.Errorf("probability %q: expected a number from 0.000001 to 1", text)
		}
		s.weight = 1 / p
	}
	return s, nil
}
