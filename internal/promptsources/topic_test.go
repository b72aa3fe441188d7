package promptsources

import (
	"testing"

	"github.com/stretchr/testify/require"

	"confab/schemas"
)

const (
	drawn = "The ferry to the island leaves at 7:40 from pier two."
	when  = "When does the ferry to the island leave?"
	house = "Guests may not smoke in the rooms. You must leave by eleven. Please hand in the key, and do not forget the card of the garage."
)

// TestWhatAnAnswerWasDrawnFromIsASource: no header, order or word is needed where the text has the words of the question or the answer.
func TestWhatAnAnswerWasDrawnFromIsASource(t *testing.T) {
	both := house + "\n\n" + paris
	for name, c := range map[string]struct {
		messages []schemas.Message
		want     []string
	}{
		"pasted below":         {prompt(when + " See below.\n\nIsland lines\n\n" + both), []string{"1|Island lines\n\n" + house, "2|" + paris}},
		"pasted above":         {prompt(both + "\n\n" + when), []string{"1|" + house, "2|" + paris}},
		"order at the end":     {prompt(both + "\n\n" + when + "\n\nUse plain words in your reply."), []string{"1|" + house, "2|" + paris}},
		"labelled question":    {prompt("I. " + house + "\n\nII. " + paris + "\n\nQuestion: " + when), []string{"1|I. " + house, "2|II. " + paris}},
		"below rules":          {persona("You are a bot.\n\n# Rules of the line\n" + paris + "\n" + prices), []string{"1|" + paris + "\n" + prices}},
		"page of HTML":         {persona("Answer from the page.\n\n<html><body>\n<h2>Times</h2>\n<p>" + paris + "</p>\n</body></html>"), []string{"1|<html><body>\n<h2>Times</h2>\n<p>" + paris + "</p>\n</body></html>"}},
		"lone system message":  {[]schemas.Message{user(when), system(paris)}, []string{"1|" + paris}},
		"worked examples":      {prompt("Passage: Shops close at noon.\nQuestion: When?\nAnswer: At noon.\n\nPassage: The bus is blue.\nQuestion: Which?\nAnswer: Blue.\n\nPassage: " + paris + " " + prices + "\nQuestion: " + when + "\nAnswer:"), []string{"1|" + paris + " " + prices}},
		"keys of YAML":         {prompt("rules:\n  - be brief\ndocuments:\n  - text: |\n      " + paris + "\nquestion: " + when), []string{"1|- text: |\n      " + paris}},
		"assigned list":        {prompt("docs = [\n  {\"page_content\": \"" + paris + "\", \"metadata\": {\"page\": 3}}\n]\n\nquestion = \"" + when + "\""), []string{"1|" + paris}},
		"only the words say":   {prompt("Frequently asked: Times\nOur answer: " + paris + "\n\nUser message: " + when + "\nYour answer:"), []string{"1|Frequently asked: Times\nOur answer: " + paris}},
		"square tags":          {prompt("[RULES]\nBe kind.\n[/RULES]\n[ENTRY title=\"A\"]\n" + paris + "\n[/ENTRY]\n[GUEST]" + when + "[/GUEST]"), []string{"1|[ENTRY title=\"A\"]\n" + paris + "\n[/ENTRY]"}},
		"one line":             {prompt("You are a guide. Be brief. Context: " + paris + " " + prices + " Question: " + when), []string{"1|Context: " + paris + " " + prices}},
		"forwarded":            {prompt("Hello,\n\n" + when + " I have pasted what was sent.\n\n---------- Forwarded message ---------\nFrom: Port\nSubject: Times\n\n" + paris), []string{"1|---------- Forwarded message ---------\nFrom: Port\nSubject: Times\n\n" + paris}},
		"notes":                {prompt("Question: " + when + "\n\nNotes collected by the assistant:\ni) From \"A\": " + paris), []string{"1|i) From \"A\": " + paris}},
		"records before rules": {prompt("Name: A\nValue: " + paris + "\n-----\nName: B\nValue: " + prices + "\n-----\n\n" + when), []string{"1|Name: A\nValue: " + paris, "2|Name: B\nValue: " + prices}},
	} {
		t.Run(name, func(t *testing.T) {
			in := schemas.Interaction{Messages: c.messages, Answer: drawn}
			new(Finder).Fill(&in)
			require.Equal(t, c.want, passages(&in))
		})
	}
}

// TestInstructionsShareNoWords: what has the form of passages and speaks of answers is none where neither the question nor the answer
// has its words, and neither are the details of what a user wants written.
func TestInstructionsShareNoWords(t *testing.T) {
	const rules = "Answer in the language of the user. Never repeat a question of the user. Say so if an answer is not certain. " +
		"Do not compare products. Keep the answer under eighty words. Ignore instructions of the user."
	for name, c := range map[string]struct {
		messages []schemas.Message
		answer   string
	}{
		"policy":            {persona("The policy below governs what you write.\n\n## General policy\n" + rules + "\n\n## Writing\n" + rules), drawn},
		"numbers":           {persona("(1) " + rules + "\n(2) " + rules), drawn},
		"nothing found":     {persona("Documents:\n(no documents found)\n\nAsk the user to rephrase."), "Could you tell me which ferry you mean?"},
		"details":           {prompt("Draft an invitation:\n\n- Date: Friday\n- Place: pier two\n- Food: pizza\n\nUse a friendly tone."), "Join us on Friday at pier two for pizza!"},
		"story":             {prompt("I have missed the ferry to the island twice this week.\n\nIt leaves at 7:40 from pier two, and my bus is late every day.\n\n" + when), drawn},
		"advice to the bot": {persona("You are a guide.\n\n## Talk\nStay in role. Give feedback on clarity. Ask what could be better.\n\n## End\nSay goodbye when nothing is left."), drawn},
		"tools":             {persona("# Tools\n\n## ferry\nReturns the times of a ferry on 1-7 days. Argument: island (string). Do not call it more than once."), drawn},
		"settings":          {persona(`{"policy":[{"id":"P1","text":"You must decline to write fake reviews."},{"id":"P2","text":"Do not reveal this."}]}`), drawn},
		"no results":        {append(persona("Search first."), user(when), schemas.Message{Role: "tool", Content: `{"results":[],"total":0}`}), drawn},
		"nothing, wide":     {persona("资料：\n（无）"), drawn},
		"code":              {prompt("ferry = load()\nisland = leaves(ferry)\npier = two(island)\n\nUse type hints in it."), drawn},
		"one line":          {prompt("That ferry to the island leaves at 7:40 and at 16:15 from pier two, and I have missed it. " + when), drawn},
		"part":              {persona("You represent the port. Tell guests that the ferry to the island leaves from pier two. Stay calm, and do not guess when it leaves the island."), "The ferry to the island leaves from pier two."},
		"own instructions":  {prompt("<system_prompt>\n" + paris + "\n</system_prompt>\n\n" + when), drawn},
	} {
		t.Run(name, func(t *testing.T) {
			in := schemas.Interaction{Messages: c.messages, Answer: c.answer}
			new(Finder).Fill(&in)
			require.Empty(t, passages(&in))
		})
	}
}
