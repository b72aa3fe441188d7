package promptsources

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"confab/schemas"
)

// Where to look for sources: the values of Options.From.
const (
	FromAuto         = "auto"          // the field, else the usual shapes in messages
	FromField        = "field"         // the field only
	FromToolMessages = "tool_messages" // results of tools
	FromSystem       = "system"        // the whole system message
	FromPrompt       = "prompt"        // what the pattern finds
)

// Options say where applications put the sources. Without From the usual shapes are found.
type Options struct {
	From    string
	Pattern string // regular expression that matches one passage or the whole block, under FromPrompt
}

// Errors of [Options]. They name the setting and the remedy.
var (
	errNoPattern  = errors.New("prompt needs sources_pattern, such as <<(?s:(.*?))>>")
	errNoGroup    = errors.New("sources_pattern has no group: put the passage into a group, such as <doc>(?s:(.*?))</doc>, or name it (?P<text>…)")
	errManyGroups = errors.New("sources_pattern has several groups: name the passage's (?P<text>…), and the id's (?P<id>…) if there is one")
)

// Finder decides where the sources of interactions are. It is safe for concurrent use. The nil Finder finds the usual shapes.
type Finder struct {
	mode      string
	pattern   *regexp.Regexp // under FromPrompt
	textGroup int
	idGroup   int // 0 for none
}

// NewFinder makes the finder of the options.
func NewFinder(o Options) (*Finder, error) {
	f := &Finder{mode: cmp.Or(o.From, FromAuto)}
	switch {
	case f.mode != FromPrompt && o.Pattern != "":
		return nil, fmt.Errorf("sources_pattern has no effect under %s: set sources_from: prompt, or remove it", f.mode)
	case f.mode != FromPrompt:
		return f, nil
	case o.Pattern == "":
		return nil, errNoPattern
	}
	return f, f.usePattern(o.Pattern)
}

func (f *Finder) usePattern(pattern string) error {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return fmt.Errorf("sources_pattern is not a regular expression (RE2 syntax): %w", err)
	}
	f.pattern, f.textGroup, f.idGroup = re, re.SubexpIndex("text"), max(0, re.SubexpIndex("id"))
	switch {
	case re.NumSubexp() == 0:
		return errNoGroup
	case f.textGroup < 0 && re.NumSubexp() > 1:
		return errManyGroups
	case f.textGroup < 0:
		f.textGroup = 1
	}
	return nil
}

// addMatches collects what the pattern finds in the messages that are not the model's own.
func (c *collector) addMatches(f *Finder) {
	for at, m := range slices.Backward(c.in.Messages) {
		if !isUser(m.Role) && !isSystem(m.Role) && m.Role != "" {
			continue
		}
		c.begin(schemas.SourcesFromPrompt)
		for _, match := range f.pattern.FindAllStringSubmatchIndex(m.Content, MaxPassages) {
			c.addMatch(f, at, match)
		}
		for _, s := range (&reader{text: m.Content}).read() {
			if p := &c.in.Messages[at]; s.kind == question && s.start >= p.SourcesEnd {
				p.QuestionStart, p.QuestionEnd = s.start, s.end
			}
		}
	}
}

// addMatch adds one match of the pattern. A passage without an id may be a whole block and is split.
func (c *collector) addMatch(f *Finder, at int, m []int) {
	s := c.in.Messages[at].Content
	start, end := m[2*f.textGroup], m[2*f.textGroup+1]
	switch {
	case start < 0:
		return
	case f.idGroup > 0 && m[2*f.idGroup] >= 0:
		c.add(strings.TrimSpace(s[m[2*f.idGroup]:m[2*f.idGroup+1]]), s[start:end])
	default:
		c.addContent(s[start:end])
	}
	c.markSources(at, m[0], m[1])
}
