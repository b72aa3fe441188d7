package text

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func tokenTexts(s string) []string {
	var out []string
	for _, t := range AppendTokens(nil, s) {
		out = append(out, t.In(s))
	}
	return out
}

// TestKeptTokens compares the words that are read at once, by length and by the byte behind, with those read in general.
func TestKeptTokens(t *testing.T) {
	var keeping Tokenizer
	keeping.Keep()
	var plain, kept []Token
	for n := 1; n <= 20; n++ {
		for _, letters := range []string{"Exceptionally", "x264 B12 b2b ", "1234567890123", "don't we'll 'a"} {
			word := strings.Repeat(letters, 2)[:n]
			for c := range 256 {
				s := word + string([]byte{byte(c)}) + "and seven words to follow"
				plain, kept = AppendTokens(plain[:0], s), keeping.Append(kept[:0], s)
				require.Equal(t, plain, kept, "%q", s)
			}
		}
	}
}

func TestAppendTokens(t *testing.T) {
	for name, tt := range map[string]struct {
		text string
		want []string
	}{
		"empty":            {"", nil},
		"punctuation":      {" .,;!? --- ", nil},
		"words":            {"The cat, she sleeps.", []string{"The", "cat", "she", "sleeps"}},
		"apostrophe":       {"don't 'quote' dogs' O'Neil’s", []string{"don't", "quote", "dogs", "O'Neil’s"}},
		"hyphen":           {"well-known COVID-19", []string{"well", "known", "COVID", "19"}},
		"numbers":          {"1,234.56 and 3.5% of $7, 8.", []string{"1,234.56", "and", "3.5", "of", "7", "8"}},
		"letters, figures": {"B12 10am 5th 3.5GHz", []string{"B12", "10am", "5th", "3.5GHz"}},
		"initials":         {"the U.S. and e.g. U.S.A today, p.m.", []string{"the", "U.S.", "and", "e.g.", "U.S.A", "today", "p.m."}},
		"host":             {"a.m.example is www.x.org", []string{"a", "m", "example", "is", "www", "x", "org"}},
		"many initials":    {strings.Repeat("a.", maxInitials), []string{strings.Repeat("a.", maxInitials)}},
		"too many":         {strings.Repeat("a.", maxInitials+1), append([]string{"a"}, strings.Repeat("a.", maxInitials))},
		"accents":          {"Zürich café naïve", []string{"Zürich", "café", "naïve"}},
		"decomposed":       {"cafe\u0301 ok", []string{"cafe\u0301", "ok"}},
		"greek":            {"Ωμέγα και άλφα", []string{"Ωμέγα", "και", "άλφα"}},
		"soft hyphen":      {"co\u00adop", []string{"co\u00adop"}},
		"chinese":          {"我喜欢。茶", []string{"我喜", "喜欢", "茶"}},
		"mixed":            {"在2019年GDP", []string{"在", "2019", "年", "GDP"}},
		"thai":             {"ไทย", []string{"ไท", "ทย"}},
		"korean":           {"박물관은 서", []string{"박물", "물관", "관은", "서"}},
		"arabic digits":    {"عام ٢٠١٩", []string{"عام", "٢٠١٩"}},
		"emoji":            {"ok 👍🏽 yes", []string{"ok", "yes"}},
		"apostrophe alone": {"ʼ ’ ʼtis o\u02bcclock", []string{"tis", "oʼclock"}},
		"bad bytes":        {"a\xffb \xc3", []string{"a", "b"}},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tt.want, tokenTexts(tt.text))
		})
	}
}

// onlyToken returns the single token of s.
func onlyToken(t *testing.T, s string) Token {
	t.Helper()
	tokens := AppendTokens(nil, s)
	require.Len(t, tokens, 1, s)
	return tokens[0]
}

