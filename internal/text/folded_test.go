package text_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/text"
)

func TestFoldedFindsQuotes(t *testing.T) {
	for name, tt := range map[string]struct{ in, quote, want string }{
		"as it is":             {"The fee is £6 a month.", "The fee is £6", "The fee is £6"},
		"case and space":       {"The  fee\nis £6.", "the fee IS £6", "The  fee\nis £6"},
		"markup":               {"The **fee** is `£6` [2].", "The fee is £6 [2].", "The **fee** is `£6` [2"},
		"other quotation":      {"He said “don’t”.", `"don't"`, "don’t"},
		"an ellipsis":          {"The fee, as of May, is 6 pounds.", "The fee … 6 pounds", "The fee, as of May, is 6 pounds"},
		"a redacted value":     {"Write to a@b.example for the refund.", "Write to [email] for the refund", "Write to a@b.example for the refund"},
		"parts out of order":   {"The fee is 6 pounds.", "6 pounds … the fee", ""},
		"not inside a word":    {"unlike 16 others, 6 like it", "6", "6"},
		"only inside a word":   {"unlike 16 others", "like", ""},
		"a unit at its figure": {"It weighs 25kg.", "25", "25"},
		"Chinese":              {"保修期为三年，自购买之日起计算。", "三年", "三年"},
		"elsewhere":            {"The fee is 6 pounds.", "The fee is 7 pounds.", ""},
		"no words":             {"The fee is 6 pounds.", "…—.", ""},
		"nothing":              {"The fee is 6 pounds.", "", ""},
		"İ, longer in lower":   {"In İzmir it rains.", "it rains", "it rains"},
	} {
		t.Run(name, func(t *testing.T) {
			f := text.Fold(tt.in)
			start, end, ok := f.Find(tt.quote)
			require.Equal(t, tt.want != "", ok)
			require.Equal(t, tt.want, tt.in[start:end])
		})
	}
}
