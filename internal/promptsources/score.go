package promptsources

import "strings"

// judge decides which sections of a message hold passages. In a message of the user, the application's template comes first
// and what the user wrote follows, so that nothing behind the question is a source; where the template begins with the
// question, what comes last counts. A system message is the application's.
type judge struct {
	*reader
	found     []section
	ownWords  bool // the user's own words have begun
	ignored   bool // they hold what looks like passages
	form      bool // a system message describes the answer
	asksFirst bool // the template begins with the question
	regroup   bool // the next section replaces those before

	questionStart, questionEnd int
}

// decide returns the sections that hold passages.
func (j *judge) decide() []section {
	for i := range j.list {
		switch s := &j.list[i]; s.kind {
		case plain:
			if len(j.found) > 0 {
				j.leaveTemplate()
			}
		case question:
			j.ask(s)
		case answer:
			j.readAnswer(s, i)
		case source, other:
			if s.tagged || j.accepts(s) {
				j.add(s)
			}
		case rules, ending:
		}
		if j.ignored {
			break
		}
	}
	return j.found
}

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
func (j *judge) readAnswer(s *section, at int) {
	if isPlaceholder(strings.Trim(j.textOf(s), " *\"`")) {
		return
	}
	if j.system && (len(j.found) == 0 || s.level > 0 && j.questionStart < j.found[0].start) { // it describes the answer
		j.form = j.form || len(j.found) == 0 && !j.shows() && !equalsAny(s.header, "assistant", "ai")
		return
	}
	pair := at > 0 && j.list[at-1].kind == source && j.list[at-1].inline && !j.labelled
	switch {
	case len(j.found) == 0:
	case pair, j.system, j.shows(), j.asksFirst:
		j.found, j.questionStart, j.questionEnd = j.found[:0], 0, 0
	default:
		j.ownWords = true
	}
}

// add adds a section unless the user wrote it.
func (j *judge) add(s *section) {
	if n := len(j.found); n > 0 {
		last := &j.found[n-1]
		same := !j.system && !s.delimited && s.header != "" && strings.EqualFold(s.header, last.header)
		if s.tagged == last.tagged && (s.tagged || same) {
			j.leaveTemplate() // templates have one such header
		}
		if !j.ownWords && (j.regroup || j.asksFirst && last.tagged != s.tagged) {
			j.found, j.regroup = j.found[:0], false
		}
	}
	if j.ownWords {
		j.ignored = true
		return
	}
	if !s.weak { // what only a sentence announced was an instruction
		kept := j.found[:0]
		for _, f := range j.found {
			if !f.weak || f.delimited {
				kept = append(kept, f)
			}
		}
		j.found = kept
	}
	j.found = append(j.found, *s)
}

// accepts reports a section that can only be passages, and cuts instructions off its ends.
func (j *judge) accepts(s *section) bool {
	if s.open && !j.system && !j.labelled && !j.cutQuestion(s) && !j.asked {
		return false
	}
	if !s.delimited && !s.summary {
		j.trim(s)
	}
	text := j.textOf(s)
	bare := s.json && s.header == ""
	switch {
	case isPlaceholder(text) || !j.asked && !bare && (!j.mentions || !s.delimited):
		return false
	case s.json:
		s.asked = j.asked
		longest := longestText(text)
		return s.kind == source && longest > 12 || longest >= minInline && !strings.Contains(text, `"parameters"`) && !strings.Contains(text, `"properties"`)
	case j.form, s.inline && !strings.ContainsAny(text, " \n") && !hasWide(text), s.weak && strings.Count(text, " ") < 4 && !hasWide(text):
		return false
	}
	f := readFeatures(text)
	if s.kind == source && !s.numbered {
		return s.pairs || j.acceptsNamed(s, &f, text)
	}
	switch {
	case s.numbered:
		return f.isListed() || (j.mentions || j.labelled || s.delimited) && f.size >= shortSentence
	case j.labelled && !j.system:
		return f.size >= minInline && f.size >= f.sentences*shortSentence && !f.addressed() && !f.fragments() && f.labels*2 <= f.lines+f.records*4 && f.code*4 < f.lines
	}
	framed := s.delimited || strings.HasPrefix(text, "> ")
	return f.evidence(j.labelled || j.follows, framed || len(j.found) > 0, s.pairs || f.isListed()) &&
		(!s.weak || framed || f.figures > 0 && f.size >= longText)
}

