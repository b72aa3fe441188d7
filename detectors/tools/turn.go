package tools

import (
	"slices"
	"strings"

	"confab/detectors"
	"confab/detectors/jsonschema"
	"confab/internal/text"
	"confab/internal/text/figures"
	"confab/schemas"
)

const maxText = 64 << 10 // bytes of one message or result that are read

// call is a call of a tool with what it was given and gave.
type call struct {
	*schemas.ToolCall
	args, result []leaf
	looks        bool   // it only looks something up
	failed       string // what says that it failed, "" if it did not
	known        int    // bytes of turn.known that were known before it
}

// turn is one answer with the calls that were made for it.
type turn struct {
	doc     *detectors.Document
	in      *schemas.Interaction
	checker *jsonschema.Checker
	rule    *Rule
	answer  string
	all     []call // of the conversation
	calls   []call // of this turn, the last ones
	acts    bool   // one of them changes something
	asks    bool   // the user's last message is a question
	cut     bool   // a text was not read to its end
	known   string // messages, sources, arguments and results
	claims  []claim
	found   []verdict

	figures  []figures.Figure // of all texts, messages first
	operands []figures.Figure // the different ones from which others may follow
	ofCalls  int              // the first figure of a call
	longest  int              // elements of a list, or calls of one tool
}

func newTurn(doc *detectors.Document, checker *jsonschema.Checker) *turn {
	t := &turn{doc: doc, in: doc.Interaction(), checker: checker, answer: doc.Text()}
	var known strings.Builder
	learn := func(s string) {
		known.WriteString(t.short(s))
		known.WriteByte('\n')
	}
	results, earlier := 0, 0 // as many calls are of earlier turns as results stand before the user's last message
	for i := range t.in.Messages {
		m := &t.in.Messages[i]
		if isResult(m) {
			results++
		} else if strings.EqualFold(m.Role, "user") {
			earlier = results
		}
	}
	t.eachText(learn)
	for i := range t.in.Calls {
		c := call{ToolCall: &t.in.Calls[i], known: known.Len()}
		c.looks = isLookup(c.Name)
		c.args, c.result = leavesOf(t.short(c.Arguments)), leavesOf(t.short(c.Result))
		c.failed = c.failure()
		t.all = append(t.all, c)
		learn(c.Arguments)
		learn(c.Result)
		learn(c.Error)
	}
	t.known = known.String()
	t.calls = t.all[min(earlier, len(t.all)):]
	t.acts = slices.ContainsFunc(t.calls, func(c call) bool { return !c.looks })
	t.readClaims()
	return t
}

// eachText calls f with each message that is not the result of a call of the record, and each source that stands in no message.
func (t *turn) eachText(f func(s string)) {
	for i := range t.in.Messages {
		if m := &t.in.Messages[i]; !isResult(m) || len(t.in.Calls) == 0 {
			f(m.Content)
		}
	}
	switch t.in.SourcesFrom {
	case schemas.SourcesFromToolMessages, schemas.SourcesFromSystem, schemas.SourcesFromPrompt:
		return
	}
	for i := range t.in.Sources {
		f(t.in.Sources[i].Text)
	}
}

func isResult(m *schemas.Message) bool {
	return strings.EqualFold(m.Role, "tool") || strings.EqualFold(m.Role, "function")
}

// short is the part of a text that is read.
func (t *turn) short(s string) string {
	s, isCut := text.Cut(s, maxText)
	t.cut = t.cut || isCut || !t.doc.Work().Spend(len(s))
	return s
}

// tokens are those of a text.
func (t *turn) tokens(s string) []text.Token {
	s = t.short(s)
	t.doc.Work().Spend(len(s))
	return t.doc.Tokenizer().Append(nil, s)
}

// baseName is the name of a tool without its namespace.
func baseName(name string) string {
	name = name[strings.LastIndexAny(name, "./:")+1:]
	if i := strings.LastIndex(name, "__"); i >= 0 {
		name = name[i+2:]
	}
	return name
}

// isLookup reports a tool that changes nothing.
func isLookup(name string) bool {
	name = baseName(name)
	return lookupName.MatchString(name) && !changeName.MatchString(name)
}
