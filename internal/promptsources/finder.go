package promptsources

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"confab/schemas"
)

// Limits of what is found in one interaction.
const (
	MaxPassages = 256 // detectors read fewer
	maxBlocks   = 100 // of one message
	maxTags     = 512 // tags of one message
)

// Finder decides where the sources of interactions are. It is safe for concurrent use. The nil Finder finds the usual
// shapes.
type Finder struct {
	mode       string
	start, end string         // delimiters, both set or neither
	pattern    *regexp.Regexp // nil for none
	textGroup  int
	idGroup    int // 0 for none
}

// Fill sets in.SourcesFrom and, if the interaction has no sources of its own, the sources that its messages hold. It does
// nothing if SourcesFrom is set. Sources of the interaction's own field always win, even if that field could not be read.
func (f *Finder) Fill(in *schemas.Interaction) {
	switch {
	case in.SourcesFrom != "":
		return
	case len(in.Sources) > 0:
		in.SourcesFrom = schemas.SourcesFromField
		return
	}
	in.SourcesFrom = schemas.SourcesFromNone
	if len(in.Messages) == 0 || slices.Contains(in.Malformed, "sources") {
		return
	}
	c := collector{in: in}
	switch f.setting() {
	case FromField:
	case FromToolMessages:
		c.addTools(0, len(in.Messages))
	case FromSystem:
		c.addSystems(c.addWhole)
	case FromPrompt:
		c.addPrompts(f)
	default:
		c.addUsualShapes()
	}
}

func (f *Finder) setting() string {
	if f == nil {
		return FromAuto
	}
	return f.mode
}

// collector appends passages to the interaction.
type collector struct {
	in   *schemas.Interaction
	kind string // of the next passages
	last string // kind of the last passage
	base int    // sources before the present block, whose passages are numbered from 1
	next bool   // a block begins
}

// begin starts a block of passages that were found in a message of the kind.
// Results of tools are numbered through.
func (c *collector) begin(kind string) { c.kind, c.next = kind, true }

// add appends a passage. An empty id stands for the position in the block.
func (c *collector) add(id, text string) { c.addSource(schemas.Source{ID: id, Text: text}) }

func (c *collector) addSource(s schemas.Source) {
	s.Text = strings.TrimSpace(s.Text)
	if len(c.in.Sources) >= MaxPassages || isPlaceholder(s.Text) {
		return
	}
	if len(c.in.Sources) == 0 {
		c.in.SourcesFrom = c.kind
	}
	if c.next && (c.kind != schemas.SourcesFromToolMessages || c.last != c.kind) {
		c.base = len(c.in.Sources)
	}
	c.next, c.last = false, c.kind
	if s.ID == "" {
		s.ID = strconv.Itoa(len(c.in.Sources) - c.base + 1)
	}
	c.in.Sources = append(c.in.Sources, s)
}

// addUsualShapes collects what answers the last message of the user first, then what earlier messages hold.
func (c *collector) addUsualShapes() {
	messages := c.in.Messages
	last := lastOfUser(messages)
	c.addTools(last+1, len(messages))
	for at := last; at >= 0; at-- {
		if isUser(messages[at].Role) && c.addBlocks(at, schemas.SourcesFromPrompt) {
			break
		}
	}
	c.addSystems(func(at int) { c.addBlocks(at, schemas.SourcesFromSystem) })
	for at := last; at >= 0; at-- { // the latest results first
		c.addTool(at)
	}
}

func lastOfUser(messages []schemas.Message) int {
	for at, m := range slices.Backward(messages) {
		if isUser(m.Role) {
			return at
		}
	}
	return -1
}

func (c *collector) addTools(from, to int) {
	for at := from; at < to; at++ {
		c.addTool(at)
	}
}

func (c *collector) addTool(at int) {
	m := &c.in.Messages[at]
	if !isTool(m.Role) || isAcknowledgement(m.Content) {
		return
	}
	c.begin(schemas.SourcesFromToolMessages)
	c.addContent(m.Content)
	c.markSources(at, 0, len(m.Content))
}

func (c *collector) addSystems(add func(at int)) {
	for at := range c.in.Messages {
		if isSystem(c.in.Messages[at].Role) {
			add(at)
		}
	}
}

// addWhole takes the whole message as passages.
func (c *collector) addWhole(at int) {
	m := &c.in.Messages[at]
	c.begin(schemas.SourcesFromSystem)
	c.addContent(m.Content)
	c.markSources(at, 0, len(m.Content))
}

// addPrompts collects what the configured delimiters or pattern find in the messages that are not the model's own.
func (c *collector) addPrompts(f *Finder) {
	for at := len(c.in.Messages) - 1; at >= 0; at-- {
		m := &c.in.Messages[at]
		if isUser(m.Role) || isSystem(m.Role) || m.Role == "" {
			c.begin(schemas.SourcesFromPrompt)
			f.match(c, at)
		}
	}
}

// addBlocks collects the passages of the blocks of a message and reports whether it has any.
func (c *collector) addBlocks(at int, kind string) bool {
	m := &c.in.Messages[at]
	c.begin(kind)
	before := len(c.in.Sources)
	if start, end := c.addTagged(m.Content); end > 0 {
		c.markSources(at, start, end)
		return true
	}
	if !strings.Contains(m.Content, "\n") { // labels start lines
		return false
	}
	s := blockScanner{text: m.Content, system: kind == schemas.SourcesFromSystem}
	s.questionFollows = at+1 < len(c.in.Messages) && isUser(c.in.Messages[at+1].Role)
	for _, b := range s.scan() {
		c.addBlock(m.Content[b.start:b.end], b)
		if len(c.in.Sources) > before {
			c.markSources(at, b.start, b.end)
		}
	}
	if len(c.in.Sources) == before {
		return false
	}
	if strings.TrimSpace(m.Content[s.questionStart:s.questionEnd]) != "" {
		m.QuestionStart, m.QuestionEnd = s.questionStart, s.questionEnd
	}
	return true
}

// addTagged adds the passages in tags and returns their range in s; end is 0 without any.
func (c *collector) addTagged(s string) (start, end int) {
	if !strings.Contains(s, "</") {
		return 0, 0
	}
	return c.addElements(s)
}

// addElements is addTagged for a text with closing tags. The scanner is large and not made for others.
//
//go:noinline
func (c *collector) addElements(s string) (start, end int) {
	before := len(c.in.Sources)
	var t tagScanner
	start, end, ok := t.scan(s)
	if !ok {
		return 0, 0
	}
	if t.addPassages(c, s); len(c.in.Sources) == before {
		return 0, 0
	}
	return start, end
}

// markSources extends the message's range of sources.
func (c *collector) markSources(at, start, end int) {
	m := &c.in.Messages[at]
	if m.SourcesEnd > 0 {
		start, end = min(start, m.SourcesStart), max(end, m.SourcesEnd)
	}
	m.SourcesStart, m.SourcesEnd = start, end
}

func isUser(role string) bool {
	return strings.EqualFold(role, "user") || strings.EqualFold(role, "human")
}

func isSystem(role string) bool {
	return strings.EqualFold(role, "system") || strings.EqualFold(role, "developer")
}

func isTool(role string) bool {
	switch {
	case strings.EqualFold(role, "tool"), strings.EqualFold(role, "function"),
		strings.EqualFold(role, "tool_result"), strings.EqualFold(role, "ipython"), strings.EqualFold(role, "observation"):
		return true
	}
	return false
}
