package promptsources

import "strings"

const maxFailures = 8 // delimiters without a closing one, after which a message is left alone

// block is a part of a message that may hold passages.
type block struct {
	start, end int
	tagged     bool // elements with tags
	delimited  bool // it has an end of its own
	weak       bool // only an introduction says so, no header
	open       bool // nothing ends it but the message
	summary    bool // the task is its summary
	scene      bool // its header names the situation, too, such as "Context"
	listed     bool // it is a part of a form or list that something else introduces
	inline     bool // it begins in the line of its header
}

// blockScanner finds blocks in a message line by line. A system message is the application's. In a message of the user, the
// application's template comes first and what the user wrote follows, so that nothing behind the question is a source; where
// the template begins with the question, what comes last counts.
type blockScanner struct {
	text            string
	system          bool
	questionFollows bool                  // in the next message
	runs            [maxBlocks / 2]tagRun // in their order
	runCount        int
	run             int // the next one

	found    [maxBlocks]block
	count    int
	present  block
	inBlock  bool
	question bool // the message holds a question or asks for an answer
	mention  bool // the instructions speak of the passages
	failures int

	ownWords  bool // the user's own words have begun
	ignored   bool // they hold what looks like passages
	examples  bool // the template announces examples
	asksFirst bool // the template begins with the question
	regroup   bool // the next block replaces those before

	asked                      bool // the question goes on
	questionStart, questionEnd int

	leading     bool      // the paragraph introduces passages
	summary     bool      // the paragraph asks for a summary
	answered    bool      // the paragraph is an example's answer
	blank       bool      // the line before is empty
	wasQuestion bool      // the line before is a question
	wasSource   bool      // the line before names passages
	wasList     bool      // the line before announces something else
	form        bool      // a system message describes the answer
	pending     labelKind // an answer's label whose text would be on the next lines

	label string // of the present block's header
	level int    // of that header, if it is a heading
	below bool   // the block is below its header, not behind it
	faq   string // the label of its questions, if it is a list of questions and answers
}

// scan returns the blocks that hold passages.
func (b *blockScanner) scan() []block {
	for at := 0; at < len(b.text) && !b.ignored; {
		line, next := lineAt(b.text, at)
		if b.run < b.runCount && b.runs[b.run].start < next {
			at = b.addRun(at)
			continue
		}
		at = b.line(strings.TrimSpace(line), at, next)
		if b.failures > maxFailures || b.count == maxBlocks {
			return nil
		}
	}
	b.endQuestion(len(b.text))
	if b.inBlock {
		b.present.open = true
		b.closeBlock(len(b.text))
	}
	return b.certain()
}

// addRun reads the line that starts at the place up to the next elements with tags, and these.
func (b *blockScanner) addRun(at int) int {
	r := b.runs[b.run]
	b.run++
	if r.start < at { // within a delimited block
		return at
	}
	if before := strings.TrimSpace(b.text[at:r.start]); before != "" {
		b.line(before, at, r.start)
	}
	b.endQuestion(r.start)
	b.closeBlock(r.start)
	b.dropWeak()
	if b.count > 0 && b.found[b.count-1].tagged {
		b.leaveTemplate()
	}
	b.addFound(block{start: r.start, end: r.end, tagged: true, delimited: true})
	b.leading, b.summary, b.wasSource = false, false, false
	return r.end
}

// line reads one line and returns where to go on.
func (b *blockScanner) line(line string, at, next int) int {
	if line == "" {
		return b.blankLine(next)
	}
	b.readPending(line)
	if to := b.delimiter(line, at, next); to > 0 {
		return to
	}
	kind, rest, level := parseLabel(line)
	if level > 0 && kind == noLabel && b.inBlock && level <= b.level && namesSection(line) {
		kind = sectionLabel
	}
	if (kind == noLabel || kind == sourceLabel) && !b.inBlock && b.openNumbered(line, at) {
		return next
	}
	to := b.readLabel(kind, rest, level, at+strings.Index(b.text[at:next], line), next)
	b.blank = false
	return to
}

// openNumbered starts a block at the first of numbered passages.
func (b *blockScanner) openNumbered(line string, at int) bool {
	m, ok := parseMarker(line)
	if !ok || m.number > 1 || m.style == plainMarker {
		return false
	}
	b.openBlock(at, m.style == bracketMarker)
	b.present.listed = b.wasList
	return true
}

