package promptsources

import (
	"slices"
	"strings"
)

const (
	maxLabel    = 60 // bytes
	maxFailures = 8  // delimiters without a closing one, after which a message is left alone
	maxHeading  = 7  // the level of headings that are only framed
)

// section is a part of a message: a header, or none, and the text below it.
type section struct {
	start, end int    // of the text
	at, after  int    // of elements: with their tags
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
	pairs      bool // questions with answers
	open       bool // it ends with the message
	step       bool // a line of a transcript, such as "Thought: …" and "Observation: …", which begins with a question
	summary    bool // the task is its summary
}

// reader splits a message into sections, line by line.
type reader struct {
	text     string
	system   bool
	follows  bool      // the next message asks
	runs     []section // of elements, in their order
	list     []section
	present  section
	blank    bool   // the line before is empty
	asked    bool   // the message holds a question, asks for a summary, or the next one asks
	labelled bool   // a label says where the question is
	examples int    // where examples are announced, -1 for nowhere
	mentions bool   // instructions speak of passages
	led      bool   // the paragraph points at passages that follow
	summary  bool   // or at a text to summarize
	last     string // the last line of instructions in the section
	faq      string // the label of the questions of a FAQ
	failures int
}

// read returns the sections of the message.
func (r *reader) read() []section {
	r.examples, r.asked = -1, r.follows
	for at := 0; at < len(r.text); {
		line, next := lineAt(r.text, at)
		if len(r.runs) > 0 && r.runs[0].at < next {
			at = r.element(at)
			continue
		}
		if line = strings.TrimSpace(line); line == "" {
			if at = next; r.led {
				r.begin(next, section{start: next, kind: source, weak: true, leads: true, summary: r.summary})
				at = r.takeJSON(next)
			}
			r.blank, r.led, r.summary = true, false, false
			continue
		}
		at = r.line(line, at+strings.Index(r.text[at:next], line), next)
		if r.blank = false; r.failures > maxFailures || len(r.list) >= maxSections {
			return nil
		}
	}
	r.present.open = true
	r.begin(len(r.text), section{})
	if n := len(r.list); n > 0 {
		r.readLast(&r.list[n-1])
	}
	return r.list
}

// readLast reads the last section: a header for the answer asks for it, and below one that says nothing may be the question.
func (r *reader) readLast(s *section) {
	switch text := r.textOf(s); {
	case s.kind == answer:
		r.asked = r.asked || isPlaceholder(text)
	case s.kind == other && !r.system && endsAsQuestion(text) && !strings.Contains(text, "\n") && len(r.list) > 1:
		s.kind, r.asked, r.labelled = question, true, true
	}
}

func (r *reader) textOf(s *section) string { return strings.TrimSpace(r.text[s.start:s.end]) }

// begin ends the present section and begins another.
func (r *reader) begin(at int, s section) {
	p := &r.present
	if p.end = max(at, p.start); p.kind != plain || r.textOf(p) != "" {
		r.list = append(r.list, *p)
	}
	r.present, r.led, r.summary, r.last, r.faq = s, false, false, "", ""
	if s.kind == question {
		r.asked, r.labelled = true, true
	}
}

// element reads the line up to the next elements, and these.
func (r *reader) element(at int) int {
	run := r.runs[0]
	if r.runs = r.runs[1:]; run.at < at { // within a delimited section
		return at
	}
	if r.present.kind == answer && !r.blank { // the model's own
		return run.after
	}
	if before := strings.TrimSpace(r.text[at:run.at]); before != "" {
		r.line(before, at+strings.Index(r.text[at:], before), run.at)
	}
	r.begin(run.at, run)
	r.begin(run.end, section{start: run.after})
	return run.after
}

// loose reports a section that instructions may follow in the next line: one without a header, or with a label that does not
// announce passages.
func (r *reader) loose() bool {
	p := &r.present
	return p.kind == plain || p.level == 0 && (p.kind.isTurn() || p.kind == rules)
}

// line reads one line and returns where to go on.
func (r *reader) line(line string, at, next int) int {
	if to := r.delimiter(line, at, next); to > 0 {
		return to
	}
	if r.marker(line, at) {
		return next
	}
	if r.present.kind == plain {
		if end := r.jsonEnd(at); end > 0 {
			next = max(next, end)
			r.begin(at, section{start: at, kind: other, json: true, delimited: true})
			r.begin(end, section{start: next})
			return next
		}
	}
	h := parseHeader(line)
	if h.kind == plain && r.isTitle(line, next) {
		h = header{text: line, kind: kindOf(line), rest: len(line)}
	}
	if h.kind != plain && r.starts(&h, at, next) {
		return r.header(&h, line, at, next)
	}
	if r.loose() {
		r.instruct(line, next)
		r.last = line
	}
	if line == "Return any relevant text verbatim." && r.led { // LangChain's, with no empty line behind
		r.begin(next, section{start: next, kind: source, weak: true, leads: true})
	}
	return next
}

