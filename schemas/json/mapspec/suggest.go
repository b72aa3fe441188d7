package mapspec

import (
	"fmt"
	"regexp"
	"strings"
)

// pathWord is a JSONPath or a path with dots.
var pathWord = regexp.MustCompile(`^[\pL\pN_@$.\[\]'"*/-]*[$./\[][\pL\pN_@$.\[\]'"*/-]*$`)

// suggestPointer writes such a path as a JSON Pointer, that of the list where it means all items; "" for another word.
func suggestPointer(word string) string {
	if !pathWord.MatchString(word) {
		return ""
	}
	list, _, _ := strings.Cut(word, "[*")
	return "/" + strings.Join(strings.FieldsFunc(list, func(r rune) bool { return strings.ContainsRune(`$./[]'"`, r) }), "/")
}

// suspectPart is what no name holds, but a pointer of a wrong syntax: choices[0]/ or /a|/b.
var suspectPart = regexp.MustCompile(`\[\d+\]/|\|/`)

// checkSyntax returns an error for a pointer with an index in brackets, or with candidates that no blanks separate.
func checkSyntax(pointer string) error {
	switch suspectPart.FindString(pointer) {
	case "":
		return nil
	case "|/":
		return fmt.Errorf("%s: write blanks around the | between candidates: %s", pointer, strings.ReplaceAll(pointer, "|/", " | /"))
	default:
		return fmt.Errorf("%s: an index is a name of its own: write %s", pointer, suggestPointer(pointer))
	}
}
