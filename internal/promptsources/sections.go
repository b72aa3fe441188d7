package promptsources

import "strings"

const (
	maxSections = 100 // of one message
	maxLabel    = 60  // bytes
	maxFailures = 8   // delimiters without a closing one, after which a message is left alone
	maxHeading  = 7   // the level of headings that are only framed
)

// section is a part of a message: a header, or none, and the text below it.
type section struct {
	at         int    // where the header starts
	start, end int    // of the text
	header     string // without its marks; of elements the name
	kind       kind
	level      int  // of a heading, 0 for a label
	inline     bool // the text begins in the line of its header
	weak       bool // only a sentence announces it, no header
	leads      bool // that sentence points at what follows
	tagged     bool // elements with tags
	delimited  bool // it has an end of its own
	numbered   bool // it begins with the marker of a passage and has no header
	json       bool
	asked      bool // the message asks something outside of it
	pairs      bool // questions with answers
	open       bool // it ends with the message
}

// reader splits a message into sections, line by line.
type reader struct {
	text     string
	system   bool
	runs     []section // of elements, in their order
	list     []section
	present  section
	tail     int    // where the last paragraph starts, if it is one line
	blank    bool   // the line before is empty
	asked    bool   // a label of a question was read
	mentions bool   // instructions speak of passages
	summary  bool   // instructions ask for a summary of what follows
	led      bool   // the paragraph points at passages that follow
	last     string // the line before in a section without a header
	faq      string // the label of the questions of a FAQ
	failures int
}

// read returns the sections of the message.
func (r *reader) read() []section {
	r.tail = lastParagraph(r.text)
	for at := 0; at < len(r.text); {
		line, next := lineAt(r.text, at)
		if len(r.runs) > 0 && r.runs[0].start < next {
			at = r.element(at)
			continue
		}
		if line = strings.TrimSpace(line); line == "" {
			r.blankLine(next)
			at = next
		} else {
			at = r.line(line, at+strings.Index(r.text[at:next], line), next)
			r.blank = false
		}
		if r.failures > maxFailures || len(r.list) >= maxSections {
			return nil
		}
	}
	r.present.open = true
	r.close(len(r.text))
	return r.list
}

// lastParagraph is where the last paragraph starts that is more than the label of the answer; the end if it has several lines.
func lastParagraph(s string) int {
	s = strings.TrimSpace(s)
	if line := s[strings.LastIndexByte(s, '\n')+1:]; strings.HasSuffix(line, ":") && len(line) <= maxLabel {
		s = strings.TrimRight(strings.TrimSuffix(s, line), " \t\r\n")
	}
	at := strings.LastIndex(s, "\n\n") + 2
	if at < 2 || strings.Contains(s[at:], "\n") {
		return len(s)
	}
	return at
}

// element reads the line up to the next elements, and these.
func (r *reader) element(at int) int {
	run := r.runs[0]
	r.runs = r.runs[1:]
	if run.start < at { // within a delimited section
		return at
	}
	if before := strings.TrimSpace(r.text[at:run.start]); before != "" {
		r.line(before, at+strings.Index(r.text[at:], before), run.start)
	}
	r.close(run.start)
	r.list = append(r.list, run)
	r.begin(section{at: run.end, start: run.end})
	return run.end
}

func (r *reader) begin(s section) {
	r.present, r.led, r.last, r.faq = s, false, "", ""
}

func (r *reader) close(end int) {
	r.present.end = max(end, r.present.start)
	if r.present.kind != plain || strings.TrimSpace(r.text[r.present.start:r.present.end]) != "" {
		r.list = append(r.list, r.present)
	}
	r.begin(section{at: end, start: end})
}

// blankLine begins a section after a paragraph that points at passages.
func (r *reader) blankLine(next int) {
	if r.loose() && r.led {
		r.close(next)
		r.begin(section{at: next, start: next, kind: source, weak: true, leads: true})
		r.takeJSON()
	}
	r.blank, r.led = true, false
}

// line reads one line and returns where to go on.
func (r *reader) line(line string, at, next int) int {
	if to := r.delimiter(line, at, next); to > 0 {
		return to
	}
	p := &r.present
	if m, ok := parseMarker(line); ok {
		if (p.kind == plain || r.loose() && p.kind != rules) && m.number <= 1 && m.style != plainMarker {
			r.close(at)
			r.begin(section{at: at, start: at, kind: source, numbered: true, weak: m.style == bracketMarker})
		}
		if p.kind != plain || m.style == plainMarker {
			return next
		}
	}
	if p.kind == plain && (line[0] == '{' || line[0] == '[') {
		if end := r.jsonEnd(at); end > 0 {
			r.close(at)
			r.begin(section{at: at, start: at, kind: other, json: true, delimited: true})
			r.close(end)
			return max(next, end)
		}
	}
	h := parseHeader(line)
	if h.kind == plain && r.isTitle(line, next) {
		h = header{text: line, kind: kindOf(line), rest: len(line)}
	}
	if h.kind == plain || !r.starts(&h, at, next) {
		if r.loose() {
			r.instruction(line, next)
		}
		return next
	}
	return r.header(&h, line, at, next)
}