// marker reports a line with the marker of a passage that belongs to a section: the present one, or one that it begins.
func (r *reader) marker(line string, at int) bool {
	m, ok := parseMarker(line)
	if ok && r.loose() && r.present.kind != rules && (m.number <= 1 || m.style == ruleMarker) && m.style != plainMarker {
		r.begin(at, section{start: at, kind: source, numbered: true, weak: m.style == bracketMarker})
	}
	return ok && (r.present.kind != plain || m.style == plainMarker)
}

// instruct reads a sentence of instructions.
func (r *reader) instruct(line string, next int) bool {
	mentions, leads, summary, examples := points(line)
	r.mentions, r.led, r.summary = r.mentions || mentions, r.led || leads, r.summary || summary
	r.asked = r.asked || summary || !r.system && r.present.kind == plain && endsAsQuestion(line)
	if examples && r.examples < 0 {
		r.examples = next
	}
	return leads
}

// header begins a section below its header, and returns where to go on.
func (r *reader) header(h *header, line string, at, next int) int {
	s := section{start: next, header: h.text, kind: h.kind, level: h.level, weak: h.sentence, inline: h.inline, step: h.kind == other && r.isStep(h, at)}
	if h.inline {
		s.start = at + h.rest
	}
	if h.sentence || h.kind == rules || h.kind == other && !h.inline {
		if s.leads = r.instruct(line, next); s.leads && h.kind != rules {
			s.kind, s.summary = source, r.summary
		}
	}
	if r.begin(at, s); s.kind == ending {
		r.present = section{start: next}
		if n := len(r.list); n > 0 {
			r.list[n-1].delimited = true
		}
	}
	return r.takeJSON(next)
}

// takeJSON ends a section that begins with JSON behind it, and returns where to go on.
func (r *reader) takeJSON(next int) int {
	if r.present.kind.mayHold() {
		if end := r.jsonEnd(r.present.start); end > 0 {
			r.present.json, r.present.delimited = true, true
			next = max(next, end)
			r.begin(end, section{start: next})
		}
	}
	return next
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
	switch p := &r.present; {
	case r.isPair(h, at, next):
		return false
	case h.level > 0:
		return true
	case p.kind == plain:
		return !h.inline || h.kind != other || r.jsonEnd(at+h.rest) > 0
	case h.sentence: // on its own or among instructions
		return h.kind == source && p.kind != source && (r.blank || r.loose())
	}
	return r.startsLabel(h, at)
}

// isStep reports a label of a transcript: one behind the line of another label, or one that was there before.
func (r *reader) isStep(h *header, at int) bool {
	p := &r.present
	if r.blank || !p.inline || !p.step && !p.kind.isTurn() {
		return false
	}
	return h.inline && !strings.Contains(r.text[p.start:max(p.start, at-1)], "\n") ||
		slices.ContainsFunc(r.list, func(s section) bool { return s.step && strings.EqualFold(s.header, h.text) })
}

// startsLabel reports a label that begins a section behind another. In the line of a passage, "Source: x" and "Step 1" are text.
func (r *reader) startsLabel(h *header, at int) bool {
	p := &r.present
	switch {
	case h.kind == other:
		return !h.inline && r.blank || r.isStep(h, at)
	case h.kind.isTurn(), p.kind.isTurn():
		return true
	case h.kind == source:
		return r.startsSource(h)
	}
	return p.inline || r.blank && (!h.inline || !isPart(h.text))
}

// startsSource does so for a label of passages. Below a header of tools it is the name of one.
func (r *reader) startsSource(h *header) bool {
	p := &r.present
	if h.inline && p.kind == rules {
		return false
	}
	return !h.inline && (r.blank || p.inline) || p.kind != source && (r.blank || p.weak)
}

// isPart reports a label of a part of instructions, such as "Step 1" or "Example".
func isPart(s string) bool {
	return strings.Count(s, " ") > 1 || strings.ContainsAny(s, "0123456789") || classOf(word(s, 0)) == 'e'
}

// isPair reports a question or an answer of a list of questions with their answers.
func (r *reader) isPair(h *header, at, next int) bool {
	p := &r.present
	if !p.kind.mayHold() || !h.kind.isTurn() && !h.isLetter() {
		return false
	}
	first := strings.TrimSpace(r.text[p.start:at]) == ""
	if first && r.isAnswer(next) {
		r.faq, p.pairs = h.text, true
	}
	answers := h.kind == answer && h.inline
	switch {
	case strings.EqualFold(h.text, r.faq):
		return r.isAnswer(next)
	case r.faq == "":
		return answers && first && next-at-h.rest > shortSentence
	}
	return answers || len(h.text) <= 2
}

// isAnswer reports whether the line at the place is an answer of such a list.
func (r *reader) isAnswer(at int) bool {
	line, _ := lineAt(r.text, at)
	h := parseHeader(strings.TrimSpace(line))
	return h.isLetter() || h.inline && h.kind == answer && !strings.Contains(h.text, " ")
}

