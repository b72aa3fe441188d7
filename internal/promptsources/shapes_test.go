package promptsources

// Shapes put the sources of an interaction into its messages as applications do: the stock prompts of LangChain and LlamaIndex, tags,
// numbered passages, results of tools. Tests measure what is found again.

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"confab/schemas"
)

//go:embed testdata/prompts.json
var prompts []byte

// table is the content of prompts.json.
type table struct {
	Libraries []Shape  // the stock prompts of langchain-classic 1.0.8, LangChain's hub and llama-index-core 0.14.25, and others
	Guides    []guide  // prompts as teams write them
	Results   []writer // what tools return
	Personas  []string // system messages without passages
	Questions []string // messages of users without passages
	Passages  []string // of help centres, policies and manuals, with every word that instructions have, too
}

// load reads the table. A fault in it is one of the tests that use it.
func load() *table {
	var t table
	d := json.NewDecoder(bytes.NewReader(prompts))
	d.DisallowUnknownFields()
	if err := d.Decode(&t); err != nil {
		return &table{}
	}
	return &t
}

// writer says how passages are written: each in its form, and what stands between.
type writer struct {
	Each, Between string
	As            string // json: a list of objects; escaped: strings of JSON; lines: on one line each
	Open, Shut    string
}

func (w *writer) write(sources []schemas.Source) string {
	if w.As == "json" {
		return asJSON(sources)
	}
	var list []string
	for i, s := range sources {
		switch w.As {
		case "lines":
			s.Text = strings.ReplaceAll(s.Text, "\n", " ")
		case "escaped":
			s.Text = strings.NewReplacer("\n", `\n`, `"`, `\"`).Replace(s.Text)
		}
		list = append(list, strings.NewReplacer("{n}", strconv.Itoa(i+1), "{text}", s.Text).Replace(w.Each))
	}
	return w.Open + strings.Join(list, w.Between) + w.Shut
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

// Shape is one way to write a prompt with sources.
type Shape struct {
	Name     string
	Summary  bool              // a prompt for summaries, without a question
	Messages []schemas.Message // templates of {question} and {context}
	writer
}

// Shapes returns all shapes. Names are unique.
func Shapes() []Shape { return load().Libraries }

// Move returns the interaction with its sources in the messages instead of their field. The question is the last message.
func (s *Shape) Move(in *schemas.Interaction) schemas.Interaction {
	out := *in
	out.Sources, out.SourcesFrom, out.Messages = nil, "", nil
	question := ""
	if n := len(in.Messages); n > 0 {
		question = in.Messages[n-1].Content
	}
	fill := strings.NewReplacer("{question}", question, "{context}", s.write(in.Sources))
	for _, m := range s.Messages {
		out.Messages = append(out.Messages, schemas.Message{Role: m.Role, Content: fill.Replace(m.Content)})
	}
	return out
}

// guide is a way to write passages into a system message or, with the question behind, into one of the user.
type guide struct {
	Name, Before, After string
	Ask                 string // how the question follows in a message of the user; "" for a paragraph of its own
	writer
}

// Variant is a prompt with the passages that were put into it. Instructions are sentences of the prompt that are no
// passages.
type Variant struct {
	Name         string
	Messages     []schemas.Message
	Passages     []string
	Instructions []string
}

const asked = "How long does it take, and what does it cost?"

// Variants returns every guide as a system message and as one of the user, and the results of tools, each filled several
// times with other passages.
func Variants() (out []Variant) { return load().variants() }

func (t *table) variants() (out []Variant) {
	next := 0
	take := func(n int) (list []schemas.Source) {
		for i := range n {
			list = append(list, schemas.Source{ID: strconv.Itoa(i + 1), Text: t.Passages[next%len(t.Passages)]})
			next += 7
		}
		next++
		return list
	}
	const fills = 5
	for _, g := range t.Guides {
		for n := range fills {
			out = append(out, g.inSystem(take(1+n%4)), g.inUser(take(1+(n+1)%4)))
		}
	}
	for i, result := range t.Results {
		for n := range fills {
			list := take(1 + n%4)
			messages := []schemas.Message{user(asked), {Role: "assistant"}, {Role: "tool", Content: result.write(list)}}
			out = append(out, Variant{Name: fmt.Sprint("tool: result ", i), Messages: messages, Passages: texts(list)})
		}
	}
	return out
}

func (g *guide) inSystem(list []schemas.Source) Variant {
	messages := []schemas.Message{{Role: "system", Content: g.Before + g.write(list) + g.After}, user(asked)}
	return Variant{"system: " + g.Name, messages, texts(list), g.instructions()}
}

func (g *guide) inUser(list []schemas.Source) Variant {
	ask := g.Ask
	if ask == "" {
		ask = "\n\n{question}"
	}
	messages := []schemas.Message{user(g.Before + g.write(list) + g.After + strings.ReplaceAll(ask, "{question}", asked))}
	return Variant{"user: " + g.Name, messages, texts(list), append(g.instructions(), asked)}
}

func texts(sources []schemas.Source) (list []string) {
	for _, s := range sources {
		list = append(list, s.Text)
	}
	return list
}

// instructions are the lines of the guide that are sentences.
func (g *guide) instructions() []string {
	lines := strings.Split(g.Before+"\n"+g.After, "\n")
	return slices.DeleteFunc(lines, func(s string) bool { return len(strings.Fields(s)) < 2 || strings.HasSuffix(s, ":") })
}

// Bare is a conversation without passages.
type Bare struct {
	Name     string
	Messages []schemas.Message
}

// Bares returns prompts that hold nothing but instructions, examples, questions or earlier turns.
func Bares() []Bare { return load().bares() }

func (t *table) bares() (out []Bare) {
	for _, s := range t.Personas {
		out = append(out, Bare{"persona: " + firstWords(s), []schemas.Message{{Role: "system", Content: s}, user(asked)}})
	}
	for _, s := range t.Questions {
		out = append(out, Bare{"question: " + firstWords(s), []schemas.Message{user(s)}})
	}
	return out
}

func firstWords(s string) string {
	const most = 40
	return s[:min(most, len(s))]
}
