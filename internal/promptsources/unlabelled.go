package promptsources

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// part is a paragraph, a line that announces what follows, or the text between delimiters.
type part struct {
	start, end int
	text       string
	form       form
}

// form is how a part is written.
type form uint8

const (
	prose     form = iota
	announces      // a sentence that points at what follows
	closes         // the question, or an instruction about the answer
)

// unlabelled returns the passages of a message that has no sections, nil for none: the text below an order to work on it, what a
// sentence announces or a form sets off, and a message of nothing but facts. later says that the user asks in a later message,
// alone that a message may hold nothing but facts.
func (j *judge) unlabelled(later, alone bool) []section {
	if !j.isUnlabelled() {
		return nil
	}
	u := span{parts: parts(j.text)}
	if !j.findDrawn(&u, later, alone) {
		return nil
	}
	if !j.system && !later { // what stands behind it, else before it
		from, to := 0, max(u.first-1, 0)
		if u.last < len(u.parts) {
			from, to = u.last, len(u.parts)-1
		}
		j.questionStart, j.questionEnd = u.parts[from].start, u.parts[to].end
	}
	return []section{u.section()}
}

// section is the span as a section.
func (u *span) section() section {
	return section{start: u.parts[u.first].start, end: u.parts[u.last-1].end, kind: source, weak: true, delimited: true}
}

// findDrawn finds the parts that the answer was drawn from: all but the question and instructions at the ends. Users ask behind
// what they paste, or before it.
func (j *judge) findDrawn(u *span, later, alone bool) bool {
	n := len(u.parts)
	switch {
	case slices.ContainsFunc(j.found, func(s section) bool { return s.leads }):
		return false
	case j.system || later:
		return j.isDrawnSpan(u, 0, n) && (alone || u.last-u.first < n || len(j.text) > longText)
	case j.labelled:
		at := slices.IndexFunc(u.parts, func(p part) bool { return p.end > j.questionStart })
		return at > 0 && j.isDrawnSpan(u, 0, at)
	}
	return n > 1 && j.findPasted(u, n)
}

// findPasted does so in a message of n parts in which the user asks.
func (j *judge) findPasted(u *span, n int) bool {
	ordered := isOrder(u.parts[0].text)
	before := hasQuestion(u.parts[0].text) && !endsAsQuestion(u.parts[n-1].text)
	return (ordered || before && j.asks(u, 0, 1)) && j.isDrawnSpan(u, 1, n) || j.asks(u, n-1, n-1) && j.isDrawnSpan(u, 0, n-1)
}

// drawnParts finds the paragraph, the line, or in a message of one line the sentence with figures that holds most words of the answer,
// and those around it that are of its kind. It is for messages in which nothing else says where passages are.
func (j *judge) drawnParts() []section {
	j.questionEnd = j.questionStart + len(firstParagraph(j.text[j.questionStart:j.questionEnd]))
	if j.ignored || !j.topic.known(j.asking()) {
		return nil
	}
	for _, list := range [...][]part{parts(j.text), pieces(j.text)} {
		u := span{parts: list}
		if at := slices.IndexFunc(list, j.isDrawnPart); at >= 0 {
			j.spread(&u, at)
			if s := u.section(); j.isApart(&s) {
				return []section{s}
			}
		}
	}
	return nil
}

// isApart reports a section beside a question, or that the question is elsewhere. In one line of the user a label must say so.
func (j *judge) isApart(s *section) bool {
	return (j.system || strings.Contains(j.text, "\n") || strings.ContainsAny(j.text[:s.end], ":：") && !tellsOwn(j.text)) &&
		(j.system || j.labelled || hasQuestion(j.text[:s.start]+j.text[s.end:]))
}

// pieces are the lines of a text, the sentences if it is one line. Those in an element of instructions are none.
func pieces(s string) (list []part) {
	oneLine := !strings.Contains(s, "\n")
	for start, inRules := 0, false; start < len(s) && len(list) < maxParts; {
		_, end := lineAt(s, start)
		if oneLine {
			end = start + endOfSentence(s[start:])
		}
		if text := strings.TrimSpace(s[start:end]); text != "" {
			p := part{start: start, end: end, text: text, form: formOf(text, false)}
			if inRules = opensRules(text) || inRules && !strings.HasPrefix(text, "</"); inRules {
				p.form = closes
			}
			list = append(list, p)
		}
		start = end
	}
	return list
}

// endOfSentence is where the first sentence of a text ends.
func endOfSentence(s string) int {
	for i, r := range s {
		end := i + utf8.RuneLen(r)
		if r == '。' || r == '？' || strings.ContainsRune(".!?؟", r) && strings.HasPrefix(s[end:], " ") {
			return end
		}
	}
	return len(s)
}

// spread takes the parts around one, but for the question of the user at an end.
func (j *judge) spread(u *span, at int) {
	low, n := 0, len(u.parts)
	if !j.system && at < n-1 && hasQuestion(u.parts[n-1].text) {
		n--
	} else if asks := slices.IndexFunc(u.parts[:at], func(p part) bool { return hasQuestion(p.text) }); !j.system && !j.labelled {
		low = asks + 1
	}
	for u.first = at; u.first > low && j.isBeside(&u.parts[u.first-1]); {
		u.first--
	}
	for u.last = at + 1; u.last < n && j.isBeside(&u.parts[u.last]); {
		u.last++
	}
}

func (j *judge) isDrawnPart(p part) bool {
	f := readFeatures(p.text)
	return j.isBeside(&p) && f.figures > 0 && f.talks*2 < f.sentences && j.topic.holdsMost(p.text) && (j.system || !tellsOwn(p.text))
}

