package join

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"confab/schemas"
)

// Condition says which values mean a faulty answer.
type Condition struct {
	operator string   // one of <=, >=, <, >, = and !=
	limit    float64  // of the first four
	words    []string // of the others, in lower case
}

// ParseCondition reads "<0.5", "<=0.5", ">3", ">=3", "=hallucinated,wrong" or "!=correct".
func ParseCondition(text string) (*Condition, error) {
	for _, operator := range []string{"<=", ">=", "!=", "<", ">", "="} {
		value, ok := strings.CutPrefix(strings.TrimSpace(text), operator)
		if !ok {
			continue
		}
		c := &Condition{operator: operator}
		if operator == "=" || operator == "!=" {
			for word := range strings.SplitSeq(value, ",") {
				if word = strings.ToLower(strings.TrimSpace(word)); word != "" {
					c.words = append(c.words, word)
				}
			}
			if len(c.words) > 0 {
				return c, nil
			}
			break
		}
		limit, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
		if err == nil && limit-limit == 0 {
			c.limit = limit
			return c, nil
		}
		break
	}
	return nil, fmt.Errorf("%q: write which values mean a faulty answer, such as '<0.5' or '=hallucinated,wrong'", text)
}

// faulty applies the condition to a value: a number, a word, or both.
func (c *Condition) faulty(v value) (bool, error) {
	if c.operator == "=" || c.operator == "!=" {
		found := false
		for _, w := range c.words {
			found = found || v.is(w)
		}
		return found == (c.operator == "="), nil
	}
	x, err := strconv.ParseFloat(strings.TrimSpace(v.number), 64)
	if err != nil || math.IsNaN(x) {
		return false, fmt.Errorf("the value %q is not a number", v.text())
	}
	switch c.operator {
	case "<":
		return x < c.limit, nil
	case "<=":
		return x <= c.limit, nil
	case ">":
		return x > c.limit, nil
	default:
		return x >= c.limit, nil
	}
}

// value is what a score says.
type value struct {
	word, number string
	plain        string // a verdict or label, which needs no condition
}

// text is the value for people.
func (v value) text() string {
	if v.word != "" {
		return v.word
	}
	return v.number
}

// is reports whether the value is the word, or the same number.
func (v value) is(word string) bool {
	if strings.EqualFold(strings.TrimSpace(v.word), word) {
		return true
	}
	a, err := strconv.ParseFloat(strings.TrimSpace(v.number), 64)
	b, other := strconv.ParseFloat(word, 64)
	return err == nil && other == nil && a == b
}

// plainLabel is the label of a value that needs no condition; known is false for others. The number of a score is none:
// 1 may mean that an answer is right.
func (v value) plainLabel() (label int, known bool) {
	switch strings.ToLower(v.plain) {
	case string(schemas.Confirmed), "1":
		return 1, true
	case string(schemas.FalsePositive), "0":
		return 0, true
	}
	return 0, false
}
