package promptsources

import (
	"slices"
	"strings"
	"unicode/utf8"
)

const longestQuestion = 400 // bytes of a last paragraph that is the question

func (b *blockScanner) openBlock(start int, weak bool) {
	b.present, b.inBlock = block{start: start, weak: weak}, true
	b.leading, b.summary = false, false
}

func (b *blockScanner) closeBlock(end int) {
	if !b.inBlock {
		return
	}
	b.inBlock = false
	b.present.end = end
	if end > b.present.start && !isPlaceholder(strings.TrimSpace(b.text[b.present.start:end])) {
		b.found[b.count] = b.present
		b.count++
	}
}

// dropExamples drops all blocks so far: a prompt that goes on to an answer shows examples.
func (b *blockScanner) dropExamples() {
	b.count, b.inBlock, b.question, b.answered = 0, false, false, true
	b.asked, b.questionStart, b.questionEnd = false, 0, 0
}

// dropWeak drops what only an introduction announced, since a header follows.
func (b *blockScanner) dropWeak() {
	kept := 0
	for i := range b.count {
		if !b.found[i].weak {
			b.found[kept] = b.found[i]
			kept++
		}
	}
	b.count = kept
	if b.inBlock && b.present.weak {
		b.inBlock = false
	}
}

// certain returns the blocks that can only be passages.
func (b *blockScanner) certain() []block {
	kept := 0
	for i := range b.count {
		p := b.found[i]
		if b.isCertain(&p) {
			b.found[kept] = p
			kept++
		}
	}
	return b.found[:kept]
}

func (b *blockScanner) isCertain(p *block) bool {
	s := strings.TrimSpace(b.text[p.start:p.end])
	switch {
	case p.summary:
		return !isBulletList(s)
	case b.system:
		return b.isCertainInSystem(p, s)
	case p.open && !b.isAsked() && !b.cutQuestion(p):
		return false
	case p.weak:
		return b.isAsked() && (b.mention || isNumbered(s))
	}
	return b.isAsked() || b.mention && p.delimited
}

// isCertainInSystem is isCertain for a system message, which may list rules.
func (b *blockScanner) isCertainInSystem(p *block, s string) bool {
	if !b.mention {
		return b.isAsked() && (!p.weak || isNumbered(s)) && b.statesFacts(p)
	}
	return !isBulletList(s) && (p.delimited || !p.weak || b.isAsked())
}

// isAsked reports whether the message, or the next one, holds a question.
func (b *blockScanner) isAsked() bool { return b.question || b.questionFollows }

// isNumbered reports several passages with markers that only passages have.
func isNumbered(s string) bool {
	first, _, ok := firstMarker(s)
	return ok && first.style != plainMarker && countMarked(s, first) > 1
}

// cutQuestion cuts the last paragraph off if it is a question or an instruction about the passages.
func (b *blockScanner) cutQuestion(p *block) bool {
	s := strings.TrimRight(b.text[p.start:p.end], " \t\r\n")
	at := strings.LastIndex(s, "\n\n")
	question := strings.HasSuffix(s, "?") || strings.HasSuffix(s, "？") || strings.HasSuffix(s, "؟")
	if at < 0 || !question && !isInstruction(strings.TrimSpace(s[at:])) || len(s)-at > longestQuestion || isPlaceholder(strings.TrimSpace(s[:at])) {
		return false
	}
	p.end, p.open = p.start+at, false
	b.question = true
	b.questionStart, b.questionEnd = p.end, p.start+len(s)
	return true
}

// statesFacts reports a block of statements without words that address the model or its user. Such a block is no
// instruction, even if no instruction mentions passages. It cuts commands off the end of the block.
func (b *blockScanner) statesFacts(p *block) bool {
	const shortest = 24 // bytes of a statement
	s := strings.TrimRight(b.text[p.start:p.end], " \t\r\n")
	for {
		at := strings.LastIndex(s, "\n\n")
		if at < 0 || !isInstruction(s[at:]) && !isCommand(s[at:]) {
			break
		}
		s = strings.TrimRight(s[:at], " \t\r\n")
	}
	p.end = p.start + len(s)
	return len(strings.TrimSpace(s)) >= shortest && !isBulletList(s) && !addressesReader(s) && !statesSituation(s)
}

// statesSituation reports a text that begins with the date, the place or the like of the conversation. Answers are not
// measured by it.
func statesSituation(s string) bool {
	first, rest := nextWord(s)
	if equalsAny(first, "the", "it", "we", "this", "der", "das", "heute", "es", "hoy", "nous", "aujourd") {
		second, _ := nextWord(rest)
		if equalsAny(first, "heute", "hoy", "aujourd") || equalsAny(second, "current", "date", "time", "conversation", "chat", "session", "is", "are", "customer", "caller", "aktuelle", "datum") {
			return true
		}
	}
	return equalsAny(first, "today", "today's", "current", "currently", "now", "date", "datetime", "time", "timezone", "locale", "language", "session",
		"location", "channel", "platform", "version", "environment", "name", "customer", "tenant")
}

