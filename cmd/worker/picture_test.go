package main

import (
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"confab/internal/cli/demo"
	"confab/internal/golden"
)

// onPicture are the samples of the demo that the README's picture shows, in this order.
var onPicture = []string{"demo-01", "demo-05", "demo-15", "demo-11"}

// The README's picture is what the demo prints on a terminal; -update draws it again.
func TestPictureIsRealOutput(t *testing.T) {
	samples, err := os.ReadFile(filepath.Join(repository, "internal", "cli", "demo", "samples", "samples.jsonl"))
	require.NoError(t, err)
	var acts []byte
	for _, id := range onPicture {
		for line := range strings.Lines(string(samples)) {
			if strings.Contains(line, `"interaction_id": "`+id+`"`) {
				acts = append(acts, line...)
			}
		}
	}
	result, text := runDemo(t, acts, true)
	require.Equal(t, demo.Result{Interactions: 4, Flagged: 3, Alerts: 1}, result)
	golden.Equal(t, filepath.Join(repository, "docs", "demo.svg"), drawTerminal(text))
}

const (
	lineHeight = 18
	charWidth  = 8
	margin     = 16
	columns    = 112 // of the terminal: lines are wrapped at spaces
)

// drawTerminal shows text with ANSI colors as a terminal does.
func drawTerminal(text string) string {
	var lines []string
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		lines = append(lines, wrapLine(line)...)
	}
	var body strings.Builder
	width := 0
	for i, line := range lines {
		fmt.Fprintf(&body, `<text x="%d" y="%d" xml:space="preserve">%s</text>`+"\n", margin, margin+lineHeight*(i+1)-4, colorSpans(line))
		width = max(width, utf8.RuneCountInString(ansi.ReplaceAllString(line, "")))
	}
	w, h := width*charWidth+2*margin, len(lines)*lineHeight+2*margin
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img" aria-label="Four answers of the demo">
<style>text{font:13px/1 ui-monospace,"DejaVu Sans Mono",Menlo,Consolas,monospace;fill:#d7dae0}</style>
<rect width="100%%" height="100%%" rx="8" fill="#16181d"/>
%s</svg>
`, w, h, w, h, body.String())
}

var ansi = regexp.MustCompile("\x1b\\[([0-9;]*)m")

// fills are the colors of the ANSI sequences that the printers use.
var fills = map[string]string{
	"32": "#7fd88f", "33": "#e5c07b", "1;33": "#e5c07b", "91": "#ff6b6b", "1;31": "#ff6b6b", "35": "#c678dd", "2": "#868c98",
}

// wrapLine breaks a line with colors at spaces. What follows is indented like the line's last column.
func wrapLine(line string) (out []string) {
	plain := ansi.ReplaceAllString(line, "")
	indent := strings.Repeat(" ", indentOf(plain))
	color, width := "", 0
	var now strings.Builder
	for word := range strings.SplitAfterSeq(line, " ") {
		size := utf8.RuneCountInString(ansi.ReplaceAllString(word, ""))
		if width+size > columns+1 {
			out = append(out, strings.TrimRight(now.String(), " "))
			now.Reset()
			now.WriteString(indent + color)
			width = len(indent)
		}
		now.WriteString(word)
		width += size
		for _, code := range ansi.FindAllString(word, -1) {
			color = code
		}
	}
	return append(out, now.String())
}

// indentOf is the place of the text after the last run of three spaces, else two columns right of the first word.
func indentOf(plain string) int {
	first := len(plain) - len(strings.TrimLeft(plain, " "))
	if at := strings.LastIndex(plain, "    "); at > first {
		return at + 4
	}
	return first + 2
}

// colorSpans colors the parts of a line.
func colorSpans(line string) string {
	var b strings.Builder
	fill := ""
	emit := func(part string) {
		switch {
		case part == "":
		case fill == "":
			b.WriteString(html.EscapeString(part))
		default:
			fmt.Fprintf(&b, `<tspan fill="%s">%s</tspan>`, fill, html.EscapeString(part))
		}
	}
	at := 0
	for _, m := range ansi.FindAllStringSubmatchIndex(line, -1) {
		emit(line[at:m[0]])
		fill, at = fills[line[m[2]:m[3]]], m[1]
	}
	emit(line[at:])
	return b.String()
}
