package standard

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/detectors/detectortest"
	"confab/schemas"
)

// FuzzDetectors requires the contract of every fast detector on any interaction: no panic, a score in [0, 1] or a reason,
// offsets within the texts, and work that is linear in the size.
func FuzzDetectors(f *testing.F) {
	for _, seed := range []struct{ answer, first, second, schema string }{
		{"The bridge opened in May 1937 [1]. It is red [2, 3].", "The bridge opened in May 1937.", "It is red.", ""},
		{`{"name": "x", "n": 1}`, `{"name": "y"}`, "", `{"type":"object","required":["m"],"properties":{"n":{"type":"string"}}}`},
		{"", "", "", ""},
		{"[999999999999999999999] [2-999999999] [-1] [[1] ]2[ [1][1][1].", "one", "two", `{"$ref":"#"}`},
		{strings.Repeat("[1]", 500), "x", "y", "{"},
		{"桥于五月开放【1†a】。你好", "桥于五月开放。", "bridge", `{"pattern":"(a+)+$"}`},
		{"```json\n{}\n```", "The source", "text (source: a) x", `{"format":"email"}`},
		{"caf\u0301 \u202e co\u00adop", "\u2028\u2029", "x", "true"},
	} {
		for _, prompt := range [][2]string{
			{"", ""},
			{"Always follow policy section 4", "Question: 3 facts?"},
			{"see passages 1 and 2", "and 3 of #51, Q3"},
			{"Use only passages 1 and 2\n\nContext:\n[1] The bridge opened in May 1937.\n[2] It is red.\n\nQuestion: 3 facts?", "ticket #7 at 12:30 to"},
		} {
			f.Add(seed.answer, seed.first, seed.second, prompt[0], prompt[1], seed.schema, "stop", []byte{0, 0, 0, 191, 0, 0, 128, 191, 0, 0, 192, 127})
		}
	}
	list := map[string]detectors.Detector{}
	for _, e := range Fast(Dependencies{}) {
		list[e.Name] = buildDetector(f, e)
	}
	f.Fuzz(func(t *testing.T, answer, first, second, system, user, schema, finish string, logprobs []byte) {
		invalid := func(s string) bool { return !utf8.ValidString(s) }
		if slices.ContainsFunc([]string{answer, first, second, system, user, schema}, invalid) {
			t.Skip("the decoder rejects bytes that are not UTF-8")
		}
		in := &schemas.Interaction{
			Answer: answer, ResponseSchema: schema, FinishReason: finish,
			Messages: []schemas.Message{{Role: "system", Content: system}, {Role: "user", Content: user}, {Role: "tool", Content: user + system}},
			Sources:  []schemas.Source{{ID: "a", Text: first}, {ID: "2", Text: second}}, Logprobs: fuzzLogprobs(logprobs, answer),
		}
		var doc detectors.Document
		doc.Reset(in)
		size := int64(len(answer) + len(first) + len(second) + 2*len(system) + 2*len(user) + len(logprobs))
		for name, d := range list {
			before := doc.Work().Spent()
			finding, err := d.Detect(t.Context(), &doc)
			if spent := doc.Work().Spent() - before; name != "schema" { // a schema is a program: FuzzSchema counts its work
				require.LessOrEqual(t, spent, 1_000_000+500*size, "%s: units for %d bytes", name, size)
			}
			if err == nil {
				detectortest.RequireContract(t, name, in, &finding)
			}
		}
	})
}

// fuzzLogprobs returns two alternatives per row within the range that decoders accept, including NaN.
func fuzzLogprobs(raw []byte, answer string) schemas.Logprobs {
	l := schemas.Logprobs{TopK: 2}
	for ; len(raw) >= 12; raw = raw[12:] {
		for i := range 3 {
			v := math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
			if v > 0 {
				v = -v
			}
			l.Values = append(l.Values, max(v, -100))
		}
		l.Offsets = append(l.Offsets, int32(min(len(l.Offsets), len(answer))))
	}
	return l
}
