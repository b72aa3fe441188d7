package strictyaml

import (
	"testing"

	"github.com/stretchr/testify/require"
)

type pointList struct {
	Points [][2]float64 `yaml:"points"`
	Inner  *struct {
		Name string `yaml:"name" required:"true"`
	} `yaml:"inner"`
}

func TestDecodeShapes(t *testing.T) {
	t.Parallel()
	var got pointList
	d := NewDecoder(nil)
	d.File([]byte("points: [[1, 2], [3, 4.5]]\ninner: {name: \"${HOME} $$\"}\n"), "", &got)
	require.NoError(t, d.Err())
	require.Equal(t, [][2]float64{{1, 2}, {3, 4.5}}, got.Points)
	require.Equal(t, "${HOME} $$", got.Inner.Name, "without lookup a value is literal")

	d = NewDecoder(nil)
	d.File([]byte("points: [[1], [2, x]]\ninner: {}\n"), "", &pointList{})
	d.Report([]Problem{{Path: "points[0][1]", Message: "not reported"}}, "")
	require.EqualError(t, d.Err(), `line 1, column 10: points[0]: expected a list of 2 values
line 1, column 19: points[1][1]: expected a number
line 2, column 8: inner.name: is missing`)
}