// loose reports a section that instructions may follow in the next line: one without a header, or with a label that does not
// announce passages.
func (r *reader) loose() bool {
	switch p := &r.present; p.kind {
	case question, answer, rules:
		return p.level == 0
	default:
		return p.kind == plain
	}
}

// instruction reads a line of a section without a header.
func (r *reader) instruction(line string, next int) {
	mentions, leads, summary := points(line)
	r.mentions, r.led, r.summary, r.last = r.mentions || mentions, r.led || leads, r.summary || summary, line
	if line == "Return any relevant text verbatim." && r.led { // LangChain's, with no empty line behind
		r.close(next)
		r.begin(section{at: next, start: next, kind: source, weak: true, leads: true})
	}
}

// header begins a section below its header, and returns where to go on.
func (r *reader) header(h *header, line string, at, next int) int {
	r.close(at)
	s := section{at: at, start: next, header: h.text, kind: h.kind, level: h.level, weak: h.sentence}
	if h.inline {
		s.start, s.inline = at+h.rest, true
	}
	if h.sentence {
		mentions, leads, summary := points(line)
		r.mentions, r.summary = r.mentions || mentions, r.summary || summary
		if s.leads = leads; leads && s.kind != rules {
			s.kind = source
		}
	}
	r.asked = r.asked || s.kind == question
	r.begin(s)
	if s.kind == ending {
		r.present = section{at: next, start: next}
		if n := len(r.list); n > 0 {
			r.list[n-1].delimited = true
		}
		return next
	}
	if end := r.takeJSON(); end > 0 {
		return max(end, next)
	}
	return next
}

// takeJSON ends a section that begins with JSON behind it, and returns where; 0 for other sections.
func (r *reader) takeJSON() int {
	if k := r.present.kind; k != source && k != other {
		return 0
	}
	end := r.jsonEnd(r.present.start)
	if end > 0 {
		r.present.json, r.present.delimited = true, true
		r.close(end)
	}
	return end
}

func (r *reader) jsonEnd(at int) int {
	end, failed := jsonEnd(r.text, at)
	if failed {
		r.failures++
	}
	return end
}

// starts reports whether a header begins a new section or belongs to the text of the present one.
func (r *reader) starts(h *header, at, next int) bool {
	p := &r.present
	switch {
	case r.isPair(h, at, next):
		return false
	case r.asksLast(h, at):
		h.kind = question
		return true
	case p.kind == plain:
		return h.level > 0 || !h.inline || h.kind != other
	case h.level > 0:
		return (p.level == 0 || h.level <= p.level || p.kind != source && h.kind != other) && (h.kind != other || p.level > 0 || p.kind != source)
	case h.sentence:
		return p.kind != source && h.kind == source && (r.blank || r.loose())
	}
	switch h.kind {
	case question, answer:
		return true
	case rules:
		return p.kind == question || p.kind == answer || p.inline || r.blank && (p.kind != source || !h.inline || h.isShort())
	case source:
		return p.kind == question || p.kind == answer || !h.inline && (r.blank || p.inline) || p.kind != source && (r.blank || p.weak)
	case plain, other, ending:
	}
	return h.kind == ending || !h.inline && r.blank
}

// asksLast reports a label in the last paragraph of a user's message, which stands before the question whatever its name is.
func (r *reader) asksLast(h *header, at int) bool {
	const mostWords = 3
	return !r.system && !r.asked && r.blank && at >= r.tail && len(r.list)+int(r.present.kind) > 0 && h.kind == other && h.inline && h.level == 0 &&
		strings.Count(h.text, " ") < mostWords
}

// isPair reports a question or an answer of a list of questions with their answers.
func (r *reader) isPair(h *header, at, next int) bool {
	p := &r.present
	if p.kind != source && p.kind != other || h.kind != question && h.kind != answer && !(h.inline && len(h.text) <= 2) {
		return false
	}
	first := strings.TrimSpace(r.text[p.start:at]) == ""
	if r.faq == "" && first && !p.inline && r.isAnsweredNext(next) {
		r.faq, p.pairs = h.text, true
	}
	if strings.EqualFold(h.text, r.faq) {
		return r.isAnsweredNext(next)
	}
	return h.kind == answer && (r.faq != "" && h.inline || first && h.inline) || r.faq != "" && len(h.text) <= 2
}

