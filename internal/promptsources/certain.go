package promptsources

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

const (
	longestQuestion = 400 // bytes of a last paragraph that is the question
	shortestScene   = 24  // bytes of a passage under a header that names the situation, too
)

func (b *blockScanner) openBlock(start int, weak bool) {
	b.present, b.inBlock = block{start: start, weak: weak}, true
	b.leading, b.summary = false, false
	b.label, b.level, b.below, b.faq = "", 0, false, ""
}

func (b *blockScanner) closeBlock(end int) {
	if !b.inBlock {
		return
	}
	b.inBlock = false
	b.present.end = end
	if p := &b.present; p.weak && !p.summary && !p.delimited {
		p.start, p.end = trimInstructions(b.text, p.start, p.end)
	}
	if b.present.end > b.present.start && !isPlaceholder(strings.TrimSpace(b.text[b.present.start:b.present.end])) {
		b.addFound(b.present)
	}
}

// addFound adds a block unless the user wrote it.
func (b *blockScanner) addFound(p block) {
	if b.ownWords {
		b.ignored = true
		return
	}
	if b.regroup || b.asksFirst && b.count > 0 && b.found[b.count-1].tagged != p.tagged {
		b.count, b.regroup = 0, false
	}
	b.found[b.count] = p
	b.count++
}

// dropBlocks drops all blocks so far: a prompt that goes on to an answer shows examples.
func (b *blockScanner) dropBlocks() {
	b.count, b.inBlock, b.question, b.answered = 0, false, false, true
	b.asked, b.questionStart, b.questionEnd = false, 0, 0
}

// dropWeak drops what only an introduction announced, since a header follows.
func (b *blockScanner) dropWeak() {
	if b.ownWords {
		return
	}
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
		if p.tagged || b.isCertain(&p) {
			b.found[kept] = p
			kept++
		}
	}
	return b.found[:kept]
}

func (b *blockScanner) isCertain(p *block) bool {
	if p.summary {
		return !isBulletList(strings.TrimSpace(b.text[p.start:p.end]))
	}
	if !p.delimited && (b.system || !p.open) {
		b.cutTail(p)
	}
	s := strings.TrimSpace(b.text[p.start:p.end])
	if b.system {
		return s != "" && b.isCertainInSystem(p, s)
	}
	return b.isCertainOfUser(p, s)
}

// isCertainOfUser is isCertain for a message of the user, which may be about anything.
func (b *blockScanner) isCertainOfUser(p *block, s string) bool {
	switch {
	case p.open && !b.isAsked() && !b.cutQuestion(p):
		return false
	case p.weak:
		return b.isAsked() && (b.mention || isNumbered(s))
	}
	return b.isAsked() || b.mention && p.delimited
}

// isCertainInSystem is isCertain for a system message, which may list rules and examples of a form.
func (b *blockScanner) isCertainInSystem(p *block, s string) bool {
	if p.listed || !b.mention && (!b.isAsked() || p.scene && setsScene(s, p.inline)) {
		return false
	}
	return b.mention && (b.isAsked() || p.delimited) || !b.mention && (!p.weak || isNumbered(s))
}

// isAsked reports whether the message, or the next one, holds a question.
func (b *blockScanner) isAsked() bool { return b.question || b.questionFollows }

// isNumbered reports several passages with markers that only passages have.
func isNumbered(s string) bool {
	first, _, ok := firstMarker(s)
	return ok && first.style != plainMarker && countMarked(s, first) > 1
}

func endsAsQuestion(s string) bool {
	return strings.HasSuffix(s, "?") || strings.HasSuffix(s, "？") || strings.HasSuffix(s, "؟")
}

// cutQuestion cuts the last paragraph off if it is a question or an instruction about the passages.
func (b *blockScanner) cutQuestion(p *block) bool {
	s := strings.TrimRight(b.text[p.start:p.end], " \t\r\n")
	at := strings.LastIndex(s, "\n\n")
	if at < 0 || !endsAsQuestion(s) && !isInstruction(s[at:]) || len(s)-at > longestQuestion || isPlaceholder(strings.TrimSpace(s[:at])) {
		return false
	}
	p.end, p.open = p.start+at, false
	b.question = true
	b.questionStart, b.questionEnd = p.end, p.start+len(s)
	return true
}

// cutTail cuts paragraphs off the end that tell the model how to answer.
func (b *blockScanner) cutTail(p *block) {
	s := strings.TrimRight(b.text[p.start:p.end], " \t\r\n")
	for {
		at := strings.LastIndex(s, "\n\n")
		if at < 0 || !isInstruction(s[at:]) {
			break
		}
		s = strings.TrimRight(s[:at], " \t\r\n")
	}
	p.end = p.start + len(s)
}

