package promptsources

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"confab/schemas"
)

// Limits of what is found in one interaction.
const (
	MaxPassages = 256 // detectors read fewer
	maxSections = 100 // of one message
	maxTags     = 512 // tags of one message
)

// Fill sets in.SourcesFrom and, if the interaction has no sources of its own, the sources that its messages hold. It does
// nothing if SourcesFrom is set. Sources of the interaction's own field always win, even if that field could not be read.
// Passages that the user brings next to sources of the application are marked in the message and in in.UserPassages. Sources that are
// JSON around passages are split, and an only one that holds several, see splitSources and splitOnly.
func (f *Finder) Fill(in *schemas.Interaction) {
	splitSources(in)
	splitOnly(in)
	if in.SourcesFrom != "" {
		return
	}
	c := collector{in: in, topic: topic{answer: in.Answer}}
	in.SourcesFrom = schemas.SourcesFromNone
	setting := f.from()
	switch {
	case len(in.Sources) > 0:
		in.SourcesFrom = schemas.SourcesFromField
	case len(in.Messages)+len(in.Calls) == 0, setting == FromField, slices.Contains(in.Malformed, "sources"):
		return
	case setting == FromPrompt:
		c.addMatches(f)
	default:
		c.addApplication(setting)
	}
	c.own = len(in.Sources)
	if c.ignoring = c.own > 0; setting == FromAuto || c.ignoring && setting != FromField && setting != FromPrompt {
		c.addUser()
	}
	c.sayEmpty()
}

// from is where to look for sources.
func (f *Finder) from() string {
	if f == nil {
		return FromAuto
	}
	return cmp.Or(f.mode, FromAuto)
}

// sayEmpty notes that passages were announced and none came.
func (c *collector) sayEmpty() {
	if c.empty && len(c.in.Sources) == 0 && c.in.NoSources == "" {
		c.in.NoSources = schemas.NoSourcesEmpty
	}
}

// collector appends passages to the interaction.
type collector struct {
	in   *schemas.Interaction
	kind string // of the next passages
	last string // kind of the last passage
	base int    // sources before the present block, whose passages are numbered from 1
	next bool   // a block begins

	ignoring bool // what is found is no evidence
	own      int  // sources of the application
	topic    topic
	count    int    // passages found, ignored ones too
	empty    bool   // passages are announced, and none follows
	id       string // in the heading above, "" for none
}

// begin starts a block of passages that were found in a message of the kind. Results of tools are numbered through.
func (c *collector) begin(kind string) { c.kind, c.next = kind, true }

// add appends a passage. An empty id stands for the position in the block.
func (c *collector) add(id, text string) { c.addSource(schemas.Source{ID: id, Text: text}) }

func (c *collector) addSource(s schemas.Source) {
	s.Text = strings.TrimSpace(s.Text)
	if c.count >= MaxPassages || isPlaceholder(s.Text) {
		return
	}
	if c.count++; c.ignoring {
		c.in.UserPassages = c.in.UserPassages || !c.isOwn(s.Text)
		return
	}
	if len(c.in.Sources) == 0 {
		c.in.SourcesFrom = c.kind
	}
	if c.next && (c.kind != schemas.SourcesFromToolMessages || c.last != c.kind) {
		c.base = len(c.in.Sources)
	}
	c.next, c.last = false, c.kind
	if s.ID = cmp.Or(s.ID, c.id); s.ID == "" {
		s.ID = strconv.Itoa(len(c.in.Sources) - c.base + 1)
	}
	c.in.Sources = append(c.in.Sources, s)
}

// isOwn reports a passage whose beginning a source of the application holds, too: the prompt was logged with its sources. Few
// are compared.
func (c *collector) isOwn(text string) bool {
	const mostSources, mostPassages, mostBytes = 64, 8, 80
	line, _ := lineAt(text, 0)
	line = line[:min(mostBytes, len(line))]
	return c.count > mostPassages || slices.ContainsFunc(c.in.Sources[:min(mostSources, c.own)], func(s schemas.Source) bool {
		return strings.Contains(s.Text, line)
	})
}

// addApplication collects what the application says: results of tools, those of the last question first, then those of calls that no
// message has, the passages of system messages, and earlier results.
func (c *collector) addApplication(setting string) {
	messages := c.in.Messages
	last := lastOfUser(messages)
	for at := last + 1; at < len(messages); at++ {
		c.addTool(at, setting)
	}
	for at := range c.in.Calls {
		if r := c.in.Calls[at].Result; setting != FromSystem && !isAcknowledgement(r) && !slices.ContainsFunc(messages, func(m schemas.Message) bool { return m.Content == r }) {
			c.begin(schemas.SourcesFromToolMessages)
			c.addContent(r)
		}
	}
	for at := range messages {
		switch {
		case setting == FromToolMessages || !isSystem(messages[at].Role):
		case setting == FromSystem:
			c.addWhole(at, schemas.SourcesFromSystem)
		default:
			c.addBlocks(at, schemas.SourcesFromSystem)
		}
	}
	for at := last; at >= 0; at-- { // the latest results first
		c.addTool(at, setting)
	}
}

