package text

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func sentencesOf(s string) []string {
	var out []string
	for _, p := range AppendSentences(nil, s) {
		out = append(out, p.In(s))
	}
	return out
}

func TestAppendSentences(t *testing.T) {
	for name, tt := range map[string]struct {
		text string
		want []string
	}{
		"empty":              {"", nil},
		"white space":        {" \n\t ", nil},
		"one":                {"Paris is in France", []string{"Paris is in France"}},
		"two":                {"It rains. It pours.", []string{"It rains.", "It pours."}},
		"exclamation":        {"Stop! Go? Yes.", []string{"Stop!", "Go?", "Yes."}},
		"title":              {"Dr. Smith met Mr. Jones. They talked.", []string{"Dr. Smith met Mr. Jones.", "They talked."}},
		"initials":           {"J. K. Rowling wrote it. She is rich.", []string{"J. K. Rowling wrote it.", "She is rich."}},
		"country, name":      {"The U.S. Senate met.", []string{"The U.S. Senate met."}},
		"country, end":       {"He left the U.S. The rest stayed.", []string{"He left the U.S.", "The rest stayed."}},
		"latin":              {"Fruit, e.g. Apples, is good. Eat it.", []string{"Fruit, e.g. Apples, is good.", "Eat it."}},
		"number abbreviated": {"See No. 5 and Fig. 3 now. No. That is wrong.", []string{"See No. 5 and Fig. 3 now.", "No.", "That is wrong."}},
		"company":            {"Acme Inc. Holdings grew. Acme Inc. It grew.", []string{"Acme Inc. Holdings grew.", "Acme Inc.", "It grew."}},
		"decimal":            {"It is 3.5 percent. Version 1.2.3 is out.", []string{"It is 3.5 percent.", "Version 1.2.3 is out."}},
		"url":                {"See https://example.com/a?b=C&d=1.5 now. Then go.", []string{"See https://example.com/a?b=C&d=1.5 now.", "Then go."}},
		"url with capital":   {"See http://x.org/?Q=A. Then go.", []string{"See http://x.org/?Q=A.", "Then go."}},
		"ellipsis":           {"Wait... what? Well... Yes.", []string{"Wait... what?", "Well...", "Yes."}},
		"quote":              {"\"It works.\" He left. (It did.) Good.", []string{"\"It works.\"", "He left.", "(It did.)", "Good."}},
		"quoted question":    {"\"Who?\" he asked. Nobody.", []string{"\"Who?\" he asked.", "Nobody."}},
		"name with mark":     {"Yahoo! is a firm. Yes.", []string{"Yahoo! is a firm.", "Yes."}},
		"marker before":      {"Fact one [1]. Fact two [2].", []string{"Fact one [1].", "Fact two [2]."}},
		"marker after":       {"Fact one. [1] Fact two. [2, 3]", []string{"Fact one. [1]", "Fact two. [2, 3]"}},
		"marker attached":    {"Fact one.[1][2] Fact two.【3†a】 Three.", []string{"Fact one.[1][2]", "Fact two.【3†a】", "Three."}},
		"marker raised":      {"Fact one.¹ Fact two.² ³", []string{"Fact one.¹", "Fact two.² ³"}},
		"marker in words":    {"Fact one. (source: doc-1) Fact two. (Source: b)", []string{"Fact one. (source: doc-1)", "Fact two. (Source: b)"}},
		"marker as subject":  {"It rains. [1] says so too.", []string{"It rains.", "[1] says so too."}},
		"link":               {"Read on. [Docs](https://x.y) help.", []string{"Read on.", "[Docs](https://x.y) help."}},
		"list":               {"Steps:\n1. Mix it.\n2. Bake it.\n", []string{"Steps:", "1. Mix it.", "2. Bake it."}},
		"bullets":            {"- red apples\n* green pears\n• plums", []string{"- red apples", "* green pears", "• plums"}},
		"heading":            {"# Title\n\nBody is here.", []string{"# Title", "Body is here."}},
		"table":              {"| a | b |\n|---|---|\n| 1 | 2 |", []string{"| a | b |", "|---|---|", "| 1 | 2 |"}},
		"windows lines":      {"One.\r\nTwo.\r\n", []string{"One.", "Two."}},
		"wrapped": {
			"This line was wrapped by somebody at sixty columns or so and\ngoes on here. End.",
			[]string{"This line was wrapped by somebody at sixty columns or so and\ngoes on here.", "End."},
		},
		"short lines":     {"red apples\ngreen pears", []string{"red apples", "green pears"}},
		"chinese":         {"我喜欢苹果。你呢？很好！", []string{"我喜欢苹果。", "你呢？", "很好！"}},
		"chinese marker":  {"我喜欢苹果。[1] 你呢？", []string{"我喜欢苹果。[1]", "你呢？"}},
		"ordinals":        {"Er kam am 3. Oktober an. Am 12. April 2019 ging er.", []string{"Er kam am 3. Oktober an.", "Am 12. April 2019 ging er."}},
		"no ordinal":      {"He was 12. April came. In 1999. Oktober kam.", []string{"He was 12.", "April came.", "In 1999.", "Oktober kam."}},
		"abbreviations":   {"Siehe Nr. 5 und Abb. 7 dort. La Sra. Ruiz vino.", []string{"Siehe Nr. 5 und Abb. 7 dort.", "La Sra. Ruiz vino."}},
		"long ones":       {"Messrs. Smith saw messrs. Jones. Themessrs. Two. A 1mr. B.", []string{"Messrs. Smith saw messrs. Jones.", "Themessrs.", "Two.", "A 1mr.", "B."}},
		"label":           {"Ein Fakt. (Quelle: a) Zwei. 一。（来源：b）二。", []string{"Ein Fakt. (Quelle: a)", "Zwei.", "一。（来源：b）", "二。"}},
		"hindi":           {"यह अच्छा है। वह भी।", []string{"यह अच्छा है।", "वह भी।"}},
		"paragraph mark":  {"one\u2029two", []string{"one", "two"}},
		"year":            {"He died in 1999. Nobody came.", []string{"He died in 1999.", "Nobody came."}},
		"time":            {"At 5 p.m. Eastern it ends. At 6 p.m. The show starts.", []string{"At 5 p.m. Eastern it ends.", "At 6 p.m.", "The show starts."}},
		"no space":        {"It ended.Then it began.", []string{"It ended.Then it began."}},
		"and others":      {"Smith et al. Found it. See p. 12 there.", []string{"Smith et al. Found it.", "See p. 12 there."}},
		"degree":          {"She holds a Ph.D. from MIT. He does not.", []string{"She holds a Ph.D. from MIT.", "He does not."}},
		"accented before": {"Il est allé. Puis il est parti.", []string{"Il est allé.", "Puis il est parti."}},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tt.want, sentencesOf(tt.text))
		})
	}
}

