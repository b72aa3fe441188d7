package promptshapes

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"confab/schemas"
)

// Variant is a prompt with the passages that were put into it. Instructions are sentences of the prompt that are no
// passages.
type Variant struct {
	Name         string
	HeldOut      bool // only measured: nothing was written or changed for it
	Messages     []schemas.Message
	Passages     []string
	Instructions []string
}

// guide is a way to write passages into a system message or, with the question behind, into one of the user.
type guide struct {
	name   string
	before string
	join   func([]schemas.Source) string
	after  string
	ask    string // how the question follows in a message of the user; "" for a paragraph of its own
}

// Variants returns every guide as a system message and as one of the user, and the results of tools, each filled several
// times with other passages.
func Variants() []Variant {
	all := Passages()
	next := 0
	take := func(n int) (list []string) {
		for range n {
			list = append(list, all[next%len(all)])
			next += 7 // the passages are 60
		}
		next++
		return list
	}
	var out []Variant
	add := func(v Variant, heldOut bool) {
		v.HeldOut = heldOut
		out = append(out, v)
	}
	const fills = 5
	for i, g := range slices.Concat(guides(), moreGuides(), measuredGuides()) {
		heldOut := i >= len(guides())+len(moreGuides())
		for n := range fills {
			add(g.inSystem(take(1+n%4)), heldOut)
			add(g.inUser(take(1+(n+1)%4)), heldOut)
		}
	}
	for i, result := range toolResults() {
		for n := range fills {
			list := take(1 + n%4)
			add(Variant{Name: "tool: result " + strconv.Itoa(i), Messages: []schemas.Message{
				user(question), {Role: "assistant"}, {Role: "tool", Content: result(asSources(list))},
			}, Passages: list}, i%2 == 1)
		}
	}
	return out
}

const question = "How long does it take, and what does it cost?"

// joiner writes passages one after another.
type joiner func([]schemas.Source) string

func asSources(list []string) (sources []schemas.Source) {
	for i, text := range list {
		sources = append(sources, schemas.Source{ID: strconv.Itoa(i + 1), Text: text})
	}
	return sources
}

func (g *guide) inSystem(list []string) Variant {
	return Variant{
		Name: "system: " + g.name, Messages: []schemas.Message{system(g.before + g.join(asSources(list)) + g.after), user(question)},
		Passages: list, Instructions: g.instructions(),
	}
}

func (g *guide) inUser(list []string) Variant {
	ask := g.ask
	if ask == "" {
		ask = "\n\n{question}"
	}
	content := g.before + g.join(asSources(list)) + g.after + strings.ReplaceAll(ask, "{question}", question)
	return Variant{
		Name: "user: " + g.name, Messages: []schemas.Message{user(content)}, Passages: list, Instructions: append(g.instructions(), question),
	}
}

// instructions are the lines of the guide that are sentences.
func (g *guide) instructions() []string {
	lines := strings.Split(g.before+"\n"+g.after, "\n")
	return slices.DeleteFunc(lines, func(s string) bool { return len(strings.Fields(s)) < 2 || strings.HasSuffix(s, ":") })
}

func toolResults() []func([]schemas.Source) string {
	return []func([]schemas.Source) string{
		asJSON,
		separated("\n\n"),
		numbered("[%d] %s", "\n"),
		numbered("<result index=\"%d\">%s</result>", "\n"),
		numbered("Result %d:\n%s", "\n\n"),
		separated("\n---\n"),
		texts(`"%s"`, "[", ", ", "]"),
		texts(`{"page_content": "%s", "metadata": {"source": "guide.pdf"}}`, `{"documents": [`, ", ", "]}"),
	}
}

// texts writes the passages as strings of JSON.
func texts(format, open, separator, shut string) func([]schemas.Source) string {
	return func(sources []schemas.Source) string {
		var list []string
		for _, s := range sources {
			list = append(list, fmt.Sprintf(format, strings.NewReplacer("\n", `\n`, `"`, `\"`).Replace(s.Text)))
		}
		return open + strings.Join(list, separator) + shut
	}
}

// bullets writes passages as a list.
func bullets(sources []schemas.Source) string {
	var list []string
	for _, s := range sources {
		list = append(list, "- "+strings.ReplaceAll(s.Text, "\n", " "))
	}
	return strings.Join(list, "\n")
}

func newGuide(name, before string, join joiner, after, ask string) guide {
	return guide{name, before, join, after, ask}
}

