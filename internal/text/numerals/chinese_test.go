package numerals_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/text/numerals"
)

func TestReadChinese(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]numerals.Written{
		"三个月":      {Value: 3, End: 3},
		"两名员工":     {Value: 2, End: 3},
		"十二秒":      {Value: 12, End: 6},
		"二十分":      {Value: 20, End: 6},
		"九千辆":      {Value: 9000, End: 6},
		"一千二百五十名":  {Value: 1250, End: 18},
		"三万五千":     {Value: 35000, End: 12},
		"二〇二三年":    {Value: 2023, End: 12},
		"3.14万名":   {Value: 31400, End: 7},
		"8460万欧元":  {Value: 84_600_000, End: 7},
		"1.2亿":     {Value: 120_000_000, End: 6},
		"7点10分":    {Value: 430, End: 9, Clock: true},
		"八点半":      {Value: 510, End: 9, Clock: true},
		"12点开门":    {Value: 720, End: 5, Clock: true},
		"1250名":    {},
		"一般来说":     {},
		"万":        {},
		"千里之外":     {},
		"点":        {},
		"2.40欧元":   {},
		"":         {},
		"\xe4\xb8": {},
	} {
		got, ok := numerals.ReadChinese(s, 0)
		require.Equal(t, want != numerals.Written{}, ok, s)
		require.InDelta(t, want.Value, got.Value, 1e-6, s)
		require.Equal(t, want.End, got.End, s)
		require.Equal(t, want.Clock, got.Clock, s)
	}
	evening, ok := numerals.ReadChinese("晚上9点35分", len("晚上"))
	require.True(t, ok)
	require.InDelta(t, 21*60+35, evening.Value, 1e-9)
	many, ok := numerals.ReadChinese(strings.Repeat("亿", 10_000), 0)
	require.False(t, ok, "%v", many)
}

func TestIsSpacedGroup(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		before, gap, after string
		want               bool
	}{
		{"31", " ", "400", true},
		{"1", "\u202f", "250", true},
		{"1", "\u00a0", "250", true},
		{"1250", " ", "400", false},
		{"1", " ", "25", false},
		{"1", ", ", "250", false},
		{"1.5", " ", "250", false},
	} {
		require.Equal(t, c.want, numerals.IsSpacedGroup(c.before, c.gap, c.after), "%v", c)
	}
}
