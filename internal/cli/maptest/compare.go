package maptest

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"confab/schemas"
	records "confab/schemas/json"
	"confab/schemas/json/scan"
)

// maxShown bounds the text of a value in a difference.
const maxShown = 300

// compare decodes the record and returns how the result differs, a line for each field.
func (want *expectation) compare(decoder Decoder, record []byte) []string {
	var in schemas.Interaction
	got, expected := want.outcome(decoder.Decode(record, &in))
	if got != expected {
		return []string{difference("outcome", expected, got)}
	}
	if got != outcomeRead {
		return nil
	}
	fields, err := canonicalFields(&in)
	if err != nil {
		return []string{difference("outcome", expected, err.Error())}
	}
	var lines []string
	for _, field := range slices.Sorted(maps.Keys(want.fields)) {
		lines = append(lines, compareField(field, want.fields[field], fields[field])...)
	}
	if slices.Sort(in.Malformed); !slices.Equal(in.Malformed, want.malformed) {
		lines = append(lines, difference("malformed", strings.Join(want.malformed, ", "), strings.Join(in.Malformed, ", ")))
	}
	return lines
}

const outcomeRead = "read"

// outcome describes what became of the record and what should have.
func (want *expectation) outcome(err error) (got, expected string) {
	expected = outcomeRead
	switch {
	case want.skipped:
		expected = "skipped"
	case want.refused != "":
		expected = "refused: " + want.refused
	}
	refused, is := errors.AsType[*scan.Error](err)
	switch {
	case err == nil:
		return outcomeRead, expected
	case errors.Is(err, records.ErrSkipped):
		return "skipped", expected
	case is && expected == "refused: "+refused.Reason:
		return expected, expected
	default:
		return "refused: " + err.Error(), expected
	}
}

// compareField compares one field; of attributes only the expected ones.
func compareField(field string, want, got json.RawMessage) []string {
	if field != "attributes" || want == nil {
		if string(want) == string(got) {
			return nil
		}
		return []string{difference(field, string(want), string(got))}
	}
	var wanted, found map[string]json.RawMessage
	_ = json.Unmarshal(want, &wanted) // both are written by the encoder
	_ = json.Unmarshal(got, &found)   // absent attributes are none
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		lines = append(lines, compareField(field+"."+name, wanted[name], found[name])...)
	}
	return lines
}

func difference(field, want, got string) string {
	return fmt.Sprintf("  %s\n    expected %s\n    got      %s", field, shown(want), shown(got))
}

// shown is a value for a person, cut where it is long.
func shown(value string) string {
	if value == "" {
		return "nothing"
	}
	if len(value) > maxShown {
		return strings.ToValidUTF8(value[:maxShown], "") + "…"
	}
	return value
}