// guides are prompts as teams write them, which the search was written with.
func guides() []guide {
	plain := separated("\n\n")
	faq := numbered("Q: What about point %d?\nA: %s", "\n")
	const bot = "You are a support bot.\n\n"
	return []guide{
		newGuide("Context:", bot+"Context:\n", plain, "", "\n\nQuestion: {question}\nAnswer:"),
		newGuide("Context, numbered", bot+"Context:\n", numbered("[%d] %s", "\n"), "", "\n\nQuestion: {question}"),
		newGuide("documents tag", bot+"<documents>\n", numbered("<document index=\"%d\">%s</document>", "\n"), "\n</documents>", ""),
		newGuide("quotes below", "Use the information below to help the customer.\n\"\"\"\n", plain, "\n\"\"\"", ""),
		newGuide("rules between", "Here is what we found in the docs.\n---\n", separated("\n---\n"), "\n---\nBe brief.", "\nQuestion: {question}"),
		newGuide("bullets", "You help customers.\n\nKnowledge base:\n", bullets, "", "\n\nQuestion: {question}"),
		newGuide("kb tag", bot+"<kb>\n", numbered("<article id=\"%d\">%s</article>", "\n"), "\n</kb>\n\nAnswer from the knowledge base.", ""),
		newGuide("JSON list", "Relevant documents (JSON): ", asJSON, "", "\n\n{question}"),
		newGuide("relevant information", bot+"Relevant information:\n", plain, "\n\nAnswer in one sentence.", "\n\nCustomer question: {question}"),
		newGuide("FAQ", "FAQ:\n", faq, "", "\n\nQuestion: {question}"),
		newGuide("background", "Background information about our product:\n\n", plain, "\n\nRules: be brief.", "\n\nQuestion: {question}"),
		newGuide("Wissensbasis", "Du bist ein freundlicher Assistent.\n\nWissensbasis:\n", plain, "", "\n\nFrage: {question}"),
		newGuide("Contexte", "Tu es un assistant.\n\nContexte :\n", plain, "", "\n\nQuestion : {question}\nRéponse :"),
		newGuide("Documents, numbered words", "Answer from the documents.\n\n", numbered("Document %d: %s", "\n\n"), "", "\n\nQuestion: {question}\nAnswer:"),
		newGuide("Markdown sections", "# Role\nYou are a support agent.\n\n# Context\n", plain, "\n\n# Rules\n- Be brief.\n- Never guess.", "\n\n# Question\n{question}"),
		newGuide("context tag", "Answer from the context.\n<context>\n", plain, "\n</context>", "\n\n{question}"),
		newGuide("sources with ids", "Cite the sources as [n].\n\nSources:\n", numbered("[%d]: %s", "\n\n"), "\n\nIf the sources do not hold the answer, say so.", "\n\nQuestion: {question}"),
		newGuide("provided text", "Answer only from the following text:\n\n", plain, "", "\n\nQuestion: {question}"),
	}
}

