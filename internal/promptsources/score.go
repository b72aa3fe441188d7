package promptsources

import "strings"

// judge decides which sections of a message hold passages. In a message of the user, the application's template comes first
// and what the user wrote follows, so that nothing behind the question is a source; where the template begins with the
// question, what comes last counts. A system message is the application's.
type judge struct {
	*reader
	questionFollows bool // in the next message
	asked           bool // the message holds a question, or the next one is
	labelled        bool // a label says where the question is

	found     []section
	ownWords  bool // the user's own words have begun
	ignored   bool // they hold what looks like passages
	examples  bool // the template announces examples
	form      bool // a system message describes the answer
	asksFirst bool // the template begins with the question
	regroup   bool // the next section replaces those before

	questionStart, questionEnd int
}

// decide returns the sections that hold passages.
func (j *judge) decide() []section {
	j.asked = j.questionFollows || j.summary
	for i := range j.list {
		j.readQuestion(&j.list[i])
	}
	for i := range j.list {
		switch s := &j.list[i]; s.kind {
		case plain:
			j.readPlain(s)
		case question:
			j.ask(s)
		case answer:
			j.readAnswer(s, i)
		case rules:
			word, _ := nextWord(s.header)
			j.examples = j.examples || len(j.found) == 0 && announcesExamples(word)
		case source, other:
			if s.tagged || j.accepts(s, i) {
				j.add(s)
			}
		case ending:
		}
		if j.ignored {
			break
		}
	}
	return j.found
}

func announcesExamples(word string) bool {
	switch strings.ToLower(word[:min(2, len(word))]) {
	case "ex", "es", "ej", "be", "fe":
		return classOf(word) == 'r'
	}
	return false
}

// readQuestion notes whether a section asks something.
func (j *judge) readQuestion(s *section) {
	switch text := j.textOf(s); s.kind {
	case question:
		j.asked, j.labelled = true, true
	case answer:
		j.asked = j.asked || s.open && isPlaceholder(text)
	case plain:
		if !j.system {
			for line := range strings.Lines(text) {
				j.asked = j.asked || endsAsQuestion(strings.TrimSpace(line))
			}
		}
	case rules, source, other, ending:
	}
}

func (j *judge) textOf(s *section) string { return strings.TrimSpace(j.text[s.start:s.end]) }

// readPlain reads text without a header. Behind passages it may be the user's.
func (j *judge) readPlain(s *section) {
	text := j.textOf(s)
	if len(j.found) > 0 {
		if text != "" {
			j.leaveTemplate()
		}
		return
	}
	for rest := text; rest != ""; {
		var word string
		word, rest = nextWord(rest)
		j.examples = j.examples || announcesExamples(word)
	}
}