// jsonEnd is the end of the list or object that starts at the place, behind blanks; 0 for none.
func (b *blockScanner) jsonEnd(at int) int {
	s := strings.TrimLeft(b.text[at:], " \t\r\n")
	list := strings.TrimLeft(strings.TrimPrefix(s, "["), " \t\r\n")
	object := strings.TrimLeft(strings.TrimPrefix(list, "{"), " \t\r\n")
	if len(list) == len(s) && len(object) == len(s) || !strings.HasPrefix(object, `"`) {
		return 0
	}
	d := json.NewDecoder(strings.NewReader(s))
	var value json.RawMessage
	if d.Decode(&value) != nil {
		b.failures++
		return 0
	}
	end := int(d.InputOffset())
	for s[0] == '{' && strings.HasPrefix(strings.TrimLeft(s[end:], " \t\r\n"), "{") && d.Decode(&value) == nil {
		end = int(d.InputOffset())
	}
	return len(b.text) - len(s) + end
}

// setsScene reports a text that begins with the part that the model plays, the date, the place or the like of the
// conversation. Answers are not measured by it. inline says that it begins in the line of its header.
func setsScene(s string, inline bool) bool {
	s = strings.TrimLeft(s, "-*• \t")
	if strings.HasPrefix(s, "{") || strings.HasPrefix(s, "[") {
		return false
	}
	return len(s) < shortestScene && !endsAsSentence(s) || inline && listsLabels(s) || givesPart(s) || namesSituation(s)
}

// givesPart reports a text that begins with the part that the model plays.
func givesPart(s string) bool {
	first, rest := nextWord(s)
	second, rest := nextWord(rest)
	third, _ := nextWord(rest)
	switch {
	case equalsAny(first, "eres"), strings.HasPrefix(s, "你"), strings.HasPrefix(s, "您"), strings.HasPrefix(s, "あなた"):
		return true
	case equalsAny(first, "du", "tu"): // passages say what one can or must do
		return !equalsAny(second, "kannst", "musst", "darfst", "sollst", "hast", "wirst", "brauchst", "bekommst", "peux", "dois", "as", "puedes", "debes", "puoi", "devi")
	case equalsAny(first, "you", "vous") && equalsAny(second, "are"):
		return equalsAny(third, "a", "an", "the", "our", "my", "part", "in", "on", "now") || strings.HasSuffix(third, "ing")
	case equalsAny(first, "you", "vous"):
		return equalsAny(second, "work", "act", "help", "assist", "represent", "serve", "speak", "chat", "êtes", "travaillez", "aidez")
	case equalsAny(first, "the", "this") && equalsAny(second, "assistant", "bot", "agent", "chatbot"):
		return equalsAny(third, "must", "should", "will", "can", "may") || strings.HasSuffix(third, "s")
	}
	return false
}

// namesSituation reports a text that begins with the date, the place or the like.
func namesSituation(s string) bool {
	first, rest := nextWord(s)
	if equalsAny(first, "the", "it", "this", "der", "das", "es") {
		second, _ := nextWord(rest)
		return equalsAny(second, "current", "date", "time", "conversation", "chat", "session", "is", "user", "aktuelle", "datum")
	}
	return equalsAny(first, "today", "today's", "current", "currently", "now", "date", "datetime", "time", "timezone", "locale", "language", "session",
		"location", "channel", "platform", "version", "environment", "name", "customer", "tenant", "company", "tone", "audience", "heute", "hoy", "aujourd", "user")
}

// listsLabels reports paragraphs after the first that begin with a label of one word, as the parts of a task do.
func listsLabels(s string) bool {
	for {
		_, rest, found := strings.Cut(s, "\n")
		if !found {
			return false
		}
		s = strings.TrimSpace(rest)
		word, rest := nextWord(s)
		if word != "" && strings.HasPrefix(s, word) && strings.HasPrefix(rest, ": ") {
			return true
		}
	}
}

func endsAsSentence(s string) bool { return strings.HasSuffix(s, ".") || strings.HasSuffix(s, "。") }

// isBulletList reports lines that are all items: rules, not a text to summarize.
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
	c.split(s, !b.delimited)
}

// parseLabel reads the label at the start of a line. rest is where the text after it starts; level is that of a heading, 0
// for none.
func parseLabel(line string) (kind labelKind, rest, level int) {
	if label := framedLabel(line); label != "" {
		return labelOf(label), len(line), maxHeading
	}
	at := len(line) - len(strings.TrimLeft(line, "#>* _"))
	head := line[at:min(len(line), at+maxLabel+8)]
	level = headingLevel(line)
	colon, size := strings.IndexByte(head, ':'), 1
	if wide := strings.Index(head, "："); wide >= 0 && (colon < 0 || wide < colon) {
		colon, size = wide, len("：")
	}
	if colon < 0 {
		if level == 0 || at+len(head) < len(line) {
			return noLabel, 0, level
		}
		return labelOf(strings.Trim(head, "#* _")), len(line), level
	}
	rest = at + colon + size
	kind = kindOf(strings.Trim(head[:colon], "#* _[]"), strings.Trim(line[rest:], " *") != "")
	if kind == noLabel {
		rest = 0
	}
	return kind, rest, level
}

