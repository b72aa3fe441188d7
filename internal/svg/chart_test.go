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

func TestChart(t *testing.T) {
	t.Parallel()
	c := Chart{Title: `a < b & "c"`, X: "x", Y: "<y>", Diagonal: true, Series: []Series{
		{Name: "<line>", Note: ".83", Points: []Point{{0, 0}, {0.5, 2}, {1, 1}}, Marks: []Point{{0.5, 0.5}}},
		{Name: "dots", Color: 9, Points: []Point{{0, 1}, {1, 0}}, Sizes: []float64{1, 0}},
		{Name: "nothing"},
	}}
	drawing := c.String()
	counts := countElements(t, drawing)
	require.Equal(t, 1, counts["svg"])
	require.Equal(t, 2, counts["polyline"])
	require.Equal(t, 3, counts["circle"], "one mark, two dots")
	require.Contains(t, drawing, `points="48,266 168,26 288,26 "`, "y goes up, and stays in the square")
	require.Contains(t, drawing, `class="p s1"`, "colors repeat")
	require.NotContains(t, drawing, "<line>")
}

func TestMirrorSharesOneScale(t *testing.T) {
	t.Parallel()
	m := Mirror{Title: "scores", Up: "faulty", Down: "good", Above: []float64{0.5, 0}, Below: []float64{0.25, 1}, Mark: 0.5}
	drawing := m.String()
	require.Equal(t, 3, countElements(t, drawing)["rect"], "an empty bar is not drawn")
	require.Contains(t, drawing, `y="45" width="119" height="19"`, "half of the highest")
	require.Contains(t, drawing, `y="64" width="119" height="38"`)
	require.Contains(t, drawing, "M168 26v76", "the mark")
	m.Mark = math.NaN()
	require.NotContains(t, m.String(), "M168 26v76")
	require.NotEmpty(t, Mirror{}.String())
}

// TestDrawingsNeedNoNetwork allows one URL only, the XML namespace.
func TestDrawingsNeedNoNetwork(t *testing.T) {
	t.Parallel()
	all := Chart{}.String() + Mirror{Mark: math.NaN()}.String() + Style
	all = strings.ReplaceAll(all, `xmlns="http://www.w3.org/2000/svg"`, "")
	require.NotRegexp(t, `(?i)https?:|url\(|@import|href|src=`, all)
}