// ask reads a section of the question.
func (j *judge) ask(s *section) {
	if j.textOf(s) != "" && !(j.ownWords && j.questionEnd > 0) {
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
	case j.system, j.examples:
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
	j.form = j.form || j.system && len(j.found) == 0 && !j.examples
	pair := at > 0 && j.list[at-1].kind == source && j.list[at-1].inline && !j.labelled
	switch {
	case len(j.found) == 0:
	case pair, j.system, j.examples, j.asksFirst:
		j.found = j.found[:0]
		j.questionStart, j.questionEnd = 0, 0
	default:
		j.ownWords = true
	}
}

// add adds a section unless the user wrote it.
func (j *judge) add(s *section) {
	n := len(j.found)
	if n > 0 && !j.system && !s.tagged && !s.delimited && !j.found[n-1].tagged && strings.EqualFold(s.header, j.found[n-1].header) && s.header != "" {
		j.leaveTemplate() // templates have one such header
	}
	if n > 0 && s.tagged && j.found[n-1].tagged {
		j.leaveTemplate()
	}
	if j.ownWords {
		j.ignored = true
		return
	}
	if n > 0 && (j.regroup || j.asksFirst && j.found[n-1].tagged != s.tagged) {
		j.found, j.regroup = j.found[:0], false
	}
	if s.tagged || !s.weak {
		j.dropWeak()
	}
	j.found = append(j.found, *s)
}

// dropWeak drops what only a sentence announced, since a header or elements follow.
func (j *judge) dropWeak() {
	kept := j.found[:0]
	for _, s := range j.found {
		if !s.weak || s.delimited {
			kept = append(kept, s)
		}
	}
	j.found = kept
}

// accepts reports a section that can only be passages, and cuts instructions off its ends.
func (j *judge) accepts(s *section, at int) bool {
	if s.open && !j.system && !j.labelled && !j.cutQuestion(s) && !j.asked {
		return false
	}
	j.trim(s)
	text := j.textOf(s)
	if isPlaceholder(text) || s.weak && strings.Count(text, " ") < 4 && !strings.ContainsFunc(text, isWide) || !j.asked && !(j.mentions && s.delimited) && !(s.json && s.header == "") {
		return false
	}
	if s.asked = j.asked; s.json {
		return j.acceptsJSON(s, text)
	}
	f := readFeatures(text)
	asked := j.labelled || j.questionFollows
	switch {
	case j.form:
		return false
	case s.kind == source && s.pairs, s.numbered && f.marked > 1 && !f.fragments():
		return true
	case s.numbered:
		return j.mentions && f.size >= minInline
	case s.kind == other && j.labelled && !j.system:
		return f.size >= minInline && f.size >= f.sentences*shortSentence && !f.addressed() && !f.fragments() && f.labels*2 <= f.lines+f.records*4 && f.code*4 < f.lines
	case s.kind == other:
		return f.evidence(asked, s.delimited || len(j.found) > 0, s.pairs || f.marked > 1) &&
			(!s.weak || s.delimited || f.figures > 0 && f.size >= longText)
	case j.system && s.inline && !j.mentions && f.labels > 0 && f.records == 0: // parts of a form, or examples
		return false
	case s.weak && !s.leads && !s.delimited:
		return !f.addressed() && !f.fragments() && f.questions == 0
	case j.system && !s.delimited:
		return !f.fragments() && (j.mentions || !s.namesScene() || !f.setsScene(text, s.inline))
	}
	return true
}

// acceptsJSON reports JSON that holds sentences and is no schema.
func (j *judge) acceptsJSON(s *section, text string) bool {
	longest, start := 0, -1
	for i := range len(text) {
		if text[i] == '"' && (i == 0 || text[i-1] != '\\') {
			if start >= 0 {
				longest = max(longest, i-start)
			}
			start = i
		}
	}
	if s.kind == source {
		return longest > 12
	}
	return longest >= minInline && !strings.Contains(text, `"parameters"`) && !strings.Contains(text, `"properties"`)
}

// trim cuts instructions off the ends of a section.
func (j *judge) trim(s *section) {
	if s.delimited || s.json {
		return
	}
	if s.weak && !s.numbered {
		s.start, s.end = trimInstructions(j.text, s.start, s.end)
	}
	if !j.system && s.open {
		return
	}
	text := strings.TrimRight(j.text[s.start:s.end], " \t\r\n")
	for {
		at := strings.LastIndex(text, "\n\n")
		if last := strings.TrimSpace(text[at+1:]); at < 0 || !isInstruction(last) && !isRule(last) {
			break
		}
		text = strings.TrimRight(text[:at], " \t\r\n")
	}
	if at := strings.LastIndexByte(text, '\n'); at >= 0 && (isRule(strings.TrimSpace(text[at:])) || pointsBack(text[at:])) {
		text = text[:at]
	}
	s.end = s.start + len(text)
}

// pointsBack reports a line such as "The above is the knowledge base."
func pointsBack(s string) bool {
	_, rest := nextWord(s)
	word, _ := nextWord(rest)
	return equalsAny(word, "above", "passages", "documents") && len(s) < maxLabel
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

// namesScene reports a header under which prompts also tell the model its part, the date or the place.
func (s *section) namesScene() bool {
	word, _ := nextWord(s.header)
	switch strings.ToLower(word[:min(5, len(word))]) {
	case "conte", "konte", "backg", "hinte":
		return true
	}
	return strings.HasPrefix(s.header, "背景") || strings.HasPrefix(s.header, "上下文")
}

const longText, shortSentence = 300, 25 // bytes

// features are what a text looks like.
type features struct {
	size, lines, sentences int
	figures                int // sentences with a digit
	talks                  int // sentences about the answer, the user or the model
	questions              int
	items, itemBytes       int // bullets or numbered
	unended                int // items that are no sentences
	marked                 int // numbered as passages
	labels                 int // lines such as "Tone: friendly"
	records                int // such lines with a sentence
	code                   int // lines
	part                   bool
}

// readFeatures reads the beginning of a text.
func readFeatures(s string) (f features) {
	const most = 4000
	s = s[:min(len(s), most)]
	f.size, f.part = len(s), givesPart(s)
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" {
			f.readLine(line)
		}
	}
	return f
}

