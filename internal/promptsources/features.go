package promptsources

import "strings"

const longText, shortSentence = 300, 25 // bytes

// features are what a text looks like.
type features struct {
	size, lines, sentences int
	figures                int  // sentences with a digit
	talks                  int  // sentences about the answer, the user or the model
	items, itemBytes       int  // bullets or numbered
	labels                 int  // lines such as "Tone: friendly"
	records                int  // such lines with a sentence
	code                   int  // lines
	part                   bool // it begins with the part that the model plays
}

// readFeatures reads the beginning of a text.
func readFeatures(s string) (f features) {
	const most = 4000
	s = s[:min(len(s), most)]
	f.size, f.part = len(s), givesPart(s)
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" && !isTag(line) {
			f.readLine(line)
		}
	}
	return f
}

func isTag(line string) bool { return line[0] == '<' && strings.IndexByte(line, '>') == len(line)-1 }

func (f *features) readLine(line string) {
	f.lines++
	text := strings.TrimLeft(line, "-*•–+ \t")
	if m, ok := parseMarker(line); ok {
		text = line[m.rest:]
	}
	if len(text) < len(line) && text != "" {
		f.items++
		f.itemBytes += len(text)
	}
	if value, ok := strings.CutPrefix(text, word(text, 0)+": "); ok {
		if f.labels++; len(value) >= minInline {
			f.records++
		}
	}
	if looksLikeCode(line) {
		f.code++
	}
	for from := 0; from < len(text); {
		end := from + 1
		for end < len(text) && (text[end] != ' ' || strings.IndexByte(".!?", text[end-1]) < 0) {
			end++
		}
		f.readSentence(text[from:end])
		from = end
	}
}

// looksLikeCode reports a line that ends, calls or assigns as programs do. A parenthesis behind a blank is prose.
func looksLikeCode(line string) bool {
	ends := strings.IndexByte("{};)(", line[len(line)-1]) >= 0 && !strings.Contains(line, " (")
	return ends || strings.Contains(line, "()") || strings.Contains(line, " = ")
}

func (f *features) readSentence(s string) {
	f.sentences++
	if strings.ContainsAny(s, "0123456789") {
		f.figures++
	}
	for word := range words(s) {
		if isOneOf(classOf(word), "atrqey") {
			f.talks++
			return
		}
	}
}

// addressed reports a text that speaks to the model.
func (f *features) addressed() bool {
	return f.part || f.talks*2 > f.sentences && f.figures*2 < f.sentences
}

// fragments reports a list of short points without figures.
func (f *features) fragments() bool {
	const short = 45
	return f.items == f.lines && f.itemBytes < short*f.items && f.figures*3 < f.sentences
}

// evidence reports a text that states facts, judged without a header that says so: asked says that a question follows, framed
// that something sets it off, listed that it has the form of passages.
func (f *features) evidence(asked, framed, listed bool) bool {
	const least, longSentence, longerSentence = 3, 45, 60
	score := 0
	for _, point := range [...]struct {
		points int
		holds  bool
	}{
		{1, asked},
		{1, framed},
		{2, listed || f.records > 0 && f.labels > f.records},
		{1, f.figures > 0 && f.figures*3 >= f.sentences},
		{1, f.size >= longSentence*f.sentences},
		{1, f.sentences > 1 && f.size >= longerSentence*f.sentences},
		{1, f.size >= longText},
		{-3, f.addressed()},
		{-3, f.fragments()},
		{-2, f.labels*2 > f.lines && f.records == 0},
		{-3, f.code*4 >= f.lines},
	} {
		if point.holds {
			score += point.points
		}
	}
	return score >= least
}

// setsScene reports a text that begins with the part that the model plays, the date, the place or the like of the
// conversation. Answers are not measured by it.
func (f *features) setsScene(s string) bool {
	first := word(s, 0)
	if equalsAny(first, "the", "it", "this", "der", "das", "es") {
		first = word(s, 1)
	}
	return f.part || isName(s) || f.labels*2 > f.lines && f.figures == 0 ||
		isIn("scene", first)
}

// isName reports a few words that are no sentence.
func isName(s string) bool {
	const longest = 24
	return len(s) < longest && !strings.HasSuffix(s, ".") && !strings.HasSuffix(s, "。")
}

// givesPart reports a text that begins with the part that the model plays. Passages say what one can or must do.
func givesPart(s string) bool {
	first, second := word(s, 0), word(s, 1)
	switch {
	case equalsAny(first, "eres", "sei"), strings.HasPrefix(s, "你"), strings.HasPrefix(s, "您"), strings.HasPrefix(s, "あなた"):
		return true
	case equalsAny(first, "you") && equalsAny(second, "are"):
		third := word(s, 2)
		return equalsAny(third, "a", "an", "the", "our", "my", "part", "in", "on", "now") || strings.HasSuffix(third, "ing")
	case equalsAny(first, "you", "du", "tu", "vous"):
		return classOf(second) != 'm' && (!equalsAny(first, "vous") || equalsAny(second, "êtes", "travaillez", "aidez"))
	}
	return equalsAny(first, "the", "this") && equalsAny(second, "assistant", "bot", "agent", "chatbot")
}
