package route

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const maxMatcher = 1_000 // bytes

// Labels are what matchers compare: the labels of an alert.
type Labels struct {
	Severity, Tenant, Service, Operation, Provider, Model string
}

// names are the labels in the order of the error message.
func names() []string {
	return []string{"severity", "tenant", "service", "operation", "provider", "model"}
}

func (l *Labels) value(name string) string {
	switch name {
	case "severity":
		return l.Severity
	case "tenant":
		return l.Tenant
	case "service":
		return l.Service
	case "operation":
		return l.Operation
	case "provider":
		return l.Provider
	default:
		return l.Model
	}
}

// matcher compares one label.
type matcher struct {
	name   string
	value  string
	regex  *regexp.Regexp // of the whole value; nil: equality
	negate bool
}

func (m *matcher) matches(l *Labels) bool {
	value := l.value(m.name)
	if m.regex != nil {
		return m.regex.MatchString(value) != m.negate
	}
	return (value == m.value) != m.negate
}

// parseMatcher parses name="value", with =, !=, =~ or !~. The quotes may be left out.
func parseMatcher(text string) (m matcher, err error) {
	if len(text) > maxMatcher {
		return m, fmt.Errorf("is longer than %d bytes", maxMatcher)
	}
	at := strings.IndexAny(text, "=!")
	if at < 0 {
		return m, errors.New(`has no operator: expected a matcher such as severity="high" or tenant=~"bank|insurer"`)
	}
	m.name = strings.TrimSpace(text[:at])
	rest := text[at:]
	operator := operatorOf(rest)
	if operator == "" {
		return m, errors.New("has an unknown operator: use =, !=, =~ or !~")
	}
	if !slices.Contains(names(), m.name) {
		return m, fmt.Errorf("names an unknown label: use one of %s", strings.Join(names(), ", "))
	}
	m.negate = operator[0] == '!'
	if m.value, err = unquote(strings.TrimSpace(rest[len(operator):])); err != nil {
		return m, err
	}
	if strings.HasSuffix(operator, "~") {
		if m.regex, err = regexp.Compile("^(?s:" + m.value + ")$"); err != nil {
			return m, fmt.Errorf("is not a regular expression: %s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
		}
	}
	return m, nil
}

// operatorOf returns the operator at the start of the text; "" without one.
func operatorOf(text string) string {
	for _, operator := range []string{"=~", "!=", "!~", "="} {
		if strings.HasPrefix(text, operator) {
			return operator
		}
	}
	return ""
}

func unquote(text string) (string, error) {
	if !strings.HasPrefix(text, `"`) {
		if strings.ContainsAny(text, `"'{},`) {
			return "", errors.New("put the value into double quotes")
		}
		return text, nil
	}
	value, err := strconv.Unquote(text)
	if err != nil {
		return "", errors.New("has broken quotes: write the value as a string in double quotes")
	}
	return value, nil
}
