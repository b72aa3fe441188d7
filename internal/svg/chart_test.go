package svg

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// countElements parses the drawing as XML and counts its elements.
func countElements(t *testing.T, drawing string) map[string]int {
	t.Helper()
	counts := map[string]int{}
	for d := xml.NewDecoder(strings.NewReader(drawing)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return counts
		}
		require.NoError(t, err, drawing)
		if e, ok := token.(xml.StartElement); ok {
			counts[e.Name.Local]++
		}
	}
}

func TestTimeline(t *testing.T) {
	t.Parallel()
	drawing := Timeline{Title: `a < b & "c"`, Labels: []string{"1", "2", "3"}, Share: true, Lines: []Line{
		{Name: "<line>", Values: []float64{0.5, math.NaN(), 1}}, {Name: "other", Color: 9, Values: []float64{0, 0, 0}},
	}}.String()
	counts := countElements(t, drawing)
	require.Equal(t, 1, counts["svg"])
	require.Equal(t, 5, counts["circle"], "one per value")
	require.Contains(t, drawing, `class="p s1"`, "colors repeat")
	require.NotContains(t, drawing, "<line>")
}

// TestDrawingsNeedNoNetwork allows one URL only, the XML namespace.
func TestDrawingsNeedNoNetwork(t *testing.T) {
	t.Parallel()
	all := Timeline{}.String() + Style
	all = strings.ReplaceAll(all, `xmlns="http://www.w3.org/2000/svg"`, "")
	require.NotRegexp(t, `(?i)https?:|url\(|@import|href|src=`, all)
}
