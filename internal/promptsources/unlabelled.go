package promptsources

import (
	"slices"
	"strings"
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
	setOff         // quoted, in a table, a record, or between delimiters: it is no part of the instructions
	closes         // the question, or an instruction about the answer
)

// unlabelled returns the passages of a message that has no sections, nil for none: the text below an order to work on it, what a
// sentence announces or a form sets off, and a message of nothing but facts. later says that the user asks in a later message, alone that a message may hold nothing but facts.
func (j *judge) unlabelled(later, alone bool) []section {
	const longest = 1 << 20
	if len(j.text) > longest || j.form || j.ignored || j.labelled && !j.system || slices.ContainsFunc(j.found, func(s section) bool { return !s.weak || s.summary || s.delimited }) {
		return nil
	}
	list := parts(j.text)
	orders := !j.system && len(list) > 1 && isOrder(list[0].text)
	if len(list) == 0 || !orders && len(j.found) > 0 {
		return nil
	}
	first, last, announced := -1, len(list), orders
	for i, p := range list {
		switch {
		case orders && i == 0:
		case p.form == announces && first < 0:
			announced = true
		case p.form == setOff || first < 0 && announced && p.form == prose:
			if first < 0 {
				first = i
			}
		}
	}
	if !announced && first < 0 && alone && later {
		first = 0
	}
	for last > 0 && (list[last-1].form == closes || list[last-1].form == announces || !orders && list[last-1].form == prose && len(list[last-1].text) < minInline) {
		last--
	}
	if first < 0 || first >= last {
		return nil
	}
	if !orders && list[first].form == setOff { // what follows without a form is instructions
		for last > first && list[last-1].form != setOff {
			last--
		}
	}
	s := section{start: list[first].start, end: list[last-1].end, kind: source, weak: true, delimited: true}
	if line, next := lineAt(j.text, s.start); isBrace(line) {
		s.start = min(next, s.end)
	}
	if at := strings.LastIndexByte(j.text[s.start:s.end], '\n'); at >= 0 && isBrace(strings.TrimSpace(j.text[s.start+at:s.end])) {
		s.end = s.start + at
	}
	f := readFacts(j.text[s.start:s.end])
	asks := later || first > 0 && endsAsQuestion(list[0].text) || last < len(list)
	if seen := readFeatures(j.textOf(&s)); j.system && list[first].form == prose && seen.setsScene(j.textOf(&s)) {
		return nil
	}
	if !f.hold(orders, announced, list[first].form == setOff) || !orders && !asks {
		return nil
	}
	if !j.system && !later {
		j.questionStart, j.questionEnd = list[0].start, list[max(first-1, 0)].end
		if last < len(list) {
			j.questionStart, j.questionEnd = list[last].start, list[len(list)-1].end
		}
	}
	return []section{s}
}

