package quality

import (
	"encoding/json"
	"fmt"
	"io"
)

// Schema is the version of the JSON report; incompatible changes change it.
const Schema = "confab.evaluate/1"

// WriteJSON writes {"schema", "calibration", "by", "rows": […], "spans": […], "notes": […]}: one row per data set, task
// (the value of what was sliced by, "all" or "mix") and detector. n and positives count the rows that the detector could
// measure; a figure is {"value", "low", "high"}, or null where the rows do not define it. "against" has the differences
// from an earlier run, if one was given.
func (r *Report) WriteJSON(w io.Writer) error {
	out := struct {
		Schema      string     `json:"schema"`
		Calibration string     `json:"calibration"`
		By          By         `json:"by"`
		Rows        []jsonLine `json:"rows"`
		Spans       []jsonSpan `json:"spans"`
		Notes       []string   `json:"notes"`
		Against     []jsonDiff `json:"against,omitempty"`
	}{Schema: Schema, Calibration: r.Calibration, By: r.By, Rows: []jsonLine{}, Spans: []jsonSpan{}, Notes: append([]string{}, r.Notes...)}
	for i := range r.Lines {
		out.Rows = append(out.Rows, newJSONLine(&r.Lines[i]))
	}
	for _, s := range r.Spans {
		if s.N > 0 {
			out.Spans = append(out.Spans, jsonSpan{s.Dataset, s.Slice, s.N, s.Hits})
		}
	}
	for _, d := range r.Differences {
		out.Against = append(out.Against, jsonDiff{d.Dataset, d.Slice, d.Detector, d.Rows, roundFigure(d.Before), roundFigure(d.Now), d.Change})
	}
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	if err := e.Encode(out); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

type jsonDiff struct {
	Dataset  string  `json:"dataset"`
	Task     string  `json:"task"`
	Detector string  `json:"detector"`
	Rows     int     `json:"rows"`
	Before   float64 `json:"auroc_all_before"`
	Now      float64 `json:"auroc_all"`
	Change   Figure  `json:"difference"`
}

type jsonSpan struct {
	Dataset string `json:"dataset"`
	Task    string `json:"task"`
	N       int    `json:"n"`
	Hits    Figure `json:"hit_rate"`
}

type jsonLine struct {
	Dataset      string  `json:"dataset"`
	Task         string  `json:"task"`
	Detector     string  `json:"detector"`
	Rows         int     `json:"rows"`
	N            int     `json:"n"`
	Positives    int     `json:"positives"`
	NotCheckable float64 `json:"not_checkable"`

	AUROC            Figure `json:"auroc"`
	AveragePrecision Figure `json:"average_precision"`
	F1               Figure `json:"f1"`
	BestF1           Figure `json:"best_f1"`
	RecallAtHalf     Figure `json:"recall_at_05"`
	RecallAtOne      Figure `json:"recall_at_1"`
	RecallAtFive     Figure `json:"recall_at_5"`
	Precision        Figure `json:"precision"`
	Recall           Figure `json:"recall"`
	FalseAlarms      Figure `json:"false_alarms"`
	CalibrationError Figure `json:"calibration_error"`
	AUROCAll         Figure `json:"auroc_all"`
	F1All            Figure `json:"f1_all"`
	RecallAll        Figure `json:"recall_all"`

	AlertsAtOne       Figure `json:"alerts_per_1000_at_1"`
	AlertsAtFive      Figure `json:"alerts_per_1000_at_5"`
	AlertsAtTwenty    Figure `json:"alerts_per_1000_at_20"`
	PrecisionAtOne    Figure `json:"precision_at_1"`
	PrecisionAtFive   Figure `json:"precision_at_5"`
	PrecisionAtTwenty Figure `json:"precision_at_20"`
}

func newJSONLine(l *Line) jsonLine {
	f := &l.Figures
	return jsonLine{
		Dataset: l.Dataset, Task: l.Slice, Detector: l.Detector, Rows: l.Rows, N: l.N, Positives: l.Positives,
		NotCheckable: roundFigure(l.NotCheckable()),
		AUROC:        f[AUROC], AveragePrecision: f[AveragePrecision], F1: f[F1], BestF1: f[BestF1], RecallAtHalf: f[RecallAtHalf], RecallAtOne: f[RecallAtOne],
		RecallAtFive: f[RecallAtFive],
		Precision:    f[Precision], Recall: f[Recall], FalseAlarms: f[FalseAlarms], CalibrationError: f[CalibrationError],
		AUROCAll: f[AUROCAll], F1All: f[F1All], RecallAll: f[RecallAll],
		AlertsAtOne: f[AlertsAtOne], AlertsAtFive: f[AlertsAtFive], AlertsAtTwenty: f[AlertsAtTwenty],
		PrecisionAtOne: f[PrecisionAtOne], PrecisionAtFive: f[PrecisionAtFive], PrecisionAtTwenty: f[PrecisionAtTwenty],
	}
}
