package facts

import (
	"strconv"
	"strings"

	"confab/internal/text"
	"confab/internal/text/figures"
	"confab/schemas"
)

func listCount() Rule {
	return Rule{
		ID:     "list_count",
		Doc:    "a number of things before a colon, and another number of them behind it",
		Langs:  "English, German, French, Spanish",
		Needs:  "nothing",
		Type:   schemas.Logical,
		Weight: .85,
		Check:  checkListCount,
		Examples: []Example{
			{
				Source: "function load_user() {} function save_user() {} function drop_user() {} function list_users() {}",
				Answer: "The file defines six functions: load_user, save_user, drop_user and list_users.", Fires: "six",
			},
			{Source: "function load_user() {} function save_user() {}", Answer: "The file defines two functions: load_user and save_user."},
		},
	}
}

//nolint:gochecknoglobals // a read-only table, not only English
var partWords = text.HashSet("including such example eg like among etc darunter beispiel etwa dont incluidos ejemplo")

// checkListCount counts the items between commas behind the colon of the claim.
func checkListCount(e *evidence, c *piece) []Verdict {
	s := e.text[c.Start:c.End]
	colon := strings.Index(s, ": ")
	if colon < 0 || strings.Count(s, ":") > 1 || strings.ContainsAny(s[colon:], ";()0123456789") || hasAny(e.answer.of(c), partWords) {
		return nil
	}
	number := e.onlyCount(c)
	items := listItems(s[colon+2:])
	if number == nil || number.Start >= c.Start+int32(colon) || items < minItems || items == int(e.answer.figures[number.Figure].Value) {
		return nil
	}
	return []Verdict{{Start: number.Start, End: number.End, Source: -1, Says: strconv.Itoa(items)}}
}

// Numbers of things that a list has.
const (
	minItems = 3
	maxItems = 20
)

// onlyCount is the only figure of the claim, if it may count the items of a list.
func (e *evidence) onlyCount(c *piece) (number *word) {
	list := e.answer.of(c)
	for i := range list {
		if list[i].Figure < 0 {
			continue
		}
		f := e.answer.figure(&list[i])
		if number != nil || f.Kind != figures.Count || f.Unit.Dimension != figures.None || f.Value < 2 || f.Value > maxItems || f.Decimals > 0 {
			return nil
		}
		number = &list[i]
	}
	return number
}

// maxItem is the longest item of a list, in words.
const maxItem = 4

// listItems counts the items of "a, b and c"; 0 for other text.
func listItems(s string) (n int) {
	s = strings.TrimRight(s, ". ")
	parts := strings.Split(s, ", ")
	last := parts[len(parts)-1]
	for _, and := range [...]string{" and ", " und ", " et ", " y ", " & "} {
		if before, after, ok := strings.Cut(last, and); ok {
			parts = append(parts[:len(parts)-1], before, after)
			break
		}
	}
	for _, p := range parts {
		if len(strings.Fields(p)) > maxItem || strings.HasSuffix(p, " and") || strings.ContainsAny(p, ".?!") {
			return 0
		}
	}
	return len(parts)
}