// isCommand reports a text that begins as an order to the model.
func isCommand(s string) bool {
	first, _ := nextWord(s)
	return equalsAny(first, "always", "never", "answer", "respond", "reply", "please", "use", "remember", "keep", "cite", "provide", "do", "don",
		"write", "explain", "be", "antworte", "antworten", "verwende", "responde", "usa", "réponds", "répondez", "utilise")
}

// addressesReader reports a text that speaks to the model or about its user, as instructions and personas do.
func addressesReader(s string) bool {
	for rest := s; rest != ""; {
		var word string
		if word, rest = nextWord(rest); word == "" {
			break
		}
		if equalsAny(word, "you", "your", "yours", "yourself", "user", "users", "assistant", "never", "always", "please", "must", "should",
			"du", "dein", "deine", "sie", "ihre", "ihr", "nutzer", "usted", "tú", "tu", "eres", "usuario", "vous", "votre", "vos", "utilisateur") {
			return true
		}
	}
	return strings.ContainsFunc(s, isWide) && (strings.Contains(s, "你") || strings.Contains(s, "您") || strings.Contains(s, "用户") || strings.Contains(s, "あなた"))
}

// isBulletList reports lines that are all items: rules, not passages.
func isBulletList(s string) bool {
	for i := 0; i < len(s); {
		line, next := lineAt(s, i)
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "- ") && !strings.HasPrefix(line, "* ") && !strings.HasPrefix(line, "• ") {
			return false
		}
		i = next
	}
	return true
}

// addBlock adds the passages of a certain block.
func (c *collector) addBlock(s string, b block) {
	s = strings.TrimSpace(s)
	if len(s) > 1 && s[0] == '"' && s[len(s)-1] == '"' { // LangChain quotes what it wants summarized
		s = strings.TrimSpace(s[1 : len(s)-1])
	}
	if c.addJSON(s) {
		return
	}
	if b.weak && !b.summary {
		s = cutInstructions(s)
		s = skipInstructions(s)
	}
	c.split(s, !b.delimited)
}

// parseLabel reads the label at the start of a line. rest is where the text after it starts; heading reports a Markdown
// heading.
func parseLabel(line string) (kind labelKind, rest int, heading bool) {
	at := len(line) - len(strings.TrimLeft(line, "#>* _"))
	head := line[at:min(len(line), at+maxLabel+8)]
	heading = strings.HasPrefix(line, "#") || strings.HasPrefix(line, "**") && strings.HasSuffix(line, "**")
	colon, size := strings.IndexByte(head, ':'), 1
	if wide := strings.Index(head, "："); wide >= 0 && (colon < 0 || wide < colon) {
		colon, size = wide, len("：")
	}
	if colon < 0 {
		if !heading || at+len(head) < len(line) {
			return noLabel, 0, heading
		}
		return labelOf(strings.Trim(head, "#* _")), len(line), true
	}
	label := strings.Trim(head[:colon], "#* _[]")
	if paren := strings.LastIndexByte(label, '('); paren > 0 && strings.HasSuffix(label, ")") && labelOf(label) == noLabel {
		label = strings.TrimSpace(label[:paren])
	}
	rest = at + colon + size
	return labelOf(label), rest, heading
}

// namesSection reports a heading over instructions.
func namesSection(line string) bool {
	for rest := line; rest != ""; {
		var word string
		if word, rest = nextWord(rest); word == "" {
			break
		}
		if classOf(word) == sectionWord {
			return true
		}
	}
	return false
}

// introduces reports whether a line of instructions points at passages that follow, speaks of passages, or asks for a
// summary of what follows.
func introduces(line string) (lead, mention, summary bool) {
	x := introduction{pointed: -nearWords - 1, noun: -nearWords - 1}
	for rest, n := line, 0; rest != "" && n < 200; n++ {
		var word string
		if word, rest = nextWord(rest); word == "" {
			break
		}
		x.read(word, n)
	}
	x.lead = x.lead || strings.ContainsFunc(line, isWide) && leadsWide(line)
	return x.lead, x.mention || x.lead, x.summary
}

const nearWords = 5 // between a noun and what points at it

// introduction is what the words of a line say.
type introduction struct {
	lead, mention, summary bool
	pointed, noun          int // the last word of that class
	used, summed           bool
}

// read reads the word at n.
func (x *introduction) read(word string, n int) {
	switch classOf(word) {
	case pointingWord:
		x.pointed = n
		x.lead = x.lead || n-x.noun <= 3
		x.summary = x.summary || x.summed && equalsAny(word, "following", "below", "folgende", "folgenden")
	case passageNoun:
		x.noun = n
		x.lead = x.lead || n-x.pointed <= nearWords
		x.mention = x.mention || x.used
	case usingWord:
		x.used = true
		x.mention = x.mention || n-x.noun <= nearWords
	case summaryWord:
		x.summed = true
	case otherWord, sectionWord:
	}
}

// leadsWide reports a line of Chinese or Japanese that points at passages that follow.
func leadsWide(line string) bool {
	in := func(word string) bool { return strings.Contains(line, word) }
	return slices.ContainsFunc([]string{"以下", "下記", "下面"}, in) &&
		slices.ContainsFunc([]string{"上下文", "资料", "文档", "信息", "内容", "コンテキスト", "文脈", "情報", "文書"}, in)
}

func isWide(r rune) bool { return r >= 0x2e80 && r != utf8.RuneError }
