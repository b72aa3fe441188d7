// Package svg draws timelines as inline SVG. The drawings
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

// Point is a point of the drawing.
type Point struct{ X, Y float64 }

// Dimensions of a chart, in units of its view box.
const (
	left, top   = 48.0, 26.0
	right, axis = 14.0, 36.0
	legendLine  = 15.0
	ticks       = 4
)

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

// formatNumber formats a coordinate with one decimal place.
func formatNumber(x float64) string { return strconv.FormatFloat(math.Round(x*10)/10, 'f', -1, 64) }
