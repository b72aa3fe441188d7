package figures_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/text"
	"confab/internal/text/figures"
)

func TestReadIdeographs(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]float64{
		"二十张": 20, "一百二十位": 120, "三千五百元": 3500, "两万三千": 23000, "一亿二千万": 120_000_000, "十五个": 15, "五个": 5,
		"一些": 0, "万一": 0, "百货": 0, "二三十": 0, "二十多人": 0, "客人": 0, "": 0,
	} {
		got, size := figures.ReadIdeographs(s)
		require.InDelta(t, want, got, 0, s)
		require.Equal(t, want > 0, size > 0, s)
	}
	long, size := figures.ReadIdeographs(strings.Repeat("十", 100_000))
	require.Zero(t, long)
	require.Zero(t, size)
}

func TestWords(t *testing.T) {
	t.Parallel()
	table := figures.New()
	for name, want := range map[string]figures.Word{
		"twelve":         {Value: 12, Class: figures.Small},
		"six":            {Value: 6, Class: figures.Small}, // English first
		"Zweiundvierzig": {Value: 42, Class: figures.Small, Foreign: true},
		"fünf":           {Value: 5, Class: figures.Small, Foreign: true},
		"dreißig":        {Value: 30, Class: figures.Tens, Foreign: true},
		"veintidós":      {Value: 22, Class: figures.Small, Foreign: true},
		"mille":          {Value: 1000, Class: figures.Thousand, Foreign: true},
		"samedi":         {Value: 6, Class: figures.Weekday, Foreign: true},
		"ein":            {}, "une": {Value: 1, Class: figures.One, Foreign: true}, "table": {},
	} {
		require.Equal(t, want, table.Find(text.Hash(name)), name)
	}
}

func TestReadMinutes(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]float64{"半发车": 30, "三十五分": 35, "35分": 35, "5分钟": 5, "": 0, "35": 0, "七十分": 0, "100分": 0, "分": 0} {
		got, size := figures.ReadMinutes(s)
		require.InDelta(t, want, got, 0, s)
		require.Equal(t, want > 0, size > 0, s)
	}
}
