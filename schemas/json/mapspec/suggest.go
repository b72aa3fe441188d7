package mapspec

import (
	"fmt"
	"regexp"
	"strings"
)

// pathPart is a member of a JSONPath or of a path with dots: .name, [0], ['name'], /name.
var pathPart = regexp.MustCompile(`^(?:[./]?([\pL_@-][\pL\pN_@-]*|\d+)|[./]?\[(\d+)\]|[./]?\['([^']*)'\]|[./]?\["([^"]*)"\])`)

// everyItem is the part of a JSONPath for all items of a list.
var everyItem = regexp.MustCompile(`^(?:\[\*?\]|\.\*)\.?(.*)$`)

// suggestPointer writes a JSONPath or a path with dots as a JSON Pointer; "" for another word.
func suggestPointer(word string) string {
	rest := strings.TrimPrefix(word, "$")
	if !strings.ContainsAny(word, "$./[") {
		return ""
	}
	var b strings.Builder
	for rest != "" {
		if every := everyItem.FindStringSubmatch(rest); every != nil && b.Len() > 0 {
			return describeItems(b.String(), every[1])
		}
		part := pathPart.FindStringSubmatch(rest)
		if part == nil {
			return ""
		}
		rest = rest[len(part[0]):]
		name := strings.Join(part[1:], "") // one of them is set
		b.WriteString("/" + strings.NewReplacer("~", "~0", "/", "~1", " ", "~2").Replace(name))
	}
	return b.String()
}

// describeItems names the list and the member of its items.
func describeItems(list, member string) string {
	if !simpleName.MatchString(member) {
		return list
	}
	return fmt.Sprintf("text=%s %s for sources, content=%s %s for messages", member, list, member, list)
}

var simpleName = regexp.MustCompile(`^[\pL_][\pL\pN_-]*$`)

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
