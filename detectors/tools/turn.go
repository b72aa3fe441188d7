package tools

import (
	"strings"

	"confab/detectors"
	"confab/detectors/jsonschema"
	"confab/internal/text"
	"confab/schemas"
)

// Limits of one turn, and bytes per unit of work.
const (
	maxText   = 64 << 10 // of one message or result that are read
	foldBytes = 2
)

// call is a call of a tool with what it was given and gave.
type call struct {
	*schemas.ToolCall
	args, result []leaf
	looks        bool   // it only looks something up
	failed       string // what says that it failed, "" if it did not
	known        int    // bytes of turn.known that were known before it
	figures      int    // figures, likewise
	operands     int
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
	known   []byte // letters and digits of messages, sources, arguments and results
	folded  []byte // of one value
	found   []verdict
	claims  []claim
	tokens  []text.Token
	values
}

// read prepares the turn. It returns false if the work has ended.
func (t *turn) read(doc *detectors.Document, checker *jsonschema.Checker) bool {
	t.doc, t.in, t.checker, t.answer = doc, doc.Interaction(), checker, doc.Text()
	t.found, t.all, t.known, t.acts, t.cut = t.found[:0], t.all[:0], append(t.known[:0], ' '), false, false
	t.values.reset()
	results, earlier := 0, 0 // as many calls are of earlier turns as results stand before the user's last message
	for i := range t.in.Messages {
		m := &t.in.Messages[i]
		switch {
		case isResult(m.Role):
			results++
		case strings.EqualFold(m.Role, "user"):
			earlier = results
		}
		if t.isStatement(m) {
			t.learn(m.Content)
		}
	}
	for i := range t.sources() {
		t.learn(t.in.Sources[i].Text)
	}
	for i := range t.in.Calls {
		t.readCall(&t.in.Calls[i])
	}
	t.calls = t.all[min(earlier, len(t.all)):]
	for i := range t.calls {
		t.acts = t.acts || !t.calls[i].looks
	}
	t.readClaims()
	return doc.Work().Ended() == ""
}

func (t *turn) readCall(made *schemas.ToolCall) {
	if n := len(t.all); n < cap(t.all) {
		t.all = t.all[:n+1] // with its storage
	} else {
		t.all = append(t.all, call{})
	}
	c := &t.all[len(t.all)-1]
	*c = call{
		ToolCall: made, looks: isLookup(made.Name), known: len(t.known),
		args: appendLeaves(c.args[:0], t.short(made.Arguments)), result: appendLeaves(c.result[:0], t.short(made.Result)),
	}
	c.failed = c.failure()
	t.learn(made.Arguments)
	t.learn(made.Result)
	t.learn(made.Error)
}

func isResult(role string) bool {
	return strings.EqualFold(role, "tool") || strings.EqualFold(role, "function")
}

// isStatement reports a message that is not the result of a call that the record has.
func (t *turn) isStatement(m *schemas.Message) bool { return !isResult(m.Role) || len(t.in.Calls) == 0 }

// sources are those that do not stand in the messages.
func (t *turn) sources() []schemas.Source {
	switch t.in.SourcesFrom {
	case schemas.SourcesFromToolMessages, schemas.SourcesFromSystem, schemas.SourcesFromPrompt:
		return nil
	}
	return t.in.Sources
}

// short is the part of a text that is read.
func (t *turn) short(s string) string {
	s, isCut := text.Cut(s, maxText)
	t.cut = t.cut || isCut
	t.doc.Work().Spend(len(s) / foldBytes)
	return s
}

// learn makes a text known.
func (t *turn) learn(s string) { t.known = append(text.AppendLetters(t.known, t.short(s)), ' ') }

// baseName is the name of a tool without its namespace.
func baseName(name string) string {
	name = name[strings.LastIndexAny(name, "./:")+1:]
	if i := strings.LastIndex(name, "__"); i >= 0 {
		name = name[i+2:]
	}
	return name
}

// words are the words of a name such as list_pods or listPods, in lower case.
func words(name string) (list []string) {
	start := 0
	for i := 1; i <= len(name); i++ {
		if i < len(name) && isLetter(name[i]) && isLetter(name[i-1]) && (!text.IsUpper(name[i]) || text.IsUpper(name[i-1])) {
			continue
		}
		if w := strings.Trim(name[start:i], "_-. "); w != "" {
			list = append(list, strings.ToLower(w))
		}
		start = i
	}
	return list
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isLookup reports a tool that changes nothing, by the first or the last word of its name.
func isLookup(name string) bool {
	name = baseName(name)
	list := words(name)
	if len(list) == 0 || isIn(list[0], "change") || strings.EqualFold(name, "check_in") || strings.EqualFold(name, "checkIn") {
		return false
	}
	return isIn(list[0], "lookup") || isIn(list[len(list)-1], "lookup last")
}
