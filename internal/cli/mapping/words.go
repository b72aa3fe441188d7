package mapping

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// role is what a member may hold.
type role int

const (
	answer role = iota
	question
	sources
	nothing // of these
	roles
)

// vocabulary has the words of names by role, in several languages, without accents: those that say it, and those that hint at it.
//
//nolint:gochecknoglobals,misspell // a read-only table; words of other languages
var vocabulary = [roles][2]string{
	answer: {
		"answer answered reply replied response completion generated generation prediction assistant bot gpt answertext antwort ausgabe ergebnis respuesta salida " +
			"reponse sortie risposta resposta saida antwoord odpowiedz odpoved svar cevap yanit raspuns valasz ответ відповідь جواب إجابة उत्तर 回答 答案 答え 応答 응답 답변",
		"output out result res content text message body final summary summarization zusammenfassung resumen resume riassunto suggestion vorschlag " +
			"spoken tts ai ki ia llm agent md markdown utterance value verdict explanation extraction extracted latest a model 输出",
	},
	question: {
		"question query prompt ask asked utterance frage anfrage anliegen eingabe pregunta consulta requete domanda richiesta pergunta vraag pytanie otazka fraga sporsmal soru intrebare kerdes вопрос питання سؤال प्रश्न запрос 问题 問題 質問 질문",
		"input request req in q user human customer client caller kunde nutzer benutzer usuario entrada utilisateur utente cliente instruction task aufgabe " +
			"auftrag message text content asr transcript subject description 输入 提问",
	},
	sources: {
		"source context ctx passage document docs doc chunk hits retrieved retrieval retriever snippet evidence quellen quelle dokument kontext treffer fundstelle textstelle " +
			"belege fuente documento contexto pasaje fragmento extrait contexte fonti fonte contesto estratti trecho bronnen zrodla zdroje kallor kilder kaynak surse forras knowledge references kb grounding citation quote excerpt article paragraph " +
			"page ocr wissen based_on источник документ контекст 参考 来源 文档 资料 文書 出典 근거 문서",
		"rag search matches match results citations quotes pages content text body tool inhalt texto texte testo 内容",
	},
	nothing: {
		"expected gold golden ideal truth label target correct reference official benchmark verified approved edited sme esperad attendu attesa atteso verwacht muster soll korrig reasoning thinking thought rationale error exception stack url uri link href hash template feedback comment rating judge " +
			"embedding vector mime signature token usage debug trace_id erwartet kommentar begrundung",
		"draft initial intermediate raw title titel titre titolo titulo note name file filename path version lang language locale status level type kind system sys id key date time approver",
	},
}

// Names of lists, and of members of their items.
//
//nolint:gochecknoglobals,misspell // read-only tables; words of other languages
var (
	// kindNames say what an item of a list is.
	kindNames = []string{"role", "speaker", "sender", "from", "author", "actor", "rolle", "rol", "absender", "sprecher", "autor", "type", "kind", "event", "typ", "tipo", "step", "stage", "action", "name"}
	// firstOf are lists whose first item counts; of others it is the last.
	firstOf = []string{"choices", "candidates", "alternatives", "beams", "replies", "answers", "results", "generations", "outputs", "completions"}
)

// accents are letters without theirs.
//
//nolint:gochecknoglobals // a read-only table
var accents = strings.NewReplacer("ä", "a", "ö", "o", "ü", "u", "ß", "ss", "á", "a", "à", "a", "â", "a", "ã", "a", "é", "e", "è", "e", "ê", "e", "í", "i", "ì", "i",
	"î", "i", "ó", "o", "ò", "o", "ô", "o", "õ", "o", "ú", "u", "ù", "u", "û", "u", "ñ", "n", "ç", "c")

// nameWords splits a name in any case into words of small letters without accents.
func nameWords(name string) (words []string) {
	start, runes := 0, []rune(name)
	flush := func(end int) {
		if end > start {
			words = append(words, accents.Replace(strings.ToLower(string(runes[start:end]))))
		}
	}
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r):
			flush(i)
			start = i + 1
		case i > start && unicode.IsUpper(r) && (!unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])):
			flush(i)
			start = i
		}
	}
	flush(len(runes))
	return words
}

// says is how clearly a word names a role: 2, 1 or 0. Long words of the vocabulary may be part of it.
func says(word string, r role) float64 {
	for i, list := range vocabulary[r] {
		for known := range strings.FieldsSeq(list) {
			if word == known || word == known+"s" || (len(known) >= 5) && strings.Contains(word, known) {
				return float64(2 - i)
			}
		}
	}
	return 0
}

// nameScores are how clearly the names of a path say each role: the last name most, less those around it.
func nameScores(path []step) (scores [roles]float64) {
	weight := 1.0
	for _, st := range slices.Backward(path) {
		name := st.name
		if _, value, ok := strings.Cut(st.is, "="); ok {
			name = value
		}
		if name == "" {
			continue
		}
		for _, w := range nameWords(name) {
			for r := range scores {
				scores[r] = max(scores[r], weight*says(w, role(r)))
			}
		}
		weight *= 0.6
	}
	return scores
}

// named is how clearly the path's names say the role rather than another.
func named(path []step, r role) float64 {
	scores := nameScores(path)
	rival := 0.0
	for other, s := range scores {
		if r == answer && role(other) == nothing && s == 2 {
			s /= 0.6 // an expected answer is none
		}
		if role(other) != r {
			rival = max(rival, s)
		}
	}
	return scores[r] - 0.6*rival
}

// wide has no blanks between words.
func wide(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
}

// noSentence is what identifiers, addresses, paths and times look like.
var noSentence = regexp.MustCompile(`^(\S+|[\d:.TZ+\s-]+)$`)

// isSentence reports whether a text may be one of a person or a model.
func isSentence(text string) bool {
	text = strings.TrimSpace(text)
	if strings.IndexFunc(text, wide) >= 0 {
		return len([]rune(text)) > 1
	}
	_, isJSON := innerJSON(text)
	return !isJSON && !noSentence.MatchString(text) && strings.IndexFunc(text, unicode.IsLetter) >= 0
}