// readPending ends an answer whose text is on the line after its label.
func (b *blockScanner) readPending(line string) {
	if b.pending == noLabel {
		return
	}
	b.pending = noLabel
	if kind, _, _ := parseLabel(line); kind == noLabel && !isFence(line) {
		b.answer()
	}
}

// readLabel reads a line that is not a delimiter and returns where to go on.
func (b *blockScanner) readLabel(kind labelKind, rest, level, at, next int) int {
	line := strings.TrimSpace(b.text[at:next])
	b.wasQuestion = kind == questionLabel || b.wasQuestion && kind == noLabel
	if b.isContent(kind, line[:rest], line[rest:], level, at) {
		return next
	}
	if kind != noLabel {
		b.endQuestion(at)
	}
	switch {
	case kind == sourceLabel:
		return b.header(at, rest, level, next, line)
	case kind == endLabel:
		b.endBlock(at)
	case kind != noLabel:
		b.section(kind, rest, at, line)
	case !b.inBlock:
		return b.instruction(line, next)
	}
	return next
}

// isContent reports a label that belongs to the passage it is in, such as the sources that an article names.
func (b *blockScanner) isContent(kind labelKind, label, text string, level, at int) bool {
	if !b.inBlock {
		return kind == sourceLabel && b.answered
	}
	filled := strings.Trim(text, " *\"`") != ""
	switch kind {
	case sourceLabel:
		return b.isInnerHeader(label, level, at)
	case sectionLabel:
		inline := b.below && !b.blank
		return level == 0 && (inline || filled && announcesExamples(label))
	case questionLabel, answerLabel:
		return filled && b.isInPairs(kind, labelText(label), at)
	case noLabel, endLabel:
	}
	return false
}

func (b *blockScanner) isInnerHeader(label string, level, at int) bool {
	const instructions = 300 // bytes; what a prompt says about passages before their header is short
	deeper := b.level > 0 && level > b.level
	return b.answered || deeper || at-b.present.start > instructions && !announcesPassages(label)
}

// isInPairs reports a question or answer of a passage: of a list of questions with their answers, or what looks like one
// where no question was asked.
func (b *blockScanner) isInPairs(kind labelKind, label string, at int) bool {
	first := strings.TrimSpace(b.text[b.present.start:at]) == ""
	if kind == answerLabel {
		return b.faq != "" || first || b.system && !b.question
	}
	if b.faq == "" && b.below && first && isAnsweredNext(b.text, at) {
		b.faq = label
	}
	return b.faq != "" && strings.EqualFold(label, b.faq)
}

// isAnsweredNext reports whether the line after the one at the place is an answer.
func isAnsweredNext(s string, at int) bool {
	_, next := lineAt(s, at)
	line, _ := lineAt(s, next)
	kind, rest, _ := parseLabel(strings.TrimSpace(line))
	return kind == answerLabel && strings.Trim(strings.TrimSpace(line)[rest:], " *") != ""
}

// header starts a block after a label that names passages, and returns where to go on.
func (b *blockScanner) header(at, rest, level, next int, line string) int {
	label := labelText(line[:rest])
	if b.inBlock && !b.present.weak && !b.system && strings.EqualFold(label, b.label) && announcesPassages(label) {
		b.beginOwnWords(at) // templates have one such header
	}
	b.closeBlock(at)
	b.dropWeak()
	start := at + rest
	below := strings.Trim(line[rest:], " *") == ""
	if below {
		start = next
	}
	b.openBlock(start, false)
	b.present.scene = namesScene(label)
	b.present.listed = b.wasList && !below || b.form
	b.present.inline = !below
	b.label, b.level, b.below, b.wasSource = label, level, below, below
	return b.takeJSON(next)
}

// endBlock ends a block by a line that says so.
func (b *blockScanner) endBlock(at int) {
	b.present.delimited = b.inBlock
	b.closeBlock(at)
}