// isAnsweredNext reports whether the line at the place is an answer.
func (r *reader) isAnsweredNext(at int) bool {
	line, _ := lineAt(r.text, at)
	h := parseHeader(strings.TrimSpace(line))
	return h.inline && (h.kind == answer && !strings.Contains(h.text, " ") || len(h.text) <= 2)
}

// isTitle reports a short line of its own over numbered passages or questions with answers.
func (r *reader) isTitle(line string, next int) bool {
	const mostWords, longest = 6, 50
	if r.present.kind != plain || len(line) > longest || strings.Count(line, " ") >= mostWords || r.last != "" && !r.blank ||
		strings.IndexByte(".!?,;:", line[len(line)-1]) >= 0 {
		return false
	}
	for next < len(r.text) {
		line, after := lineAt(r.text, next)
		if line = strings.TrimSpace(line); line != "" {
			_, ok := parseMarker(line)
			return ok || r.isAnsweredNext(after) && parseHeader(line).inline
		}
		next = after
	}
	return false
}

// header is a line that names the text below it or behind it.
type header struct {
	text     string
	rest     int // where the text behind it starts in the line
	level    int
	kind     kind // plain: the line is no header
	inline   bool
	sentence bool // an instruction with a colon at its end
}

// isShort reports one or two words of instructions, not "Step 1" or "Example" as passages have them.
func (h *header) isShort() bool {
	word, _ := nextWord(h.text)
	return strings.Count(h.text, " ") <= 1 && !strings.ContainsAny(h.text, "0123456789") && !announcesExamples(word)
}

// parseHeader reads the header that a line is or begins with.
func parseHeader(line string) (h header) {
	const mostWords = 4 // before a text
	if h = framed(line); h.kind != plain {
		return h
	}
	marks := len(line) - len(strings.TrimLeft(line, "#>* _"))
	level := headingLevel(line)
	body := line[marks:]
	head := body[:min(len(body), maxLabel+8)]
	colon, size := strings.IndexByte(head, ':'), 1
	if wide := strings.Index(head, "："); wide >= 0 && (colon < 0 || wide < colon) {
		colon, size = wide, len("：")
	}
	ends := strings.HasSuffix(line, ":") || strings.HasSuffix(line, "：")
	switch {
	case level > 0 && (colon < 0 || marks+colon+size == len(line) || line[0] == '#' && len(line) <= maxLabel):
		h = header{text: strings.Trim(head, "#*_:： "), rest: len(line), level: level}
	case colon > 0 && colon <= maxLabel:
		h = header{text: strings.Trim(head[:colon], "#*_[] "), rest: marks + colon + size, level: min(level, maxHeading)}
		h.inline = strings.Trim(line[h.rest:], " *") != ""
		h.sentence = ends && !h.inline && strings.Count(lastSentence(h.text), " ") > mostWords
	case ends && len(line) <= 400:
		h = header{text: line, rest: len(line), sentence: true}
	}
	if paren := strings.Index(h.text, " ("); paren > 0 && strings.HasSuffix(h.text, ")") {
		h.text = strings.TrimSpace(h.text[:paren])
	}
	if h.text == "" || strings.ContainsAny(h.text, "(){}<>=\"") || h.inline && strings.Count(h.text, " ") >= mostWords || strings.HasPrefix(body[min(len(body), max(colon, 0)):], "://") {
		return header{}
	}
	h.kind = kindOf(lastSentence(h.text))
	return h
}

// lastSentence is the text behind the last full stop inside it.
func lastSentence(s string) string { return s[strings.LastIndex(s, ". ")+1:] }

// headingLevel is the level of a heading, 0 for other lines.
func headingLevel(line string) int {
	switch {
	case strings.HasPrefix(line, "#"):
		return len(line) - len(strings.TrimLeft(line, "#"))
	case strings.HasPrefix(line, "**") && strings.HasSuffix(strings.TrimRight(line, ":"), "**"):
		return maxHeading
	}
	return 0
}

// framed reads a line such as [CONTEXT], [/CONTEXT] or --- BEGIN CONTEXT ---.
func framed(line string) (h header) {
	const shortest = 3
	if len(line) < shortest || len(line) > maxLabel {
		return h
	}
	inner := strings.Trim(line, "-=*~ ")
	switch {
	case line[0] == '[' && line[len(line)-1] == ']':
		inner = line[1 : len(line)-1]
	case len(inner) == len(line) || strings.IndexByte("-=*~", line[len(line)-1]) < 0 || line[0] != line[len(line)-1] || line[:2] == "**":
		return h
	}
	h = header{text: inner, rest: len(line), level: maxHeading, kind: kindOf(inner)}
	word, _ := nextWord(inner)
	switch {
	case strings.HasPrefix(inner, "/") || equalsAny(word, "end", "ende", "fin"):
		h.kind = ending
	case h.kind == other || strings.ContainsAny(inner, "0123456789"):
		return header{}
	}
	return h
}