func TestNoAbbreviationIsLongerThanItsLimit(t *testing.T) {
	for word := range strings.FieldsSeq(titleAbbrs + " " + figureAbbrs + " " + looseAbbrs) {
		require.LessOrEqual(t, len(word), maxAbbreviation)
	}
}

// The shortcut for the common full stop must agree with Unicode's rules.
func TestPlainEndAgreesWithUnicode(t *testing.T) {
	n := 0
	for _, s := range append(hostileTexts(), strings.Repeat(prose, 3), "A1. B 2! C d? E. F") {
		p := sentenceSplitter{s: s}
		for i := range len(s) {
			if breakClasses[s[i]] == stopByte && p.isPlainEnd(i, i+1) && s[i+2] <= 'Z' {
				n++
				require.Equal(t, i+2, p.boundary(i, i+1), "%q at %d", s, i)
			}
		}
	}
	require.Greater(t, n, 20)
}

// TestBoundaryFollowsUnicode compares the boundaries with those of a library of Unicode's rules, on random texts. Next to other
// characters than ASCII a few differ.
func TestBoundaryFollowsUnicode(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	const alphabet = "aAzZ09.!?,;:-\"'()[]{} \t_/%|@~&"
	others := append(strings.Split(alphabet, ""), "\n", "\r", "\v", "\u0301", "é", "É", "。", "”", "\u00ad", "٣", strings.Repeat(" ", 90), strings.Repeat("-", 90))
	r := rand.New(rand.NewPCG(3, 4))
	differ := 0
	for n := range 600_000 {
		b := []byte{"aZ9).\" "[r.IntN(7)]}
		for range 1 + r.IntN(2) {
			b = append(b, ".!?"[r.IntN(3)])
		}
		stop, after := 1, len(b)
		if b[0] == '.' {
			stop = 0
		}
		for range r.IntN(9) {
			if n%2 == 0 {
				b = append(b, alphabet[r.IntN(len(alphabet))])
			} else {
				b = append(b, others[r.IntN(len(others))]...)
			}
		}
		for after < len(b) && breakClasses[b[after]] == stopByte {
			after++
		}
		p := sentenceSplitter{s: string(b)}
		got, want := p.boundary(stop, after), p.wholeWindow(stop, after)
		if got != want {
			require.True(t, slices.ContainsFunc(b, func(c byte) bool { return c >= utf8.RuneSelf }), "%q, full stop %d to %d: %d, want %d", b, stop, after, got, want)
			differ++
		}
	}
	t.Log(differ)
	require.Less(t, differ, 12_000)
}
