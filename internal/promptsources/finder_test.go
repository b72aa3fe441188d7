package promptsources

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/schemas"
)

const (
	paris  = "The ferry to the island leaves at 7:40 and at 16:15 from pier two."
	prices = "A return ticket costs 18 euros; children under six travel free."
)

func prompt(content string) []schemas.Message {
	return []schemas.Message{{Role: "user", Content: content}}
}

func persona(content string) []schemas.Message {
	return []schemas.Message{{Role: "system", Content: content}, {Role: "user", Content: "When does the ferry leave?"}}
}

func results(contents ...string) []schemas.Message {
	messages := []schemas.Message{{Role: "user", Content: "What is the weather in Oslo?"}}
	for _, c := range contents {
		messages = append(messages, schemas.Message{Role: "assistant"}, schemas.Message{Role: "tool", Content: c})
	}
	return messages
}

// passage is an expected source, written id|text.
func passages(in *schemas.Interaction) []string {
	var list []string
	for _, s := range in.Sources {
		list = append(list, s.ID+"|"+s.Text)
	}
	return list
}

var positives = map[string]struct {
	messages []schemas.Message
	want     []string
	from     string
}{
	"header":            {prompt("Context:\n" + paris + "\n\nQuestion: When does the ferry leave?"), []string{"1|" + paris}, "prompt"},
	"header, one line":  {prompt("Context: " + paris + "\nQuestion: When does the ferry leave?\nAnswer:"), []string{"1|" + paris}, "prompt"},
	"question first":    {prompt("Question: When does the ferry leave?\nContext: " + paris), []string{"1|" + paris}, "prompt"},
	"no question label": {prompt("Context:\n" + paris + "\n\nWhen does the ferry leave?"), []string{"1|" + paris}, "prompt"},
	"instruction last":  {prompt("Context:\n" + paris + "\n\nBased on the context above, list the departure times."), []string{"1|" + paris}, "prompt"},
	"Polish":            {prompt("Odpowiedz na pytanie.\n\nKontekst:\n" + paris + "\n\nPytanie: 1889?"), []string{"1|" + paris}, "prompt"},
	"Norwegian":         {prompt("Svar på spørsmålet.\n\nKontekst:\n" + paris + "\n\nSpørsmål: 1889?"), []string{"1|" + paris}, "prompt"},
	"Swedish":           {prompt("Svara på frågan.\n\nKontext:\n" + paris + "\n\nFråga: 1889?"), []string{"1|" + paris}, "prompt"},
	"Dutch":             {prompt("Beantwoord de vraag.\n\nContext:\n" + paris + "\n\nVraag: 1889?"), []string{"1|" + paris}, "prompt"},
	"Turkish":           {prompt("Soruyu yanıtla.\n\nBağlam:\n" + paris + "\n\nSoru: 1889?"), []string{"1|" + paris}, "prompt"},
	"Korean":            {prompt("질문에 답하세요.\n\n문맥:\n" + paris + "\n\n질문: 1889?"), []string{"1|" + paris}, "prompt"},
	"Arabic":            {prompt("أجب عن السؤال.\n\nالسياق:\n" + paris + "\n\nالسؤال: 1889?"), []string{"1|" + paris}, "prompt"},
	"German":            {prompt("Beantworte die Frage anhand des Kontexts.\n\nKontext:\n" + paris + "\n\nFrage: Wann fährt die Fähre?"), []string{"1|" + paris}, "prompt"},
	"German documents":  {prompt("Dokumente:\n[1] " + paris + "\n[2] " + prices + "\n\nFrage: Wann?\nAntwort:"), []string{"1|" + paris, "2|" + prices}, "prompt"},
	"Spanish":           {prompt("Contexto:\n" + paris + "\n\nPregunta: ¿Cuándo sale el ferry?\nRespuesta:"), []string{"1|" + paris}, "prompt"},
	"Spanish lead-in":   {prompt("Responde usando los siguientes fragmentos:\n\n" + paris + "\n\nPregunta: ¿Cuándo sale?"), []string{"1|" + paris}, "prompt"},
	"French":            {prompt("Contexte :\n" + paris + "\n\nQuestion : Quand part le ferry ?\nRéponse :"), []string{"1|" + paris}, "prompt"},
	"Chinese":           {prompt("请根据以下上下文回答问题。\n\n上下文：\n" + paris + "\n\n问题：渡轮什么时候出发？\n答案："), []string{"1|" + paris}, "prompt"},
	"Chinese documents": {prompt("文档1：" + paris + "\n文档2：" + prices + "\n\n问题：渡轮什么时候出发？"), []string{"1|" + paris, "2|" + prices}, "prompt"},
	"Japanese":          {prompt("コンテキスト：\n" + paris + "\n\n質問：フェリーはいつ出ますか？"), []string{"1|" + paris}, "prompt"},
	"transcript": {
		prompt("Use this format:\nQuestion: the question\nThought: what to do\nAction: a tool\nAction Input: its input\nObservation: the result\nAnswer: the answer\n\nQuestion: When, and for how much?\nThought: I search for times.\nAction: search\nAction Input: times\nObservation: " + paris + "\nThought: I search for prices.\nAction: search\nAction Input: prices\nObservation: " + prices + "\nThought:"),
		[]string{"1|" + paris, "2|" + prices},
		"prompt",
	},
	"Markdown":           {prompt("## Context\n\n" + paris + "\n\n## Question\n\nWhen does the ferry leave?"), []string{"1|" + paris}, "prompt"},
	"bold":               {prompt("**Context:**\n" + paris + "\n\n**Question:** When does the ferry leave?"), []string{"1|" + paris}, "prompt"},
	"Markdown documents": {prompt("Use only the documents below.\n\n### Document 1\n" + paris + "\n\n### Document 2\n" + prices + "\n\n### Question\nWhen?"), []string{"1|" + paris, "2|" + prices}, "prompt"},
	"backticks":          {prompt("Answer the question from the text in the context.\n\nContext:\n```\n" + paris + "\n```\n\nQuestion: When?"), []string{"1|" + paris}, "prompt"},
	"quotes":             {prompt("Article:\n\"\"\"" + paris + "\"\"\"\n\nQuestion: When does it leave?"), []string{"1|" + paris}, "prompt"},
	"several articles": {
		prompt("Use the below articles to answer the question.\n\nArticle section:\n\"\"\"\n" + paris + "\n\"\"\"\n\nArticle section:\n\"\"\"\n" + prices + "\n\"\"\"\n\nQuestion: When?"),
		[]string{"1|" + paris, "2|" + prices},
		"prompt",
	},
	"dashes":          {prompt("Context information is below.\n-----\n" + paris + "\n-----\nGiven the context, answer: when does it leave?"), []string{"1|" + paris}, "prompt"},
	"angles":          {prompt("Use the following context to answer.\n<<<\n" + paris + "\n>>>\nQuestion: When?"), []string{"1|" + paris}, "prompt"},
	"titled sources":  {prompt("Source 1 (Timetable):\n" + paris + "\n\nSource 2 (Prices):\n" + prices + "\n\nQuestion: When?"), []string{"1|" + paris, "2|" + prices}, "prompt"},
	"named documents": {prompt("Sources:\n[doc1]: " + paris + "\n[doc2]: " + prices + "\n\nQuestion: When?"), []string{"doc1|" + paris, "doc2|" + prices}, "prompt"},
	"lenticular":      {prompt("Sources:\n【1】" + paris + "\n【2】" + prices + "\n\nQuestion: When?"), []string{"1|" + paris, "2|" + prices}, "prompt"},
	"numbered list":   {prompt("Documents:\n1. " + paris + "\n2. " + prices + "\n\nQuestion: When?"), []string{"1|" + paris, "2|" + prices}, "prompt"},
	"residue":         {prompt("Context: {{context}}\n" + paris + "\n\nQuestion: When?"), []string{"1|{{context}}\n" + paris}, "prompt"},
	"chunks":          {prompt("Retrieved chunks:\nChunk 1: " + paris + "\nChunk 2: " + prices + "\n\nUser question: When?"), []string{"1|" + paris, "2|" + prices}, "prompt"},
	"search results":  {prompt("Search results:\n[1] " + paris + "\n[2] " + prices + "\n\nQuery: When?"), []string{"1|" + paris, "2|" + prices}, "prompt"},
	"rules after":     {prompt("Answer from the passages.\nPassage 1: " + paris + "\n\nPassage 2: " + prices + "\n\nIf the passages do not hold the answer, say so.\n\nQuestion: When?"), []string{"1|" + paris, "2|" + prices}, "prompt"},
	"last of examples": {
		prompt("Answer from the context, as in this example.\n\nContext: Apples are red and grow on trees.\nQuestion: Which colour?\nAnswer: red\n\nContext: " + paris + "\nQuestion: When?\nAnswer:"),
		[]string{"1|" + paris},
		"prompt",
	},
	"rules with labels":      {prompt("EXTRACTS FROM THE TIMETABLES OF THE LINE\n\n--- E1 | Crib ---\n" + paris + "\n\n--- E2 | Note, page 3 ---\n" + prices + "\n\n=== QUESTION (matter 44/4, clerk JTU) ===\nWhen?"), []string{"E1|Crib\n" + paris, "E2|Note, page 3\n" + prices}, "prompt"},
	"rules with ids":         {prompt("=== [KB-17] Crib ===\n" + paris + "\n=== [KB-4] Note ===\n" + prices + "\n\nQUESTION:\nWhen?"), []string{"KB-17|Crib\n" + paris, "KB-4|Note\n" + prices}, "prompt"},
	"rule, one label":        {prompt("EXTRACTS FROM THE TIMETABLES OF THE LINE\n\n--- Document 3 (Crib) ---\n" + paris + "\n\n=== QUESTION ===\nWhen?"), []string{"3|" + paris}, "prompt"},
	"capitals":               {prompt("RELEVANT EXTRACTS FROM OUR OWN LIBRARY\n\n" + paris + "\n\n=== QUESTION (44/4) ===\nWhen?"), []string{"1|" + paris}, "prompt"},
	"tags":                   {prompt("<documents>\n<document index=\"1\">\n" + paris + "\n</document>\n<document index=\"2\">\n" + prices + "\n</document>\n</documents>\n\nWhen?"), []string{"1|" + paris, "2|" + prices}, "prompt"},
	"tag of contents":        {prompt("<documents><document><source>a.pdf</source><document_content>" + paris + "</document_content></document></documents>\nWhen?"), []string{"a.pdf|" + paris}, "prompt"},
	"one tag in another":     {prompt("<excerpts>\n<excerpt source=\"HB-7\">\n" + paris + "\n</excerpt>\n</excerpts>\nWhen?"), []string{"HB-7|" + paris}, "prompt"},
	"tag with id":            {persona("Cite the documents.\n<doc id='timetable'>" + paris + "</doc>\n<doc id='prices'>" + prices + "</doc>"), []string{"timetable|" + paris, "prices|" + prices}, "system"},
	"context tag":            {prompt("<context>\n" + paris + "\n\n" + strings.Repeat(prices+" ", 2) + "\n</context>\nWhen?"), []string{"1|" + paris + "\n\n" + strings.Repeat(prices+" ", 1) + prices}, "prompt"},
	"system":                 {persona("Answer only from the context below.\n\nContext:\n" + paris), []string{"1|" + paris}, "system"},
	"context, then message":  {[]schemas.Message{{Role: "user", Content: "Context:\n" + paris}, {Role: "user", Content: "When?"}}, []string{"1|" + paris}, "prompt"},
	"tool text":              {results("Light rain, 4 degrees, wind from the north."), []string{"1|Light rain, 4 degrees, wind from the north."}, "tool_messages"},
	"tool record":            {results(`{"temp_c": 4, "conditions": "light rain"}`), []string{`1|{"temp_c": 4, "conditions": "light rain"}`}, "tool_messages"},
	"tool list":              {results(`[{"id": "a7", "text": "` + paris + `", "score": 0.7}, {"id": 8, "content": "say \"hi\""}]`), []string{"a7|" + paris, `8|say "hi"`}, "tool_messages"},
	"tool results":           {results(`{"total": 37, "results": [{"title": "Ferry", "snippet": "` + prices + `"}]}`), []string{"1|Ferry\n" + prices, `2|"total": 37, "results":`}, "tool_messages"},
	"tool texts":             {results(`["` + paris + `", "` + prices + `"]`), []string{"1|" + paris, "2|" + prices}, "tool_messages"},
	"two tools":              {results("4 degrees in Oslo.", "9 degrees in Bergen."), []string{"1|4 degrees in Oslo.", "2|9 degrees in Bergen."}, "tool_messages"},
	"langchain documents":    {results(`[{"page_content": "` + paris + `", "metadata": {"source": "a.pdf"}, "type": "Document"}]`), []string{"1|" + paris}, "tool_messages"},
	"system, no mention":     {persona("You are a helpful bot.\n\nContext:\n" + paris), []string{"1|" + paris}, "system"},
	"system, order behind":   {persona("You are a helpful bot.\n\nContext:\n" + paris + "\n\nAnswer in English."), []string{"1|" + paris}, "system"},
	"system, headings":       {persona("# Role\nYou are a bot.\n\n# Context\n" + paris + "\n\n# Rules\n- Be brief."), []string{"1|" + paris}, "system"},
	"system, knowledge base": {persona("You are a bot.\n\nKnowledge base:\n\"\"\"\n" + paris + "\n\"\"\"\nRules: be brief."), []string{"1|" + paris}, "system"},
	"system, search results": {persona("You are a bot.\n\nSearch results:\n1. " + paris + "\n2. " + prices), []string{"1|" + paris, "2|" + prices}, "system"},
	"system, numbered":       {persona("You are a bot.\n\n[Document 1]\n" + paris + "\n[Document 2]\n" + prices), []string{"1|" + paris, "2|" + prices}, "system"},
	"system, German":         {persona("Du bist ein Bot.\n\nKontext:\n" + paris + "\n\nAntworte kurz."), []string{"1|" + paris}, "system"},
	"order":                  {prompt("Shorten this e-mail:\n\nFrom: Anna\nSubject: Ferry\n\n" + paris + " " + prices), []string{"1|From: Anna\nSubject: Ferry\n\n" + paris + " " + prices}, "prompt"},
	"order, German":          {prompt("Fasse den folgenden Artikel in zwei Sätzen zusammen.\n\n" + paris + " " + prices), []string{"1|" + paris + " " + prices}, "prompt"},
	"found":                  {prompt("When does it leave?\n\nHere is what I found.\n\n" + paris), []string{"1|" + paris}, "prompt"},
	"announced":              {persona("You are a bot.\n\nThe text below is our timetable.\n\n" + paris + " " + prices + "\n\nBe brief."), []string{"1|" + paris + " " + prices}, "system"},
	"second system message":  {append([]schemas.Message{system("You are a bot.")}, persona(paris)...), []string{"1|" + paris}, "system"},
	"handed over":            {[]schemas.Message{user("Here is our policy:\n\n" + paris + " " + prices), {Role: "assistant", Content: "OK."}, user("When?")}, []string{"1|" + paris + " " + prices}, "prompt"},
	"braces":                 {prompt("{context}\n" + paris + "\n{/context}\n\nWhen does it leave?"), []string{"1|" + paris}, "prompt"},
	"records":                {persona("You are a bot.\n\nTitle: Ferry\nURL: https://example.org\nContent: " + paris), []string{"1|Title: Ferry\nURL: https://example.org\nContent: " + paris}, "system"},
	"earlier tools": {append(results("4 degrees in Oslo."), schemas.Message{Role: "assistant", Content: "4 degrees."}, schemas.Message{Role: "user", Content: "And in Bergen?"},
		schemas.Message{Role: "tool", Content: "9 degrees in Bergen."}), []string{"1|9 degrees in Bergen.", "2|4 degrees in Oslo."}, "tool_messages"},
}

func TestPassagesAreFound(t *testing.T) {
	for name, c := range positives {
		t.Run(name, func(t *testing.T) {
			in := schemas.Interaction{Messages: c.messages, Answer: "The ferry to the island leaves at 8:40 from pier nine."}
			new(Finder).Fill(&in)
			require.Equal(t, c.want, passages(&in))
			require.Equal(t, c.from, in.SourcesFrom)
		})
	}
}

func TestInstructionsAreNoPassages(t *testing.T) {
	for name, messages := range negatives() {
		t.Run(name, func(t *testing.T) {
			in := schemas.Interaction{Messages: messages, Answer: "x"}
			new(Finder).Fill(&in)
			require.Empty(t, passages(&in))
			require.Equal(t, schemas.SourcesFromNone, in.SourcesFrom)
			for _, m := range in.Messages {
				require.Zero(t, m.SourcesEnd)
			}
		})
	}
}

func TestLibraryPromptsWithoutPassages(t *testing.T) {
	for _, s := range Shapes() {
		in := schemas.Interaction{Messages: prompt("When does the ferry leave?"), Sources: []schemas.Source{}}
		moved := s.Move(&in)
		new(Finder).Fill(&moved)
		require.Empty(t, passages(&moved), s.Name)
	}
}
