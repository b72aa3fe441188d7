package strictyaml

import (
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/internal/redact"
)

func TestParse(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       any // of the type to parse; ignored when refused
		refused    string
	}{
		{name: "text", text: " a b ", want: " a b "},
		{name: "secret", text: "s3cret", want: redact.Secret("s3cret")},
		{name: "true", text: "true", want: true},
		{name: "false", text: " false ", want: false},
		{name: "yes", text: "yes", want: false, refused: "expected true or false"},
		{name: "empty bool", text: "", want: false, refused: "expected true or false"},
		{name: "int", text: "-7", want: -7},
		{name: "small int", text: "300", want: int8(0), refused: "expected a whole number"},
		{name: "hex", text: "0x10", want: 0, refused: "expected a whole number"},
		{name: "fraction", text: "1.5", want: 0, refused: "expected a whole number"},
		{name: "uint", text: "7", want: uint16(7)},
		{name: "negative uint", text: "-7", want: uint(0), refused: "expected a whole number"},
		{name: "float", text: "1e-3", want: 0.001},
		{name: "not a number", text: "NaN", want: 0.0, refused: "expected a number"},
		{name: "infinite", text: "-Inf", want: 0.0, refused: "expected a number"},
		{name: "too large", text: "1e999", want: 0.0, refused: "expected a number"},
		{name: "duration", text: "1m30s", want: 90 * time.Second},
		{name: "duration without unit", text: "30", want: time.Duration(0), refused: "expected a duration with its unit, such as 30s, 500ms or 1h30m"},
		{name: "size", text: "2MiB", want: 2 * MiB},
		{name: "unsupported", text: "1", want: complex(0, 0), refused: "unsupported type complex128"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			v := reflect.New(reflect.TypeOf(tc.want)).Elem()
			err := parseText(tc.text, v)
			if tc.refused != "" {
				require.ErrorContains(t, err, tc.refused)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tc.want, v.Interface())
		})
	}
}

func TestRules(t *testing.T) {
	for _, tc := range []struct {
		name  string
		value any
		rules Rules
		want  string
	}{
		{"none", 7, Rules{}, ""},
		{"least", 1, Rules{Min: "1"}, ""},
		{"too small", 0, Rules{Min: "1"}, "too small: the least is 1"},
		{"most", uint(9), Rules{Max: "9"}, ""},
		{"too large", uint(10), Rules{Max: "9"}, "too large: the most is 9"},
		{"share", 1.01, Rules{Min: "0", Max: "1"}, "too large: the most is 1"},
		{"duration", time.Hour, Rules{Max: "10m"}, "too large: the most is 10m"},
		{"size", MiB, Rules{Max: "1KiB"}, "too large: the most is 1KiB"},
		{"allowed", "a", Rules{Enum: []string{"a", "b"}}, ""},
		{"other", "zzz", Rules{Enum: []string{"a", "b"}}, "expected one of a, b"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			require.Equal(t, tc.want, tc.rules.check(reflect.ValueOf(tc.value)))
		})
	}
}

func TestDurationText(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", time.Second: "1s", time.Minute: "1m", 90 * time.Second: "1m30s", time.Hour: "1h", 2*time.Hour + time.Minute: "2h1m",
		time.Hour + time.Second: "1h0m1s", 20 * time.Minute: "20m", 10 * time.Hour: "10h", 500 * time.Millisecond: "500ms",
	} {
		require.Equal(t, want, durationText(d))
		again, err := time.ParseDuration(want)
		require.NoError(t, err)
		require.Equal(t, d, again)
	}
}
