package calibrate

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"confab/calibration"
	"confab/calibration/roc"
	"confab/calibration/thresholds"
	"confab/internal/console"
)

// printCalibration prints the calibration and its figures.
func printCalibration(w io.Writer, r *thresholds.Report, written string) error {
	p := &calibrationPrinter{w: w}
	f := r.File
	p.printf("calibration %s: %d rows, %d of them bad, of %d groups; target precision %s with %d rows fired\n", f.ID, f.Data.Rows, f.Data.Positives, r.Groups, formatShare(r.Target.Precision), r.Target.MinFired)
	p.printf("figures are those of the rows with their weights: %s bad\n", formatPercent(r.BadShare))
	p.thresholds(r)
	p.reasons(r)
	p.sweep(r)
	p.rule(r.File.Rule)
	p.risk(r)
	if written != "" {
		p.printf("\nwrote %s\n", written)
	}
	return p.err
}

// calibrationPrinter writes until the first error.
type calibrationPrinter struct {
	w   io.Writer
	err error
}

func (p *calibrationPrinter) printf(format string, args ...any) {
	if p.err == nil {
		p.err = console.Printf(p.w, format, args...)
	}
}

func (p *calibrationPrinter) table(header table.Row, rows []table.Row) {
	t := console.NewTable(header)
	t.Style().Format.Header = text.FormatDefault
	configs := make([]table.ColumnConfig, len(header)-2) // the first two are names
	for i := range configs {
		configs[i] = table.ColumnConfig{Number: i + 3, Align: text.AlignRight}
	}
	t.SetColumnConfigs(configs)
	t.AppendRows(rows)
	p.printf("\n%s\n", console.FitTable(t, console.Columns(p.w)))
}

func (p *calibrationPrinter) thresholds(r *thresholds.Report) {
	var rows []table.Row
	for i := range r.Choices {
		c := &r.Choices[i]
		row := table.Row{c.Detector, console.Sanitize(thresholds.KeyName(c.ThresholdKey)), "not armed", "", "", "", "", "", "", "", "", c.Rows}
		if c.KeptFrom != "" {
			row[2] = "kept"
		}
		if c.Armed {
			row[2] = strconv.FormatFloat(c.Threshold, 'g', -1, 64)
			copy(row[3:], figureCells(&c.Candidate, &c.CrossValidated))
		}
		rows = append(rows, row)
	}
	rule := table.Row{"two or more", "any", "", "", "", "", "", "", "", "", "", r.File.Data.Rows}
	copy(rule[3:], figureCells(&r.Rule, &r.RuleCrossValidated))
	rows = append(rows, rule)
	p.table(table.Row{"detector", "where", "threshold", "precision", "95 % low", "on others", "recall", "on others", "false alarms", "95 % high", "fired", "rows"}, rows)
	if r.Folds > 1 {
		p.printf("on others: with thresholds chosen on the other groups (%d folds); rely on these\n", r.Folds)
	}
}

// figureCells are precision, its lower end, precision on others, recall, recall on others, false alarms, their upper end,
// fired rows.
func figureCells(c, crossed *roc.Candidate) table.Row {
	if c.Fired == 0 {
		return table.Row{"–", "–", "–", formatShare(c.Recall), "–", formatPercent(c.FalseAlarms), formatPercent(c.FalseAlarmsHigh), c.Fired}
	}
	row := table.Row{formatShare(c.Precision), formatShare(c.PrecisionLow), "–", formatShare(c.Recall), "–", formatPercent(c.FalseAlarms), formatPercent(c.FalseAlarmsHigh), c.Fired}
	if crossed.Fired > 0 {
		row[2], row[4] = formatShare(crossed.Precision), formatShare(crossed.Recall)
	}
	return row
}

func (p *calibrationPrinter) reasons(r *thresholds.Report) {
	for i := range r.Choices {
		c := &r.Choices[i]
		switch {
		case c.KeptFrom != "":
			p.printf("kept as in %s: %s: %s\n", c.KeptFrom, c.Detector, c.Reason)
		case !c.Armed:
			p.printf("not armed: %s, %s: %s\n", c.Detector, console.Sanitize(thresholds.KeyName(c.ThresholdKey)), c.Reason)
		}
	}
	for _, f := range r.Uncovered {
		p.printf("no threshold of its own, the coarser one holds: %s, %s: %s\n", f.Detector, console.Sanitize(thresholds.KeyName(f.ThresholdKey)), f.Reason)
	}
}

// sweep prints what other thresholds would do, for the keys of all tenants and operations.
func (p *calibrationPrinter) sweep(r *thresholds.Report) {
	var rows []table.Row
	for i := range r.Choices {
		ch := &r.Choices[i]
		if thresholds.KeyName(ch.ThresholdKey) != "any" {
			continue
		}
		for k := range ch.Sweep {
			if c := &ch.Sweep[k]; c.Fired > 0 && (k == 0 || c.Fired != ch.Sweep[k-1].Fired) {
				rows = append(rows, table.Row{ch.Detector, c.Threshold, formatShare(c.Precision), formatShare(c.Recall), formatPercent(c.FalseAlarms), c.Fired})
			}
		}
	}
	if len(rows) > 0 {
		p.table(table.Row{"what if", "threshold", "precision", "recall", "false alarms", "fired"}, rows)
	}
}

// risk prints the risk maps.
func (p *calibrationPrinter) risk(r *thresholds.Report) {
	if r.RiskKeptFrom != "" {
		p.printf("risk: the maps are kept as in %s: %s\n", r.RiskKeptFrom, r.NoRisk)
		return
	}
	for _, m := range r.File.Risk {
		p.printf("risk: a map of %d rows, log loss %.3f\n", m.N, m.LogLoss)
	}
	if len(r.File.Risk) == 0 {
		p.printf("no risk maps, flags carry no risk: %s\n", r.NoRisk)
	}
}

// formatShare formats a figure between 0 and 1.
func formatShare(x float64) string {
	if math.IsNaN(x) {
		return "–"
	}
	return strings.TrimPrefix(fmt.Sprintf("%.3f", x), "0")
}

func formatPercent(x float64) string { return fmt.Sprintf("%.1f %%", 100*x) }

// rule prints how independent the detectors are.
func (p *calibrationPrinter) rule(rule *calibration.Rule) {
	if rule.Rows > 0 {
		p.printf("\ntwo or more, on the %d good answers that two could check: %s fire (at most %s, 95 %%); were the detectors independent, %s would\n",
			rule.Rows, formatPercent(rule.JointRate), formatPercent(rule.JointHigh), formatPercent(rule.Independence))
	}
	for _, pair := range rule.Pairs {
		p.printf("%s and %s on %d good answers: both fire on %s, firing agrees by %+.2f (phi)\n", pair.A, pair.B, pair.Rows, formatPercent(pair.JointRate), pair.Phi)
	}
}