// section ends a block before the question, the answer or other instructions.
func (b *blockScanner) section(kind labelKind, rest, at int, line string) {
	pair := b.inBlock && !b.question && !b.blank && !b.below
	b.closeBlock(at)
	b.leading, b.summary, b.wasList = false, false, false
	text := strings.Trim(line[rest:], " *\"`")
	switch kind {
	case questionLabel:
		b.question = true
		if text == "" || !isPlaceholder(text) {
			b.ask(at+rest, labelText(line[:rest]))
		}
	case answerLabel:
		b.question = true
		b.readAnswer(text, pair)
	default:
		b.examples = b.examples || b.count == 0 && announcesExamples(line[:rest])
		b.wasList = text == ""
	}
}

// readAnswer reads the text behind the label of an answer. pair says that it follows an input without a question.
func (b *blockScanner) readAnswer(text string, pair bool) {
	b.form = b.form || b.system && b.count == 0 && !b.examples
	switch {
	case isPlaceholder(text):
		b.pending = answerLabel
	case pair:
		b.dropBlocks()
	default:
		b.answer()
	}
}

// ask reads the label of a question.
func (b *blockScanner) ask(start int, label string) {
	b.asked, b.questionStart = true, start
	if b.count == 0 {
		b.asksFirst = !equalsAny(label, "user", "human") // these are earlier turns of the conversation
		return
	}
	b.leaveTemplate()
}

// leaveTemplate notes that what comes next may be the user's own words.
func (b *blockScanner) leaveTemplate() {
	switch {
	case b.system, b.examples:
	case b.asksFirst:
		b.regroup = true
	default:
		b.ownWords = true
	}
}

// answer reads an answer. What a template shows before it is an example, unless the user wrote it.
func (b *blockScanner) answer() {
	switch {
	case b.count == 0:
		b.question, b.asked = false, false // a turn of the conversation
	case b.system, b.examples, b.asksFirst:
		b.dropBlocks()
	default:
		b.ownWords = true
	}
	b.answered = true
}

func (b *blockScanner) beginOwnWords(at int) {
	b.closeBlock(at)
	b.ownWords = true
}

// instruction reads a line outside of blocks, and returns where to go on.
func (b *blockScanner) instruction(line string, next int) (to int) {
	x := introduces(line)
	announces := strings.HasSuffix(line, ":")
	b.leading, b.mention, b.summary = b.leading || x.lead, b.mention || x.mention, b.summary || x.summary
	b.wasSource = x.mention || isSourceLabel(line[:min(maxLabel, len(line))])
	b.wasList = !x.lead && announces
	if b.count == 0 {
		b.examples = b.examples || x.examples
	} else {
		b.readBehind(line)
	}
	if x.lead && announces || line == "Return any relevant text verbatim." { // the latter is LangChain's
		b.openBlock(next, true)
		return b.takeJSON(next)
	}
	return next
}

// readBehind reads a line behind a block.
func (b *blockScanner) readBehind(line string) {
	b.question = b.question || !b.system && endsAsQuestion(line)
	b.leaveTemplate()
}

func (b *blockScanner) endQuestion(at int) {
	if b.asked {
		b.asked, b.questionEnd = false, at
	}
}

// blankLine starts a weak block after a paragraph that introduces passages, and returns where to go on.
func (b *blockScanner) blankLine(next int) (to int) {
	to = next
	if !b.inBlock && (b.leading || b.summary) {
		summary := b.summary && !b.leading
		b.openBlock(next, true)
		b.present.summary = summary
		to = b.takeJSON(next)
	}
	b.leading, b.summary, b.answered, b.wasSource, b.blank = false, false, false, false, true
	return to
}

// takeJSON closes a block that is a list or object of JSON, and returns where to go on.
func (b *blockScanner) takeJSON(next int) int {
	end := b.jsonEnd(b.present.start)
	if end == 0 {
		return next
	}
	b.present.delimited = true
	b.closeBlock(end)
	return max(next, end)
}

