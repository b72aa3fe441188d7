package promptsources

import "strings"

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
	asked      bool // the message asks something outside of it
	pairs      bool // questions with answers
	open       bool // it ends with the message
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
			if at = next; r.loose() && r.led {
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
	case s.kind == other && !r.system && !s.json && endsAsQuestion(text) && !strings.Contains(text, "\n") && len(r.list) > 1:
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
	return p.kind == plain || p.level == 0 && (p.kind == question || p.kind == answer || p.kind == rules)
}

// line reads one line and returns where to go on.
func (r *reader) line(line string, at, next int) int {
	if to := r.delimiter(line, at, next); to > 0 {
		return to
	}
	p := &r.present
	if m, ok := parseMarker(line); ok {
		if r.loose() && p.kind != rules && m.number <= 1 && m.style != plainMarker {
			r.begin(at, section{start: at, kind: source, numbered: true, weak: m.style == bracketMarker})
		}
		if p.kind != plain || m.style == plainMarker {
			return next
		}
	}
	if p.kind == plain && (line[0] == '{' || line[0] == '[') {
		if end := r.jsonEnd(at); end > 0 {
			r.begin(at, section{start: at, kind: other, json: true, delimited: true})
			r.begin(end, section{start: max(next, end)})
			return max(next, end)
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

// instruct reads a sentence of instructions.
func (r *reader) instruct(line string, next int) (leads bool) {
	mentions, leads, summary, examples := points(line)
	r.mentions, r.led = r.mentions || mentions, r.led || leads
	r.summary = r.summary || summary
	r.asked = r.asked || summary || !r.system && r.present.kind == plain && endsAsQuestion(line)
	if examples && r.examples < 0 {
		r.examples = next
	}
	return leads
}

// header begins a section below its header, and returns where to go on.
func (r *reader) header(h *header, line string, at, next int) int {
	s := section{start: next, header: h.text, kind: h.kind, level: h.level, weak: h.sentence, inline: h.inline}
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
	if k := r.present.kind; k == source || k == other {
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
	p := &r.present
	passages := p.kind == source
	switch {
	case r.isPair(h, at, next):
		return false
	case r.asksLast(h, at, next):
		h.kind = question
	case p.kind == plain:
		return h.level > 0 || !h.inline || h.kind != other
	case h.level == maxHeading && h.kind == source && passages && p.level == 0:
		return false
	case h.level > 0:
		return (p.level == 0 || h.level <= p.level || !passages && h.kind != other) && (h.kind != other || p.level > 0 || !passages)
	case h.sentence:
		return !passages && h.kind == source && (r.blank || r.loose())
	case h.kind == rules: // in passages not "Step 1" or "Example"
		short := strings.Count(h.text, " ") <= 1 && !strings.ContainsAny(h.text, "0123456789") && classOf(word(h.text, 0)) != 'e'
		return p.kind == question || p.kind == answer || p.inline || r.blank && (!h.inline || short)
	case h.kind == source:
		return p.kind == question || p.kind == answer || !h.inline && (r.blank || p.inline) || !passages && (r.blank || p.weak)
	case h.kind == other:
		return !h.inline && r.blank
	}
	return true
}

// asksLast reports a label in the last line of a user's message, but for that of the answer: it stands before the question
// whatever its name is.
func (r *reader) asksLast(h *header, at, next int) bool {
	const mostWords = 3
	if r.system || r.labelled || !r.blank || h.kind != other || !h.inline || h.level > 0 || strings.Count(h.text, " ") >= mostWords ||
		len(r.list) == 0 && r.present.kind == plain {
		return false
	}
	behind := strings.TrimSpace(r.text[next:min(len(r.text), next+2*maxLabel)])
	return behind == "" || len(behind) <= maxLabel && strings.HasSuffix(behind, ":")
}

// isPair reports a question or an answer of a list of questions with their answers.
func (r *reader) isPair(h *header, at, next int) bool {
	p := &r.present
	if p.kind != source && p.kind != other || h.kind != question && h.kind != answer && (!h.inline || len(h.text) > 2) {
		return false
	}
	first := strings.TrimSpace(r.text[p.start:at]) == ""
	if r.faq == "" && first && !p.inline && r.isAnswer(next) {
		r.faq, p.pairs = h.text, true
	}
	if strings.EqualFold(h.text, r.faq) {
		return r.isAnswer(next)
	}
	filled := h.inline && next-at-h.rest > shortSentence
	return h.kind == answer && h.inline && (r.faq != "" || first && filled) || r.faq != "" && len(h.text) <= 2
}

// isAnswer reports whether the line at the place is an answer of such a list.
func (r *reader) isAnswer(at int) bool {
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

// parseHeader reads the header that a line is or begins with.
func parseHeader(line string) (h header) {
	const mostWords, longest = 4, 400 // words before a text, bytes of a sentence
	if inner := framed(line); inner != "" {
		return header{text: inner, rest: len(line), level: maxHeading, kind: framedKind(inner)}
	}
	body := strings.TrimLeft(line, "#>* _")
	marks, level := len(line)-len(body), 0
	if strings.HasPrefix(line, "#") {
		level = len(line) - len(strings.TrimLeft(line, "#"))
	} else if strings.HasPrefix(line, "**") && strings.HasSuffix(strings.TrimRight(line, ":"), "**") {
		level = maxHeading
	}
	at, size := colonAt(body)
	found := at >= 0
	label := body[:max(at, 0)]
	ends := found && strings.Trim(body[at+size:], " *") == ""
	switch {
	case level > 0 && len(line) <= maxLabel+maxHeading && (!found || ends || line[0] == '#'):
		h = header{text: strings.Trim(body, "#*_:： "), rest: len(line), level: level}
	case found && len(label) <= maxLabel:
		h = header{text: strings.Trim(label, "#*_[] "), rest: marks + len(label) + size, level: level, inline: !ends}
		h.sentence = ends && strings.Count(lastSentence(h.text), " ") > mostWords
	case len(line) <= maxLabel && line == strings.ToUpper(line) && kindOf(line) > other && strings.Count(line, " ") < mostWords:
		h = header{text: line, rest: len(line), level: maxHeading}
	case len(line) <= longest && (strings.HasSuffix(line, ":") || strings.HasSuffix(line, "：")):
		h = header{text: line, rest: len(line), sentence: true}
	}
	if paren := strings.Index(h.text, " ("); paren > 0 && strings.HasSuffix(h.text, ")") {
		h.text = strings.TrimSpace(h.text[:paren])
	}
	if h.text == "" || strings.ContainsAny(h.text, "(){}<>=\"") || h.inline && (strings.Count(h.text, " ") >= mostWords || strings.HasPrefix(line[h.rest:], "//")) {
		return header{}
	}
	h.kind = kindOf(lastSentence(h.text))
	return h
}

// lastSentence is the text behind the last full stop inside it.
func lastSentence(s string) string { return s[strings.LastIndex(s, ". ")+1:] }

// framed is the text of a line such as [CONTEXT], [/CONTEXT] or --- BEGIN CONTEXT ---, if that is a header.
func framed(line string) string {
	if line == "" {
		return ""
	}
	first, last := line[0], line[len(line)-1]
	lines := first == last && strings.IndexByte("-=~*", last) >= 0 && !strings.HasPrefix(line, "**")
	if begins := word(line, 0); len(line) <= maxLabel && (begins == "BEGIN" || begins == "END") && kindOf(line) == source {
		return line
	}
	if len(line) > maxLabel || !lines && (first != '[' || last != ']') && (!strings.HasPrefix(line, "<!--") || last != '>') {
		return ""
	}
	inner := strings.Trim(line, "[]-=*~<!> ")
	if k := framedKind(inner); inner == "" || k == other || k != ending && strings.ContainsAny(inner, "0123456789") {
		return ""
	}
	return inner
}

func framedKind(inner string) kind {
	if strings.HasPrefix(inner, "/") || equalsAny(word(inner, 0), "end", "ende", "fin") || strings.HasSuffix(strings.ToLower(inner), " end") {
		return ending
	}
	return kindOf(inner)
}
