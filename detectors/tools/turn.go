package tools

import (
	"strings"

	"confab/detectors"
	"confab/detectors/jsonschema"
	"confab/internal/text"
	"confab/internal/text/figures"
	"confab/schemas"
)

// Limits of one turn.
const (
	maxText     = 64 << 10 // bytes of one message or result that are read
	foldBytes   = 2        // per unit of work
	maxFigures  = 400      // of messages and results
	figureWork  = 8        // of one token that is read into figures
	compareWork = 2        // figures compared per unit of work
)

// turn is one answer with the calls that were made for it.
type turn struct {
	doc     *detectors.Document
	in      *schemas.Interaction
	checker *jsonschema.Checker
	rule    *Rule
	answer  string
	earlier []schemas.ToolCall // of turns before
	calls   []schemas.ToolCall // of this turn
	reads   []bool             // by call of this turn: its tool only looks something up
	failed  []string           // by call of this turn: what says that it failed, "" if it did not
	said    []byte             // letters and digits of the messages, results aside
	known   []byte             // said, and the results so far
	folded  []byte             // one value, or one argument
	claims  []claim
	asks    bool // the user's last message is a question
	found   []verdict

	tokens   []text.Token
	figures  []figures.Figure // of messages, arguments and results, once read
	operands []figures.Figure
	ofCalls  int
	lists    int // length of the longest list of a result
	read2    bool
}

// read prepares the turn. It returns false if the work has ended.
func (t *turn) read(doc *detectors.Document, checker *jsonschema.Checker) bool {
	t.doc, t.in, t.checker, t.answer = doc, doc.Interaction(), checker, doc.Text()
	t.found, t.reads, t.failed, t.said = t.found[:0], t.reads[:0], t.failed[:0], append(t.said[:0], ' ')
	t.figures, t.operands, t.lists, t.read2 = t.figures[:0], t.operands[:0], 0, false
	t.split()
	for i := range t.in.Messages {
		if m := &t.in.Messages[i]; !isTool(m.Role) {
			t.said = t.fold(t.said, m.Content)
		}
	}
	for i := range t.earlier {
		t.said = t.fold(t.fold(t.said, t.earlier[i].Result), t.earlier[i].Arguments)
	}
	for i := range t.calls {
		c := &t.calls[i]
		t.reads = append(t.reads, isLookup(c.Name))
		t.failed = append(t.failed, failureOf(c))
	}
	t.readClaims()
	return doc.Work().Ended() == ""
}

// split tells the calls of this turn from those of earlier ones, which as many results stand before the user's last message.
func (t *turn) split() {
	n, results := 0, 0
	for i := range t.in.Messages {
		switch m := &t.in.Messages[i]; {
		case isTool(m.Role):
			results++
		case strings.EqualFold(m.Role, "user"):
			n = results
		}
	}
	n = min(n, len(t.in.Calls))
	t.earlier, t.calls = t.in.Calls[:n], t.in.Calls[n:]
}

func isTool(role string) bool {
	return strings.EqualFold(role, "tool") || strings.EqualFold(role, "function")
}

// fold appends the letters and digits of a text and a space.
func (t *turn) fold(dst []byte, s string) []byte {
	s, _ = text.Cut(s, maxText)
	t.doc.Work().Spend(len(s) / foldBytes)
	dst = text.AppendLetters(dst, s)
	return append(dst, ' ')
}

// tool is the offered tool of that name, nil for none.
func (t *turn) tool(name string) *schemas.Tool {
	for i := range t.in.Tools {
		if strings.EqualFold(baseName(t.in.Tools[i].Name), baseName(name)) {
			return &t.in.Tools[i]
		}
	}
	return nil
}

// baseName is the name of a tool without its namespace.
func baseName(name string) string {
	if i := strings.LastIndexAny(name, "./:"); i >= 0 {
		name = name[i+1:]
	}
	if i := strings.LastIndex(name, "__"); i >= 0 {
		name = name[i+2:]
	}
	return name
}

// words calls f with each word of a name such as list_pods or listPods, in lower case, until it returns true.
func words(name string, f func(w string) bool) bool {
	start := 0
	for i := 1; i <= len(name); i++ {
		if i < len(name) && isLetter(name[i]) && isLetter(name[i-1]) && !(text.IsUpper(name[i]) && !text.IsUpper(name[i-1])) {
			continue
		}
		if w := strings.Trim(name[start:i], "_-. "); w != "" && f(strings.ToLower(w)) {
			return true
		}
		start = i
	}
	return false
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isLookup reports a tool that changes nothing, by the first word of its name, or by the last one.
func isLookup(name string) bool {
	first, last := "", ""
	words(baseName(name), func(w string) bool {
		if last = w; first == "" {
			first = w
		}
		return false
	})
	switch last {
	case "search", "lookup", "query", "finder", "retriever", "retrieval", "info", "details", "status":
		switch first {
		case "create", "update", "delete", "save", "add", "set", "remove", "run", "cancel", "change", "send":
		default:
			return true
		}
	}
	switch first {
	case "get", "list", "search", "find", "check", "read", "describe", "lookup", "look", "fetch", "query", "show", "view", "retrieve", "count",
		"browse", "calculate", "compute", "convert", "weather", "is", "has":
		return !strings.EqualFold(baseName(name), "check_in") && !strings.EqualFold(baseName(name), "checkIn")
	}
	return false
}
