package strictyaml

import (
	"fmt"
	"strings"
)

// expandVariables replaces ${VAR} and ${VAR:-default} by values of lookup and $$ by a dollar sign. Other dollar signs stay.
// Defaults are not expanded again. Problems contain no values.
func expandVariables(text string, lookup func(string) (string, bool)) (expanded string, problems []string) {
	var out strings.Builder
	for {
		at := strings.IndexByte(text, '$')
		if at < 0 {
			out.WriteString(text)
			return out.String(), problems
		}
		out.WriteString(text[:at])
		text = text[at:]
		switch {
		case strings.HasPrefix(text, "$$"):
			out.WriteByte('$')
			text = text[2:]
		case strings.HasPrefix(text, "${"):
			end := strings.IndexByte(text, '}')
			if end < 0 {
				return out.String(), append(problems, "${ without its }: close it, or write $$ for a dollar sign")
			}
			value, problem := variableValue(text[2:end], lookup)
			if problem != "" {
				problems = append(problems, problem)
			}
			out.WriteString(value)
			text = text[end+1:]
		default:
			out.WriteByte('$')
			text = text[1:]
		}
	}
}

// variableValue is the value of the text between the braces.
func variableValue(inner string, lookup func(string) (string, bool)) (value, problem string) {
	name, fallback, hasFallback := strings.Cut(inner, ":-")
	if !isVariable(name) {
		return "", "${...} does not hold the name of an environment variable: write ${NAME} or ${NAME:-default}, and $$ for a dollar sign"
	}
	if strings.Contains(fallback, "${") {
		return "", fmt.Sprintf("the default of ${%s} holds another ${...}, which is not supported", name)
	}
	value, ok := lookup(name)
	switch {
	case hasFallback && value == "":
		return fallback, ""
	case !ok:
		return "", fmt.Sprintf("environment variable %s is not set: set it, or write ${%s:-default}", name, name)
	default:
		return value, ""
	}
}

func isVariable(name string) bool {
	for i, r := range name {
		letter := r == '_' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return name != ""
}
