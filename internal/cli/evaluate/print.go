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

// PrintQuality prints the report as tables, with intervals of the main figures.
func PrintQuality(w io.Writer, r *quality.Report, markdown bool) error {
	if markdown {
		return console.Printf(w, "%s\n\n%s\n%s", qualityTable(r, true).RenderMarkdown(), alertTable(r).RenderMarkdown(), spanLines(r))
	}
	return console.Printf(w, "%s\n%s\n%s", fitQualityTable(r, console.Columns(w)), console.FitTable(alertTable(r), console.Columns(w)), spanLines(r))
}

// fitQualityTable renders the table within a number of columns. Where it must fold, every row has its data set and intervals.
func fitQualityTable(r *quality.Report, columns int) string {
	t := qualityTable(r, false)
	if columns > 0 && text.LongestLineLen(t.Render()) > columns {
		t = qualityTable(r, true)
	}
	return console.FitTable(t, columns)
}

func qualityTable(r *quality.Report, ranges bool) table.Writer {
	t := newQualityTable(r)
	var set, slice string
	for i := range r.Lines {
		l := &r.Lines[i]
		if !l.Shown() {
			continue
		}
		row := table.Row{console.Sanitize(l.Dataset), console.Sanitize(l.Slice), l.Detector, l.N, l.Positives, unchecked(l)}
		same := set == l.Dataset && slice == l.Slice
		if same && !ranges {
			row[0], row[1] = "", ""
		}
		if !same && set != "" {
			t.AppendSeparator()
		}
		set, slice = l.Dataset, l.Slice
		for _, m := range quality.TableMetrics() {
			row = append(row, figureText(l.Figures[m], ranges || oftenQuoted(m)))
		}
		t.AppendRow(row)
	}
	return t
}

// oftenQuoted reports whether the narrow table shows the figure's interval.
func oftenQuoted(m quality.Metric) bool {
	return m == quality.AUROC || m == quality.F1 || m == quality.Precision
}

// alertTable has the alerts of each rule by the share of faulty answers in the traffic.
func alertTable(r *quality.Report) table.Writer {
	header := table.Row{"data set", string(r.By), "rule"}
	for _, title := range quality.TrafficTitles() {
		header = append(header, title)
	}
	t := newTable(header)
	for i := range r.Lines {
		l := &r.Lines[i]
		if !l.Shown() || !l.HasTraffic() {
			continue
		}
		row := table.Row{console.Sanitize(l.Dataset), console.Sanitize(l.Slice), l.Detector}
		for _, m := range quality.TrafficMetrics() {
			text := l.Figures[m].Text(m)
			if interval := l.Figures[m].RangeOf(m); interval != "" {
				text += " " + interval
			}
			row = append(row, text)
		}
		t.AppendRow(row)
	}
	return t
}

func newQualityTable(r *quality.Report) table.Writer {
	return newTable(table.Row{
		"data set", string(r.By), "detector", "rows", "faulty", "unchecked",
		"AUROC", "avg prec", "F1", "best F1", "rec@.5%", "rec@1%", "rec@5%", "precision", "recall", "alarms", "cal err",
	})
}

// newTable is a table whose first three columns are names.
func newTable(header table.Row) table.Writer {
	t := table.NewWriter()
	style := table.StyleLight
	style.Format.Header = text.FormatDefault
	t.SetStyle(style)
	t.AppendHeader(header)
	configs := make([]table.ColumnConfig, len(header))
	for i := range configs {
		configs[i] = table.ColumnConfig{Number: i + 1, Align: text.AlignRight}
		if i < 3 {
			configs[i].Align = text.AlignLeft
		}
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

// spanLines describe how often the top evidence touches a labelled span.
func spanLines(r *quality.Report) string {
	var b strings.Builder
	for _, s := range r.Spans {
		if s.N > 0 && !s.OnlySlice {
			fmt.Fprintf(&b, "\n%s, %s: the top evidence touches a labelled place in %s of %d answers that have both",
				console.Sanitize(s.Dataset), console.Sanitize(s.Slice), figureText(s.Hits, true), s.N)
		}
	}
	if b.Len() > 0 {
		b.WriteByte('\n')
	}
	return b.String()
}
