package redact_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/redact"
)

func TestRanges(t *testing.T) {
	const text = "Mail a@b.co or call +15551234567 before noon."
	for name, c := range map[string]struct {
		at   redact.Range
		want string
	}{
		"before":             {redact.Range{Start: 0, End: 4}, "Mail"},
		"the pattern":        {redact.Range{Start: 5, End: 11}, "[email]"},
		"within":             {redact.Range{Start: 6, End: 8}, "[email]"},
		"from within":        {redact.Range{Start: 7, End: 14}, "[email] or"},
		"between":            {redact.Range{Start: 12, End: 14}, "or"},
		"into the second":    {redact.Range{Start: 15, End: 24}, "call [phone]"},
		"behind":             {redact.Range{Start: 33, End: 39}, "before"},
		"all":                {redact.Range{Start: 0, End: len(text)}, "Mail [email] or call [phone] before noon."},
		"empty at the end":   {redact.Range{Start: len(text), End: len(text)}, ""},
		"empty at the front": {redact.Range{}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			ranges := []redact.Range{c.at}
			out := redact.NewRedactor(nil).Ranges(text, ranges)
			require.Equal(t, redact.Redact(text), out)
			require.Equal(t, c.want, out[ranges[0].Start:ranges[0].End])
		})
	}
}

// Ranges redacts what Redact does, also where a replacement uncovers another pattern.
func TestRangesRedactAsRedact(t *testing.T) {
	for label, value := range labels() {
		for _, s := range []string{value, "x " + value + " y", value + " " + value, value + value, "password=" + value} {
			ranges := []redact.Range{{Start: 0, End: len(s)}, {Start: len(s) / 2, End: len(s)/2 + 1}}
			out := redact.NewRedactor(nil).Ranges(s, ranges)
			require.Equal(t, redact.Redact(s), out, "%s in %q", label, s)
			require.Equal(t, redact.Range{Start: 0, End: len(out)}, ranges[0])
			require.LessOrEqual(t, ranges[1].Start, ranges[1].End)
			require.LessOrEqual(t, ranges[1].End, len(out))
		}
	}
}
