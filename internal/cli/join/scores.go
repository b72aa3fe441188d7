package join

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"confab/internal/console"
	"confab/internal/tablefile"
)

// score is one row of a file of scores.
type score struct {
	place  string
	ids    []string // of what was scored, the narrowest first: incident, interaction, span, trace
	tenant string   // empty: any
	name   string
	human  bool
	value  value
	weight float64 // 1 by the probability of being drawn; 0 without one
	label  int
}

// The columns of scores: our own names, those of Phoenix (span annotations) and those of Langfuse (scores), in the order
// in which they are tried.
func idColumns() []string {
	return []string{"incident_id", "interaction_id", "span_id", "context.span_id", "observationId", "observation_id", "traceId", "trace_id"}
}

func nameColumns() []string { return []string{"name", "annotation_name", "score_name"} }

func wordColumns() []string {
	return []string{"verdict", "result.label", "label", "stringValue", "string_value"}
}

func numberColumns() []string { return []string{"result.score", "score", "value"} }

// checkColumns returns an error for a table without ids or values.
func checkColumns(path string, table []tablefile.Row) error {
	columns := map[string]bool{}
	for _, row := range table {
		for name := range row.Values {
			columns[name] = true
		}
	}
	known := func(names []string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return columns[name] })
	}
	if columns["drawn"] && columns["probability"] && !known(wordColumns()) { // empty cells are absent
		return fmt.Errorf("%s: no verdict is filled in: write confirmed where the answer is wrong, false_positive where it is fine", path)
	}
	if len(table) > 0 && (!known(idColumns()) || !known(append(wordColumns(), numberColumns()...))) {
		return fmt.Errorf("%s: expected a column with ids (%s) and one with values (%s); its columns are %s", path,
			strings.Join(idColumns(), ", "), strings.Join(append(wordColumns(), numberColumns()...), ", "),
			console.Sanitize(strings.Join(slices.Sorted(maps.Keys(columns)), ", ")))
	}
	return nil
}

// readScores reads the rows of a file that say something, and the faults of the others. skipped counts rows without a
// value, such as answers that were not reviewed yet.
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
			faults = append(faults, row.Place+": "+err.Error())
		case s == nil:
			skipped++
		default:
			scores = append(scores, s)
		}
	}
	return scores, faults, skipped, nil
}

// parseScore reads one row; nil without a value.
func parseScore(row tablefile.Row) (*score, error) {
	first := func(names []string) string { return firstValue(row, names) }
	s := &score{
		place: row.Place, tenant: strings.TrimSpace(row.Values["tenant"]), name: first(nameColumns()),
		value: value{word: first(wordColumns()), number: first(numberColumns()), plain: first([]string{"verdict", "label"})},
		human: strings.EqualFold(row.Values["annotator_kind"], "HUMAN") || strings.EqualFold(row.Values["source"], "ANNOTATION") || row.Values["verdict"] != "",
	}
	for _, column := range idColumns() {
		if id := strings.TrimSpace(row.Values[column]); id != "" {
			s.ids = append(s.ids, id)
		}
	}
	if s.value == (value{}) {
		return nil, nil //nolint:nilnil // says nothing
	}
	if s.value.number == "" {
		s.value.number = s.value.word
	}
	if len(s.ids) == 0 {
		return nil, fmt.Errorf("has no id: expected one of %s", strings.Join(idColumns(), ", "))
	}
	return s, s.setWeight(row.Values["probability"])
}

func firstValue(row tablefile.Row, names []string) string {
	for _, name := range names {
		if v := strings.TrimSpace(row.Values[name]); v != "" {
			return v
		}
	}
	return ""
}

// setWeight sets the weight from the probability of being drawn; an empty one leaves it.
func (s *score) setWeight(probability string) error {
	if probability == "" {
		return nil
	}
	p, err := strconv.ParseFloat(strings.TrimSpace(probability), 64)
	if err != nil || !(p >= 1e-6 && p <= 1) {
		return fmt.Errorf("probability %q: expected a number from 0.000001 to 1", console.Sanitize(probability))
	}
	s.weight = 1 / p
	return nil
}

// selectName keeps the scores of that name. Without a name there must be one only.
func selectName(scores []*score, name string) ([]*score, error) {
	counts := map[string]int{}
	for _, s := range scores {
		counts[s.name]++
	}
	if name == "" && len(counts) <= 1 {
		return scores, nil
	}
	kept := slices.DeleteFunc(slices.Clone(scores), func(s *score) bool { return s.name != name })
	if name != "" && len(kept) > 0 {
		return kept, nil
	}
	list := describeCounts(counts)
	if name == "" {
		return nil, fmt.Errorf("--score-name is missing: the scores have several names: %s", list)
	}
	return nil, fmt.Errorf("--score-name %s: no score has this name: there are %s", name, list)
}

// label gives every score its label; a score whose value says nothing is a fault.
func labelScores(scores []*score, c *Condition) (kept []*score, faults []string, err error) {
	if c == nil {
		return labelPlain(scores)
	}
	for _, s := range scores {
		faulty, err := c.faulty(s.value)
		if err != nil {
			faults = append(faults, fmt.Sprintf("%s: %v", s.place, console.Sanitize(err.Error())))
			continue
		}
		if faulty {
			s.label = 1
		}
		kept = append(kept, s)
	}
	return kept, faults, nil
}

// labelPlain labels verdicts and the numbers 0 and 1. If no value is one, a condition is missing.
func labelPlain(scores []*score) (kept []*score, faults []string, err error) {
	counts := map[string]int{}
	for _, s := range scores {
		label, known := s.value.plainLabel()
		counts[s.value.text()]++
		if !known {
			faults = append(faults, fmt.Sprintf("%s: verdict %q: write confirmed or 1 if the answer is wrong, false_positive or 0 if it is fine", s.place, console.Sanitize(s.value.text())))
			continue
		}
		s.label = label
		kept = append(kept, s)
	}
	if len(kept) == 0 && len(scores) > 0 {
		return nil, nil, fmt.Errorf("--faulty-when is missing: say which values mean a faulty answer, such as '<0.5' or '=hallucinated'; there are %s", describeCounts(counts))
	}
	return kept, faults, nil
}

// describeCounts lists the names with their counts, the most frequent first.
func describeCounts(counts map[string]int) string {
	const most = 8
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) })
	var list []string
	for _, name := range names[:min(most, len(names))] {
		shown := name
		if name == "" {
			shown = "(none)"
		}
		list = append(list, fmt.Sprintf("%s (%d)", console.Sanitize(shown), counts[name]))
	}
	if len(names) > most {
		list = append(list, fmt.Sprintf("and %d more", len(names)-most))
	}
	return strings.Join(list, ", ")
}
