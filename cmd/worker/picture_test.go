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

	"confab/internal/golden"
)

// onPicture are the samples of the demo that the README's picture shows.
var onPicture = regexp.MustCompile(`"interaction_id": "demo-(01|05|07|10|11)"`)

// The README's picture is what the demo prints on a terminal; -update draws it again.
func TestPictureIsRealOutput(t *testing.T) {
	samples, err := os.ReadFile(filepath.Join(repository, "internal", "cli", "demo", "samples", "samples.jsonl"))
	require.NoError(t, err)
	var acts []byte
	for line := range strings.Lines(string(samples)) {
		if onPicture.MatchString(line) {
			acts = append(acts, line...)
		}
	}
	_, text := runDemo(t, acts, true)
	golden.Equal(t, filepath.Join(repository, "docs", "demo.svg"), drawTerminal(text))
}

const (
	lineHeight = 18
	charWidth  = 8
	margin     = 16
)

// drawTerminal shows text with ANSI colors as a terminal does.
func drawTerminal(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	var body strings.Builder
	width := 0
	for i, line := range lines {
		fmt.Fprintf(&body, `<text x="%d" y="%d" xml:space="preserve">%s</text>`+"\n", margin, margin+lineHeight*(i+1)-4, colorSpans(line))
		width = max(width, utf8.RuneCountInString(ansi.ReplaceAllString(line, "")))
	}
	w, h := width*charWidth+2*margin, len(lines)*lineHeight+2*margin
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img" aria-label="Five acts of the demo">
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