// isBeside reports a paragraph that may be a passage.
func (j *judge) isBeside(p *part) bool {
	inRules := slices.ContainsFunc(j.list, func(s section) bool { return s.isRulesHeading() && s.start < p.end && p.start < s.end })
	f := readFeatures(p.text)
	return !inRules && (f.figures > 0 || f.talks*2 < f.sentences) && !p.form.frames() && !givesPart(p.text) && (p.end <= j.questionStart || p.start >= j.questionEnd)
}

// tellsOwn reports a text in which someone speaks of himself, other than in a question: a story is no document.
func tellsOwn(s string) bool {
	for s != "" {
		end := strings.IndexAny(s, ".!?？\n")
		if end < 0 {
			end = len(s) - 1
		}
		last := ""
		for word := range words(s[:end]) {
			name := last != "" && word[0] < 'a' // "open My Orders"
			if s[end] != '?' && (!name && isIn("own", word) || last == "I" && (isIn("verb", word) || isIn("own", "i-"+word))) {
				return true
			}
			last = word
		}
		s = s[end+1:]
	}
	return false
}

// asks reports a part that is a question, has one before it, or is an order, if an empty line at the place and much text are next
// to it.
func (j *judge) asks(u *span, part, gap int) bool {
	p, before := &u.parts[part], &u.parts[max(part-1, 0)]
	if j.question = p.text; endsAsQuestion(before.text) {
		j.question = before.text
	}
	apart := strings.Count(j.text[u.parts[gap-1].end:u.parts[gap].start], "\n") > 1
	return len(p.text) <= longText && (endsAsQuestion(p.text) || apart && (hasQuestion(j.question) || len(j.text) > 2*longText))
}

func hasQuestion(s string) bool {
	return strings.ContainsAny(s, "?？؟") || strings.Contains(s, "か。")
}

func (j *judge) isDrawnSpan(u *span, first, last int) bool {
	for first < last && u.parts[first].form.frames() {
		first++
	}
	for last > first && u.parts[last-1].form.frames() {
		last--
	}
	if u.first, u.last = first, last; first == last {
		return false
	}
	s := u.section()
	return (j.system || !tellsOwn(j.textOf(&s))) && j.isDrawn(&s)
}

// frames reports a part that stands around passages.
func (f form) frames() bool { return f == announces || f == closes }

// isUnlabelled reports a message of which no section is clearly passages, the question, or a description of the answer.
func (j *judge) isUnlabelled() bool {
	const longest = 1 << 20
	return len(j.text) <= longest && !j.form && !j.ignored && !j.denied &&
		!slices.ContainsFunc(j.found, func(s section) bool { return !s.weak || s.summary || s.delimited })
}

// span is a run of parts that may be passages: parts[first:last].
type span struct {
	parts       []part
	first, last int
}

const maxParts = 400 // of a message

// parts splits a text at empty lines, at lines that announce something, and at delimiters.
func parts(s string) (list []part) {
	open := false // a paragraph
	list = make([]part, 0, 16)
	for at := 0; at < len(s) && len(list) < maxParts; {
		line, next := lineAt(s, at)
		trimmed := strings.TrimSpace(line)
		f := formOf(trimmed, len(list) == 0)
		switch {
		case trimmed == "", isRule(trimmed):
			open = false
		case f == announces, !open:
			list = append(list, part{start: at, end: at + len(line), form: f})
			open = f != announces
		default:
			list[len(list)-1].end = at + len(line)
		}
		at = next
	}
	for i := range list {
		p := &list[i]
		p.text = strings.TrimSpace(s[p.start:p.end])
		if p.form == prose && (endsAsQuestion(p.text) || isInstruction(p.text)) {
			p.form = closes
		}
	}
	return list
}

// formOf is how a line is written. The first line of a message may announce with an order.
func formOf(line string, first bool) form {
	const longest = 160
	switch {
	case line == "":
		return prose
	case opensRules(line):
		return closes
	case first && strings.HasSuffix(line, ":") && isOrder(line):
		return announces
	case len(line) <= longest && !endsAsQuestion(line) && isAnnouncement(line):
		return announces
	}
	return prose
}

// opensRules reports a tag of instructions. A page of HTML has passages.
func opensRules(line string) bool {
	tag, _, _ := strings.Cut(line, ">")
	tag, opens := strings.CutPrefix(tag, "<")
	return opens && (isIn("hidden", tag) && !equalsAny(tag, "html", "body") || kindOf(tag) == rules)
}

// isAnnouncement reports a sentence that points at facts below it.
func isAnnouncement(line string) bool {
	if line[0] == '<' || strings.Contains(line, ": ") {
		return false
	}
	in := classesOf(line)
	points, short := in['p'] || strings.HasSuffix(line, ":"), len(line) < 2*maxLabel
	return !in.any("rewy") && (points && in.any("snf") || in.any("sn") && (in['f'] && short || strings.Count(line, " ") < 3))
}

// classes are those of the words of a text, and p, f and k for words of the lists pointing, finding and work.
type classes [128]bool

func classesOf(s string) (in classes) {
	for word := range words(s) {
		in[classOf(word)] = true
		in['p'] = in['p'] || isIn("pointing", word)
		in['f'] = in['f'] || isIn("finding", word)
		in['k'] = in['k'] || isIn("work", word)
	}
	return in
}

func (in *classes) any(list string) bool {
	return strings.ContainsFunc(list, func(c rune) bool { return in[c] })
}

// isOrder reports a sentence that orders work on the text below it.
func isOrder(s string) bool {
	const longest = 300
	if len(s) > longest {
		return false
	}
	in := classesOf(s)
	return in.any("sn") && in['p'] && (in.any("wyak") || endsAsQuestion(s))
}
