// Package svg draws small charts of shares as inline SVG: lines on a unit square, and mirrored histograms. The drawings
// contain no script, font or external URL. Colors come from [Style], which supports light and dark pages and print.
package svg

import (
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"
)

// Style is the style sheet of the drawings, needed once per page.
const Style = `
:root{--ink:#1b1f24;--faint:#5c6670;--line:#d5dade;--page:#fff;--c0:#0072b2;--c1:#d55e00;--c2:#00805c;--c3:#b0437f;--c4:#9a6a00;--c5:#2a8fd0;--c6:#7a4fc0;--c7:#7f7f7f}
@media (prefers-color-scheme:dark){:root{--ink:#e6e9ec;--faint:#9aa5b0;--line:#343b43;--page:#14171b;--c0:#56a8e6;--c1:#f2884b;--c2:#35c79b;--c3:#e58fbd;--c4:#e0b040;--c5:#8fd0ff;--c6:#b798f0;--c7:#a0a0a0}}
@media print{:root{--ink:#000;--faint:#444;--line:#bbb;--page:#fff}}
svg.chart{font:11px system-ui,sans-serif;color:var(--ink);max-width:100%;height:auto}
svg.chart text{fill:var(--faint)}svg.chart .t{fill:var(--ink);font-weight:600}svg.chart .v{fill:var(--ink)}
svg.chart .g{stroke:var(--line);fill:none}svg.chart .d{stroke:var(--faint);fill:none;stroke-dasharray:3 3}
svg.chart .l{fill:none;stroke-width:1.7;stroke-linejoin:round}
` + seriesStyle

// seriesStyle gives each of the eight series a color, and a dash that distinguishes them in black and white.
const seriesStyle = `svg.chart .s0{stroke:var(--c0);fill:var(--c0)}svg.chart .s1{stroke:var(--c1);fill:var(--c1);stroke-dasharray:6 2}
svg.chart .s2{stroke:var(--c2);fill:var(--c2);stroke-dasharray:2 2}svg.chart .s3{stroke:var(--c3);fill:var(--c3);stroke-dasharray:8 2 2 2}
svg.chart .s4{stroke:var(--c4);fill:var(--c4);stroke-dasharray:4 4}svg.chart .s5{stroke:var(--c5);fill:var(--c5);stroke-dasharray:10 3}
svg.chart .s6{stroke:var(--c6);fill:var(--c6);stroke-dasharray:1 3}svg.chart .s7{stroke:var(--c7);fill:var(--c7);stroke-dasharray:3 1}
svg.chart .l{fill:none}svg.chart .p,svg.chart .b{stroke:none}svg.chart .b{opacity:.85}
`

// colors is the number of distinct series styles.
const colors = 8

// Point is a point of the unit square.
type Point struct{ X, Y float64 }

// Series is one line, or dots if Sizes, their areas relative to the largest, are set.
type Series struct {
	Name   string
	Note   string // follows the name in the legend
	Color  int
	Points []Point
	Sizes  []float64
	Marks  []Point // rings on the line, such as the point at a threshold
}

// Chart is a unit square with named axes.
type Chart struct {
	Title, X, Y string
	Diagonal    bool // the line y = x
	Series      []Series
}

// Dimensions of a chart, in units of its view box.
const (
	side             = 240.0
	left, top        = 48.0, 26.0
	right, axis      = 14.0, 36.0
	legendLine       = 15.0
	largestDot       = 7.0
	ticks            = 4
	histogramHeight  = 76.0
	histogramSpacing = 1.0
)

// String returns the chart as an svg element.
func (c Chart) String() string {
	var b strings.Builder
	height := top + side + axis + legendLine*float64(len(c.Series)) + 4
	openDrawing(&b, c.Title, left+side+right, height)
	for i := range ticks + 1 {
		at := float64(i) / ticks
		x, y := toCanvas(Point{at, at})
		fmt.Fprintf(&b, `<path class="g" d="M%s %sV%sM%s %sH%s"/>`, formatNumber(x), formatNumber(top), formatNumber(top+side), formatNumber(left), formatNumber(y), formatNumber(left+side))
		label := strconv.FormatFloat(at, 'g', 3, 64)
		writeText(&b, "", Point{x, top + side + 13}, "middle", label)
		writeText(&b, "", Point{left - 5, y + 4}, "end", label)
	}
	writeText(&b, "", Point{left + side/2, top + side + 28}, "middle", c.X)
	fmt.Fprintf(&b, `<text transform="translate(11 %s) rotate(-90)" text-anchor="middle">%s</text>`, formatNumber(top+side/2), html.EscapeString(c.Y))
	if c.Diagonal {
		fmt.Fprintf(&b, `<path class="d" d="M%s %sL%s %s"/>`, formatNumber(left), formatNumber(top+side), formatNumber(left+side), formatNumber(top))
	}
	for i := range c.Series {
		c.Series[i].draw(&b)
		c.Series[i].legend(&b, top+side+axis+legendLine*(float64(i)+0.7))
	}
	b.WriteString("</svg>")
	return b.String()
}

