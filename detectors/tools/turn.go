package tools

import (
	"slices"
	"strings"

	"confab/detectors"
	"confab/internal/text"
	"confab/schemas"
)

// call is a call of a tool with what it was given and gave.
type call struct {
	*schemas.ToolCall
	tool         *schemas.Tool // that it calls, nil if none of that name was offered
	args, result []leaf
	looks        bool   // it only looks something up
	failed       string // what says that it failed, "" if it did not
	known        int    // bytes of turn.known that were known before it
}

// turn is one answer with the calls that were made for it.
type turn struct {
	doc          *detectors.Document
	in           *schemas.Interaction
	violations   func(schema, value string) []detectors.Evidence
	rule         *Rule
	answer       string
	all          []call          // of the conversation
	calls        []call          // of this turn, the last ones
	acts, writes bool            // a call changes something, the answer says what it did to a text that follows
	asks         bool            // the user's last message is a question
	known        string          // messages, sources, arguments and results
	squeezed     string          // letters and digits of these, once a number is looked for
	codes        map[string]bool // the numbers of codes in these, too
	claims       []claim
	values       *values // of the figures of the texts, once they are read
	found        []detectors.Evidence
}

const (
	maxText    = 200_000 // bytes of messages, sources, arguments and results
	workOfName = 8       // of a tool whose name is compared
)

// read prepares the turn. It returns false for more text than is read.
func (t *turn) read() bool {
	if !t.doc.Work().Spend(len(t.in.Calls) * len(t.in.Tools) * workOfName) {
		return false
	}
	var known strings.Builder
	t.eachText(func(s string) { known.WriteString(s + "\n") })
	for i := range t.in.Calls {
		c := &t.in.Calls[i]
		t.all = append(t.all, call{ToolCall: c, tool: t.tool(c.Name), known: known.Len()})
		known.WriteString(c.Arguments + "\n" + c.Result + "\n" + c.Error + "\n")
	}
	if t.known = known.String(); len(t.known) > maxText || !t.doc.Work().Spend(len(t.known)) {
		return false
	}
	for i := range t.all {
		c := &t.all[i]
		c.looks = c.reads(baseName(c.Name))
		c.args, c.result = leavesOf(c.Arguments), leavesOf(c.Result)
		c.failed = c.failure()
	}
	results, earlier := 0, 0 // as many calls are of earlier turns as results stand before the user's last message
	for i := range t.in.Messages {
		if m := &t.in.Messages[i]; isResult(m) {
			results++
		} else if strings.EqualFold(m.Role, "user") {
			earlier = results
		}
	}
	t.calls = t.all[min(earlier, len(t.all)):]
	t.acts = slices.ContainsFunc(t.calls, func(c call) bool { return !c.looks })
	t.readClaims()
	return true
}

// reads reports a call that only looks something up, by its name.
func (c *call) reads(name string) bool {
	words := wordStart.ReplaceAllString(name, "_$0")
	return !changeName.MatchString(name) && (lookupName.MatchString(name) || !actName.MatchString(name) && readName.MatchString(words) && !actPart.MatchString(words))
}

// eachText calls f with each message that is not the result of a call of the record, and each source that stands in no message.
func (t *turn) eachText(f func(s string)) {
	for i := range t.in.Messages {
		if m := &t.in.Messages[i]; !isResult(m) || len(t.in.Calls) == 0 {
			f(m.Content)
		}
	}
	if _, found := t.in.PromptSources(); found {
		return
	}
	for i := range t.in.Sources {
		f(t.in.Sources[i].Text)
	}
}

func isResult(m *schemas.Message) bool {
	return strings.EqualFold(m.Role, "tool") || strings.EqualFold(m.Role, "function")
}

// tokens are those of a text.
func (t *turn) tokens(s string) []text.Token {
	t.doc.Work().Spend(len(s))
	return t.doc.Tokenizer().Append(nil, s)
}

// baseName is the name of a tool without its namespace.
func baseName(name string) string {
	name = name[strings.LastIndexAny(name, "./:")+1:]
	return name[strings.LastIndex("__"+name, "__"):]
}
