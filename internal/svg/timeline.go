package svg

import (
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"
)

// Timeline is a chart of values over time steps. It has no attribute that a strict content security policy refuses.
type Timeline struct {
	Title  string
	Labels []string // of the steps, the oldest first
	Lines  []Line
	Share  bool // the values are shares of 1, written as percents
}

// Line is one line of a timeline. NaN is a step without a value.
type Line struct {
	Name   string
	Color  int
	Values []float64
}

// Dimensions of a timeline, in units of its view box.
const (
	timelineWidth  = 560.0
	timelineHeight = 150.0
)

// String returns the timeline as an svg element.
func (t Timeline) String() string {
	var b strings.Builder
	most := t.largest()
	openDrawing(&b, t.Title, left+timelineWidth+right, top+timelineHeight+axis+legendLine*float64(len(t.Lines)))
	for i := range ticks + 1 {
		y := top + timelineHeight*(1-float64(i)/ticks)
		fmt.Fprintf(&b, `<path class="g" d="M%s %sH%s"/>`, formatNumber(left), formatNumber(y), formatNumber(left+timelineWidth))
		writeText(&b, "", Point{left - 5, y + 4}, "end", t.formatValue(most*float64(i)/ticks))
	}
	if n := len(t.Labels); n > 0 {
		y := top + timelineHeight + 14
		writeText(&b, "", Point{left, y}, "start", t.Labels[0])
		if n > 2 {
			writeText(&b, "", Point{t.x(n / 2), y}, "middle", t.Labels[n/2])
		}
		if n > 1 {
			writeText(&b, "", Point{left + timelineWidth, y}, "end", t.Labels[n-1])
		}
	}
	for i := range t.Lines {
		t.draw(&b, &t.Lines[i], most)
		y := top + timelineHeight + axis + legendLine*(float64(i)+0.2)
		fmt.Fprintf(&b, `<path class="l s%d" d="M%s %sh22"/>`, t.Lines[i].Color%colors, formatNumber(left), formatNumber(y-4))
		writeText(&b, "v", Point{left + 28, y}, "start", t.Lines[i].Name)
	}
	b.WriteString("</svg>")
	return b.String()
}

// largest is the value at the top: a round number of at least the largest value.
func (t Timeline) largest() float64 {
	most := 0.0
	for i := range t.Lines {
		for _, v := range t.Lines[i].Values {
			if !math.IsNaN(v) {
				most = max(most, v)
			}
		}
	}
	if t.Share {
		for _, limit := range []float64{0.04, 0.2, 0.4} {
			if most <= limit {
				return limit
			}
		}
		return 1
	}
	limit := 4.0
	for limit < most {
		limit *= 2
	}
	return limit
}

func (t Timeline) formatValue(v float64) string {
	if t.Share {
		return strconv.FormatFloat(100*v, 'f', -1, 64) + " %"
	}
	return strconv.FormatFloat(v, 'f', 0, 64)
}

func (t Timeline) x(step int) float64 {
	return left + timelineWidth*(float64(step)+0.5)/float64(max(1, len(t.Labels)))
}

// draw draws a line with a dot at each value, and a gap where there is none.
func (t Timeline) draw(b *strings.Builder, l *Line, most float64) {
	class, open := l.Color%colors, false
	var path, dots strings.Builder
	for i, v := range l.Values {
		if math.IsNaN(v) {
			open = false
			continue
		}
		x, y := formatNumber(t.x(i)), formatNumber(top+timelineHeight*(1-v/most))
		if open {
			path.WriteString("L")
		} else {
			path.WriteString("M")
		}
		path.WriteString(x + " " + y)
		open = true
		fmt.Fprintf(&dots, `<circle class="p s%d" cx="%s" cy="%s" r="2"><title>%s: %s</title></circle>`, class, x, y, html.EscapeString(t.Labels[i]), html.EscapeString(t.formatValue(math.Round(v*1000)/1000)))
	}
	fmt.Fprintf(b, `<path class="l s%d" d="%s"/>%s`, class, path.String(), dots.String())
}