func (c *collector) addTool(at int, setting string) {
	switch m := &c.in.Messages[at]; {
	case setting == FromSystem || !isTool(m.Role):
	case !isAcknowledgement(m.Content):
		c.addWhole(at, schemas.SourcesFromToolMessages)
	default:
		s := strings.TrimSpace(m.Content)
		c.empty = c.empty || s == "[]" || s != "" && findsNothing(s)
	}
}

// addWhole takes the whole message as passages.
func (c *collector) addWhole(at int, kind string) {
	content := c.in.Messages[at].Content
	c.begin(kind)
	c.addContent(content)
	c.markSources(at, 0, len(content))
}

// addUser collects the passages of the latest message of the user that has any. If they are ignored, all of them are.
func (c *collector) addUser() {
	messages := c.in.Messages
	for at := lastOfUser(messages); at >= 0 && c.count < MaxPassages; at-- {
		if isUser(messages[at].Role) && c.addBlocks(at, schemas.SourcesFromPrompt) && !c.ignoring {
			return
		}
	}
}

func lastOfUser(messages []schemas.Message) int {
	at := len(messages) - 1
	for at >= 0 && !isUser(messages[at].Role) {
		at--
	}
	return at
}

// addBlocks collects the passages in the sections of a message and reports whether it has any.
func (c *collector) addBlocks(at int, kind string) bool {
	c.begin(kind)
	m := &c.in.Messages[at]
	j := judge{topic: &c.topic, reader: &reader{
		text: m.Content, system: kind == schemas.SourcesFromSystem, follows: at+1 < len(c.in.Messages) && isUser(c.in.Messages[at+1].Role),
	}}
	t := scanTags(m.Content)
	if last := lastOfUser(c.in.Messages); last > at {
		j.question = c.in.Messages[last].Content
	}
	j.runs = t.runs(!j.system || j.follows)
	for _, s := range j.read() {
		c.empty = c.empty || s.kind == source && !s.weak && isPlaceholder(j.textOf(&s))
	}
	before := c.count
	c.addDecided(at, &t, &j)
	if c.in.UserPassages = c.in.UserPassages || j.ignored; c.count == before {
		return false
	}
	m.QuestionStart, m.QuestionEnd = j.questionStart, j.questionEnd
	return true
}

// addDecided adds what the judge finds in a message.
func (c *collector) addDecided(at int, t *tagScanner, j *judge) {
	before := c.count
	if c.ignoring && strings.Contains(j.text, "</") || j.system || j.follows || strings.Contains(j.text, "\n") || strings.HasPrefix(j.text, "{") { // the question is on a line of its own
		found := j.decide()
		if u := j.unlabelled(c.place(at)); u != nil {
			found = u
		}
		c.addFound(at, t, found)
	}
	if c.count == before && !c.ignoring {
		c.addFound(at, t, j.drawnParts())
	}
}

// addFound adds the passages of the sections of a message. Next to elements with tags, other sections are instructions.
func (c *collector) addFound(at int, t *tagScanner, found []section) {
	before := c.count
	tagged := slices.ContainsFunc(found, func(s section) bool { return s.tagged })
	for _, s := range found {
		if s.tagged {
			t.addPassages(c, s.start, s.end)
		} else if !tagged {
			if f := headID.FindStringSubmatch(s.header); f != nil {
				c.id = f[1]
			}
			c.addSection(t.text[s.start:s.end], &s)
			c.id = ""
		}
		if c.count > before && s.tagged == tagged {
			c.markSources(at, s.start, s.end)
		}
	}
}

// place reports whether the user asks in another message, and whether the message may hold nothing but passages.
func (c *collector) place(at int) (later, alone bool) {
	messages := c.in.Messages
	last, system := lastOfUser(messages), isSystem(messages[at].Role)
	return at < last || system && last >= 0, at > 0 || !system || equalsAny(messages[at].Role, "developer") || at+1 < len(messages) && isSystem(messages[at+1].Role)
}

// addSection adds the passages of a section.
func (c *collector) addSection(text string, s *section) {
	text = strings.TrimSpace(text)
	if len(text) > 1 && text[0] == '"' && text[len(text)-1] == '"' { // LangChain quotes what it wants summarized
		text = strings.TrimSpace(text[1 : len(text)-1])
	}
	if c.addJSON(text) {
		return
	}
	c.split(text, !s.delimited && !s.summary)
}

// addContent adds the passages of a text that is known to hold only sources: JSON, elements, or plain text.
func (c *collector) addContent(s string) {
	if s = strings.TrimSpace(s); c.addJSON(s) {
		return
	}
	before := c.count
	t := scanTags(s)
	for _, r := range t.runs(true) {
		t.addPassages(c, r.start, r.end)
	}
	if c.count == before {
		c.split(s, false)
	}
}

// markSources extends the message's range of sources.
func (c *collector) markSources(at, start, end int) {
	m := &c.in.Messages[at]
	if m.SourcesEnd > 0 {
		start, end = min(start, m.SourcesStart), max(end, m.SourcesEnd)
	}
	m.SourcesStart, m.SourcesEnd = start, end
}

func isUser(role string) bool { return equalsAny(role, "user", "human") }

func isSystem(role string) bool { return equalsAny(role, "system", "developer") }

func isTool(role string) bool {
	return equalsAny(role, "tool", "function", "tool_result", "ipython", "observation")
}
