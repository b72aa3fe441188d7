package json

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"confab/internal/recordformat"
	"confab/schemas"
)

func TestLogprobs(t *testing.T) {
	nan := float32(math.NaN())
	tok := func(text, rest string) string { return fmt.Sprintf(`{"token":%q%s}`, text, rest) }
	cases := map[string]struct {
		answer string
		tokens []string
		want   schemas.Logprobs
	}{
		"none": {"ab", nil, schemas.Logprobs{}},
		"equal": {
			"ab",
			[]string{tok("a", `,"logprob":-1`), tok("b", `,"logprob":-2.5`)},
			schemas.Logprobs{Values: []float32{-1, -2.5}, Offsets: []int32{0, 1}},
		},
		"clamped and missing": {"abcdef", []string{
			tok("a", `,"logprob":0.5`), tok("b", `,"logprob":-9999.0`), tok("c", `,"logprob":-1e400`), tok("d", `,"logprob":1e400`),
			tok("e", `,"logprob":null`), tok("f", ``),
		}, schemas.Logprobs{Values: []float32{0, -100, -100, 0, nan, nan}, Offsets: []int32{0, 1, 2, 3, 4, 5}}},
		"subnormal": {
			"a",
			[]string{tok("a", `,"logprob":-5e-324`)},
			schemas.Logprobs{Values: []float32{float32(math.Copysign(0, -1))}, Offsets: []int32{0}},
		},
		"rows of different width": {"abc", []string{
			tok("a", `,"logprob":-1,"top_logprobs":[]`),
			tok("b", `,"top_logprobs":[{"token":"b","logprob":-2},{"logprob":-3}],"logprob":-2`),
			tok("c", `,"logprob":-4,"top_logprobs":[{"logprob":null}]`),
		}, schemas.Logprobs{TopK: 2, Values: []float32{-1, nan, nan, -2, -2, -3, -4, nan, nan}, Offsets: []int32{0, 1, 2}}},
		"widened twice": {"abc", []string{
			tok("a", `,"logprob":-1`), tok("b", `,"logprob":-2,"top_logprobs":[{"logprob":-3}]`),
			tok("c", `,"logprob":-4,"top_logprobs":[{"logprob":-5},{"logprob":-6},{"logprob":-7}]`),
		}, schemas.Logprobs{
			TopK: 3, Values: []float32{-1, nan, nan, nan, -2, -3, nan, nan, -4, -5, -6, -7}, Offsets: []int32{0, 1, 2},
		}},
		"leading space": {
			"Hi you",
			[]string{tok(" Hi", `,"logprob":-1`), tok(" you", `,"logprob":-1`)},
			schemas.Logprobs{Values: []float32{-1, -1}, Offsets: []int32{0, 2}},
		},
		"a token of space in front": {
			"19",
			[]string{tok(" ", `,"logprob":-1`), tok("1", `,"logprob":-1`), tok("9", `,"logprob":-1`)},
			schemas.Logprobs{Values: []float32{-1, -1, -1}, Offsets: []int32{0, 0, 1}},
		},
		"space that the answer kept": {
			" a",
			[]string{tok(" a", `,"logprob":-1`)},
			schemas.Logprobs{Values: []float32{-1}, Offsets: []int32{0}},
		},
		"cut short": {
			"abc",
			[]string{tok("ab", `,"logprob":-1`)},
			schemas.Logprobs{Values: []float32{-1}, Offsets: []int32{0}},
		},
		"past the end": {
			"ab",
			[]string{tok("ab", `,"logprob":-1`), tok("</s>", `,"logprob":-2`)},
			schemas.Logprobs{Values: []float32{-1, -2}, Offsets: []int32{0, 2}},
		},
		"other text": {"ab", []string{tok("x", `,"logprob":-1`)}, schemas.Logprobs{Values: []float32{-1}}},
		"no text":    {"ab", []string{`{"logprob":-1}`}, schemas.Logprobs{Values: []float32{-1}}},
		"split character by bytes": {"é!", []string{
			`{"token":"\ufffd","logprob":-1,"bytes":[195]}`, `{"bytes":[169],"token":"\ufffd","logprob":-1}`,
			tok("!", `,"logprob":-2,"bytes":null`),
		}, schemas.Logprobs{Values: []float32{-1, -1, -2}, Offsets: []int32{0, 1, 2}}},
		"split character without bytes": {
			"é",
			[]string{tok("\ufffd", `,"logprob":-1`), tok("\ufffd", `,"logprob":-1`)},
			schemas.Logprobs{Values: []float32{-1, -1}},
		},
		"empty answer": {"", []string{tok("x", `,"logprob":-1`)}, schemas.Logprobs{Values: []float32{-1}}},
	}
	d := NewDecoder(Options{})
	for name, c := range cases {
		content := `"logprobs":{"content":[` + strings.Join(c.tokens, ",") + `],"refusal":null}`
		for _, raw := range []string{
			fmt.Sprintf(`{"answer":%q,%s}`, c.answer, content), fmt.Sprintf(`{%s,"answer":%q}`, content, c.answer),
		} {
			t.Run(name, func(t *testing.T) {
				var in schemas.Interaction
				require.NoError(t, d.Decode([]byte(raw), &in))
				require.Empty(t, cmp.Diff(c.want, in.Logprobs, requireEqual()))
				requireOracle(t, []byte(raw))
			})
		}
	}
}

// One wide row in front of many short ones asks for far more memory than its text: the field is malformed.
func TestLogprobsPaddingBomb(t *testing.T) {
	wide := `{"top_logprobs":[` + strings.TrimSuffix(strings.Repeat("{},", recordformat.MaxTopK), ",") + `]}`
	short := strings.Repeat("{},", 200_000)
	for name, content := range map[string]string{
		"wide first": wide + "," + strings.TrimSuffix(short, ","), "wide last": short + wide,
	} {
		t.Run(name, func(t *testing.T) {
			var in schemas.Interaction
			require.NoError(t, NewDecoder(Options{}).Decode([]byte(`{"answer":"a","logprobs":{"content":[`+content+`]}}`), &in))
			require.Equal(t, []string{"logprobs"}, in.Malformed)
			require.Zero(t, in.Logprobs.Rows())
		})
	}
}