func (f *features) readLine(line string) {
	f.lines++
	text := strings.TrimLeft(line, "-*•–+ \t")
	m, marked := parseMarker(line)
	if marked {
		text = line[m.rest:]
	}
	if marked && m.style != plainMarker {
		f.marked++
	}
	if len(text) < len(line) && text != "" {
		f.items++
		f.itemBytes += len(text)
		if text == "" || strings.IndexByte(".!?\"", text[len(text)-1]) < 0 && !strings.HasSuffix(text, "。") {
			f.unended++
		}
	}
	word, rest := nextWord(text)
	if strings.HasPrefix(text, word) && strings.HasPrefix(rest, ": ") {
		if f.labels++; len(rest) > minInline {
			f.records++
		}
	}
	if strings.IndexByte("{};)(", line[len(line)-1]) >= 0 && !strings.Contains(line, " (") || strings.Contains(line, "()") || strings.Contains(line, " = ") {
		f.code++
	}
	for text != "" {
		var sentence string
		sentence, text = cutSentence(text)
		f.readSentence(sentence)
	}
}

// cutSentence splits the first sentence off.
func cutSentence(s string) (sentence, rest string) {
	for i := range len(s) - 1 {
		if s[i+1] == ' ' && strings.IndexByte(".!?", s[i]) >= 0 {
			return s[:i+1], strings.TrimLeft(s[i+1:], " ")
		}
	}
	return s, ""
}

func (f *features) readSentence(s string) {
	f.sentences++
	if strings.ContainsAny(s, "0123456789") {
		f.figures++
	}
	if endsAsQuestion(s) {
		f.questions++
	}
	for rest := s; ; {
		var word string
		if word, rest = nextWord(rest); word == "" {
			return
		}
		if strings.IndexByte("atrq", classOf(word)) >= 0 {
			f.talks++
			return
		}
	}
}

// addressed reports a text that speaks to the model.
func (f *features) addressed() bool {
	return f.part || f.talks*3 >= f.sentences && f.figures*2 < f.sentences
}

// fragments reports a list of short points without figures.
func (f *features) fragments() bool {
	const short = 45
	return f.items > 0 && f.items == f.lines && f.itemBytes < short*f.items && f.figures*3 < f.sentences
}

// evidence reports a text that states facts, judged without a header that says so.
func (f *features) evidence(asked, framed, listed bool) bool {
	const least, longSentence = 3, 45
	score := 0
	add := func(points int, holds bool) {
		if holds {
			score += points
		}
	}
	add(1, asked)
	add(1, framed)
	add(2, listed || f.records > 0 && f.labels > f.records)
	add(1, f.figures*3 >= f.sentences && f.figures > 0)
	add(1, f.size >= longSentence*f.sentences)
	add(1, f.size >= longText)
	add(-3, f.addressed())
	add(-3, f.fragments())
	add(-2, f.labels*2 > f.lines && f.records == 0)
	add(-2, f.questions*3 >= f.sentences)
	add(-3, f.code*4 >= f.lines)
	return score >= least
}