// isTitle reports a short line of its own over numbered passages or questions with answers.
func (r *reader) isTitle(line string, next int) bool {
	const mostWords, longest = 6, 50
	if r.present.kind != plain || len(line) > longest || strings.Count(line, " ") >= mostWords || r.last != "" && !r.blank ||
		strings.IndexByte(".!?,;:", line[len(line)-1]) >= 0 {
		return false
	}
	at := len(r.text) - len(strings.TrimLeft(r.text[next:], " \t\r\n"))
	first, after := lineAt(r.text, at)
	_, ok := parseMarker(first)
	return ok || parseHeader(first).inline && r.isAnswer(after)
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

// isLetter reports a label such as "Q:".
func (h *header) isLetter() bool { return h.inline && len(h.text) <= 2 }

const mostWords = 4 // of a label before a text

// parseHeader reads the header that a line is or begins with.
func parseHeader(line string) header {
	if inner := framed(line); inner != "" {
		return header{text: inner, rest: len(line), level: maxHeading, kind: framedKind(inner)}
	}
	if strings.HasPrefix(line, ">") { // the lines of a quotation belong together
		return header{}
	}
	h := findHeader(line)
	if paren := strings.Index(h.text, " ("); paren > 0 && strings.HasSuffix(h.text, ")") {
		h.text = strings.TrimSpace(h.text[:paren])
	}
	prose := h.inline && (strings.Count(h.text, " ") >= mostWords || strings.HasPrefix(line[h.rest:], "//")) // or a link
	if h.text == "" || prose || strings.ContainsAny(h.text, "(){}<>=\"") {
		return header{}
	}
	h.kind = kindOf(lastSentence(h.text))
	return h
}

// findHeader reads a heading, a label with a colon, words in capitals, or a sentence with a colon at its end. It sets no kind.
func findHeader(line string) (h header) {
	const longest = 400 // bytes of a sentence
	body, level := heading(line)
	at, size := colonAt(body)
	label := body[:max(at, 0)]
	inline := at >= 0 && strings.Trim(body[at+size:], " *") != ""
	switch {
	case level > 0 && len(line) <= maxLabel+maxHeading && (!inline || line[0] == '#'):
		h = header{text: strings.Trim(body, "#*_:： "), rest: len(line), level: level}
	case at >= 0 && len(label) <= maxLabel:
		h = header{text: strings.Trim(label, "#*_[] "), rest: len(line) - len(body) + len(label) + size, level: level, inline: inline}
		h.sentence = !inline && strings.Count(lastSentence(h.text), " ") > mostWords
	case isCapitals(line):
		h = header{text: line, rest: len(line), level: maxHeading}
	case len(line) <= longest && strings.TrimRight(line, ":：") != line:
		h = header{text: line, rest: len(line), sentence: true}
	}
	return h
}

// heading is a line without the marks before it, and the level that they give it, 0 for none.
func heading(line string) (body string, level int) {
	body = strings.TrimLeft(line, "#>* _")
	if level = len(line) - len(strings.TrimLeft(line, "#")); level == 0 && strings.HasPrefix(line, "**") && strings.HasSuffix(strings.TrimRight(line, ":"), "**") {
		level = maxHeading
	}
	return body, level
}

// isCapitals reports a few words in capitals, or one of a script without them, one of which names passages, the question or the like.
func isCapitals(line string) bool {
	capitals := line != strings.ToLower(line) || len(line) < minListed && !strings.Contains(line, " ") && !strings.HasSuffix(line, "。")
	return capitals && len(line) <= maxLabel && line == strings.ToUpper(line) && kindOf(line) > other &&
		(strings.Count(line, " ") < mostWords || !isOneOf(classOf(word(line, 0)), "cgi") && !slices.ContainsFunc(strings.Fields(line), func(w string) bool { return isIn("verb", w) }))
}

// lastSentence is the text behind the last full stop inside it.
func lastSentence(s string) string { return s[strings.LastIndex(s, ". ")+1:] }

// framed is the text of a line such as [CONTEXT], [/CONTEXT] or --- BEGIN CONTEXT ---, if that is a header.
func framed(line string) string {
	if line == "" || len(line) > maxLabel {
		return ""
	}
	if begins := word(line, 0); (begins == "BEGIN" || begins == "END") && kindOf(line) == source {
		return line
	}
	if !hasFrame(line) {
		return ""
	}
	inner := strings.Trim(line, "[]-=*~<!>|{} ")
	if paren := strings.Index(inner, " ("); paren > 0 && strings.HasSuffix(inner, ")") {
		inner = inner[:paren]
	}
	if k := framedKind(inner); k == other || k != ending && strings.ContainsAny(inner, "0123456789") {
		return ""
	}
	return inner
}

// hasFrame reports a line in brackets, in a comment of HTML, or between dashes and the like.
func hasFrame(line string) bool {
	first, last := line[0], line[len(line)-1]
	marks := first == last && strings.IndexByte("-=~*", last) >= 0 && !strings.HasPrefix(line, "**")
	return marks || first == '[' && last == ']' || strings.HasPrefix(line, "<|") && last == '>' || strings.HasPrefix(line, "<!--") && last == '>'
}

func framedKind(inner string) kind {
	if strings.HasPrefix(inner, "/") || equalsAny(word(inner, 0), "end", "ende", "fin") || strings.HasSuffix(strings.ToLower(inner), " end") {
		return ending
	}
	return kindOf(inner)
}
