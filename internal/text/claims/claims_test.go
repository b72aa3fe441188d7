package claims

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/text"
)

func claimsOf(s string) []string {
	sentences, tokens := text.AppendSentences(nil, s), text.AppendTokens(nil, s)
	var out []string
	for _, c := range Append(nil, s, sentences, text.AppendTokenRanges(nil, sentences, tokens), tokens) {
		out = append(out, s[c.Start:c.End])
	}
	return out
}

func TestAppendClaims(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		// Claims, whole.
		{"Keep records for three years from filing.", "Keep records for three years from filing."},
		{"The company does not provide refunds to anyone.", "The company does not provide refunds to anyone."},
		{"There is no evidence that vaccines cause autism.", "There is no evidence that vaccines cause autism."},
		{"The law does not mention any age limit.", "The law does not mention any age limit."},
		{"Data centers provide no guarantee of uptime here.", "Data centers provide no guarantee of uptime here."},
		{"The bank cannot determine the price of gold.", "The bank cannot determine the price of gold."},
		{"It cannot answer the growing demand for power.", "It cannot answer the growing demand for power."},
		{"Here lies the oldest bridge of the city.", "Here lies the oldest bridge of the city."},
		{"This is the oldest bridge of the city.", "This is the oldest bridge of the city."},
		{"In the summer the river freezes over here.", "In the summer the river freezes over here."},
		{"He said that nobody had found the source.", "He said that nobody had found the source."},
		{"The summary judgment was granted in 78 cases.", "The summary judgment was granted in 78 cases."},
		{"- The apples are red and very sweet", "- The apples are red and very sweet"},
		{"| Name | Alice Miller | Age | 42 | Berlin |", "| Name | Alice Miller | Age | 42 | Berlin |"},
		{"这座桥建于一九三七年，位于旧金山。", "这座桥建于一九三七年，位于旧金山。"},
		{"Berlin, Bonn and Köln are German cities [1].", "Berlin, Bonn and Köln are German cities [1]."},

		// What is left of a lead-in.
		{"According to passage 2, the bridge opened in 1937.", "the bridge opened in 1937."},
		{"Based on the provided passages, keep records for three years.", "keep records for three years."},
		{"Based on the information given in the text, cats sleep all day long.", "cats sleep all day long."},
		{"I'm not sure, but the bridge opened in May 1937.", "the bridge opened in May 1937."},
		{"Passage 2 says that the bridge opened in May 1937.", "the bridge opened in May 1937."},
		{"The passages state the bridge opened in May 1937.", "the bridge opened in May 1937."},
		{"In summary, the bridge opened in May 1937.", "the bridge opened in May 1937."},
		{"Summary: the bridge opened in May 1937.", "the bridge opened in May 1937."},
		{"**Answer:** The bridge opened in May 1937.", "The bridge opened in May 1937."},
		{"Here is a summary in 78 words: The bridge opened in May 1937.", "The bridge opened in May 1937."},
		{"Sure! Yes, the bridge opened in May 1937.", "the bridge opened in May 1937."},
		{"2. The bridge opened in May 1937.", "The bridge opened in May 1937."},
		{"As mentioned in passage 3, cats sleep all day long.", "cats sleep all day long."},
		{"In the passages, cats are said to sleep all day.", "cats are said to sleep all day."},
		{"The passages do not mention dogs, but cats sleep all day long.", "cats sleep all day long."},
		{"Cats sleep all day long, but the passages do not mention dogs.", "Cats sleep all day long"},

		// No claims.
		{"", ""},
		{"Cats sleep all day.", ""},
		{"[1] [2] [3] [4] [5] [6]", ""},
		{"Is it true that cats sleep all day?", ""},
		{"# The long history of cats in Rome", ""},
		{"Here is a summary of the news in 78 words:", ""},
		{"Here's a 95-word summary of the article.", ""},
		{"Below is a brief overview of the provided text:", ""},
		{"Sure, here is the answer to your question:", ""},
		{"The main points of the summary are as follows:", ""},
		{"I hope this helps you with your question!", ""},
		{"Let me know if you have any other questions.", ""},
		{"The passages do not mention the price of gold.", ""},
		{"The provided passages do not explicitly mention the price of gold.", ""},
		{"Passage 3 does not contain any relevant detail here.", ""},
		{"The context provides no information about the price of gold.", ""},
		{"Unable to answer based on given passages.", ""},
		{"I cannot determine the price of gold from this.", ""},
		{"It cannot be determined from the given passages who won.", ""},
		{"The price of gold is not mentioned in the passages.", ""},
		{"There is no information about gold in the provided passages.", ""},
		{"There is not enough information to answer the question.", ""},
		{"It is unclear from the passages who won the race.", ""},
		{"I'm sorry, but I don't know the answer to that.", ""},
		{"I'm not sure, but I don't know the answer to that.", ""},
		{"```go\nfunc main() { fmt.Println(\"hello to all of you\") }\n```", ""},
	} {
		t.Run(tt.text, func(t *testing.T) {
			got := claimsOf(tt.text)
			if tt.want == "" {
				require.Empty(t, got)
				return
			}
			require.Equal(t, []string{tt.want}, got)
		})
	}
}

func TestAppendShortClaims(t *testing.T) {
	for s, want := range map[string]string{
		"New Orleans Saints":                        "New Orleans Saints",
		"In 1962. The bridge opened in May 1937.":   "In 1962.|The bridge opened in May 1937.",
		"Which bridge?":                             "",
		"You're welcome!":                           "",
		"Unable to answer based on given passages.": "",
	} {
		sentences, tokens := text.AppendSentences(nil, s), text.AppendTokens(nil, s)
		var got []string
		for _, c := range AppendShort(nil, s, sentences, text.AppendTokenRanges(nil, sentences, tokens), tokens) {
			got = append(got, s[c.Start:c.End])
		}
		require.Equal(t, want, strings.Join(got, "|"), s)
	}
}