// setsScene reports a text that begins with the part that the model plays, the date, the place or the like of the
// conversation. Answers are not measured by it.
func (f *features) setsScene(s string, inline bool) bool {
	const shortest = 24
	first, rest := nextWord(s)
	if equalsAny(first, "the", "it", "this", "der", "das", "es") {
		first, _ = nextWord(rest)
	}
	return f.part || len(s) < shortest && !strings.HasSuffix(s, ".") && !strings.HasSuffix(s, "。") ||
		inline && f.labels > 0 || f.labels*2 > f.lines && f.figures == 0 ||
		equalsAny(first, "today", "current", "now", "date", "time", "locale", "language", "session", "name", "heute", "hoy", "aujourd", "user", "is",
			"conversation", "chat", "assistant")
}

// givesPart reports a text that begins with the part that the model plays. Passages say what one can or must do.
func givesPart(s string) bool {
	s = strings.TrimLeft(s, "-*• \t")
	first, rest := nextWord(s)
	second, rest := nextWord(rest)
	third, _ := nextWord(rest)
	switch {
	case equalsAny(first, "eres"), strings.HasPrefix(s, "你"), strings.HasPrefix(s, "您"), strings.HasPrefix(s, "あなた"):
		return true
	case equalsAny(first, "du", "tu"):
		return !equalsAny(second, "kannst", "musst", "darfst", "sollst", "hast", "wirst", "brauchst", "bekommst", "peux", "dois", "as", "puedes", "debes", "puoi", "devi")
	case equalsAny(first, "you", "vous") && equalsAny(second, "are"):
		return equalsAny(third, "a", "an", "the", "our", "my", "part", "in", "on", "now") || strings.HasSuffix(third, "ing")
	case equalsAny(first, "you", "vous"):
		return equalsAny(second, "work", "act", "help", "assist", "represent", "serve", "speak", "chat", "êtes", "travaillez", "aidez")
	}
	return equalsAny(first, "the", "this") && equalsAny(second, "assistant", "bot", "agent", "chatbot")
}

// trimInstructions is the range without paragraphs at its start and lines at its end that tell the model how to answer.
func trimInstructions(s string, start, end int) (int, int) {
	end = start + len(strings.TrimRight(s[start:end], " \t\r\n"))
	for {
		start = end - len(strings.TrimLeft(s[start:end], " \t\r\n"))
		line, _ := lineAt(s[:end], start)
		if start == end || !isInstruction(line) {
			return start, start + len(cutInstructions(s[start:end]))
		}
		next := strings.Index(s[start:end], "\n\n")
		if next < 0 {
			return end, end
		}
		start += next
	}
}

// cutInstructions cuts lines from the end of a text that address the model.
func cutInstructions(s string) string {
	for {
		s = strings.TrimSpace(s)
		at := strings.LastIndexByte(s, '\n')
		if at < 0 || !isInstruction(s[at+1:]) {
			return s
		}
		s = s[:at]
	}
}

// isInstruction reports a text that tells the model how to answer: it begins with a command and speaks of the answer.
func isInstruction(s string) bool {
	const mostWords = 40
	first, rest := nextWord(s)
	second, _ := nextWord(rest)
	if c := classOf(first); c == 'a' || c == 't' && !equalsAny(first, "customer", "customers", "client", "user", "users") {
		return !equalsAny(second, "to", "key", "keys") && !equalsAny(first, "answers", "replies", "responses")
	}
	aboutPassages := equalsAny(first, "if", "given", "based", "use", "using", "stick", "only", "list", "write", "explain", "describe", "extract", "summarize",
		"summarise", "create", "generate", "compare", "translate", "according")
	if !aboutPassages && !equalsAny(first, "do", "don", "always", "never", "please", "in", "remember", "keep", "provide", "when", "you", "note", "say", "be") {
		return false
	}
	for range mostWords {
		var word string
		if word, rest = nextWord(rest); word == "" {
			return false
		}
		c := classOf(word)
		if aboutPassages && (c == 's' && !equalsAny(word, "search") || equalsAny(word, "know", "say")) || c == 'a' || c == 'q' ||
			c == 't' && !equalsAny(word, "customer", "customers", "client", "user", "users", "round") {
			return true
		}
	}
	return false
}