// acceptsNamed is accepts for a section that something announces as passages.
func (j *judge) acceptsNamed(s *section, f *features, text string) bool {
	switch {
	case s.summary:
		return f.items < f.lines
	case j.system && s.inline && !j.mentions && f.labels > 0 && f.records == 0: // parts of a form, or examples
		return false
	case !j.system && s.inline && !j.labelled && s.namesScene() && f.lines == 1 && f.figures == 0:
		return false
	case s.weak && !s.leads && !s.delimited:
		return !f.addressed() && !f.fragments() && f.questions == 0
	case j.system && !s.delimited:
		return !f.fragments() && (j.mentions || !s.namesScene() || !f.setsScene(text))
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

// trim cuts instructions off the ends of a section.
func (j *judge) trim(s *section) {
	text := strings.TrimRight(j.text[s.start:s.end], " \t\r\n")
	cut := 0
	if s.weak && !s.numbered {
		for {
			cut = len(text) - len(strings.TrimLeft(text[cut:], " \t\r\n"))
			line, _ := lineAt(text, cut)
			if cut == len(text) || !isInstruction(line) {
				break
			}
			next := strings.Index(text[cut:], "\n\n")
			if next < 0 {
				next = len(text) - cut
			}
			cut += next
		}
		text = text[:cut] + cutInstructions(text[cut:])
	}
	for at := 0; at >= 0 && (j.system || !s.open); {
		text = strings.TrimRight(text, " \t\r\n")
		at = strings.LastIndex(text, "\n\n")
		if line := strings.LastIndexByte(text, '\n'); line >= 0 && (isRule(strings.TrimSpace(text[line:])) || pointsBack(text[line:])) {
			at = line
		} else if at < 0 || !isInstruction(text[at:]) {
			break
		}
		text = text[:at]
	}
	s.end = s.start + max(cut, len(text))
	s.start += cut
}

// pointsBack reports a line such as "The above is the knowledge base".
func pointsBack(s string) bool { return len(s) < maxLabel && equalsAny(word(s, 1), "above") }

// cutInstructions cuts lines from the end of a text that address the model.
func cutInstructions(s string) string {
	for {
		s = strings.TrimRight(s, " \t\r\n")
		at := strings.LastIndexByte(s, '\n')
		if at < 0 || !isInstruction(s[at+1:]) {
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
	if at < 0 || !endsAsQuestion(text) && !isInstruction(text[at:]) || len(text)-at > longest || isPlaceholder(strings.TrimSpace(text[:at])) {
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
	first, n := byte(0), 0
	about := false // commands that are about passages
	for word := range words(s) {
		c := classOf(word)
		switch {
		case n == 0:
			first, about = c, !equalsAny(word, "do", "don", "always", "never", "please", "in", "remember", "keep", "provide", "when", "you", "note", "say", "be")
			if first == 'i' && len(s) < longText {
				return true
			}
			if first != 'c' && first != 'g' && first != 'a' && first != 't' || equalsAny(word, "answers", "user", "users") {
				return false
			}
		case first != 'c' && first != 'g':
			return !equalsAny(word, "to", "key", "keys")
		case c == 'a', c == 'q', about && (c == 's' || equalsAny(word, "know", "say")), c == 't' && !equalsAny(word, "user", "users"):
			return true
		}
		if n++; n > mostWords {
			break
		}
	}
	return false
}

// namesScene reports a header under which prompts also tell the model its part, the date or the place.
func (s *section) namesScene() bool {
	key := stemKey(s.header)
	return containsAny("con kon bac hin", string(key[:])) || strings.HasPrefix(s.header, "背景") || strings.HasPrefix(s.header, "上下文")
}
