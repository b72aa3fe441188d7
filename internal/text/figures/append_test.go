package figures_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"confab/internal/text"
	"confab/internal/text/figures"
)

// requireSeparate requires that the figures of one text are the same behind those of another, which do not change.
func requireSeparate(t testing.TB, first, second string) {
	t.Helper()
	a := figures.Append(nil, first, text.AppendTokens(nil, first))
	b := figures.Append(nil, second, text.AppendTokens(nil, second))
	both := figures.Append(slices.Clone(a), second, text.AppendTokens(nil, second))
	require.Equal(t, append(a, b...), both, "%q behind %q", second, first)
}

// figureParts end and begin texts with what a scan reads together with its neighbors: labels, ranges, years, weekdays.
func figureParts() []string {
	return []string{
		"see section 4", "passages 1 and 2", "#51", "ticket #7", "3 facts", "and 2", "2020", "Q3", "Q3 2020", "first quarter", "12:30 to", "13:15",
		"9-", "5 pm", "Mon", "Mon-", "Fri, 9-17", "Monday", "to 10 %", "5", "10 km", "$5 -", "10", "May", "5 January", "in 1990s", "two dozen", "百分之", "5月",
		"第3章", "24/7", "1.2k", "-3", "of 5", "COVID-19", "half", "IV", "", " ", "Context:", "the lamp costs 20 euros",
	}
}

func TestAppendBehindOthers(t *testing.T) {
	parts := figureParts()
	for _, first := range parts {
		for _, second := range parts {
			requireSeparate(t, first, second)
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	longer := func() string {
		var b strings.Builder
		for range 1 + random.IntN(8) {
			b.WriteString(parts[random.IntN(len(parts))] + []string{" ", "", ", ", ". "}[random.IntN(4)])
		}
		return b.String()
	}
	for range 20_000 {
		requireSeparate(t, longer(), longer())
	}
}

func FuzzAppendBehindOthers(f *testing.F) {
	for _, part := range figureParts() {
		f.Add(part, "3 facts")
		f.Add("Always follow policy section 4", part)
	}
	f.Fuzz(func(t *testing.T, first, second string) {
		if !utf8.ValidString(first) || !utf8.ValidString(second) {
			t.Skip("texts are UTF-8")
		}
		requireSeparate(t, first, second)
	})
}
