package strictyaml

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
)

// syntaxRemedies are messages of the YAML library with what to do, in the order in which they are tried. An unknown anchor
// is not quoted: it may be a secret that starts with a star.
func syntaxRemedies() [][2]string {
	return [][2]string{
		{"unknown anchor", "unknown anchor: put a value that starts with * into quotes"},
		{"found character that cannot start any token", "a value starts with %, @ or `: put it into quotes"},
		{"did not find expected ',' or ']'", "a list is not closed, or a comma is missing: expected , or ]"},
		{"did not find expected ',' or '}'", "a mapping is not closed, or a comma is missing: expected , or }"},
		{"found unexpected end of stream", "a quotation mark is not closed"},
		{"mapping values are not allowed in this context", "a colon where none can be: correct the indentation, or put a value with a colon into quotes"},
		{"did not find expected key", "wrong indentation: all keys of a section start in the same column"},
		{"did not find expected '-' indicator", "wrong indentation: all items of a list start in the same column"},
	}
}

// syntaxProblem converts an error of the YAML library about the text.
func syntaxProblem(err error, content []byte, place Place) Problem {
	message := strings.TrimPrefix(err.Error(), "yaml: ")
	if m := regexp.MustCompile(`^line (\d+): `).FindStringSubmatch(message); m != nil {
		place.Line, _ = strconv.Atoi(m[1]) // the pattern matches digits only
		message = message[len(m[0]):]
	}
	switch {
	case strings.HasPrefix(message, "unknown anchor"): // the library names no place
	case place.Line == 0:
		place.Line = 1 // the library leaves the first line out
	case strings.HasPrefix(message, "did not find expected"):
		place.Line++ // the library's parser counts from 0, its scanner from 1
	}
	if line := tabIndent(content); line > 0 {
		place.Line = line
		return Problem{Place: place, Message: "not YAML: a tab in the indentation: indent by spaces"}
	}
	for _, r := range syntaxRemedies() {
		if strings.HasPrefix(message, r[0]) {
			message = r[1]
			break
		}
	}
	return Problem{Place: place, Message: "not YAML: " + message}
}

// tabIndent returns the number of the first line that is indented by a tab, 0 if there is none.
func tabIndent(content []byte) int {
	number := 0
	for line := range bytes.Lines(content) {
		number++
		indent := line[:len(line)-len(bytes.TrimLeft(line, " \t"))]
		if bytes.IndexByte(indent, '\t') >= 0 && len(bytes.TrimSpace(line)) > 0 {
			return number
		}
	}
	return 0
}