// delimiter reads a line of dashes, quotes or the like. It returns where to go on after the delimited block, 0 for none.
func (b *blockScanner) delimiter(line string, at, next int) int {
	opener, closer, inner := parseDelimiter(line)
	if opener == "" {
		return 0
	}
	if !b.expectsDelimiter(at) {
		return 0
	}
	start := next
	if inner >= 0 {
		start = at + strings.Index(b.text[at:next], line) + inner
	}
	end, after := findCloser(b.text, start, closer)
	if end < 0 {
		b.failures++
		if !b.inBlock {
			b.dropWeak()
			b.openBlock(start, false)
		} else {
			b.present.start = start
		}
		return next
	}
	if inner < 0 && opener == closer && isRule(line) {
		end, after = b.lastRule(end, after, closer)
	}
	b.endQuestion(at)
	b.inBlock = false
	b.dropWeak()
	b.addFound(block{start: start, end: end, delimited: true, summary: b.summary, scene: b.present.scene})
	b.leading, b.wasQuestion, b.wasSource, b.summary = false, false, false, false
	return max(after, next)
}

// expectsDelimiter reports whether passages are announced, or a block begins.
func (b *blockScanner) expectsDelimiter(at int) bool {
	if b.inBlock {
		return strings.TrimSpace(b.text[b.present.start:at]) == ""
	}
	return b.wasSource || b.leading || b.wasQuestion || b.summary
}

// lastRule goes on from a closing rule to the last one of the same kind, as long as no question, answer or instruction is
// between: rules separate passages, too.
func (b *blockScanner) lastRule(end, after int, rule string) (int, int) {
	for {
		nextEnd, nextAfter := findCloser(b.text, after, rule)
		if nextEnd < 0 || !isPassagePart(b.text[after:nextEnd]) {
			return end, after
		}
		end, after = nextEnd, nextAfter
	}
}

// isPassagePart reports a text between rules that is neither a question nor instructions.
func isPassagePart(s string) bool {
	s = strings.TrimSpace(s)
	if s == "" || endsAsQuestion(s) || isInstruction(s) {
		return false
	}
	for i := 0; i < len(s); {
		line, next := lineAt(s, i)
		if kind, _, _ := parseLabel(strings.TrimSpace(line)); kind == questionLabel || kind == answerLabel {
			return false
		}
		i = next
	}
	return true
}

// parseDelimiter reads a line that opens a delimited block. inner is where the block starts in the line, -1 for the next
// line.
func parseDelimiter(line string) (opener, closer string, inner int) {
	for _, pair := range [...][2]string{{`"""`, `"""`}, {"'''", "'''"}, {"```", "```"}, {"<<<", ">>>"}, {"###", "###"}, {"~~~", "~~~"}} {
		if !strings.HasPrefix(line, pair[0]) {
			continue
		}
		rest := strings.TrimLeft(line[len(pair[0]):], pair[0][:1])
		switch {
		case rest == "" || pair[0] == "```" && !strings.Contains(rest, " ") && len(rest) < 12:
			return pair[0], pair[1], -1
		case pair[0] == "###" || strings.HasPrefix(rest, " ") && pair[0] == "~~~":
			return "", "", -1 // a heading
		default:
			return pair[0], pair[1], len(line) - len(rest)
		}
	}
	if isRule(line) {
		return line, line, -1
	}
	return "", "", -1
}

// isRule reports a line of at least three equal marks.
func isRule(line string) bool {
	const shortest = 3
	return len(line) >= shortest && strings.IndexByte("-=_*~>#+", line[0]) >= 0 && strings.Trim(line, line[:1]) == ""
}

func isFence(line string) bool { opener, _, _ := parseDelimiter(line); return opener != "" }

// findCloser finds the closing delimiter: a line that is one, or for quotes one at the end of a line.
func findCloser(s string, from int, closer string) (end, after int) {
	quotes := len(closer) == 3 && !isRuleMark(closer[0])
	for at := from; at < len(s); {
		hit := strings.Index(s[at:], closer)
		if hit < 0 {
			return -1, -1
		}
		hit += at
		line, next := lineAt(s, hit)
		if lineStart := startOfLine(s, hit); strings.TrimSpace(s[lineStart:hit]) == "" && (quotes || strings.TrimSpace(line) == closer) {
			return lineStart, next
		}
		if quotes && strings.TrimSpace(line) == closer {
			return hit, next
		}
		at = hit + len(closer)
	}
	return -1, -1
}

func isRuleMark(b byte) bool { return strings.IndexByte("-=_*+", b) >= 0 }

// startOfLine looks back over blanks only.
func startOfLine(s string, i int) int {
	for i > 0 && (s[i-1] == ' ' || s[i-1] == '\t') {
		i--
	}
	return i
}