// kindOf classifies a label before a colon. inline says that text follows in its line.
func kindOf(label string, inline bool) labelKind {
	const mostWords = 3 // before a text; longer ones are sentences with a colon
	kind := labelOf(label)
	if paren := strings.LastIndexByte(label, '('); kind == noLabel && paren > 0 && strings.HasSuffix(label, ")") {
		label = strings.TrimSpace(label[:paren])
		kind = labelOf(label)
	}
	if kind == sourceLabel && inline && strings.Count(label, " ") >= mostWords {
		return noLabel
	}
	return kind
}

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

const maxHeading = 7 // the level of headings that are only framed

// labelText is a label without its marks.
func labelText(s string) string { return strings.Trim(s, "#>*_[]:： ") }

// framedLabel is the label of a line such as [CONTEXT], [/CONTEXT] or --- BEGIN CONTEXT ---; "" for other lines.
func framedLabel(line string) string {
	const shortest = 3
	if len(line) < shortest || len(line) > maxLabel {
		return ""
	}
	inner := strings.Trim(line, "-=*~ ")
	switch {
	case line[0] == '[' && line[len(line)-1] == ']':
		inner = line[1 : len(line)-1]
	case len(inner) == len(line) || strings.IndexByte("-=*~", line[len(line)-1]) < 0 || line[0] != line[len(line)-1] || line[:2] == "**":
		return ""
	}
	if labelOf(inner) == noLabel {
		return ""
	}
	return inner
}

// namesSection reports a heading over instructions.
func namesSection(line string) bool {
	for rest := line; rest != ""; {
		var word string
		if word, rest = nextWord(rest); word == "" {
			return false
		}
		if classOf(word) == sectionWord {
			return true
		}
	}
	return false
}

// introduces reads a line of instructions: whether it points at passages that follow, speaks of passages, asks for a summary
// of what follows, or announces examples.
func introduces(line string) introduction {
	const never, mostWords = -nearWords - 1, 200
	x := introduction{pointed: never, noun: never, adjective: never, section: never}
	for rest := line; rest != "" && x.words < mostWords; x.words++ {
		var word string
		if word, rest = nextWord(rest); word == "" {
			break
		}
		x.read(word)
	}
	x.lead = x.lead || x.pointsOn(line) || strings.ContainsFunc(line, isWide) && leadsWide(line)
	x.mention = x.mention || x.lead
	return x
}

const nearWords = 5 // between a noun and what points at it

// introduction is what the words of a line say.
type introduction struct {
	lead, mention, summary, examples  bool
	words                             int // read so far
	pointed, noun, adjective, section int // the last word of that class
	used, summed                      bool
}

// pointsOn reports a line that ends where passages must follow, such as "The relevant documents:" or "Answer only from the
// following".
func (x *introduction) pointsOn(line string) bool {
	ends := strings.HasSuffix(line, ":") && x.mention && x.adjective >= 0 || x.used && x.pointed == x.words-1
	return ends && x.section < 0
}

func (x *introduction) read(word string) {
	n := x.words
	switch classOf(word) {
	case pointingWord:
		x.point(n)
	case nearWord:
		x.pointed = n - nearWords + 1 // only the next word
	case adjectiveWord:
		x.adjective = n
		x.mention = x.mention || x.used
	case subjectNoun, passageNoun:
		x.name(n, classOf(word))
	case usingWord:
		x.used = true
		x.mention = x.mention || n-x.noun <= nearWords
	case sectionWord:
		x.enterSection(n, word)
	case summaryWord:
		x.summed = true
	case otherWord:
	}
}

// enterSection reads a word for instructions.
func (x *introduction) enterSection(n int, word string) {
	x.section = n
	x.examples = x.examples || isExampleWord(word)
	if x.pointed == n-1 { // "the following rules"
		x.pointed = -nearWords - 1
	}
}

// point reads a word that points at what follows.
func (x *introduction) point(n int) {
	if x.section == n-1 && n > 0 { // "the rules below"
		return
	}
	x.pointed = n
	x.lead = x.lead || n-x.noun <= 3
	x.summary = x.summary || x.summed
}

// name reads a noun of passages.
func (x *introduction) name(n int, class wordClass) {
	if class == subjectNoun && !x.used && x.pointed != 0 { // but "Below is the text of the manual."
		return
	}
	x.noun = n
	x.lead = x.lead || n-x.pointed <= nearWords
	x.mention = x.mention || x.used || n-x.adjective <= nearWords
}

// leadsWide reports a line of Chinese or Japanese that points at passages that follow.
func leadsWide(line string) bool {
	return containsAny(line, "以下", "下記", "下面") && containsAny(line, "上下文", "资料", "文档", "信息", "内容", "コンテキスト", "文脈", "情報", "文書")
}

func isWide(r rune) bool { return r >= 0x2e80 && r != utf8.RuneError }
