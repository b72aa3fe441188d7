package rewrite

import (
	"encoding/json"
	"slices"
	"strings"

	"confab/schemas"
)

// refusal is the reason why the answer is not touched, "" for none.
func refusal(in *schemas.Interaction, flag *schemas.Flag) string {
	answer := strings.TrimSpace(in.Answer)
	switch {
	case isSchemaBound(in, flag):
		return ReasonSchema
	case len(in.Answer) > maxAnswer:
		return ReasonSize
	case isJSON(answer) || isXML(answer) || isYAML(answer):
		return ReasonStructured
	}
	return ""
}

// isSchemaBound reports that the answer has a schema, even one that cannot be read, or one that is configured for the
// operation: then its format was measured.
func isSchemaBound(in *schemas.Interaction, flag *schemas.Flag) bool {
	measured := slices.ContainsFunc(flag.Signals, func(s schemas.Signal) bool {
		return s.Type == schemas.Format && (s.Outcome == schemas.Fired || s.Outcome == schemas.Clear)
	})
	return measured || in.ResponseSchema != "" || slices.Contains(in.Malformed, schemas.FieldResponseSchema)
}

// isJSON reports JSON, whole, in lines, or cut off.
func isJSON(s string) bool {
	if s == "" || s[0] != '{' && s[0] != '[' {
		return false
	}
	next := strings.TrimLeft(s[1:], " \t\r\n")
	if next == "" {
		return true
	}
	if s[0] == '{' {
		return next[0] == '"' || next[0] == '}'
	}
	return next[0] == '{' || next[0] == '"' || json.Valid([]byte(s)) && !strings.HasPrefix(s, "[^")
}

// isXML reports a document of XML that is not HTML.
func isXML(s string) bool {
	if strings.HasPrefix(s, "<?xml") || strings.HasPrefix(s, "<!DOCTYPE") && !strings.Contains(strings.ToLower(s[:min(len(s), 60)]), "html") {
		return true
	}
	if len(s) < 3 || s[0] != '<' || s[len(s)-1] != '>' {
		return false
	}
	end := strings.IndexAny(s[:min(len(s), 100)], "> \n/")
	if end < 2 || !isName(s[1:end]) {
		return false
	}
	return !strings.Contains(htmlElements, " "+strings.ToLower(s[1:end])+" ") && strings.HasSuffix(s, "</"+s[1:end]+">")
}

// htmlElements are those that an answer in HTML may begin with.
const htmlElements = ` p div span ul ol h1 h2 h3 h4 h5 h6 b i em strong article section main body html table blockquote a answer
 think thinking output result response final dl details header figure center font u small mark q cite hr br img `

// minKeys is the smallest number of keys of an answer in YAML.
const minKeys = 2

// isYAML reports lines that are keys, items and indented text only.
func isYAML(s string) bool {
	keys, nested := 0, false
	for line := range strings.SplitSeq(strings.TrimPrefix(s, "---\n"), "\n") {
		line = strings.TrimRight(line, " \r")
		trimmed := strings.TrimLeft(line, " ")
		if trimmed == "" || strings.HasPrefix(trimmed, "#") || trimmed == "---" {
			continue
		}
		item := strings.TrimPrefix(trimmed, "- ")
		key, value, isKey := yamlKey(item)
		if isKey {
			keys++
			nested = nested || value == "" || len(trimmed) < len(line) || startsLower(key)
		} else if item == trimmed || keys == 0 {
			return false
		}
	}
	return keys >= minKeys && nested
}

func startsLower(s string) bool { return 'a' <= s[0] && s[0] <= 'z' }

// yamlKey splits a line into key and value.
func yamlKey(s string) (key, value string, ok bool) {
	key, value, ok = strings.Cut(s, ":")
	return key, value, ok && isName(key) && (value == "" || value[0] == ' ')
}

// isName reports an identifier of data.
func isName(s string) bool {
	for i := range len(s) {
		c := s[i] | 0x20
		letter, other := 'a' <= c && c <= 'z' || s[i] == '_', '0' <= s[i] && s[i] <= '9' || strings.IndexByte("-.:", s[i]) >= 0
		if !letter && (i == 0 || !other) {
			return false
		}
	}
	return s != ""
}
