package promptsources

import (
	"strings"
	"unicode/utf8"
)

// wordClass is what a word says about the text around it.
type wordClass uint8

const (
	otherWord     wordClass = iota
	passageNoun             // what sources are called
	subjectNoun             // what else they may be called: only of something that the model shall use
	pointingWord            // where the sources are: "following", "below"
	nearWord                // the same, before its noun: "these"
	adjectiveWord           // what sources are: "provided"
	usingWord               // what the model shall do with them
	summaryWord             // the text itself is the task
	sectionWord             // a section of instructions
)

const minWord, maxWord = 3, 24 // bytes of the words of the tables

// classOf classifies a word in any letter case.
func classOf(word string) wordClass {
	if len(word) > maxWord || len(word) < minWord {
		return otherWord
	}
	var buf [maxWord]byte
	lower := lowerASCII(buf[:0], word)
	switch string(lower) {
	case "context", "contexts", "document", "documents", "passage", "passages", "source", "sources", "excerpt", "excerpts",
		"extract", "extracts", "article", "articles", "snippet", "snippets", "chunk", "chunks", "documentation", "transcript", "docs",
		"triplets", "parts", "kontext", "dokument", "dokumente", "dokumenten", "quelle", "quellen", "textstellen", "auszug", "auszüge",
		"auszügen", "passagen", "abschnitte", "contexto", "documento", "documentos", "fuente", "fuentes", "fragmento", "fragmentos", "pasajes",
		"contexte", "extrait", "extraits", "contesto", "documenti", "fonti", "контекст", "документы":
		return passageNoun
	case "information", "info", "facts", "knowledge", "text", "texts", "data", "material", "section", "sections", "manual", "handbook", "faq",
		"content", "results", "details", "informationen", "texte", "información", "informations":
		return subjectNoun
	case "following", "below", "here", "found", "follows", "folgende", "folgenden", "folgendem", "folgender", "untenstehenden",
		"siguiente", "siguientes", "suivant", "suivante", "suivants", "suivantes", "seguente", "seguenti", "seguinte", "seguintes",
		"ci-dessous", "abajo", "unten":
		return pointingWord
	case "this", "these", "diese", "diesen", "dieser", "diesem", "estos", "estas", "ces", "questi", "queste", "estes":
		return nearWord
	case "retrieved", "provided", "given", "relevant":
		return adjectiveWord
	case "use", "using", "based", "only", "from", "according", "consult", "reference", "solely", "help", "ground", "base", "rely", "refer", "consider", "verwende", "nutze", "basierend", "anhand",
		"beantworte", "usa", "usando", "según", "basándote", "utilise", "utilisez", "réponds", "selon", "grounded":
		return usingWord
	case "summarize", "summarise", "summary", "summarizing", "tl;dr", "zusammenfassung", "resume", "résume":
		return summaryWord
	case "instruction", "instructions", "rule", "rules", "guideline", "guidelines", "task", "question", "query", "answer", "output", "format",
		"response", "style", "tone", "note", "notes", "constraint", "constraints", "requirements", "example", "examples", "beispiel", "beispiele",
		"ejemplo", "ejemplos", "role", "steps",
		"objective", "persona", "user", "frage", "antwort", "aufgabe", "anweisungen", "pregunta", "respuesta", "tarea", "instrucciones",
		"réponse", "tâche", "consignes", "history", "conversation", "citation", "schema", "topics":
		return sectionWord
	}
	return otherWord
}

// lowerASCII appends the word with ASCII letters and the capitals of the tables in lower case.
func lowerASCII(dst []byte, word string) []byte {
	for i := range len(word) {
		b := word[i]
		if 'A' <= b && b <= 'Z' {
			b |= 0x20
		}
		dst = append(dst, b)
	}
	return dst
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
	return b|0x20 >= 'a' && b|0x20 <= 'z' || b >= '0' && b <= '9' || b == '-' || b == ';' || b >= utf8.RuneSelf
}

// labelKind is what a label at the start of a line introduces.
type labelKind uint8

const (
	noLabel       labelKind = iota
	sourceLabel             // passages
	questionLabel           // the question
	answerLabel             // the answer: text after it is an example's
	sectionLabel            // other instructions
	endLabel                // the end of passages
)

const maxLabel = 60 // bytes

// labelOf classifies the text of a label.
func labelOf(label string) labelKind {
	switch {
	case label == "" || len(label) > maxLabel:
		return noLabel
	case strings.HasSuffix(label, " is as follows"):
		_, noun := nextWord(label)
		return labelOf(strings.TrimSpace(strings.TrimSuffix(noun, "is as follows")))
	case equalsAny(label, "question", "query", "user question", "user query", "user input", "the question is", "customer question",
		"current question", "new question", "original question", "frage", "frage des nutzers", "pregunta", "consulta", "domanda", "pergunta",
		"вопрос", "问题", "用户问题", "質問", "問題", "question de l'utilisateur", "q", "user", "human",
		"vraag", "fråga", "spørsmål", "spørgsmål", "pytanie", "soru", "질문", "السؤال"):
		return questionLabel
	case equalsAny(label, "answer", "helpful answer", "final answer", "refined answer", "new answer", "your answer", "output", "summary",
		"concise summary", "overview", "relevant text, if any", "extracted relevant parts", "relevant (yes / no)", "response", "assistant",
		"antwort", "respuesta", "réponse", "risposta", "resposta", "ответ", "答案", "回答", "zusammenfassung", "a", "ai"):
		return answerLabel
	case equalsAny(label, "instruction", "instructions", "task", "your task", "rules", "guidelines", "output format", "format", "chat history",
		"conversation history", "conversation", "history", "existing answer", "original answer", "objective", "style", "tone", "audience",
		"role", "persona", "constraints", "example", "examples", "aufgabe", "anweisungen", "instrucciones", "tarea", "consignes", "指示", "要求",
		"regeln", "reglas", "règles", "zadanie"):
		return sectionLabel
	case !isSourceLabel(label):
		return noLabel
	}
	if word, rest := nextWord(label); label[0] == '/' || equalsAny(word, "end", "ende", "fin") && isSourceLabel(rest) {
		return endLabel
	}
	return sourceLabel
}

