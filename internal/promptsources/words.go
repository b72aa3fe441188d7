package promptsources

import (
	_ "embed"
	"encoding/json"
	"iter"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// stemList holds the stems of the words of headers and instructions in about twenty languages, by class: s passages, q question,
// a answer, y summary, r instructions, e examples, p what points at passages that follow, t what else is said to a model about its
// answer. Classes of whole words are c, g and i, with which instructions begin, and m, what follows "you" in a passage. A header without any of
// them is judged by the text below it. Lists of whole words, such as the names of JSON members, have a name.
//
//go:embed stems.txt
var stemList string

const keySize = 3 // bytes of a stem, by which the table is indexed

type stem struct {
	text  string
	class byte
}

type stemTable struct {
	stems map[[keySize]byte][]stem
	lists map[string]map[string]bool
}

var stems = sync.OnceValue(func() stemTable { //nolint:gochecknoglobals // a read-only table
	t := stemTable{make(map[[keySize]byte][]stem), make(map[string]map[string]bool)}
	for line := range strings.Lines(stemList) {
		class, texts, _ := strings.Cut(line, " ")
		class = strings.TrimSuffix(class, ":")
		if t.lists[class] == nil {
			t.lists[class] = make(map[string]bool)
		}
		for text := range strings.FieldsSeq(texts) {
			if t.lists[class][text] = true; len(class) == 1 {
				t.stems[stemKey(text)] = append(t.stems[stemKey(text)], stem{text, class[0]})
			}
		}
	}
	return t
})

// isIn reports a word of a list.
func isIn(list, word string) bool {
	var lower [24]byte // longer than any of them
	if len(word) > len(lower) {
		return false
	}
	for i := range len(word) {
		if lower[i] = word[i]; 'A' <= word[i] && word[i] <= 'Z' {
			lower[i] |= 0x20
		}
	}
	return stems().lists[list][string(lower[:len(word)])]
}

func stemKey(word string) (key [keySize]byte) {
	for i := range min(keySize, len(word)) {
		if key[i] = word[i]; 'A' <= key[i] && key[i] <= 'Z' {
			key[i] |= 0x20
		}
	}
	return key
}

// classOf is the class of the stem that a word begins with, in any letter case; 0 for none.
func classOf(word string) byte {
	for _, s := range stems().stems[stemKey(word)] {
		whole := strings.IndexByte("cgim", s.class) >= 0
		if len(word) >= len(s.text) && strings.EqualFold(word[:len(s.text)], s.text) && (!whole || len(word) == len(s.text)) {
			return s.class
		}
	}
	return 0
}

func isOneOf(class byte, classes string) bool { return strings.IndexByte(classes, class) >= 0 }

// kind is what a header says about the text below it.
type kind uint8

const (
	plain    kind = iota // no header
	other                // a header that says nothing: its text decides
	source               // passages
	question             // the question
	answer               // the answer: text behind it is an example's
	rules                // instructions, examples, earlier turns
	ending               // the end of passages
)

// isTurn reports the question or the answer.
func (k kind) isTurn() bool { return k == question || k == answer }

// mayHold reports a section that may hold passages.
func (k kind) mayHold() bool { return k == source || k == other }

// kindOf classifies a header by the first of its words that names passages or instructions, else by a question in it, else by
// the answer at its end.
func kindOf(label string) kind {
	const mostAsking, mostAnswering = 7, 2
	switch {
	case hasWide(label):
		return wideKind(label)
	case equalsAny(label, "q", "user", "human", "user_input"), strings.HasSuffix(strings.ToLower(label), " input"): // "User input"
		return question
	case equalsAny(label, "a", "ai"):
		return answer
	}
	asks, last, n := false, byte(0), 0
	for word := range words(label) {
		last = classOf(word)
		switch {
		case last == 's', equalsAny(word, "questions"): // and answers
			return source
		case isOneOf(last, "re"):
			return rules
		}
		asks = asks || last == 'q'
		n++
	}
	switch {
	case asks && n <= mostAsking:
		return question
	case isOneOf(last, "ay") && n <= mostAnswering:
		return answer
	}
	return other
}

func wideKind(label string) kind {
	for k, names := range [...]string{
		source:   "上下文 背景 资料 資料 文档 文書 知识 知識 情報 信息 コンテキスト 文脈 문맥 맥락 컨텍스트 자료 문서",
		question: "问题 質問 問題 질문",
		answer:   "答案 回答",
		rules:    "指示 要求 例",
	} {
		if containsAny(label, names) {
			return kind(k)
		}
	}
	return other
}

func containsAny(s, parts string) bool {
	for p := range strings.FieldsSeq(parts) {
		if strings.Contains(s, p) {
			return true
		}
	}
	return false
}

// hasWide reports a character of Chinese, Japanese, Korean or the like.
func hasWide(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r >= 0x2e80 && r != utf8.RuneError })
}

