package calibrate

import (
	"fmt"
	"math"

	"github.com/jedib0t/go-pretty/v6/table"

	"confab/calibration/thresholds"
)

// alert prints the alert rule with its minimum risk: figures to expect at the base rate, and what is left out.
func (p *calibrationPrinter) alert(r *thresholds.AlertReport) {
	if !r.Chosen {
		p.keptAlert(r)
		return
	}
	what := "by the configured rule"
	if r.MinRisk > 0 {
		what += fmt.Sprintf(", with a risk of at least %.3g", r.MinRisk)
	}
	p.printf("\nalerts: %s; figures for %s of bad answers, at most %s false alarms\n", what, formatPercent(r.BaseRate), formatPercent(r.FalseAlarms))
	rows := []table.Row{alertRow("with this minimum", &r.Rows), alertRow("without a minimum", &r.Rule)}
	p.table(table.Row{"alert rule", "right", "95 %", "false alarms", "95 %", "found", "95 %", "alerts in 1,000 answers"}, rows)
}

// keptAlert says why no minimum risk was chosen.
func (p *calibrationPrinter) keptAlert(r *thresholds.AlertReport) {
	if r.KeptFrom != "" {
		p.printf("\nalerts: by the configured rule, with a risk of at least %.3g. Risk maps and minimum are kept as in %s: %s\n", r.MinRisk, r.KeptFrom, r.Reason)
		return
	}
	p.printf("\nalerts: by the configured rule, without a minimum risk: %s\n", r.Reason)
}

func alertRow(name string, f *thresholds.AlertFigures) table.Row {
	row := table.Row{name, "–", "–", formatPercent(f.FalseAlarms.Value), percentRange(f.FalseAlarms), formatPercent(f.Recall.Value), percentRange(f.Recall), "0"}
	if !math.IsNaN(f.Precision.Value) {
		row[1], row[2] = formatPercent(f.Precision.Value), percentRange(f.Precision)
		row[7] = fmt.Sprintf("%.1f", 1000*f.Share)
	}
	return row
}

func percentRange(s thresholds.Share) string {
	return fmt.Sprintf("%.1f–%.1f %%", 100*s.Low, 100*s.High)
}
