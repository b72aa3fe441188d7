package jsonschema

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/schemas"
)

func TestUniqueItems(t *testing.T) {
	// trees are lists of different shapes with equal brackets but their ends.
	var trees func(n int) []string
	trees = func(n int) (out []string) {
		if n == 0 {
			return []string{""}
		}
		for left := range n {
			for _, a := range trees(left) {
				for _, b := range trees(n - 1 - left) {
					out = append(out, strings.TrimSuffix("["+a+"],"+b, ","))
				}
			}
		}
		return out
	}
	lists := trees(9)
	for i, text := range lists {
		lists[i] = "[" + text + "]"
	}
	numbered := func(n int, format string) string {
		out := make([]string, n)
		for i := range out {
			out[i] = fmt.Sprintf(format, i)
		}
		return strings.Join(out, ",")
	}
	d, err := New(DefaultOptions(), nil)
	require.NoError(t, err)
	for name, tt := range map[string]struct {
		answer string
		note   string // "" for a valid answer
	}{
		"empty":                {"", ""},
		"scalars":              {`0, "0", false, null, "", "null", "false", [], {}, [0], ["0"]`, ""},
		"numbers":              {`1, -1, 1.5, 257, 0.00390625, 1e2, 1e-2`, ""},
		"equal numbers":        {`1, 2, 1.0`, "items at 0 and 2 are equal"},
		"equal exponents":      {`100, 2, 1e2`, "items at 0 and 2 are equal"},
		"zeros":                {`0, 2, -0`, "items at 0 and 2 are equal"},
		"members in any order": {`{"a": 1, "b": [2]}, {"b": [2.0], "a": 1}`, "items at 0 and 1 are equal"},
		"shapes of objects":    {`{"a": "b"}, {"a": "", "b": ""}, {"ab": ""}, {"a": {"b": null}}`, ""},
		"texts with marks":     {`["a\u0004b"], ["a", "b"], ["1:a"], ["1:a,"], ["a\",\"b"]`, ""},
		"the first pair":       {`1, 2, 2, 1`, "items at 1 and 2 are equal"},
		"5,000 texts":          {numbered(5000, `"item %d"`), ""},
		"5,000 objects":        {numbered(5000, `{"id": %d, "name": "n"}`), ""},
		"5,000 texts, one bad": {numbered(5000, `"item %d"`) + `, "item 17"`, "items at 17 and 5,000 are equal"},
		"trees":                {strings.Join(lists, ","), ""},
	} {
		t.Run(name, func(t *testing.T) {
			in := &schemas.Interaction{ResponseSchema: `{"uniqueItems": true}`, Answer: "[" + tt.answer + "]"}
			doc := new(detectors.Document)
			doc.Reset(in)
			got, err := d.Detect(t.Context(), doc)
			require.NoError(t, err)
			require.Equal(t, tt.note != "", got.Score == 1)
			if tt.note != "" {
				require.Equal(t, "/: "+tt.note, got.Evidence[0].Note)
			}
		})
	}
}