// colonAt is the place of the first colon, or of the sign behind a name to which a text or a list is assigned, and its size; -1 for none.
func colonAt(s string) (at, size int) {
	const wide, assigns = "：", " = "
	if name, value, ok := strings.Cut(s, assigns); ok && word(name, 0) == strings.ReplaceAll(name, "_", "-") && strings.ContainsAny(value[:1], "[{\"'") {
		return len(name), len(assigns)
	}
	if at = strings.IndexByte(s, ':'); at < 0 {
		at = len(s)
	}
	if before := strings.Index(s[:at], wide); before >= 0 {
		return before, len(wide)
	}
	if at == len(s) {
		return -1, 0
	}
	return at, 1
}

// points reads a sentence of instructions: whether it mentions passages, points at some that follow or at a text to summarize, or
// announces examples.
func points(s string) (mentions, leads, summary, examples bool) {
	if hasWide(s) {
		mentions = wideKind(s) == source
		return mentions, mentions && containsAny(s, "以下 下記 下面"), false, false
	}
	var at places
	n := near // so that nowhere is far from every word
	for word := range words(s) {
		n++
		c := classOf(word)
		leads = leads || at.lead(c, n)
		at[c] = n
	}
	leads = leads || at['g'] > 0 && at['p'] == n && at['r'] == 0 // "Based on the text below"
	return at['s'] > 0, leads, leads && at['y'] > 0, at['e'] > 0
}

const near = 6 // words between what points and what it points at

// places are where the last word of each class stands; 0 for nowhere.
type places [128]int

// lead reports a word of class c at n that points at passages, or names some that an earlier word points at. Instructions that are
// nearer take its place.
func (at *places) lead(c byte, n int) bool {
	return c == 'p' && n-max(at['s'], at['y']) <= near && n-at['r'] > near || c == 's' && n-at['p'] <= near && at['r'] < at['p']
}

// words yields the runs of letters, digits and hyphens.
func words(s string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for start := 0; start < len(s); start++ {
			end := start
			for end < len(s) && inWord(s[end]) {
				end++
			}
			if end > start && !yield(s[start:end]) {
				return
			}
			start = end
		}
	}
}

func inWord(b byte) bool {
	return b|0x20 >= 'a' && b|0x20 <= 'z' || b >= '0' && b <= '9' || b == '-' || b >= utf8.RuneSelf
}

// word is the nth word, counted from 0, "" for none.
func word(s string, n int) string {
	for w := range words(s) {
		if n == 0 {
			return w
		}
		n--
	}
	return ""
}

func equalsAny(s string, list ...string) bool {
	return slices.ContainsFunc(list, func(w string) bool { return len(w) == len(s) && strings.EqualFold(w, s) })
}

// isPlaceholder reports a text that holds no passage: nothing, a template's variable, a word for nothing.
func isPlaceholder(s string) bool {
	const longest = 64
	s = strings.ReplaceAll(strings.ReplaceAll(s[:min(len(s), 2*longest)], "（", "("), "）", ")")
	if s == "" || len(s) > longest {
		return s == ""
	}
	inner := strings.Trim(s, "{}<>[]$%#. \n\t*_-=\"'`…")
	if inner == "" || equalsAny(inner, "none", "n/a", "null", "no context", "context", "documents") {
		return true
	}
	last := s[len(s)-1]
	switch s[0] {
	case '<':
		return last == '>'
	case '{':
		return last == '}' && !strings.ContainsAny(s, "\":,")
	case '(':
		return last == ')' && !strings.ContainsAny(s, "0123456789")
	case '[':
		return last == ']' && !strings.ContainsAny(s, "0123456789\"{")
	}
	return false
}

// isAcknowledgement reports the result of a tool that states nothing.
func isAcknowledgement(s string) bool {
	const longest = 80
	if s = strings.TrimSpace(s); isPlaceholder(s) || len(s) > longest {
		return len(s) <= longest
	}
	for word := range words(s) {
		if !isIn("acknowledgement", word) {
			return findsNothing(s)
		}
	}
	return true
}

// findsNothing reports JSON with an empty list of results.
func findsNothing(s string) (empty bool) {
	if s[0] == '{' && json.Valid([]byte(s)) {
		eachValue(s, func(name, value string, _ int) bool {
			empty = empty || value == "[]" && isResults(name)
			return true
		})
	}
	return empty
}