func TestTokenHash(t *testing.T) {
	for _, same := range [][]string{
		{"Paris", "paris", "PARIS", "Ｐａｒｉｓ"},
		{"Zürich", "Zurich", "ZU\u0308RICH"},
		{"don't", "don’t", "DON'T"},
		{"U.S.", "US", "u.s"},
		{"co\u00adoperate", "cooperate"},
		{"МОСКВА", "москва"},
		{"1,000", "1000", "1000.00", "01000"},
		{"3.50", "3.5"},
		{"0", "0.0", "00"},
		{"internationalization", "InterNationalization"},
	} {
		want := onlyToken(t, same[0]).Hash
		for _, word := range same[1:] {
			require.Equal(t, want, onlyToken(t, word).Hash, "%s and %s", same[0], word)
		}
	}
	seen := map[uint64]string{}
	for word := range strings.FieldsSeq(`a b ab ba abc acb 1 10 100 1.5 15 01.05 eightlet eightletter sixteenletterword
		sixteenletterwords кот ток кто été ete2 我 你 don dont don't ` + stopWords + negations) {
		h := onlyToken(t, word).Hash
		if other, ok := seen[h]; ok {
			require.Equal(t, other, word)
		}
		seen[h] = word
	}
}

func TestHashDoesNotDependOnPosition(t *testing.T) {
	for _, word := range []string{"cat", "eightlet", "elephants", "sixteen-letters", "café", "1,024"} {
		want := AppendTokens(nil, word)[0].Hash
		for _, text := range []string{word + " and more text behind", "  " + word + ".", "more text in front of " + word} {
			tokens := AppendTokens(nil, text)
			found := false
			for i := range tokens {
				found = found || tokens[i].Hash == want
			}
			require.True(t, found, "%q in %q", word, text)
		}
	}
	require.Equal(t, AppendTokens(nil, "Straße")[0].Hash, Hash("straße"))
	require.Equal(t, AppendTokens(nil, "elephant")[0].Hash, Hash("ELEPHANT"))
}

// Calibration and learned tables store hashes: a change of these numbers invalidates them.
func TestHashIsStable(t *testing.T) {
	require.Equal(t, map[string]uint64{
		"a": 0xae169a705adb7f37, "passage": 0xdf674bb65d671dd4, "internationalization": 0x577867cb472e3c00, "москва": 0xd1095fd28108d140,
	}, map[string]uint64{
		"a": Hash("a"), "passage": Hash("passage"), "internationalization": Hash("internationalization"), "москва": Hash("москва"),
	})
}

func TestStem(t *testing.T) {
	for _, same := range []string{
		"company companies company's", "make makes making made", "run runs running ran", "carry carries carried carrying",
		"city cities", "class classes", "box boxes", "church churches", "stop stops stopped stopping",
		"quick quickly", "happy happily", "open opens opened opening", "fill fills filled filling", "write writes wrote written",
		"child children", "use uses used using", "die died dies dying", "record records recorded recording", "café cafés",
		"house houses housed", "agree agreed agrees", "study studies studied studying", "nice nicely",
	} {
		words := strings.Fields(same)
		want := onlyToken(t, words[0])
		for _, word := range words[1:] {
			require.Equal(t, want.Stem, onlyToken(t, word).Stem, "%s and %s", words[0], word)
		}
	}
	for _, differ := range []string{
		"bus bush", "thing th", "king k", "string str", "red r", "bed bee", "universe universal", "paris parison",
		"1937 1973", "united unify", "this thi", "gas gash", "physics physicist", "sing single", "ring rang",
	} {
		words := strings.Fields(differ)
		require.NotEqual(t, onlyToken(t, words[0]).Stem, onlyToken(t, words[1]).Stem, differ)
	}
}

func TestFlags(t *testing.T) {
	tokens := AppendTokens(nil, "The cat is not here [12], nor [2-4; 7] there【3†a】 in [2019 data].")
	var stops, negations, markers []string
	for i := range tokens {
		word := tokens[i].In("The cat is not here [12], nor [2-4; 7] there【3†a】 in [2019 data].")
		if tokens[i].Stop() {
			stops = append(stops, word)
		}
		if tokens[i].Has(Negation) {
			negations = append(negations, word)
		}
		if tokens[i].Has(Marker) {
			markers = append(markers, word)
		}
	}
	require.Equal(t, []string{"The", "is", "not", "here", "nor", "there", "a", "in"}, stops)
	require.Equal(t, []string{"not", "nor"}, negations)
	require.Equal(t, []string{"12", "2", "4", "7", "3", "a"}, markers)
}

