package quality

import (
	"math"
	"slices"
	"strconv"
)

// TableMetrics are the metrics shown in tables for people.
func TableMetrics() []Metric {
	return []Metric{AUROC, AveragePrecision, F1, BestF1, RecallAtHalf, RecallAtOne, RecallAtFive, Precision, Recall, FalseAlarms, CalibrationError}
}

// Shown reports whether the line belongs in a table for people: it has rows and is not a repetition.
func (l *Line) Shown() bool { return l.N > 0 && !l.OnlySlice }

// HasTraffic reports whether the line has figures of alerts at base rates.
func (l *Line) HasTraffic() bool { return l.Figures[AlertsAtOne].Defined() }

// TrafficMetrics are the metrics of alerts at base rates.
func TrafficMetrics() []Metric { return slices.Clone(trafficMetrics) }

// TrafficTitles are the titles of the columns of TrafficMetrics.
func TrafficTitles() []string {
	return []string{
		"alerts in 1,000 at 1 %", "alerts in 1,000 at 5 %", "alerts in 1,000 at 20 %", "precision at 1 %", "precision at 5 %", "precision at 20 %",
	}
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

// Text formats the figure of a metric: a share, or a number of alerts.
func (f Figure) Text(m Metric) string {
	if !m.isNumber() || !f.Defined() {
		return Share(f.Value)
	}
	return strconv.FormatFloat(f.Value, 'f', 1, 64)
}

// RangeOf formats the interval of the figure of a metric; "" without one.
func (f Figure) RangeOf(m Metric) string {
	if !m.isNumber() || f.Range() == "" {
		return f.Range()
	}
	return strconv.FormatFloat(f.Low, 'f', 0, 64) + "–" + strconv.FormatFloat(f.High, 'f', 0, 64)
}

func twoDigits(x float64) string {
	text := strconv.FormatFloat(x, 'f', 2, 64)
	if text[0] == '0' {
		return text[1:]
	}
	return text
}
