package promptshapes

import (
	"encoding/json"
	"fmt"
	"strings"

	"confab/schemas"
)

// Shape is one way to write a prompt with sources.
type Shape struct {
	Name    string
	Summary bool // a prompt for summaries, without a question

	messages []schemas.Message // templates: {question}, {context} and other names of passages
	join     func(sources []schemas.Source) string
}

// Move returns the interaction with its sources in the messages instead of their field. The question is the last message.
func (s Shape) Move(in *schemas.Interaction) schemas.Interaction {
	out := *in
	out.Sources, out.SourcesFrom, out.Messages = nil, "", nil
	question := ""
	if n := len(in.Messages); n > 0 {
		question = in.Messages[n-1].Content
	}
	fill := strings.NewReplacer("{question}", question, "{context}", s.join(in.Sources))
	for _, m := range s.messages {
		out.Messages = append(out.Messages, schemas.Message{Role: m.Role, Content: fill.Replace(m.Content)})
	}
	return out
}

func user(content string) schemas.Message { return schemas.Message{Role: "user", Content: content} }

func system(content string) schemas.Message { return schemas.Message{Role: "system", Content: content} }

func toolTurn(result string) []schemas.Message {
	return []schemas.Message{user("{question}"), {Role: "assistant"}, {Role: "tool", Content: result}}
}

// separated joins the texts with a separator.
func separated(separator string) func([]schemas.Source) string {
	return func(sources []schemas.Source) string {
		var texts []string
		for _, s := range sources {
			texts = append(texts, s.Text)
		}
		return strings.Join(texts, separator)
	}
}

// numbered writes every source by a format of its number and text.
func numbered(format, separator string) func([]schemas.Source) string {
	return func(sources []schemas.Source) string {
		var texts []string
		for i, s := range sources {
			texts = append(texts, fmt.Sprintf(format, i+1, s.Text))
		}
		return strings.Join(texts, separator)
	}
}

// asJSON writes a record as it is, and passages as a list of objects.
func asJSON(sources []schemas.Source) string {
	if len(sources) == 1 && json.Valid([]byte(sources[0].Text)) {
		return sources[0].Text
	}
	type passage struct {
		ID      string  `json:"id"`
		Content string  `json:"content"`
		Score   float64 `json:"score"`
	}
	var list []passage
	for _, s := range sources {
		list = append(list, passage{s.ID, s.Text, 0.5})
	}
	out, err := json.Marshal(list)
	if err != nil {
		return ""
	}
	return string(out)
}

// Shapes returns all shapes. Names are unique.
func Shapes() []Shape {
	plain := separated("\n\n")
	tags := numbered(`<document index="%d">`+"\n%s\n</document>", "\n")
	return append(libraryShapes(), []Shape{
		{Name: "Context:", messages: []schemas.Message{user("Answer the question from the context.\n\nContext:\n{context}\n\nQuestion: {question}\nAnswer:")}, join: plain},
		{Name: "Context: in system", messages: []schemas.Message{
			system("You are a helpful assistant. Answer only from the provided context. If it does not hold the answer, say so.\n\nContext:\n{context}"), user("{question}"),
		}, join: plain},
		{Name: "<documents>", messages: []schemas.Message{user("<documents>\n{context}\n</documents>\n\nUse the documents above. {question}")}, join: tags},
		{Name: "<documents>, contents", messages: []schemas.Message{user("<documents>\n{context}\n</documents>\n\n{question}")}, join: numbered(
			"<document index=\"%d\">\n<source>file.txt</source>\n<document_content>\n%s\n</document_content>\n</document>", "\n")},
		{Name: "<doc id>", messages: []schemas.Message{system("Answer from the documents and cite them.\n{context}"), user("{question}")}, join: numbered("<doc id=%d>%s</doc>", "\n")},
		{Name: "<context>", messages: []schemas.Message{user("<context>\n{context}\n</context>\n\n{question}")}, join: plain},
		{Name: "[1] passages", messages: []schemas.Message{user("Use the numbered sources to answer and cite them as [n].\n\nSources:\n{context}\n\nQuestion: {question}")}, join: numbered("[%d] %s", "\n")},
		{Name: "Document 1:", messages: []schemas.Message{user("{context}\n\nQuestion: {question}\nAnswer:")}, join: numbered("Document %d: %s", "\n\n")},
		{Name: "passage 1:, RAGTruth", messages: []schemas.Message{user("Briefly answer the following question:\n{question}\nBear in mind that your response should be strictly based on the following passages:\n{context}\n\n" +
			"In case the passages do not contain the necessary information to answer the question, please reply with: \"Unable to answer based on given passages.\"\noutput:")}, join: numbered("passage %d:%s", "\n\n")},
		{Name: "quoted article", messages: []schemas.Message{user("Use the below article to answer the question. If the answer cannot be found, write \"I don't know.\"\n\nArticle:\n\"\"\"\n{context}\n\"\"\"\n\nQuestion: {question}")}, join: plain},
		{Name: "## Context", messages: []schemas.Message{user("# Task\nAnswer the question from the context.\n\n## Context\n{context}\n\n## Question\n{question}")}, join: plain},
		{Name: "tool, JSON", messages: toolTurn("{context}"), join: asJSON},
		{Name: "tool, text", messages: toolTurn("{context}"), join: plain},
	}...)
}
