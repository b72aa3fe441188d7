package promptsources

import (
	"cmp"
	"slices"
	"strings"
)

// judge decides which sections of a message hold passages. In a message of the user, the application's template comes first
// and what the user wrote follows, so that nothing behind the question is a source; where the template begins with the
// question, what comes last counts. A system message is the application's.
type judge struct {
	*reader
	topic     *topic
	question  string // in a later message
	found     []section
	ownWords  bool // the user's own words have begun
	ignored   bool // they hold what looks like passages
	form      bool // a system message describes the answer
	asksFirst bool // the template begins with the question
	denied    bool // what was found is no passage
	regroup   bool // the next section replaces those before
	answered  int  // questions that the template shows with their answers

	questionStart, questionEnd int
}

// decide returns the sections that hold passages.
func (j *judge) decide() []section {
	for i := range j.list {
		j.take(&j.list[i], i > 0 && j.list[i-1].step)
	}
	if n := len(j.found); n > 0 && j.denies(j.text[j.found[0].start:j.found[n-1].end], slices.ContainsFunc(j.found, section.announced)) {
		j.found, j.denied, j.ignored = nil, true, false
	}
	return j.found
}

// take reads a section. The input of an action, behind a step, is no question.
func (j *judge) take(s *section, step bool) {
	switch {
	case s.kind == plain && len(j.found) > 0:
		j.leaveTemplate()
	case s.kind == question && !step:
		j.ask(s)
	case s.kind == answer:
		j.readAnswer(s)
	case s.kind.mayHold() && (s.tagged || j.accepts(s)), s.isRulesHeading() && j.trim(s) && j.isDrawn(s) && j.topic.holdsMost(j.textOf(s)):
		j.add(s)
	}
}

// denies reports a text that is no passage, whatever it looks like: code, settings, or one without figures from which the answer was not
// drawn. announced says that its header names passages.
func (j *judge) denies(text string, announced bool) bool {
	f := readFeatures(text)
	switch {
	case f.code*2 > f.lines && slices.ContainsFunc(j.found, func(s section) bool { return !s.delimited }):
		return true
	case !j.topic.known(j.asking()):
		return false
	case j.system && len(j.found) == 1 && j.found[0].json && !announced: // settings
		return !j.topic.drawn(text, j.asking())
	}
	return f.vague(announced) && !j.topic.holdsMost(text)
}

// vague reports a text without figures; below a header that names passages only one that speaks of the answer, or a few words.
func (f *features) vague(announced bool) bool {
	return f.plain() && (!announced || f.talks*3 >= f.sentences || f.size < 2*shortSentence)
}

// plain reports a text with hardly a figure.
func (f *features) plain() bool { return f.figures == 0 || f.figures*fewFigures < f.sentences }

const fewFigures = 8 // of instructions one sentence in so many has a figure

// isRulesHeading reports instructions below a heading.
func (s *section) isRulesHeading() bool {
	return s.kind == rules && s.level > 0 && s.level < maxHeading
}

// announced reports a section whose header names passages.
func (s section) announced() bool { return s.kind == source && (!s.weak || s.leads) }

// asking is the question, as far as it is known.
func (j *judge) asking() string { return cmp.Or(j.question, j.text[j.questionStart:j.questionEnd]) }

// shows reports a template that announces examples before its passages.
func (j *judge) shows() bool {
	return j.examples >= 0 && (len(j.found) == 0 || j.examples <= j.found[0].start)
}

// ask reads a section of the question.
func (j *judge) ask(s *section) {
	if j.textOf(s) != "" && (!j.ownWords || j.questionEnd == 0) {
		j.questionStart, j.questionEnd = s.start, s.end
	}
	if len(j.found) > 0 {
		j.leaveTemplate()
	} else if !equalsAny(s.header, "user", "human") { // these are earlier turns of the conversation
		j.asksFirst = true
	}
}

// leaveTemplate notes that what comes next may be the user's own words.
func (j *judge) leaveTemplate() {
	switch {
	case j.system, j.shows():
	case j.asksFirst:
		j.regroup = true
	default:
		j.ownWords = true
	}
}