// parts splits a text at empty lines, at lines that announce something, and at delimiters.
func parts(s string) (list []part) {
	const most = 400
	open := false // a paragraph
	list = make([]part, 0, 16)
	for at := 0; at < len(s) && len(list) < most; {
		line, next := lineAt(s, at)
		trimmed := strings.TrimSpace(line)
		f := formOf(trimmed)
		if len(list) == 0 && strings.HasSuffix(trimmed, ":") && isOrder(trimmed) {
			f = announces
		}
		switch {
		case trimmed == "" || isRule(trimmed):
			open = false
		case f == announces || !open || f != list[len(list)-1].form && f == setOff:
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

func formOf(line string) form {
	const longest = 160
	if line == "" {
		return prose
	}
	name, _, label := strings.Cut(line, ": ")
	switch {
	case line[0] == '>' || line[0] == '|' && strings.Count(line, "|") > 2,
		label && (isIn("title", name) || isIn("url", name) || equalsAny(name, "source", "file", "quelle", "fuente")):
		return setOff
	case isBrace(line):
		return setOff
	case len(line) <= longest && !endsAsQuestion(line) && isAnnouncement(line):
		return announces
	}
	return prose
}

// isBrace reports a line such as {context}, {{docs}}, [DOC] or a fence.
func isBrace(line string) bool {
	inner := strings.Trim(line, "{}[]/#% ")
	return len(line) < maxLabel && inner != line && inner != "" && !strings.ContainsAny(inner, " :,\"=()") &&
		(line[0] == '{' || line[0] == '[') && (line[len(line)-1] == '}' || line[len(line)-1] == ']') ||
		len(line) > 1 && (strings.Trim(line, "(") == "" || strings.Trim(line, ")") == "") || strings.HasPrefix(line, "```") && !isCode("```"+strings.TrimLeft(line, "`")) || strings.HasPrefix(line, "~~~")
}

// isAnnouncement reports a sentence that points at facts below it.
func isAnnouncement(line string) bool {
	if line[0] == '<' || strings.Contains(line, ": ") {
		return false
	}
	names, points, finds := false, strings.HasSuffix(line, ":"), false
	for word := range words(line) {
		switch classOf(word) {
		case 's', 'n':
			names = true
		case 'p':
			points = true
		case 'r', 'e', 'w', 'y':
			return false
		}
		points = points || isIn("pointing", word)
		finds = finds || isIn("finding", word)
	}
	return names && (points || finds && len(line) < 2*maxLabel) || finds && points || names && strings.Count(line, " ") < 3
}

// isOrder reports a sentence that orders work on the text below it.
func isOrder(s string) bool {
	const longest = 300
	works, names, points := endsAsQuestion(s), false, false
	for word := range words(s[:min(longest, len(s))]) {
		switch classOf(word) {
		case 'w', 'y', 'a':
			works = true
		case 's', 'n':
			names = true
		case 'p':
			points = true
		}
		works, points = works || isIn("work", word), points || isIn("pointing", word)
	}
	return len(s) <= longest && works && names && points
}

// facts counts the sentences of a text that state something.
type facts struct {
	size, sentences, states, talks, self int
	code                                 bool
}

func readFacts(s string) (f facts) {
	seen := readFeatures(s)
	s = s[:min(len(s), longText*10)]
	f.size, f.talks, f.code = len(s), seen.talks, seen.code*4 >= seen.lines || strings.Contains(s, "Traceback")
	for line := range strings.Lines(s) {
		for sentence := range strings.SplitSeq(line, ". ") {
			if strings.Count(sentence, " ") >= 3 {
				f.readSentence(strings.TrimLeft(sentence, "->*•0123456789.| \t"))
			}
		}
	}
	return f
}

func (f *facts) readSentence(s string) {
	const near = 14
	f.sentences++
	n, states := 0, false
	s = strings.TrimPrefix(s, word(s, 0)+": ")
	for word := range words(s) {
		if isIn("self", word) {
			f.self++
			return
		}
		if n == 0 && strings.IndexByte("cgit", classOf(word)|0x20) >= 0 && !isIn("article", word) && !equalsAny(word, "you", "if", "when", "in") {
			return
		}
		states = states || n < near && n > 0 && isIn("verb", word) || n == 0 && isIn("article", word)
		n++
	}
	if states && !givesPart(s) {
		f.states++
	}
}

// hold reports a text of facts: an order's whatever it says, what is set apart if some of it states something, what is announced
// if half of it does, any other only if none of it speaks of the answer.
func (f *facts) hold(ordered, announced, apart bool) bool {
	switch {
	case f.code || f.size < minInline || f.sentences == 0:
		return false
	case ordered:
		return true
	case apart:
		return f.self == 0 && f.states > 0 && f.states*3 >= f.sentences
	case announced:
		return f.self == 0 && f.states*2 >= f.sentences && f.talks*2 <= f.sentences
	}
	return f.self == 0 && f.talks == 0 && f.states*2 >= f.sentences && f.size >= 2*shortSentence*f.sentences
}