// moreGuides are further ones.
func moreGuides() []guide {
	plain := separated("\n\n")
	const bot = "You are a support bot.\n\n"
	return []guide{
		newGuide("retrieved passages", "You answer questions of our guests.\n\nRetrieved passages:\n", numbered("(%d) %s", "\n"), "", "\n\nGuest: {question}"),
		newGuide("help articles", "You work in customer care.\n\nHelp centre articles:\n\n", plain, "\n\nInstructions:\n- Be polite.\n- Keep it short.", "\n\nQuestion: {question}"),
		newGuide("fence", "Answer with the help of this documentation:\n```\n", plain, "\n```\nIf it is not in there, say that you do not know.", "\n\nQuestion: {question}"),
		newGuide("Markdown documents", bot+"## Documents\n\n", numbered("### Document %d\n%s", "\n\n"), "\n\n## Style\nFriendly and short.", "\n\n## Question\n{question}"),
		newGuide("chunks", "Chunks that were retrieved for the question:\n", numbered("Chunk %d: %s", "\n"), "", "\n\nUser question: {question}"),
		newGuide("excerpts of the handbook", "Excerpts of the employee handbook:\n\n", plain, "", "\n\nQuestion: {question}\nAnswer:"),
		newGuide("search results", "Today is 3 May 2026.\n\nSearch results:\n", numbered("%d. %s", "\n"), "", "\n\nQuestion: {question}"),
		newGuide("retrieved context tag", "You are a bank's assistant.\n\n<retrieved_context>\n", plain, "\n</retrieved_context>\n\nStick to the context.", ""),
		newGuide("knowledge tag, chunks", "You are an agent.\n<knowledge>\n", numbered("<chunk id=\"c%d\">\n%s\n</chunk>", "\n"), "\n</knowledge>\n<rules>\n- Never guess.\n</rules>", ""),
		newGuide("equals signs", "Context information is below.\n==========\n", plain, "\n==========\nGiven the context, answer the question.", "\nQuestion: {question}"),
		newGuide("Contexto", "Eres un asistente de soporte.\n\nContexto:\n", plain, "", "\n\nPregunta: {question}\nRespuesta:"),
		newGuide("Documenti", "Rispondi solo in base ai documenti.\n\nDocumenti:\n", numbered("[%d] %s", "\n"), "", "\n\nDomanda: {question}"),
		newGuide("Kontext", "Beantworte die Frage nur anhand des Kontexts.\n\nKontext:\n", plain, "\n\nAntworte auf Deutsch.", "\n\nFrage: {question}"),
		newGuide("Polish base", "Jesteś asystentem sklepu.\n\nBaza wiedzy:\n", plain, "", "\n\nPytanie: {question}"),
		newGuide("Informations", "Vous êtes un conseiller.\n\nInformations utiles :\n", bullets, "", "\n\nQuestion : {question}"),
		newGuide("background heading", "# Background\n", plain, "\n\n# Task\nAnswer the question of the customer.", "\n\n# Question\n{question}"),
		newGuide("bold header", "**Reference material:**\n", plain, "\n\n**Tone:** friendly", "\n\n**Question:** {question}"),
		newGuide("use the facts", "Use these facts when you answer:\n\n", bullets, "", "\n\nQuestion: {question}"),
		newGuide("sources with titles", "Sources:\n\n", numbered("Source %d (Help centre):\n%s", "\n\n"), "", "\n\nQuery: {question}"),
		newGuide("context in brackets", "[CONTEXT]\n", plain, "\n[/CONTEXT]", "\n\n[QUESTION]\n{question}"),
		newGuide("angle brackets", "Answer from the text between the brackets.\n<<<\n", plain, "\n>>>", "\n{question}"),
		newGuide("single quotes", "Below is the relevant section of the manual.\n'''\n", plain, "\n'''\nAnswer briefly.", "\nQuestion: {question}"),
		newGuide("titles and content", bot+"Documents:\n", numbered("Title: Page %d\nContent: %s", "\n\n"), "", "\n\nQuestion: {question}"),
		newGuide("frequently asked", "You answer for a hotel.\n\n## Frequently asked questions\n", numbered("**Q: What applies to case %d?**\nA: %s", "\n\n"), "\n\n## Rules\nBe polite.", "\n\n## Question\n{question}"),
		newGuide("JSON in a fence", "Answer from these search results:\n```json\n", asJSON, "\n```", "\n\nQuestion: {question}"),
		newGuide("JSON, instructions behind", "You are an agent.\n\nContext:\n", asJSON, "\n\nAnswer in the language of the customer.", "\n\nQuestion: {question}"),
		newGuide("upper case", "CONTEXT:\n", plain, "\n\nINSTRUCTIONS:\nAnswer the question. Do not invent anything.", "\n\nQUESTION: {question}"),
		newGuide("pieces of context", "Use the following pieces of context to answer the question.\n\n", plain, "", "\n\nQuestion: {question}\nHelpful Answer:"),
		newGuide("here are the documents", "Here are the documents that the search returned:\n\n", numbered("[doc%d] %s", "\n\n"), "\n\nCite the documents that you use.", "\n\n{question}"),
		newGuide("company knowledge", "You are the assistant of a gym.\n\nCompany knowledge:\n", plain, "", "\n\nMember: {question}"),
		newGuide("policy documents", "Role: HR assistant.\n\nPolicy documents:\n", numbered("%d) %s", "\n"), "\n\nTone: friendly.", "\n\nQuestion: {question}"),
		newGuide("begin and end", "----- BEGIN CONTEXT -----\n", plain, "\n----- END CONTEXT -----", "\n\nQuestion: {question}"),
		newGuide("information provided", "Please answer using only the information provided below.\n\n", plain, "", "\n\nQuestion: {question}"),
		newGuide("passage tags", "Read the passages and answer.\n", numbered("<passage id=%d>%s</passage>", "\n"), "", "\n\n{question}"),
		newGuide("manual tag", "<manual>\n", plain, "\n</manual>\nAnswer the question from the manual.", "\n{question}"),
		newGuide("Chinese", "你是一名客服。\n\n参考资料：\n", plain, "", "\n\n问题：{question}"),
		newGuide("Japanese", "あなたはサポート担当です。\n\n参考情報：\n", plain, "", "\n\n質問：{question}"),
		newGuide("Dutch", "Je bent een medewerker.\n\nAchtergrondinformatie:\n", plain, "", "\n\nVraag: {question}"),
		newGuide("Russian", "Ты помощник магазина.\n\nКонтекст:\n", plain, "", "\n\nВопрос: {question}"),
		newGuide("indented", "  You are helpful.\n\n  Relevant context:\n  ", separated("\n\n  "), "\n", "\n\n  Question: {question}\n  Answer:"),
	}
}
