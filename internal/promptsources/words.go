package promptsources

import (
	"strings"
	"unicode/utf8"
)

// wordClass is what a word says about the text around it.
type wordClass uint8

const (
	otherWord    wordClass = iota
	passageNoun            // what sources are called
	pointingWord           // where the sources are: "following", "below"
	usingWord              // what the model shall do with them
	summaryWord            // the text itself is the task
	sectionWord            // a section of instructions
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
		"extract", "extracts", "article", "articles", "snippet", "snippets", "chunk", "chunks", "documentation", "transcript",
		"triplets", "parts", "kontext", "dokument", "dokumente", "dokumenten", "quelle", "quellen", "textstellen", "auszug", "auszüge",
		"auszügen", "passagen", "abschnitte", "contexto", "documento", "documentos", "fuente", "fuentes", "fragmento", "fragmentos", "pasajes",
		"contexte", "extrait", "extraits", "contesto", "documenti", "fonti", "контекст", "документы":
		return passageNoun
	case "following", "below", "retrieved", "provided", "given", "relevant", "folgende", "folgenden", "folgendem", "folgender", "untenstehenden",
		"siguiente", "siguientes", "suivant", "suivante", "suivants", "suivantes", "seguente", "seguenti", "seguinte", "seguintes",
		"ci-dessous", "abajo", "unten":
		return pointingWord
	case "use", "using", "based", "only", "from", "according", "consult", "reference", "solely", "verwende", "nutze", "basierend", "anhand",
		"beantworte", "usa", "usando", "según", "basándote", "utilise", "utilisez", "réponds", "selon", "grounded":
		return usingWord
	case "summarize", "summarise", "summary", "summarizing", "tl;dr", "zusammenfassung", "resume", "résume":
		return summaryWord
	case "instruction", "instructions", "rule", "rules", "guideline", "guidelines", "task", "question", "query", "answer", "output", "format",
		"response", "style", "tone", "note", "notes", "constraint", "constraints", "requirements", "example", "examples", "role",
		"objective", "persona", "user", "frage", "antwort", "aufgabe", "anweisungen", "pregunta", "respuesta", "tarea", "instrucciones",
		"réponse", "tâche", "consignes", "history", "conversation":
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
)

const maxLabel = 60 // bytes

// labelOf classifies the text of a label.
func labelOf(label string) labelKind {
	switch {
	case label == "" || len(label) > maxLabel:
		return noLabel
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
		"role", "persona", "constraints", "example", "examples", "aufgabe", "anweisungen", "instrucciones", "tarea", "consignes", "指示", "要求"):
		return sectionLabel
	case isSourceLabel(label):
		return sourceLabel
	}
	return noLabel
}

// isSourceLabel reports a label that names passages: a noun of the tables with few words around it.
func isSourceLabel(label string) bool {
	if equalsAny(label, "search results", "knowledge base", "knowledge", "structured data", "retrieved information", "background information",
		"reference text", "reference material", "references", "text", "data", "上下文", "背景", "背景信息", "参考资料", "资料", "文档", "参考文档",
		"コンテキスト", "文脈", "参考情報", "Контекст", "Документы",
		"kontekst", "bağlam", "문맥", "맥락", "컨텍스트", "السياق") {
		return true
	}
	words, class, last := 0, otherWord, otherWord
	for rest := label; rest != ""; words++ {
		var word string
		if word, rest = nextWord(rest); word == "" {
			break
		}
		if last = classOf(word); last == passageNoun {
			class = passageNoun
		}
	}
	return class == passageNoun && words <= 4 && (last == passageNoun || last == pointingWord || equalsAny(label, "context information", "article section"))
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
