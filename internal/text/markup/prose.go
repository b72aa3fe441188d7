package markup

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// lineKind says what a line looks like.
type lineKind uint8

const (
	emptyLine lineKind = iota // without words
	wordLine                  // a few words
	proseLine                 // a sentence, or a long part of one
	codeLine
)

const (
	minProseWords = 4   // of a line that ends as a sentence does
	minOpenWords  = 8   // of a line that does not
	wordsPerCode  = 5   // prose has as many words for one of code
	maxKey        = 40  // bytes of the key before a value
	maxLine       = 400 // bytes of a line that are read to tell its kind
)

// isProse reports a text that reads as a sentence.
func isProse(s string) bool { return lineKindOf(s) == proseLine }

// lineKindOf tells prose from code by the words of the line: how many have marks of code, whether the line ends as a sentence
// does, and whether it starts with a capital letter.
func lineKindOf(line string) lineKind {
	line = withoutKey(strings.TrimSpace(strings.TrimLeft(line, " \t>|-*#/")))
	ends := endsSentence(line)
	words, code, capitals := 0, 0, 0
	for field := range strings.FieldsSeq(line[:min(len(line), maxLine)]) {
		w := strings.Trim(field, wordClosers)
		switch {
		case strings.Contains(field, "://"):
		case isCodeWord(field, w):
			code++
		case w != "":
			words += wordCount(w)
			if len(w) > 1 && isLetter(w[0]) && strings.ToUpper(w) == w {
				capitals++
			}
		}
	}
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(line, wordClosers))
	switch {
	case code*wordsPerCode > words, words > 0 && strings.HasSuffix(line, "{"):
		return codeLine
	case words >= minProseWords && ends, words >= minOpenWords && 4*capitals <= words && !unicode.IsLower(first):
		return proseLine
	case words > 0:
		return wordLine
	default:
		return emptyLine
	}
}

// wordClosers are characters around a word of prose.
const wordClosers = "\"'“”‘’«»„.,;:!?…()[]{}<>*_`~|–—-€$£%&+。，！？、「」（）"

// withoutKey cuts off the key before a value, as in JSON and YAML: "price": 3.
func withoutKey(line string) string {
	key, value, found := strings.Cut(line[:min(len(line), maxKey)], ": ")
	if !found || strings.ContainsAny(key, " ()[]=") {
		return line
	}
	return line[len(line[:min(len(line), maxKey)])-len(value):]
}

// isCodeWord reports a field that prose does not have: a flag, a call, an assignment, a path, a name of several parts. w is
// the field without punctuation.
func isCodeWord(field, w string) bool {
	if w == "" {
		return strings.ContainsAny(field, "=\\^@#/") || strings.Contains(field, "&&") || strings.ContainsAny(field, "(){}") && len(field) > 1
	}
	if field[0] == '-' && len(field) > 1 && field[1] != ' ' && !isDigit(w[0]) || strings.HasSuffix(field, "()") {
		return true
	}
	for i := 1; i < len(w); i++ {
		switch c := w[i]; {
		case strings.IndexByte("=(){}<>;$\\^_#@\"", c) >= 0, c == '/' && !isDigit(w[i-1]) && strings.Count(w, "/") > 1:
			return true
		case (c == '.' || c == ':' || c == '[') && isLetter(w[i-1]) && i+1 < len(w) && isLetter(w[i+1]) && i > 1:
			return true
		case 'A' <= c && c <= 'Z' && 'a' <= w[i-1] && w[i-1] <= 'z' && i > 2:
			return true
		}
	}
	return false
}

// wordCount is 1, or half the characters of a text that is written without spaces.
func wordCount(w string) int {
	if w[0] < 0xE3 {
		return 1
	}
	return (utf8.RuneCountInString(w) + 1) / 2
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// endsSentence reports a full stop at the end of the line, before closing marks and citations.
func endsSentence(line string) bool {
	for cut := true; cut; {
		line = strings.TrimRight(line, " \t\r\n\"'”’»)}*_`~|,」）】")
		cut = false
		for _, pair := range [...]string{"[]", "<>"} {
			if line != "" && line[len(line)-1] == pair[1] {
				if n := strings.LastIndexByte(line, pair[0]); n >= 0 && len(line)-n < maxKey {
					line = line[:n]
				} else {
					line = line[:len(line)-1]
				}
				cut = true
			}
		}
	}
	r, _ := utf8.DecodeLastRuneInString(line)
	return strings.ContainsRune(".!?…。！？", r) && r != utf8.RuneError
}
