package quality

import (
	"encoding/json"
	"fmt"
	"io"
)

// Schema is the version of the JSON report; incompatible changes change it.
const Schema = "confab.evaluate/1"

// WriteJSON writes {"schema", "calibration", "by", "rows": […], "notes": […]}: one row per data set, task
// (the value of what was sliced by, "all" or "mix") and detector. n and positives count the rows that the detector could
// measure; a figure is {"value", "low", "high"}, or null where the rows do not define it.
func (r *Report) WriteJSON(w io.Writer) error {
	out := struct {
		Schema      string           `json:"schema"`
		Calibration string           `json:"calibration"`
		By          By               `json:"by"`
		Rows        []map[string]any `json:"rows"`
		Notes       []string         `json:"notes"`
	}{Schema: Schema, Calibration: r.Calibration, By: r.By, Rows: []map[string]any{}, Notes: append([]string{}, r.Notes...)}
	for i := range r.Lines {
		out.Rows = append(out.Rows, jsonLine(&r.Lines[i]))
	}
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	if err := e.Encode(out); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// jsonLine holds the names and figures of a line.
func jsonLine(l *Line) map[string]any {
	out := map[string]any{
		"dataset": l.Dataset, "task": l.Slice, "detector": l.Detector, "rows": l.Rows, "n": l.N, "positives": l.Positives,
		"not_checkable": roundFigure(l.NotCheckable()),
	}
	for m, f := range l.Figures {
		out[metricNames[m]] = f
	}
	return out
}