func (s *Series) draw(b *strings.Builder) {
	class := s.Color % colors
	if s.Sizes != nil {
		most := 0.0
		for _, size := range s.Sizes {
			most = max(most, size)
		}
		for i, p := range s.Points {
			x, y := toCanvas(p)
			fmt.Fprintf(b, `<circle class="p s%d" cx="%s" cy="%s" r="%s"/>`, class, formatNumber(x), formatNumber(y), formatNumber(1.5+(largestDot-1.5)*math.Sqrt(s.Sizes[i]/max(most, 1e-9))))
		}
	}
	if len(s.Points) > 1 {
		fmt.Fprintf(b, `<polyline class="l s%d" style="fill:none" points="`, class)
		for _, p := range s.Points {
			x, y := toCanvas(p)
			b.WriteString(formatNumber(x) + "," + formatNumber(y) + " ")
		}
		b.WriteString(`"/>`)
	}
	for _, p := range s.Marks {
		x, y := toCanvas(p)
		fmt.Fprintf(b, `<circle class="s%d" style="fill:var(--page);stroke-width:2;stroke-dasharray:none" cx="%s" cy="%s" r="3.5"/>`, class, formatNumber(x), formatNumber(y))
	}
}

func (s *Series) legend(b *strings.Builder, y float64) {
	fmt.Fprintf(b, `<path class="l s%d" d="M%s %sh22"/>`, s.Color%colors, formatNumber(left), formatNumber(y-4))
	writeText(b, "v", Point{left + 28, y}, "start", s.Name)
	writeText(b, "", Point{left + side, y}, "end", s.Note)
}

// Mirror is a histogram of two groups over the unit interval, one above the axis and one below it.
type Mirror struct {
	Title, Up, Down string
	Above, Below    []float64 // shares, of equal length
	UpColor         int
	DownColor       int
	Mark            float64 // marked value on the axis, such as a threshold; NaN for none
}

// String returns the histogram as an svg element.
func (m Mirror) String() string {
	var b strings.Builder
	half := histogramHeight / 2
	openDrawing(&b, m.Title, left+side+right, top+histogramHeight+30)
	most := 1e-9
	for i := range m.Above {
		most = max(most, m.Above[i], m.Below[i])
	}
	width := side / float64(len(m.Above))
	bar := func(color, i int, from, height float64) {
		if height > 0 {
			fmt.Fprintf(&b, `<rect class="b s%d" x="%s" y="%s" width="%s" height="%s"/>`, color%colors, formatNumber(left+float64(i)*width), formatNumber(from), formatNumber(width-histogramSpacing), formatNumber(height))
		}
	}
	for i := range m.Above {
		up, down := half*m.Above[i]/most, half*m.Below[i]/most
		bar(m.UpColor, i, top+half-up, up)
		bar(m.DownColor, i, top+half, down)
	}
	fmt.Fprintf(&b, `<path class="g" d="M%s %sh%s"/>`, formatNumber(left), formatNumber(top+half), formatNumber(side))
	if !math.IsNaN(m.Mark) {
		fmt.Fprintf(&b, `<path class="d" d="M%s %sv%s"/>`, formatNumber(left+side*m.Mark), formatNumber(top), formatNumber(histogramHeight))
	}
	writeText(&b, "", Point{left - 5, top + half/2 + 4}, "end", m.Up)
	writeText(&b, "", Point{left - 5, top + 1.5*half + 4}, "end", m.Down)
	for i := range ticks + 1 {
		at := float64(i) / ticks
		writeText(&b, "", Point{left + side*at, top + histogramHeight + 13}, "middle", strconv.FormatFloat(at, 'g', 3, 64))
	}
	b.WriteString("</svg>")
	return b.String()
}

func openDrawing(b *strings.Builder, title string, width, height float64) {
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" class="chart" role="img" viewBox="0 0 %s %s" width="%s" height="%s"><title>%s</title>`,
		formatNumber(width), formatNumber(height), formatNumber(width), formatNumber(height), html.EscapeString(title))
	writeText(b, "t", Point{left, 14}, "start", title)
}

func writeText(b *strings.Builder, class string, at Point, anchor, s string) {
	if s == "" {
		return
	}
	if class != "" {
		class = ` class="` + class + `"`
	}
	fmt.Fprintf(b, `<text%s x="%s" y="%s" text-anchor="%s">%s</text>`, class, formatNumber(at.X), formatNumber(at.Y), anchor, html.EscapeString(s))
}

// toCanvas converts a point to coordinates of the drawing, clamped to the unit square.
func toCanvas(p Point) (x, y float64) {
	return left + side*min(1, max(0, p.X)), top + side*(1-min(1, max(0, p.Y)))
}

// formatNumber formats a coordinate with one decimal place.
func formatNumber(x float64) string { return strconv.FormatFloat(math.Round(x*10)/10, 'f', -1, 64) }
