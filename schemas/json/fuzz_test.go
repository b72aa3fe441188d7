package json

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/schemas"
)

// addSeeds are small texts near every branch of the decoder.
func addSeeds() []string {
	return []string{
		``, `{}`, `null`, `{"answer":"a"}`, `{"answer":"\ud83d\ude00\ud800"}`, "{\"answer\":\"\xff\"}", `{"answer":"a","Answer":"b"}`,
		`{"answer":"a","sources":{"b":{"content":"1","id":7},"c":{"text":""},"d":{"id":{}}}}`,
		`{"answer":"a","prompt":"p","sources":{"b":"1","a":null},"tags":["x"],"temperature":1.5e-1,"streamed":true,"x":[{}]}`,
		`{"answer":"a","messages":[{"role":"user","content":[{"type":"text","text":"q"}]}],"sources":["s",{"id":"1","score":-0}]}`,
		`{"answer":" ab","logprobs":{"content":[{"token":" a","logprob":-1,"bytes":[32,97],"top_logprobs":[{"logprob":null}]},{"token":"b"}]}}`,
		`{"answer":"a","top_k":1,"token_logprobs":"AACAvwAAwH8AAID/AACAPw=="}`,
		`{"answer":"a","occurred_at":"2016-12-31T23:59:60.5-01:30","attributes":{"n":1e400,"b":false}}`,
		`{"contexts":["c"],"question":"q","response":"r","context":"d"}`, `{"answer":"a","sources":null,"context":["c",5],"query":"q","x":1}`,
		`{"answer":"a","occurred_at":1795255200000,"temperature":1e400}`, nestedJSON(DefaultMaxDepth), nestedJSON(DefaultMaxDepth - 1),
	}
}

// FuzzDecode holds the decoder against the slow oracle: both accept or both refuse, and they read the same.
func FuzzDecode(f *testing.F) {
	for _, s := range addSeeds() {
		f.Add([]byte(s))
	}
	d := NewDecoder(Options{})
	f.Fuzz(func(t *testing.T, raw []byte) {
		requireOracle(t, raw)
		var in schemas.Interaction
		if d.Decode(raw, &in) == nil {
			requireRoundTrip(t, &in)
		}
	})
}

// FuzzDecodeFlag: whatever was read can be written and read again.
func FuzzDecodeFlag(f *testing.F) {
	full := fullFlag()
	raw, err := AppendFlag(nil, &full)
	require.NoError(f, err)
	for _, s := range append(addSeeds(), string(raw), `{"signals":null}`, `{"occurred_at":"0000-01-01T00:00:00+01:00"}`) {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var flag schemas.Flag
		if err := DecodeFlag(raw, &flag); err != nil {
			errorReason(t, err)
			return
		}
		out, err := AppendFlag(nil, &flag)
		if err != nil {
			return // a time that only a zone brought beyond the years 0 to 9999
		}
		require.True(t, json.Valid(out))
		require.NoError(t, DecodeFlag(out, &flag))
	})
}

// FuzzDecodeLabelled: no input panics, and a row's spans lie within its answer.
func FuzzDecodeLabelled(f *testing.F) {
	for _, s := range addSeeds() {
		f.Add([]byte(s))
		f.Add([]byte(`{"interaction":` + s + `,"label":1,"spans":[{"start":0,"end":1,"type":"x"}],"samples":[{"answer":"a","logprobs":null}]}`))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		before := string(raw)
		var row schemas.Labelled
		if err := DecodeLabelled(raw, &row); err != nil {
			errorReason(t, err)
			return
		}
		for _, s := range row.Spans {
			require.LessOrEqual(t, s.Start, s.End)
			require.LessOrEqual(t, s.End, len(row.Interaction.Answer))
		}
		require.Equal(t, before, string(raw))
	})
}

// Every committed seed of the fuzz targets is a valid corpus file; an empty corpus would mean that they were lost.
func TestSeedCorpus(t *testing.T) {
	for _, target := range []string{"FuzzDecode", "FuzzDecodeFlag", "FuzzDecodeLabelled", "FuzzMapping", "FuzzNewMapping"} {
		files, err := filepath.Glob(filepath.Join("testdata", "fuzz", target, "*"))
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, name := range files {
			raw, err := os.ReadFile(name)
			require.NoError(t, err)
			require.True(t, strings.HasPrefix(string(raw), "go test fuzz v1\n"), name)
		}
	}
}
