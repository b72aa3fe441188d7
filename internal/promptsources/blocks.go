package promptsources

import "strings"

const maxFailures = 8 // delimiters without a closing one, after which a message is left alone

// block is a part of a message that may hold passages.
type block struct {
	start, end int
	delimited  bool // it has an end of its own
	weak       bool // only an introduction says so, no header
	open       bool // nothing ends it but the message
	summary    bool // the task is its summary
}

// blockScanner finds blocks in a message line by line.
type blockScanner struct {
	text            string
	system          bool
	questionFollows bool // in the next message

	found    [maxBlocks]block
	count    int
	present  block
	inBlock  bool
	question bool // the message holds a question or asks for an answer
	mention  bool // the instructions speak of the passages
	failures int

	asked                      bool // the question goes on
	questionStart, questionEnd int

	leading     bool      // the paragraph introduces passages
	summary     bool      // the paragraph asks for a summary
	answered    bool      // the paragraph is an example's answer
	wasQuestion bool      // the line before is a question
	wasSource   bool      // the line before ends with a colon and names passages
	pending     labelKind // an answer's label whose text would be on the next lines
}

// scan returns the blocks that hold passages beyond doubt.
func (b *blockScanner) scan() []block {
	for at := 0; at < len(b.text); {
		line, next := lineAt(b.text, at)
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

// line reads one line and returns where to go on.
func (b *blockScanner) line(line string, at, next int) int {
	if line == "" {
		b.blankLine(next)
		return next
	}
	b.readPending(line)
	if to := b.delimiter(line, at, next); to > 0 {
		return to
	}
	kind, rest, heading := parseLabel(line)
	if heading && kind == noLabel && b.inBlock && namesSection(line) {
		kind = sectionLabel
	}
	if (kind == noLabel || kind == sourceLabel) && !b.inBlock && b.openNumbered(line, at) {
		return next
	}
	b.label(kind, rest, at+strings.Index(b.text[at:next], line), next, line)
	return next
}

// openNumbered starts a block at the first of numbered passages.
func (b *blockScanner) openNumbered(line string, at int) bool {
	m, ok := parseMarker(line)
	if !ok || m.number > 1 || m.style == plainMarker {
		return false
	}
	b.openBlock(at, m.style == bracketMarker)
	return true
}

// readPending drops examples whose answer is on the line after its label.
func (b *blockScanner) readPending(line string) {
	if b.pending == noLabel {
		return
	}
	b.pending = noLabel
	if kind, _, _ := parseLabel(line); kind == noLabel && !isFence(line) {
		b.dropExamples()
	}
}

// label reads a line that is not a delimiter.
func (b *blockScanner) label(kind labelKind, rest, at, next int, line string) {
	b.wasQuestion = kind == questionLabel || b.wasQuestion && kind == noLabel
	if kind == sourceLabel && (b.answered || b.isContent(line[:rest], at)) {
		return
	}
	if kind != noLabel {
		b.endQuestion(at)
	}
	switch {
	case kind == sourceLabel:
		b.header(at, rest, next, line)
	case kind != noLabel:
		b.section(kind, rest, at, line)
	case !b.inBlock:
		b.instruction(line, next)
	}
}

// header starts a block after a label that names passages.
func (b *blockScanner) header(at, rest, next int, line string) {
	b.closeBlock(at)
	b.dropWeak()
	start := at + rest
	if strings.Trim(line[rest:], " *") == "" {
		start = next
	}
	b.openBlock(start, false)
	b.wasSource = start == next
}

// section ends a block before the question, the answer or other instructions.
func (b *blockScanner) section(kind labelKind, rest, at int, line string) {
	b.closeBlock(at)
	b.leading, b.summary = false, false
	b.question = b.question || kind != sectionLabel
	switch answered := strings.Trim(line[rest:], " *\"`"); {
	case kind == questionLabel:
		b.asked, b.questionStart = true, at+rest
	case kind == answerLabel && !isPlaceholder(answered):
		b.dropExamples()
	case kind == answerLabel:
		b.pending = kind
	}
}

// instruction reads a line outside of blocks.
func (b *blockScanner) instruction(line string, next int) {
	lead, mention, summary := introduces(line)
	b.leading, b.mention, b.summary = b.leading || lead, b.mention || mention || lead, b.summary || summary
	b.wasSource = lead || strings.HasSuffix(line, ":") && mention
	if line == "Return any relevant text verbatim." { // LangChain's map step has the passage on the next line
		b.openBlock(next, true)
	}
}

// isContent reports a label that belongs to the passage it is in, such as the sources that an article names. What a prompt
// says about passages before their header is short.
func (b *blockScanner) isContent(label string, at int) bool {
	const instructions = 300 // bytes
	return b.inBlock && at-b.present.start > instructions && !announcesPassages(label)
}

func (b *blockScanner) endQuestion(at int) {
	if b.asked {
		b.asked, b.questionEnd = false, at
	}
}

// blankLine starts a weak block after a paragraph that introduces passages.
func (b *blockScanner) blankLine(next int) {
	if !b.inBlock && (b.leading || b.summary) {
		summary := b.summary && !b.leading
		b.openBlock(next, true)
		b.present.summary = summary
	}
	b.leading, b.summary, b.answered = false, false, false
}

// delimiter reads a line of dashes, quotes or the like. It returns where to go on after the delimited block, 0 for none.
func (b *blockScanner) delimiter(line string, at, next int) int {
	opener, closer, inner := parseDelimiter(line)
	if opener == "" {
		return 0
	}
	expected := b.wasSource || b.leading || b.wasQuestion || b.summary
	if b.inBlock {
		expected = strings.TrimSpace(b.text[b.present.start:at]) == ""
	}
	if !expected {
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
	b.endQuestion(at)
	b.inBlock = false
	b.dropWeak()
	b.found[b.count] = block{start: start, end: end, delimited: true, summary: b.summary}
	b.count++
	b.leading, b.wasQuestion, b.wasSource, b.summary = false, false, false, false
	return max(after, next)
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
