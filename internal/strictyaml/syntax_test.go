package strictyaml

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A syntax error says what to do, in words about the file and not about the parser.
func TestSyntaxErrorsSayWhatToDo(t *testing.T) {
	type section struct {
		Name string   `yaml:"name"`
		List []string `yaml:"list"`
	}
	for text, want := range map[string]string{
		"name:\n\t- a\n":                          "f.yaml:2: not YAML: a tab in the indentation: indent by spaces",
		"name: a\nlist:\n  - a\n \t- b\n":         "f.yaml:4: not YAML: a tab in the indentation: indent by spaces",
		"name: @home\n":                           "f.yaml:1: not YAML: a value starts with %, @ or `: put it into quotes",
		"list: [a\n":                              "f.yaml:2: not YAML: a list is not closed, or a comma is missing: expected , or ]",
		"{name: a\n":                              "f.yaml:2: not YAML: a mapping is not closed, or a comma is missing: expected , or }",
		"name: \"a\n":                             "f.yaml:2: not YAML: a quotation mark is not closed",
		"list:\n- a\n  b: c\n":                    "f.yaml:3: not YAML: a colon where none can be: correct the indentation, or put a value with a colon into quotes",
		"list:\n  - a\n name: x\n":                "f.yaml:3: not YAML: wrong indentation: all keys of a section start in the same column",
		"list:\n  - a\n  name: x\n":               "f.yaml:2: not YAML: wrong indentation: all items of a list start in the same column",
		"name: *secret\n":                         "f.yaml: not YAML: unknown anchor: put a value that starts with * into quotes",
		"name: a # a\ttab in a comment is fine\n": "",
	} {
		d := NewDecoder(nil)
		d.File([]byte(text), "f.yaml", &section{})
		if want == "" {
			require.NoError(t, d.Err(), text)
			continue
		}
		require.EqualError(t, d.Err(), want, text)
	}
}
