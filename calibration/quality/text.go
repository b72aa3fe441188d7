package quality

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// TableMetrics are the metrics shown in tables for people.
func TableMetrics() []Metric {
	return []Metric{AUROC, Twins, WithinModel, FoundFive, FoundTen, FoundTwenty, FoundFifty, Precision, Recall, FalseAlarms, CalibrationError, Places}
}

// Shown reports whether the line belongs in a table for people: it has rows and is not a repetition.
func (l *Line) Shown() bool { return l.N > 0 && !l.OnlySlice }

// Traffic says how many of 1,000 answers the line's rule alerts on, and how many of these alerts are right; "" without figures.
func (l *Line) Traffic() string {
	if !l.Figures[AlertsAtTwo].Defined() {
		return ""
	}
	var alerts, right []string
	for i := range PrecisionAtTwo - AlertsAtTwo {
		alerts = append(alerts, strconv.FormatFloat(l.Figures[AlertsAtTwo+i].Value, 'f', 1, 64))
		right = append(right, cmp.Or(Share(l.Figures[PrecisionAtTwo+i].Value), "–"))
	}
	return fmt.Sprintf("%s alerts in 1,000 answers where 2, 8, 20 %% are wrong; precision %s", strings.Join(alerts, ", "), strings.Join(right, ", "))
}

// Share formats a figure, such as .831; "" for NaN.
func Share(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	text := strconv.FormatFloat(x, 'f', 3, 64)
	if text[0] == '0' {
		return text[1:]
	}
	return text
}

// Percent formats a share in percent, such as 12 %, with a digit more where rounding would give 0 or 100.
func Percent(x float64) string {
	digits := 0
	if whole := math.Round(100 * x); x > 0 && x < 1 && (whole == 0 || whole == 100) {
		digits = 1
	}
	return strconv.FormatFloat(100*x, 'f', digits, 64) + " %"
}

// Range formats the figure's interval, such as .80–.86; "" without one.
func (f Figure) Range() string {
	if !f.Defined() || math.IsNaN(f.Low) || math.IsNaN(f.High) {
		return ""
	}
	return twoDigits(f.Low) + "–" + twoDigits(f.High)
}

func twoDigits(x float64) string {
	text := strconv.FormatFloat(x, 'f', 2, 64)
	if text[0] == '0' {
		return text[1:]
	}
	return text
}
