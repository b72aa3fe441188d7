// Package diff compares two sets of flags over the same interactions: those of two versions of Confab, or of two
// calibrations. It pairs flags by incident id and pass.
package diff

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"confab/internal/files"
	"confab/schemas"
	"confab/schemas/json"
)

// Source is one set of flags: JSON Lines, plain or gzip.
type Source struct {
	Name   string // for messages
	Reader io.Reader
}

// Report is the result of a comparison.
type Report struct {
	A           Side           `json:"a"`
	B           Side           `json:"b"`
	Compared    int            `json:"compared"` // rows that both sides have
	Equal       int            `json:"equal"`
	Changed     int            `json:"changed"`
	Appeared    int            `json:"appeared"` // only B has them
	Vanished    int            `json:"vanished"` // only A has them
	Gained      int            `json:"alerts_gained"`
	Lost        int            `json:"alerts_lost"`
	ChangedRows map[string]int `json:"changed_rows"` // by aspect
	Detectors   []*Detector    `json:"detectors"`    // by name, over the common rows
	Rows        []Row          `json:"rows"`         // that differ, worst first
}

// Side is one set of flags.
type Side struct {
	Name          string  `json:"name"`
	Rows          int     `json:"rows"`     // without repeats
	Repeated      int     `json:"repeated"` // flags of an incident and pass that an earlier line has
	Alerts        int     `json:"alerts"`
	AlertsPer1000 float64 `json:"alerts_per_1000"`
}

// Detector compares one detector over the common rows.
type Detector struct {
	Name    string  `json:"detector"`
	FiredA  int     `json:"fired_a"`
	FiredB  int     `json:"fired_b"`
	Changed int     `json:"scores_changed"`
	Largest float64 `json:"largest_change"` // of a score
}

// Row is one pair of flags that differ, or a flag that only one side has.
type Row struct {
	InteractionID string   `json:"interaction_id"`
	Pass          string   `json:"pass"`
	LineA         int      `json:"line_a,omitempty"` // 0 without a row
	LineB         int      `json:"line_b,omitempty"`
	Changes       []Change `json:"changes"` // worst first

	incident string
}

// Change is one difference. From and To are a text, a boolean, or a number; nil where a side has none.
type Change struct {
	Aspect   string `json:"aspect"`
	Detector string `json:"detector,omitempty"`
	From     any    `json:"from,omitempty"`
	To       any    `json:"to,omitempty"`
}

// Aspects lists what is compared, worst first; "row" is that one side has no row. As conditions of a caller, these and "any".
func Aspects() []string {
	return []string{"alert", "recommendation", "outcome", "fired", "row", "risk", "score", "span"}
}

// tolerance is the movement of a score or risk that is no change.
const tolerance = 1e-6

// size is how far a number moved: 1 where a side has none, 0 for texts.
func (c *Change) size() float64 {
	from, numberA := c.From.(float64)
	to, numberB := c.To.(float64)
	switch {
	case numberA && numberB:
		return math.Abs(to - from)
	case numberA || numberB:
		return 1
	}
	return 0
}

// rowKey identifies a flag.
type rowKey struct{ incident, pass string }

// property is one compared property of a flag.
type property struct{ aspect, detector string }

// flagRow holds the compared properties of a flag.
type flagRow struct {
	key         rowKey
	line        int // of the input, counted from 1
	interaction string
	values      map[property]any
}

