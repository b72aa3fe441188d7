package measure

import (
	"fmt"
	"strings"
)

// RowError is a kind of fault in labelled rows. None stops a measurement; what is left out is counted.
type RowError int

// The troubles, the gravest first.
const (
	Unreadable   RowError = iota // left out
	Contradicted                 // left out: the same answer was labelled otherwise before
	Repeated                     // left out: the same answer came before
	Unlabelled                   // left out
	NoText                       // an empty answer: detectors of text cannot check it
	BadLogprobs                  // missing, NaN, infinite or above 0: skipped token by token
	UnknownFields
	Ungrouped // of no group: taken for a source of its own
	rowErrorKinds
)

// rowErrorTexts say what is wrong with so many rows, and what to do about it.
//
//nolint:gochecknoglobals // a read-only table
var rowErrorTexts = [rowErrorKinds]struct{ fault, remedy string }{
	Unreadable:    {"cannot be read and are left out", "correct or remove them"},
	Contradicted:  {"repeat an answer under the same id with the other label and are left out", "decide which label holds"},
	Repeated:      {"repeat an answer under the same id and are left out", "give each answer an interaction_id of its own"},
	Unlabelled:    {"hold no label and are left out", `add "label": 0 for fine or 1 for faulty`},
	NoText:        {"hold an empty answer, which no detector of text can check", "add the answer or remove them"},
	BadLogprobs:   {"hold tokens whose log-probability is missing, NaN, infinite or above 0, and are measured by the others", "write the natural logarithm of every chosen token's probability"},
	UnknownFields: {"hold fields of the interaction that are ignored", "compare their names with docs/interaction.md"},
	Ungrouped:     {"name no group and count as sources of their own", `give rows of one source the same "group", or intervals come out too narrow`},
}

// leftOut says whether rows with the trouble are left out.
func (t RowError) leftOut() bool { return t <= Unlabelled }

// RowErrors tell what was wrong with the labelled rows.
type RowErrors struct {
	Rows   int // read, the faulty ones included
	counts [rowErrorKinds]int
	places [rowErrorKinds][]string // of the first few
}

// shownPlaces bounds the places named per trouble.
const shownPlaces = 3

func (p *RowErrors) add(t RowError, place string) {
	p.counts[t]++
	if len(p.places[t]) < shownPlaces {
		p.places[t] = append(p.places[t], place)
	}
}

// Count is the number of rows with the trouble.
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

// Messages are one line for each trouble that was met: how many rows, where the first are, and the remedy.
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
