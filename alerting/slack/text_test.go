package slack

import (
	"testing"

	"github.com/stretchr/testify/require"

	"confab/alerting/alerttest/samples"
)

func TestEscape(t *testing.T) {
	tests := []struct {
		name, in string
		limit    int
		want     string
	}{
		{"plain", "abc", 10, "abc"},
		{"the three", "<a & b>", 40, "&lt;a &amp; b&gt;"},
		{"entities are text too", "&lt;", 40, "&amp;lt;"},
		{"exactly full", "<<", 8, "&lt;&lt;"},
		{"never inside an entity", "<<<", 8, "&lt;…"},
		{"nothing fits", "<<<", 3, "…"},
		{"quotes are not special", `"'`, 5, `"'`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := escapeText(tt.in, tt.limit)
			require.Equal(t, tt.want, got)
			require.LessOrEqual(t, samples.UTF16Length(got), tt.limit)
		})
	}
}