// Compare reads a, then b, and reports what differs, with the worst rows. Of several flags with one key the first counts. A line
// that is not a flag is an error with its number, and so are inputs without flags or without a common flag. progress is called
// with the number of flags read.
func Compare(ctx context.Context, a, b Source, worst int, progress func(flags int)) (*Report, error) {
	r := &Report{A: Side{Name: a.Name}, B: Side{Name: b.Name}, ChangedRows: map[string]int{}, Detectors: []*Detector{}, Rows: []Row{}}
	rowsA, err := r.A.read(ctx, a, progress)
	if err != nil {
		return nil, err
	}
	rowsB, err := r.B.read(ctx, b, func(n int) { progress(r.A.Rows + r.A.Repeated + n) })
	if err != nil {
		return nil, err
	}
	for key, row := range rowsA {
		r.add(row, rowsB[key])
	}
	for key, row := range rowsB {
		if rowsA[key] == nil {
			r.add(nil, row)
		}
	}
	if r.Compared == 0 {
		return nil, fmt.Errorf("%s and %s have no row in common: compare flags of the same interactions and pass (rows are paired by incident_id, which is made of tenant, interaction_id and answer)", a.Name, b.Name)
	}
	slices.SortFunc(r.Detectors, func(a, b *Detector) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortFunc(r.Rows, compareRows)
	r.Rows = r.Rows[:min(worst, len(r.Rows))]
	return r, nil
}

// read reads the flags of a side and counts them.
func (s *Side) read(ctx context.Context, from Source, progress func(int)) (map[rowKey]*flagRow, error) {
	lines, err := files.NewLines(from.Reader, json.DefaultMaxBytes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", from.Name, err)
	}
	rows := map[rowKey]*flagRow{}
	for ctx.Err() == nil {
		line, err := lines.Next()
		switch {
		case errors.Is(err, io.EOF) && len(rows) == 0:
			return nil, fmt.Errorf("%s holds no flags: write them with confab check FILE, or confab tail --json", from.Name)
		case errors.Is(err, io.EOF):
			s.AlertsPer1000 = 1000 * float64(s.Alerts) / float64(s.Rows)
			return rows, nil
		case errors.Is(err, files.ErrTooLong):
			return nil, fmt.Errorf("%s: line %d: %w: more than %d bytes", from.Name, lines.Number(), err, json.DefaultMaxBytes)
		case err != nil:
			return nil, fmt.Errorf("%s: %w", from.Name, err)
		}
		row, err := readRow(line, lines.Number())
		if err != nil {
			return nil, fmt.Errorf("%s: line %d is not a flag: %w; compare what confab check or confab tail --json writes", from.Name, lines.Number(), err)
		}
		if rows[row.key] == nil {
			rows[row.key] = row
			s.Rows++
			if row.values[property{aspect: "alert"}] == true {
				s.Alerts++
			}
		} else {
			s.Repeated++
		}
		progress(s.Rows + s.Repeated)
	}
	return nil, ctx.Err()
}

// errNotFlag names the fields that distinguish flags from other records.
var errNotFlag = errors.New("incident_id, pass and recommendation are needed")

func readRow(line []byte, number int) (*flagRow, error) {
	var f schemas.Flag
	if err := json.DecodeFlag(line, &f); err != nil {
		return nil, err
	}
	if f.IncidentID == "" || f.Pass == "" || f.Recommendation == "" {
		return nil, errNotFlag
	}
	fired := strings.Join(slices.Sorted(slices.Values(f.Fired)), ", ")
	values := map[property]any{{aspect: "alert"}: f.Alert, {aspect: "recommendation"}: string(f.Recommendation), {aspect: "fired"}: fired}
	if f.Risk != nil {
		values[property{aspect: "risk"}] = *f.Risk
	}
	for i := range f.Signals {
		s := &f.Signals[i]
		var spans []string
		for _, e := range s.Evidence {
			spans = append(spans, fmt.Sprintf("%d:%d of %s %d:%d", e.Start, e.End, e.SourceID, e.SourceStart, e.SourceEnd))
		}
		values[property{"outcome", s.Detector}] = string(s.Outcome)
		values[property{"score", s.Detector}] = s.Score
		values[property{"span", s.Detector}] = strings.Join(spans, ", ")
	}
	return &flagRow{key: rowKey{f.IncidentID, string(f.Pass)}, line: number, interaction: f.InteractionID, values: values}, nil
}

// add adds a pair of rows, of which one may be nil.
func (r *Report) add(a, b *flagRow) {
	some := cmp.Or(a, b)
	row := Row{InteractionID: some.interaction, Pass: some.key.pass, incident: some.key.incident}
	alert := property{aspect: "alert"}
	switch {
	case a == nil:
		r.Appeared++
		row.LineB = b.line
		row.Changes = append(changed(alert, false, b.values[alert]), Change{Aspect: "row", To: b.values[property{aspect: "recommendation"}]})
	case b == nil:
		r.Vanished++
		row.LineA = a.line
		row.Changes = append(changed(alert, a.values[alert], false), Change{Aspect: "row", From: a.values[property{aspect: "recommendation"}]})
	default:
		r.Compared++
		row.LineA, row.LineB = a.line, b.line
		row.Changes = r.compare(a.values, b.values)
		if len(row.Changes) == 0 {
			r.Equal++
			return
		}
		r.Changed++
	}
	seen := map[string]bool{}
	for _, c := range row.Changes {
		if !seen[c.Aspect] {
			seen[c.Aspect] = true
			r.ChangedRows[c.Aspect]++
		}
	}
	if row.Changes[0].Aspect == "alert" {
		if row.Changes[0].To == true {
			r.Gained++
		} else {
			r.Lost++
		}
	}
	r.Rows = append(r.Rows, row)
}

// compare lists what differs in a common row, worst first, and adds its signals to the detectors. Of a signal that one side does
// not have, only the outcome counts.
func (r *Report) compare(a, b map[property]any) (all []Change) {
	keys := maps.Clone(a)
	maps.Copy(keys, b)
	for p := range keys {
		from, to := a[p], b[p]
		if p.aspect == "outcome" {
			d := r.detector(p.detector)
			if from == string(schemas.Fired) {
				d.FiredA++
			}
			if to == string(schemas.Fired) {
				d.FiredB++
			}
		}
		if (p.aspect == "score" || p.aspect == "span") && (from == nil || to == nil) {
			continue
		}
		found := changed(p, from, to)
		if p.aspect == "score" && len(found) > 0 {
			d := r.detector(p.detector)
			d.Changed++
			d.Largest = max(d.Largest, found[0].size())
		}
		all = append(all, found...)
	}
	slices.SortFunc(all, func(x, y Change) int {
		return cmp.Or(cmp.Compare(rank(x.Aspect), rank(y.Aspect)), cmp.Compare(x.Detector, y.Detector))
	})
	return all
}

// changed is the change of a property; none within the tolerance.
func changed(p property, from, to any) []Change {
	c := Change{p.aspect, p.detector, from, to}
	if from == to || c.size() <= tolerance && c.size() > 0 {
		return nil
	}
	return []Change{c}
}

func (r *Report) detector(name string) *Detector {
	i := slices.IndexFunc(r.Detectors, func(d *Detector) bool { return d.Name == name })
	if i < 0 {
		i, r.Detectors = len(r.Detectors), append(r.Detectors, &Detector{Name: name})
	}
	return r.Detectors[i]
}

func rank(aspect string) int { return slices.Index(Aspects(), aspect) }

// compareRows orders rows by their worst aspect, where risk and score count the same, then by the largest movement.
func compareRows(a, b Row) int {
	of := func(r *Row) (worst int, size float64) {
		if worst = rank(r.Changes[0].Aspect); r.Changes[0].Aspect == "score" {
			worst = rank("risk")
		}
		for i := range r.Changes {
			size = max(size, r.Changes[i].size())
		}
		return worst, size
	}
	rankA, sizeA := of(&a)
	rankB, sizeB := of(&b)
	return cmp.Or(cmp.Compare(rankA, rankB), cmp.Compare(sizeB, sizeA), cmp.Compare(a.InteractionID, b.InteractionID),
		cmp.Compare(a.incident, b.incident), cmp.Compare(a.Pass, b.Pass))
}

// Holds reports whether a row has a change of the aspect, or of any.
func (r *Report) Holds(aspect string) bool {
	return r.ChangedRows[aspect] > 0 || aspect == "any" && len(r.ChangedRows) > 0
}
