package text

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/datatest"
)

const prose = "File a 2016 income tax return (Form 1040, 1040A, or 1040EZ) and pay any tax due. If you want an automatic 6 month extension " +
	"of time to file the return, file Form 4868, Application for Automatic Extension of Time To File U.S. Individual Income Tax Return [1]. " +
	"According to passage 2, Dr. Smith's records were kept for 3.5 years. The passages do not mention the price. "

// benchmarkTexts measures read on prose that repeats, which a processor learns by heart, and on sources of RAGTruth.
func benchmarkTexts(b *testing.B, read func(s string)) {
	repeated := strings.Repeat(prose, 16)
	b.Run("repeated", func(b *testing.B) {
		b.SetBytes(int64(len(repeated)))
		b.ReportAllocs()
		for b.Loop() {
			read(repeated)
		}
	})
	b.Run("real", func(b *testing.B) {
		texts, size := realTexts(b), 0
		for _, s := range texts {
			size += len(s)
		}
		b.SetBytes(int64(size / len(texts)))
		for i := 0; b.Loop(); i++ {
			read(texts[i%len(texts)])
		}
	})
}

func realTexts(b *testing.B) (texts []string) {
	for _, line := range datatest.Rows(b, "ragtruth") {
		var row struct {
			Interaction struct{ Sources []struct{ Text string } }
		}
		require.NoError(b, json.Unmarshal(line, &row))
		for _, s := range row.Interaction.Sources {
			texts = append(texts, s.Text)
		}
	}
	return texts
}

func BenchmarkSentences(b *testing.B) {
	var dst []Span
	benchmarkTexts(b, func(s string) { dst = AppendSentences(dst[:0], s) })
}

func BenchmarkTokens(b *testing.B) {
	var dst []Token
	var tokenizer Tokenizer
	tokenizer.Keep()
	benchmarkTexts(b, func(s string) { dst = tokenizer.Append(dst[:0], s) })
}

// BenchmarkHostile measures each hostile text at two lengths: equal rates mean linear time.
func BenchmarkHostile(b *testing.B) {
	for name, unit := range map[string]string{
		"stops": ".", "closers": ".)", "initials": "A. ", "marks": "! ", "markers": "[1]", "open": "[", "stop and open": ". [", "quotes": "\"",
		"combining": "\u0301", "word": "x", "accents": "é", "chinese": "我", "digits": "1,", "apostrophes": "a'", "not": "not ", "passages": "the passages ",
		"says": "passages say ", "but": "but the passages do not mention ", "lines": "a\n", "hosts": "a.", "abbreviations": "Inc. \"",
	} {
		for _, n := range []int{20_000, 40_000} {
			b.Run(name+"/"+map[int]string{20_000: "1x", 40_000: "2x"}[n], func(b *testing.B) {
				s := strings.Repeat(unit, n/len(unit))
				b.SetBytes(int64(len(s)))
				for b.Loop() {
					AppendTokenRanges(nil, AppendSentences(nil, s), AppendTokens(nil, s))
				}
			})
		}
	}
}

func TestTextAllocatesNothing(t *testing.T) {
	s := strings.Repeat(prose+"Größe 我喜欢茶。 ", 4)
	sentences, tokens := AppendSentences(nil, s), AppendTokens(nil, s)
	ranges := AppendTokenRanges(nil, sentences, tokens)
	require.Zero(t, testing.AllocsPerRun(20, func() {
		sentences, tokens = AppendSentences(sentences[:0], s), AppendTokens(tokens[:0], s)
		ranges = AppendTokenRanges(ranges[:0], sentences, tokens)
		_, _ = ScriptOf(s), Hash("elephant")
	}))
}