// readAnswer reads an answer. What a template shows before it is an example, unless the user wrote it.
func (j *judge) readAnswer(s *section) {
	switch none := len(j.found) == 0; {
	case isPlaceholder(strings.Trim(j.textOf(s), " *\"`")):
		return
	case j.system && (none || s.level > 0 && j.questionStart < j.found[0].start): // it describes the answer
		j.form = j.form || none && !j.shows() && !equalsAny(s.header, "assistant", "ai")
	case none:
	case j.system, j.shows(), j.asksFirst:
		j.found, j.questionStart, j.questionEnd = j.found[:0], 0, 0
	default:
		j.ownWords = true
	}
	j.answered++
}

// add adds a section unless the user wrote it.
func (j *judge) add(s *section) {
	if n := len(j.found); n > 0 {
		j.compare(s, &j.found[n-1])
	}
	short := len(j.found) == 1 && j.found[0].end-j.found[0].start < maxParagraph
	if examples := j.answered > 1 && short && j.isDrawn(s) && !j.topic.drawn(j.textOf(&j.found[0]), ""); examples {
		j.found, j.ownWords, j.ignored = j.found[:0], false, false
	}
	if j.ownWords {
		j.ignored = true
		return
	}
	if !s.weak { // what only a sentence announced was an instruction
		j.found = slices.DeleteFunc(j.found, func(f section) bool { return f.weak && !f.delimited && !f.leads })
	}
	j.found = append(j.found, *s)
}

// compare notes what a section says next to the last one: templates have one element or header of a name.
func (j *judge) compare(s, last *section) {
	same := s.tagged == last.tagged
	if same && !last.step && (s.tagged || !s.delimited && s.header != "" && strings.EqualFold(s.header, last.header)) {
		j.leaveTemplate()
	}
	if !j.ownWords && (j.regroup || j.asksFirst && !same) {
		j.found, j.regroup = j.found[:0], false
	}
}

// accepts reports a section that can only be passages, and cuts the question and instructions off its ends.
func (j *judge) accepts(s *section) bool {
	if !j.trim(s) {
		return false
	}
	text := j.textOf(s)
	used := j.asked || s.json && s.header == "" || j.mentions && s.delimited
	switch {
	case j.isDrawn(s):
		return true
	case isPlaceholder(firstParagraph(text)) || !used:
		return false
	case s.json:
		return s.acceptsJSON(text)
	}
	return !j.form && !s.tooShort(text) && j.acceptsText(s, text)
}

// firstParagraph is the text up to the first empty line.
func firstParagraph(s string) string {
	s, _, _ = strings.Cut(s, "\n\n")
	return s
}

// isDrawn reports a section of prose that the answer was drawn from, whatever its header says.
func (j *judge) isDrawn(s *section) bool {
	const least = 80
	text := j.textOf(s)
	if s.json || len(text) < least || !j.topic.drawn(text, j.asking()) {
		return false
	}
	f := readFeatures(text)
	return f.code*4 < f.lines && (!f.plain() || !f.part && j.topic.holdsMost(text))
}

// acceptsJSON reports JSON with a text. Below other headers it must hold a sentence and be no schema of a tool.
func (s *section) acceptsJSON(text string) bool {
	longest := longestText(text)
	return s.kind == source && longest > 12 || longest >= minInline && !strings.Contains(text, `"parameters"`) && !strings.Contains(text, `"properties"`)
}

// tooShort reports a word behind a label, or a few words below a sentence. Chinese and the like have no blanks to count.
func (s *section) tooShort(text string) bool {
	return (s.inline && !strings.ContainsAny(text, " \n") || s.weak && strings.Count(text, " ") < 4) && !hasWide(text)
}

func (j *judge) acceptsText(s *section, text string) bool {
	f := readFeatures(text)
	switch {
	case s.numbered:
		return (j.mentions || j.labelled || s.delimited) && f.size >= shortSentence
	case s.summary:
		return s.pairs || f.items < f.lines
	case s.kind == source:
		return s.pairs || j.acceptsNamed(s, &f, text)
	}
	return j.acceptsUnnamed(s, &f, strings.HasPrefix(text, "> "))
}

// acceptsUnnamed is acceptsText for a section whose header says nothing.
func (j *judge) acceptsUnnamed(s *section, f *features, quoted bool) bool {
	framed := s.delimited || quoted
	return (!s.weak || framed || f.figures > 0 && f.size >= longText) &&
		f.evidence(j.labelled || j.follows, framed || len(j.found) > 0, s.pairs)
}

