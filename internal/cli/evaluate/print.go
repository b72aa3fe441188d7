package evaluate

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"confab/calibration/quality"
	"confab/internal/console"
)

// PrintQuality prints the report as a table, with intervals of the main figures.
func PrintQuality(w io.Writer, r *quality.Report) error {
	return console.Printf(w, "%s\n%s", console.FitTable(qualityTable(r), console.Columns(w)), trafficLines(r))
}

func qualityTable(r *quality.Report) table.Writer {
	t := newQualityTable(r)
	var set, slice string
	for i := range r.Lines {
		l := &r.Lines[i]
		if !l.Shown() {
			continue
		}
		row := table.Row{console.Sanitize(l.Dataset), console.Sanitize(l.Slice), l.Detector, l.N, l.Positives, unchecked(l)}
		same := set == l.Dataset && slice == l.Slice
		if !same && set != "" {
			t.AppendSeparator()
		}
		set, slice = l.Dataset, l.Slice
		for _, m := range quality.TableMetrics() {
			row = append(row, figureText(l.Figures[m], oftenQuoted(m)))
		}
		t.AppendRow(row)
	}
	return t
}

// oftenQuoted reports whether the table shows the figure's interval.
func oftenQuoted(m quality.Metric) bool {
	return m == quality.AUROC || m == quality.Twins || m == quality.Precision
}

// trafficLines say what each rule alerts on at several shares of wrong answers.
func trafficLines(r *quality.Report) string {
	var b strings.Builder
	for i := range r.Lines {
		if l := &r.Lines[i]; l.Shown() && l.Traffic() != "" {
			fmt.Fprintf(&b, "\n%s, %s, %s: %s", console.Sanitize(l.Dataset), console.Sanitize(l.Slice), l.Detector, l.Traffic())
		}
	}
	return b.String() + "\n"
}

func newQualityTable(r *quality.Report) table.Writer {
	t := table.NewWriter()
	style := table.StyleLight
	style.Format.Header = text.FormatDefault
	t.SetStyle(style)
	header := table.Row{
		"data set", string(r.By), "detector", "rows", "wrong", "unchecked",
		"AUROC", "twins", "one model", "top 5%", "10%", "20%", "50%", "precision", "recall", "alarms", "cal err", "place",
	}
	t.AppendHeader(header)
	configs := make([]table.ColumnConfig, len(header)-3) // the first three are names
	for i := range configs {
		configs[i] = table.ColumnConfig{Number: i + 4, Align: text.AlignRight}
	}
	t.SetColumnConfigs(configs)
	return t
}

func unchecked(l *quality.Line) string {
	if l.N == l.Rows {
		return ""
	}
	return quality.Percent(l.NotCheckable())
}

func figureText(f quality.Figure, ranged bool) string {
	value := quality.Share(f.Value)
	if interval := f.Range(); ranged && interval != "" {
		return value + " " + interval
	}
	return value
}