func TestAppendQuestions(t *testing.T) {
	for s, want := range map[string]string{
		"Did you know that the bridge opened in 1937?":   "the bridge opened in 1937?",
		"Nice! Who built the old bridge? And why?":       "Who built the old bridge?",
		"The bridge opened in May 1937, do you like it?": "The bridge opened in May 1937, do you like it?",
		"Would you like me to look for another bridge?":  "",
		"Could you tell me the number of your order?":    "",
		"Is there anything else that I can do?":          "",
		"Did you know?":                                  "",
		"The bridge opened in 1937.":                     "",
		"# Who built the old bridge?":                    "",
		"?":                                              "",
	} {
		sentences, tokens := text.AppendSentences(nil, s), text.AppendTokens(nil, s)
		var got []string
		for _, c := range AppendQuestions(nil, s, sentences, text.AppendTokenRanges(nil, sentences, tokens), tokens) {
			got = append(got, s[c.Start:c.End])
		}
		require.Equal(t, want, strings.Join(got, "|"), s)
	}
}

// paragraph has claims, a lead-in and an abstention.
const paragraph = "File a 2016 income tax return (Form 1040, 1040A, or 1040EZ) and pay any tax due. If you want an automatic 6 month extension " +
	"of time to file the return, file Form 4868, Application for Automatic Extension of Time To File U.S. Individual Income Tax Return [1]. " +
	"According to passage 2, Dr. Smith's records were kept for 3.5 years. The passages do not mention the price. "

// hostileTexts are texts whose claims are hard to find.
func hostileTexts() []string {
	return []string{
		"", ".", "Dr. [1] U.S. (x). \"Q?\" no. Y", "1. A\n2) B\r\n- C\n\n# D", "我。你？他！[1] abc。", "\xff\xfe. A \xc3",
		"```go\na. B\n```\nThe end of it is here.", "The passages do not mention it, but cats sleep all day.",
		"Here is a summary in 78 words: cats sleep all day long.", "unable to answer", strings.Repeat("A. ", 200), strings.Repeat("[1]", 200),
	}
}

func FuzzClaims(f *testing.F) {
	for _, s := range append(hostileTexts(), paragraph) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		sentences, tokens := text.AppendSentences(nil, s), text.AppendTokens(nil, s)
		ranges := text.AppendTokenRanges(nil, sentences, tokens)
		require.Len(t, ranges, len(sentences))
		last := int32(-1)
		for _, c := range AppendQuestions(nil, s, sentences, ranges, tokens) {
			require.NotEmpty(t, s[c.Start:c.End])
			require.Less(t, c.First, c.Last)
		}
		for _, c := range Append(nil, s, sentences, ranges, tokens) {
			require.Less(t, last, c.Sentence, "one claim a sentence, in order")
			last = c.Sentence
			r, span := ranges[c.Sentence], sentences[c.Sentence]
			require.True(t, r.First <= c.First && c.First < c.Last && c.Last <= r.Last, "tokens of its sentence")
			require.True(t, span.Start <= c.Start && c.Start < c.End && c.End <= span.End, "bytes of its sentence")
			least := MinWords
			if s[span.Start] == '|' {
				least = minRowWords
			}
			require.GreaterOrEqual(t, countWords(tokens[c.First:c.Last]), least)
		}
	})
}

func BenchmarkClaims(b *testing.B) {
	s := strings.Repeat(paragraph, 2)
	sentences, tokens := text.AppendSentences(nil, s), text.AppendTokens(nil, s)
	ranges := text.AppendTokenRanges(nil, sentences, tokens)
	var dst []Claim
	b.ReportAllocs()
	for b.Loop() {
		dst = Append(dst[:0], s, sentences, ranges, tokens)
	}
}

// BenchmarkHostileClaims measures each hostile text at two lengths: equal rates mean linear time.
func BenchmarkHostileClaims(b *testing.B) {
	for name, unit := range map[string]string{
		"stops": ".", "markers": "[1]", "digits": "1,", "not": "not ", "passages": "the passages ", "says": "passages say ",
		"but": "but the passages do not mention ", "lines": "a\n", "please": "please contact ", "advice": "you may want to ",
		"if": "if you need, ", "keine": "keine angaben ", "zh": "没有提到", "sorry": "sorry, ", "possible": "not possible to say ", "silent": "i can't help, but ", "rows": "|a|\n|-|\n", "reports": "the report you shared ",
	} {
		for _, n := range []int{20_000, 40_000} {
			b.Run(name+"/"+map[int]string{20_000: "1x", 40_000: "2x"}[n], func(b *testing.B) {
				s := strings.Repeat(unit, n/len(unit))
				sentences, tokens := text.AppendSentences(nil, s), text.AppendTokens(nil, s)
				ranges := text.AppendTokenRanges(nil, sentences, tokens)
				b.SetBytes(int64(len(s)))
				for b.Loop() {
					Append(nil, s, sentences, ranges, tokens)
				}
			})
		}
	}
}

func TestClaimsAllocateNothing(t *testing.T) {
	s := strings.Repeat(paragraph, 4)
	sentences, tokens := text.AppendSentences(nil, s), text.AppendTokens(nil, s)
	ranges := text.AppendTokenRanges(nil, sentences, tokens)
	claims := Append(nil, s, sentences, ranges, tokens)
	require.NotEmpty(t, claims)
	require.Zero(t, testing.AllocsPerRun(20, func() { claims = Append(claims[:0], s, sentences, ranges, tokens) }))
}
