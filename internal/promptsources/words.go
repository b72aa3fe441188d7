package promptsources

import (
	"strings"
	"unicode/utf8"
)

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

// Stems of the words that headers and instructions are made of, by their first letter, in about twenty languages. The letter
// before a stem is its class: s passages, q question, a answer, y summary, r instructions, p what points at passages, t what else is said
// to a model about its answer. A header without any of them is judged by the text below it.
func stemsOf(first byte) string {
	switch first | 0x20 {
	case 'a':
		return "aanswer aantwort aassistant sarticle sartikel sartícul sartyku sauszug sauszüg sachtergrond raufgabe ranweis raudience pabajo paquí tasistente tassistent"
	case 'b':
		return "sbackground sbase sbağlam sbron pbelow rbeispiel tbrief"
	case 'c':
		return "scontext scontest schunk sconocimient sconnaissance sconoscenz sconheciment rconsigne rconstraint rconversation rchat rcriteria pci-dessous qconsulta rcitation tcite tconcise tcustomer tclient"
	case 'd':
		return "sdocument sdokument sdocs sdata qdomanda"
	case 'e':
		return "sexcerpt sextract sextrait sestratt sevidence rexample rejemplo rexempl resempi"
	case 'f':
		return "sfuente sfont sfragment sfact sfaq sfrequent sfréquent sfrecuen qfrage qfråga rformat rfew-shot pfollow pfolgend tfriendly"
	case 'g':
		return "rguideline rgoal rglossary tguess"
	case 'h':
		return "shintergrund shandb shäufig rhistory phere"
	case 'i':
		return "sinform sinput rinstru tinvent"
	case 'k':
		return "skontext skontekst skonteks skilde skäll sknowledge skennis tkunde tkunden"
	case 'm':
		return "smanual smaterial"
	case 'o':
		return "aoutput aoverview robjective"
	case 'p':
		return "spassag spasaj spolicy spolít qpregunta qpergunta qpytani rpersona tpolite"
	case 'q':
		return "squelle qquestion qquery"
	case 'r':
		return "sresult sreference aresponse arespuesta aréponse arisposta aresposta yresum yrésum yriassum rrule rregel rregla rrègle rrequirement rrole rrolle trespon trépon trispon treply tround"
	case 's':
		return "ssource ssnippet ssearch ssammanhang ssammenh ysummar rstyle rstil rstep rschema rschritt psiguiente psuivant pseguent pseguint qspørsm qsoru"
	case 't':
		return "stext stranscript rtask rtarea rtâche rtone rtopics rtool rtono"
	case 'u':
		return "puntenstehend punten tuser tusuario tutilisateur tutente"
	case 'v':
		return "qvraag pvoici"
	case 'w':
		return "swissen swiedz swiki"
	case 'z':
		return "yzusammenfass rzadan"
	}
	if first >= utf8.RuneSelf {
		return "sźród sконтекст sдокумент sисточник sзнани sинформ sрезультат sالسياق qвопрос qالسؤال aответ"
	}
	return ""
}

const (
	wideSources   = "上下文 背景 资料 資料 文档 文書 知识 知識 情報 信息 コンテキスト 文脈 문맥 맥락 컨텍스트 자료 문서"
	wideQuestions = "问题 質問 問題 질문"
	wideRules     = "指示 要求 例"
	wideAnswers   = "答案 回答"
)

// classOf is the class of the stem that a word begins with, in any letter case; 0 for none.
func classOf(word string) byte {
	const shortest = 3
	if len(word) < shortest {
		return 0
	}
	for stems := stemsOf(word[0]); stems != ""; {
		stem, rest, _ := strings.Cut(stems, " ")
		if n := len(stem) - 1; n <= len(word) && strings.EqualFold(word[:n], stem[1:]) {
			return stem[0]
		}
		stems = rest
	}
	return 0
}

func containsAny(s, parts string) bool {
	for p := range strings.FieldsSeq(parts) {
		if strings.Contains(s, p) {
			return true
		}
	}
	return false
}