// isSourceLabel reports a label that names passages: a noun with few words before it, and after it nothing, another noun, or
// what it is about.
func isSourceLabel(label string) bool {
	if strings.ContainsFunc(label, isWide) {
		return containsAny(label, "上下文", "背景", "资料", "資料", "文档", "文書", "知识", "知識", "情報", "信息", "コンテキスト", "文脈", "문맥", "맥락", "컨텍스트", "자료", "문서")
	}
	const mostBefore = 3
	for rest, n := label, 0; n <= mostBefore; n++ {
		var word string
		if word, rest = nextWord(rest); word == "" || isVerbOfLists(word) || classOf(word) == sectionWord {
			return false
		}
		if namesPassages(word) {
			return endsNoun(rest)
		}
	}
	return false
}

// endsNoun reports whether what follows a noun in a label belongs to it.
func endsNoun(rest string) bool {
	word, rest := nextWord(rest)
	switch class := classOf(word); {
	case word == "", class == pointingWord, class == adjectiveWord:
		return true
	case equalsAny(word, "of", "for", "about", "on", "from", "that", "which", "to", "de", "des", "du", "zu", "über", "sur", "sobre", "su", "o", "om", "über"):
		return true
	case class == sectionWord, isVerbOfLists(word), word[0] <= '9', equalsAny(word, "used", "you", "must", "should"):
		return false
	}
	next, _ := nextWord(rest)
	return next == "" || namesPassages(word) && endsNoun(rest) // "knowledge base", "search results of the day"
}

// isVerbOfLists reports a word before nouns in instructions: "Collect the following information:", "Sources to cite:".
func isVerbOfLists(word string) bool {
	return equalsAny(word, "use", "using", "cite", "collect", "ask", "provide", "include", "gather", "give", "list", "write", "return", "send", "quote", "name",
		"check", "mention", "answer", "required", "needed", "output", "request", "extract", "confirm", "no", "never")
}

// namesPassages reports a noun of a header over passages, in one of many languages and with its endings.
func namesPassages(word string) bool {
	if len(word) < minWord {
		return false
	}
	if equalsAny(word, "text", "texts", "data", "docs", "facts", "faq", "faqs", "manual", "handbook", "wiki", "base", "background", "reference", "references",
		"parts", "bron", "bronnen", "baza", "questions") {
		return true
	}
	return beginsWithAny(word,
		"context", "kontext", "kontekst", "contest", "bağlam", "sammanhang", "sammenh", "konteks", "tausta", "bilgi", "znalost", "informac", "контекст", "السياق", "document", "dokument", "документ", "passage", "pasaj", "passag",
		"source", "quelle", "fuente", "fonte", "fonti", "kilde", "källo", "źród", "источник", "excerpt", "extract", "auszug", "auszüg", "extrait", "estratt",
		"fragment", "snippet", "chunk", "article", "artikel", "artícul", "articol", "artyku", "knowledge", "wissen", "kennis", "wiedz", "conocimient",
		"connaissance", "conoscenz", "conheciment", "знани", "informa", "информаци", "результат", "results", "hintergrund", "achtergrond", "material",
		"transcript", "triplet")
}

func beginsWithAny(word string, beginnings ...string) bool {
	for _, b := range beginnings {
		if len(word) >= len(b) && strings.EqualFold(word[:len(b)], b) {
			return true
		}
	}
	return false
}

func containsAny(s string, parts ...string) bool {
	for _, p := range parts {
		if strings.Contains(s, p) {
			return true
		}
	}
	return false
}

// namesScene reports a label under which prompts also tell the model its part, the date or the place.
func namesScene(label string) bool {
	word, _ := nextWord(label)
	if strings.HasPrefix(label, "背景") || strings.HasPrefix(label, "上下文") {
		return true
	}
	return beginsWithAny(word, "context", "kontext", "kontekst", "contest", "background", "hintergrund")
}

// announcesPassages reports a label that hardly occurs within a passage.
func announcesPassages(label string) bool {
	for rest := label; ; {
		var word string
		if word, rest = nextWord(rest); word == "" {
			return strings.Contains(label, "上下文") || strings.Contains(label, "コンテキスト")
		}
		if equalsAny(word, "context", "contexts", "documents", "passages", "kontext", "contexto", "contexte", "contesto", "dokumente", "excerpts") {
			return true
		}
	}
}

// announcesExamples reports a label over examples of questions with their answers.
func announcesExamples(label string) bool {
	word, _ := nextWord(label)
	return isExampleWord(word) || strings.Contains(label, "例")
}

func isExampleWord(word string) bool {
	return beginsWithAny(word, "example", "few-shot", "beispiel", "ejemplo", "exempl", "esempi")
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
	inner := strings.Trim(s, "{}<>[]$%#. \n\t*_-=\"'`")
	if inner == "" || equalsAny(inner, "none", "n/a", "null", "no context", "context", "documents") {
		return true
	}
	return isVariable(s)
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
	for rest := s; rest != ""; {
		var word string
		word, rest = nextWord(rest)
		if word != "" && !equalsAny(word, "ok", "done", "success", "succeeded", "successful", "successfully", "true", "false", "status", "result",
			"null", "none", "error", "code", "200", "201", "204") {
			return false
		}
	}
	return true
}
