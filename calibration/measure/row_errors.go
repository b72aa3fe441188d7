package measure

import (
	"fmt"
	"strings"
)

// RowError is a kind of error in labelled rows. It never stops a measurement.
type RowError int

// The row errors, the most severe first.
const (
	Unreadable   RowError = iota // left out
	Contradicted                 // left out: an earlier row has the same answer and the other label
	Repeated                     // left out: an earlier row has the same answer
	Unlabelled                   // left out
	NoText                       // measured, but text detectors cannot check an empty answer
	BadLogprobs                  // missing, NaN, infinite or above 0: these tokens are skipped
	UnknownFields
	Ungrouped // without a group: counted as a source of its own
	rowErrorKinds
)

// rowErrorTexts describe each kind of error and its remedy.
//
//nolint:gochecknoglobals // a read-only table
var rowErrorTexts = [rowErrorKinds]struct{ fault, remedy string }{
	Unreadable:    {"cannot be read and are left out", "correct or remove them"},
	Contradicted:  {"repeat an answer under the same id with the other label and are left out", "decide which label holds"},
	Repeated:      {"repeat an answer under the same id and are left out", "give each answer an interaction_id of its own"},
	Unlabelled:    {"hold no label and are left out", `add "label": 0 for fine or 1 for wrong next to "interaction", or give a table of verdicts with its log: confab tune LOG --labels TABLE`},
	NoText:        {"hold an empty answer, which no detector of text can check", "add the answer or remove them"},
	BadLogprobs:   {"hold tokens whose log-probability is missing, NaN, infinite or above 0, and are measured by the others", "write the natural logarithm of every chosen token's probability"},
	UnknownFields: {"hold fields of the interaction that are ignored", "compare their names with docs/interaction.md"},
	Ungrouped:     {"name no group and count as sources of their own", `give rows of one source the same "group", or intervals come out too narrow`},
}

// leftOut reports whether rows with the error are not measured.
func (t RowError) leftOut() bool { return t <= Unlabelled }

// RowErrors counts the errors of labelled rows.
type RowErrors struct {
	Rows   int // read, faulty ones included
	counts [rowErrorKinds]int
	places [rowErrorKinds][]string // of the first few
}

// shownPlaces bounds the places named per kind of error.
const shownPlaces = 3

func (p *RowErrors) add(t RowError, place string) {
	p.counts[t]++
	if len(p.places[t]) < shownPlaces {
		p.places[t] = append(p.places[t], place)
	}
}

// Count is the number of rows with the error.
func (p *RowErrors) Count(t RowError) int { return p.counts[t] }

// LeftOut is the number of rows that were not measured.
func (p *RowErrors) LeftOut() int {
	n := 0
	for t := range rowErrorKinds {
		if t.leftOut() {
			n += p.counts[t]
		}
	}
	return n
}

// Messages describes each kind of error that occurred: number of rows, first places, remedy.
func (p *RowErrors) Messages() []string {
	var lines []string
	for t, text := range rowErrorTexts {
		if p.counts[t] == 0 {
			continue
		}
		more := ""
		if p.counts[t] > len(p.places[t]) {
			more = ", …"
		}
		lines = append(lines, fmt.Sprintf("%d of %d rows %s: %s (%s%s)", p.counts[t], p.Rows, text.fault, text.remedy, strings.Join(p.places[t], ", "), more))
	}
	return lines
}