// TestDigitsFlag checks that what begins with a digit is a number, or a word with the flag.
func TestDigitsFlag(t *testing.T) {
	const s = "At 10am B12 5ème 007é 3rd 42 1,050.5 café9 3's"
	tokens := AppendTokens(nil, s)
	var marked []string
	for i := range tokens {
		require.Equal(t, tokens[i].Has(Digits) || tokens[i].Kind == Number, s[tokens[i].Start] >= '0' && s[tokens[i].Start] <= '9')
		if tokens[i].Has(Digits) {
			marked = append(marked, tokens[i].In(s))
		}
	}
	require.Equal(t, []string{"10am", "5ème", "007é", "3rd"}, marked)
}

func TestScriptOf(t *testing.T) {
	for text, want := range map[string]Script{
		"": NoScript, "123 !?": NoScript, "The cat": Latin, "Größe": Latin, "Tiếng Việt": Latin, "Ωμέγα": Greek, "Москва GPS": Cyrillic,
		"العربية": Arabic, "עברית": Hebrew, "한국어": Hangul, "我喜欢 Go": Ideographic, "こんにちは": Ideographic, "ภาษาไทย": Thai, "ភាសាខ្មែរ": Southeast, "ພາສາລາວ": Southeast,
		"हिन्दी": Devanagari, "தமிழ்": OtherScript, "ქართული": OtherScript,
	} {
		require.Equal(t, want, ScriptOf(text), text)
	}
}

func TestCut(t *testing.T) {
	for _, tt := range []struct {
		text, want string
		limit      int
		cut        bool
	}{
		{"abc", "abc", 3, false}, {"abcd", "abc", 3, true}, {"aé", "a", 2, true}, {"é", "", 1, true}, {"x", "", 0, true}, {"", "", 0, false},
	} {
		got, cut := Cut(tt.text, tt.limit)
		require.Equal(t, tt.want, got)
		require.Equal(t, tt.cut, cut)
	}
}

// A word that is not stemmed must equal its stem.
func TestMayBeInflected(t *testing.T) {
	words := strings.Fields(strings.ToLower(strings.NewReplacer(".", "", ",", "", "(", "", ")", "").Replace(prose)))
	for _, root := range []string{"record", "run", "carry", "make", "class", "fill", "agree", "quick", "happy", "wolf", "news"} {
		for _, end := range []string{"", "s", "es", "ed", "d", "ing", "ly", "ily", "'s", "ies", "ied", "er", "eed", "ss", "tt", "egg", "us", "ic"} {
			words = append(words, root+end)
		}
	}
	for _, word := range words {
		if len(word) > 3 && !MayBeInflected(word[len(word)-2], word[len(word)-1]) {
			require.Equal(t, word, string(cutEnglish([]byte(word))))
		}
	}
}

// TestTokenizerReadsPlainTokensAsAllOthers compares the hot loop of a tokenizer that keeps stems, at every distance from the
// end of the text, with one that keeps none.
func TestTokenizerReadsPlainTokensAsAllOthers(t *testing.T) {
	t.Parallel()
	var keeping Tokenizer
	keeping.Keep()
	parts := rapid.SampledFrom([]string{
		"a", "Bc", "running", "abcdefgh", "information", "abcdefghijklmno", "abcdefghijklmnop", "0", "7", "07", "1937", "123456", "1234567",
		".", ",", "'", "[", "]", "[1]", "【", "é", "桥", "\u0301", " ", "  ", "\x00", "\x10", "@", "{", "`", "\xff",
	})
	var buf []Token
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOfN(parts, 0, 12).Draw(t, "parts"), "")
		want := AppendTokens(nil, s)
		for range 2 { // from the second time on, stems are known and tokens fit
			buf = keeping.Append(buf[:0], s)
			require.Equal(t, want, append([]Token(nil), buf...), "%q", s)
		}
	})
}

// TestHashReadsAnyLength compares hashes of words with the sum over their bytes that they are defined by.
func TestHashReadsAnyLength(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[A-Za-z0-9']{0,40}`).Draw(t, "word")
		require.Equal(t, hashBytes([]byte(strings.ToLower(word))), Hash(word))
		require.Equal(t, Hash(word), hashASCII("x"+word+"y", 1, 1+len(word)))
	})
}