// acceptsNamed is acceptsText for a section that something announces as passages.
func (j *judge) acceptsNamed(s *section, f *features, text string) bool {
	switch {
	case s.delimited:
		return true
	case s.weak && !s.leads:
		return !f.addressed() && !f.fragments()
	case j.system:
		return !f.fragments() && (j.mentions || !f.setsScene(text))
	}
	return true
}

// longestText is the length of the longest string of JSON.
func longestText(s string) (longest int) {
	start := -1
	for i := range len(s) {
		if s[i] == '"' && (i == 0 || s[i-1] != '\\') {
			if start >= 0 {
				longest = max(longest, i-start)
			}
			start = i
		}
	}
	return longest
}

// trim cuts the question and instructions off the ends of a section. It reports false for the end of a message that asks nothing.
func (j *judge) trim(s *section) bool {
	if s.open && !j.system && !j.labelled && !j.cutQuestion(s) && !j.asked {
		return false
	}
	if s.delimited || s.summary {
		return true
	}
	text, cut := strings.TrimRight(j.text[s.start:s.end], " \t\r\n"), 0
	if s.weak && !s.numbered {
		cut = skipInstructions(text)
	}
	if j.system || !s.open {
		text = cutRemarks(text)
	}
	s.end = s.start + max(cut, len(text))
	s.start += cut
	return true
}

// skipInstructions is where the first paragraph starts that does not address the model.
func skipInstructions(s string) (at int) {
	for {
		at = len(s) - len(strings.TrimLeft(s[at:], " \t\r\n"))
		if line, _ := lineAt(s, at); !isInstruction(line) {
			return at
		}
		next := strings.Index(s[at:], "\n\n")
		if next < 0 {
			return len(s)
		}
		at += next
	}
}

// cutRemarks cuts rules and paragraphs that address the model from its end.
func cutRemarks(s string) string {
	for {
		s = strings.TrimRight(s, " \t\r\n")
		at := strings.LastIndex(s, "\n\n")
		if line := strings.LastIndexByte(s, '\n'); line >= 0 && isRule(strings.TrimSpace(s[line:])) {
			at = line
		} else if at < 0 || !isInstruction(s[at:]) {
			return s
		}
		s = s[:at]
	}
}

// cutQuestion cuts the last paragraph off if it is a question or an instruction about the passages.
func (j *judge) cutQuestion(s *section) bool {
	const longest = 400
	text := strings.TrimRight(j.text[s.start:s.end], " \t\r\n")
	at := strings.LastIndex(text, "\n\n")
	if at < 0 || !hasQuestion(text[at:]) && !isInstruction(text[at:]) || len(text)-at > longest || isPlaceholder(strings.TrimSpace(text[:at])) {
		return false
	}
	s.end, s.open = s.start+at, false
	j.asked, j.questionStart, j.questionEnd = true, s.end, s.start+len(text)
	return true
}

func endsAsQuestion(s string) bool {
	return strings.HasSuffix(s, "?") || strings.HasSuffix(s, "？") || strings.HasSuffix(s, "؟")
}

// isInstruction reports a text that tells the model how to answer: it begins with a command and speaks of the answer.
func isInstruction(s string) bool {
	const mostWords = 40
	first := word(s, 0)
	switch class := classOf(first); {
	case class == 'i' && len(s) < longText:
		return true
	case isOneOf(class, "at"): // "Answer in English", but not "The user …" or "Answer key"
		second := word(s, 1)
		return second != "" && !equalsAny(first, "answers", "user", "users") && !equalsAny(second, "to", "key", "keys")
	case !isOneOf(class, "cg"):
		return false
	}
	about := !equalsAny(first, "do", "don", "always", "never", "please", "in", "remember", "keep", "provide", "when", "you", "note", "say", "be")
	n := 0
	for word := range words(s) {
		if n > 0 && concernsAnswer(word, about) {
			f := readFeatures(s)
			return f.sentences < 3 || f.talks*3 >= f.sentences
		}
		if n++; n > mostWords {
			break
		}
	}
	return false
}

// concernsAnswer reports a word of a command about the answer. about says that the command may be about the passages, too.
func concernsAnswer(word string, about bool) bool {
	c := classOf(word)
	return isOneOf(c, "aq") || c == 't' && !equalsAny(word, "user", "users") || about && (c == 's' || equalsAny(word, "know", "say"))
}
