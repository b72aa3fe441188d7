package evaluate

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"confab/calibration/measure"
	"confab/detectors"
	"confab/detectors/grounding"
	"confab/internal/console"
	"confab/internal/files"
	"confab/internal/text/citations"
	"confab/schemas"
)

// FeatureOptions configure WriteFeatures.
type FeatureOptions struct {
	File   string
	Labels measure.Labels
	Limits detectors.Limits
	Count  func(rows int) // progress; may be nil
}

// featureLine is one claim of a labelled row. Text is never part of it.
type featureLine struct {
	Row    int       `json:"row"` // index of the measured rows
	ID     string    `json:"id"`
	Group  string    `json:"group"`
	Label  int       `json:"label"`
	Claim  int       `json:"claim"` // index in the row
	Start  int       `json:"start"` // bytes of the answer
	End    int       `json:"end"`
	Faulty *bool     `json:"faulty"` // null where a faulty row has no spans
	Cited  bool      `json:"cited"`  // a citation marker stands in it
	X      []float32 `json:"x"`
}

// WriteFeatures writes what the claim model reads, atomically, as JSON Lines: {"columns": [names]}, then a line for each claim of each
// row, in their order. Row errors go to errw; the error wraps ErrLeftOut when the file is written.
func WriteFeatures(ctx context.Context, errw io.Writer, o FeatureOptions) error {
	if err := files.CheckWritable(o.File); err != nil {
		return err
	}
	var problems measure.RowErrors
	_, err := files.WriteAtomic(o.File, func(w io.Writer) (err error) {
		problems, err = o.write(ctx, w)
		return err
	})
	for _, line := range problems.Messages() {
		fmt.Fprintln(errw, console.Sanitize(line))
	}
	if n := problems.LeftOut(); err == nil && n > 0 {
		return fmt.Errorf("%w: %d of %d", ErrLeftOut, n, problems.Rows)
	}
	return err
}

func (o *FeatureOptions) write(ctx context.Context, w io.Writer) (measure.RowErrors, error) {
	out := json.NewEncoder(w)
	if err := out.Encode(struct {
		Columns []string `json:"columns"`
	}{grounding.ColumnNames()}); err != nil {
		return measure.RowErrors{}, fmt.Errorf("write the features: %w", err)
	}
	var doc detectors.Document
	doc.SetLimits(o.Limits)
	return measure.EachRow(ctx, o.Labels, func(index int, row *schemas.Labelled) (err error) {
		doc.Reset(&row.Interaction)
		line := featureLine{Row: index, ID: row.Interaction.ID, Group: row.Group, Label: row.Label}
		grounding.Columns(&doc, func(start, end int, x []float32) {
			line.Start, line.End, line.X = start, end, x
			line.Faulty, line.Cited = faulty(row, start, end), cited(&doc, start, end)
			if e := out.Encode(&line); e != nil && err == nil {
				err = fmt.Errorf("write the features: %w", e)
			}
			line.Claim++
		})
		if o.Count != nil {
			o.Count(index + 1)
		}
		return err
	})
}

// faulty reports whether a labelled span touches the place; nil where that is unknown.
func faulty(row *schemas.Labelled, start, end int) *bool {
	if row.Label == 1 && len(row.Spans) == 0 {
		return nil
	}
	touched := row.Label == 1 && slices.ContainsFunc(row.Spans, func(s schemas.Span) bool { return s.Start < end && start < s.End })
	return &touched
}

func cited(doc *detectors.Document, start, end int) bool {
	return slices.ContainsFunc(doc.Markers().List, func(m citations.Marker) bool { return start <= m.Start && m.Start < end })
}