// kindOf classifies a header of few words by the first of its words that says something; a question or answer only by the last.
func kindOf(label string) kind {
	if strings.ContainsFunc(label, isWide) {
		return wideKind(label)
	}
	if equalsAny(label, "q", "user", "human") {
		return question
	}
	if equalsAny(label, "a", "ai") {
		return answer
	}
	if word, rest := nextWord(label); strings.HasSuffix(strings.ToLower(rest), "input") && word != "" {
		return question // "User input"
	}
	const mostAsking, mostAnswering = 7, 2
	first, asking, last, words := other, other, other, 0
	for rest := label; ; words++ {
		var word string
		if word, rest = nextWord(rest); word == "" {
			break
		}
		last = wordKind(word)
		if first == other && (last == source || last == rules) {
			first = last
		}
		if last == question {
			asking = question
		}
	}
	switch {
	case first != other:
		return first
	case asking == question && words <= mostAsking:
		return question
	case last == answer && words <= mostAnswering:
		return answer
	}
	return other
}

func wordKind(word string) kind {
	if equalsAny(word, "questions") { // and answers
		return source
	}
	switch classOf(word) {
	case 's':
		return source
	case 'q':
		return question
	case 'a', 'y':
		return answer
	case 'r':
		return rules
	}
	return other
}

func wideKind(label string) kind {
	switch {
	case containsAny(label, wideSources):
		return source
	case containsAny(label, wideQuestions):
		return question
	case containsAny(label, wideAnswers):
		return answer
	case containsAny(label, wideRules):
		return rules
	}
	return other
}

func isWide(r rune) bool { return r >= 0x2e80 && r != utf8.RuneError }

// points reports a sentence that points at passages which follow, or at a text to summarize.
func points(s string) (mentions, leads, summary bool) {
	if strings.ContainsFunc(s, isWide) {
		mentions = containsAny(s, wideSources)
		return mentions, mentions && containsAny(s, "以下 下記 下面"), false
	}
	const mostWords, near = 200, 6
	pointed, named, ruled := -mostWords, -mostWords, -mostWords
	for n, rest := 0, s; n < mostWords; n++ {
		var word string
		if word, rest = nextWord(rest); word == "" {
			break
		}
		switch classOf(word) {
		case 'p':
			pointed = n
			leads = leads || n-named <= near && n-ruled > near
		case 's':
			named, mentions = n, true
			leads = leads || n-pointed <= near && ruled < pointed
		case 'r':
			ruled = n
		case 'y':
			named, summary = n, true
		}
	}
	return mentions, leads, summary && leads
}

// nextWord splits off the first run of letters, digits and hyphens.
func nextWord(s string) (word, rest string) {
	start := 0
	for start < len(s) && !inWord(s[start]) {
		start++
	}
	end := start
	for end < len(s) && inWord(s[end]) {
		end++
	}
	return s[start:end], s[end:]
}

func inWord(b byte) bool {
	return b|0x20 >= 'a' && b|0x20 <= 'z' || b >= '0' && b <= '9' || b == '-' || b >= utf8.RuneSelf
}

func equalsAny(s string, list ...string) bool {
	for _, w := range list {
		if len(w) == len(s) && strings.EqualFold(w, s) {
			return true
		}
	}
	return false
}

// isPlaceholder reports a text that holds no passage: nothing, a template's variable, a word for nothing.
func isPlaceholder(s string) bool {
	const longest = 64
	if s == "" {
		return true
	}
	if len(s) > longest {
		return false
	}
	inner := strings.Trim(s, "{}<>[]$%#. \n\t*_-=\"'`…")
	return inner == "" || equalsAny(inner, "none", "n/a", "null", "no context", "context", "documents") || isVariable(s)
}

// isVariable reports a text in the brackets of a template.
func isVariable(s string) bool {
	switch s[0] {
	case '<':
		return s[len(s)-1] == '>'
	case '{':
		return strings.HasPrefix(s, "{{") && strings.HasSuffix(s, "}}") || s[len(s)-1] == '}' && !strings.ContainsAny(s, "\":,")
	case '[':
		return s[len(s)-1] == ']' && !strings.ContainsAny(s, "0123456789\"{")
	}
	return false
}

// isAcknowledgement reports the result of a tool that states nothing.
func isAcknowledgement(s string) bool {
	const longest = 80
	s = strings.TrimSpace(s)
	if isPlaceholder(s) {
		return true
	}
	if len(s) > longest {
		return false
	}
	for rest := s; ; {
		var word string
		if word, rest = nextWord(rest); word == "" {
			return true
		}
		if !equalsAny(word, "ok", "done", "success", "succeeded", "successful", "successfully", "true", "false", "status", "result",
			"null", "none", "error", "code", "200", "201", "204") {
			return false
		}
	}
}
