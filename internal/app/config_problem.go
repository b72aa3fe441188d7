package app

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Place is where a setting was written.
type Place struct {
	Source       string // a file's name, "environment variable CONFAB_X" or a flag
	Line, Column int    // 1-based; 0 where unknown

	layer int // later layers win
}

// String is file:line:column, or the source alone.
func (p Place) String() string {
	if p.Line == 0 {
		return p.Source
	}
	text := p.Source + ":" + strconv.Itoa(p.Line)
	if p.Column > 0 {
		text += ":" + strconv.Itoa(p.Column)
	}
	return text
}

// Problem is one thing that is wrong with a configuration.
type Problem struct {
	Place   Place
	Path    string // the setting, such as kafka.inputs[0].topic; "" when the whole file is meant
	Message string // what is wrong, and what to do about it
}

// String is one line for people.
func (p Problem) String() string {
	text := p.Message
	if p.Path != "" {
		text = p.Path + ": " + text
	}
	if place := p.Place.String(); place != "" {
		text = place + ": " + text
	}
	return text
}

// ConfigError is everything that is wrong with a configuration, in the order of its places. It never holds the value
// of a secret.
type ConfigError struct {
	Problems []Problem
}

// Error is one line per problem.
func (e *ConfigError) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// configError is the problems as an error in their order, nil when there are none.
func configError(problems []Problem) error {
	if len(problems) == 0 {
		return nil
	}
	slices.SortStableFunc(problems, func(a, b Problem) int {
		return cmp.Or(
			cmp.Compare(a.Place.layer, b.Place.layer),
			cmp.Compare(a.Place.Line, b.Place.Line),
			cmp.Compare(a.Place.Column, b.Place.Column),
			cmp.Compare(a.Place.Source, b.Place.Source),
		)
	})
	return &ConfigError{Problems: slices.Compact(problems)}
}

// unknownKey says that a key is not known, and which one was probably meant.
func unknownKey(key string, known []string) string {
	const listed = 16 // longer lists help nobody
	text := fmt.Sprintf("unknown key %q", key)
	if best := nearest(key, known); best != "" {
		return text + fmt.Sprintf("; did you mean %q?", best)
	}
	if len(known) == 0 || len(known) > listed {
		return text + "; remove it"
	}
	return text + "; known here: " + strings.Join(known, ", ")
}

// nearest is the candidate that a typing error away from word may have been meant, "" when none is near.
func nearest(word string, candidates []string) string {
	best, least := "", 1+max(1, len(word)/3)
	for _, c := range candidates {
		if d := editDistance(strings.ToLower(word), strings.ToLower(c)); d < least {
			best, least = c, d
		}
	}
	return best
}

// editDistance is the number of insertions, deletions, substitutions and swaps of neighbours between two words (optimal string
// alignment). Words longer than any key are far from everything.
func editDistance(a, b string) int {
	const longest = 64
	if len(a) > longest || len(b) > longest {
		return longest
	}
	var rows [3][longest + 1]int
	for j := range len(b) + 1 {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		row, above, twoAbove := &rows[i%3], &rows[(i+2)%3], &rows[(i+1)%3]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(above[j]+1, row[j-1]+1, above[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], twoAbove[j-2]+1)
			}
		}
	}
	return rows[len(a)%3][len(b)]
}
