package technical

import (
	"strings"

	"confab/internal/names"
)

// Costs of scanning an answer, in units of [detectors.Work].
const (
	scanBytes    = 4  // bytes per unit of the passes for links, identifiers and packages
	addressBytes = 2  // bytes of an address per unit
	importCost   = 10 // of a line of code that may import something
	installCost  = 20 // of a word that may be a command that installs packages
)

// Scan collects the mentions of the answer. It searches for each kind only when the answer contains bytes that the kind
// requires, so that plain prose costs a few passes of memchr.
func (s *Scanner) Scan() {
	a := s.answer
	s.work.Spend(len(a) / scanBytes)
	slash := strings.IndexByte(a, '/') >= 0
	if slash || strings.Contains(a, "www.") {
		s.urls()
	}
	if slash { // every DOI has one
		s.dois()
	}
	s.arXivs()
	if strings.IndexByte(a, '@') >= 0 {
		s.mails()
	}
	code := strings.IndexByte(a, '`') >= 0
	if code {
		s.fences()
	}
	if !code || mayInstall(a) {
		s.installs()
	}
	s.imports()
	s.members()
	if slash {
		s.endpoints()
	}
	if code && strings.IndexByte(a, '(') >= 0 {
		s.calls()
	}
}

// codeBlock is the inside of a fenced block.
type codeBlock struct {
	language   codeLanguage
	start, end int
}

// codeLanguage is the language of a block whose imports are read.
type codeLanguage uint8

const (
	otherLanguage codeLanguage = iota
	pythonLanguage
	scriptLanguage
	goLanguage
	rustLanguage
)

func languageOf(info string) codeLanguage {
	if at := strings.IndexAny(info, " \t{,:"); at >= 0 {
		info = info[:at]
	}
	switch strings.ToLower(info) {
	case "python", "py", "python3", "pycon", "ipython", "jupyter":
		return pythonLanguage
	case "javascript", "js", "jsx", "mjs", "cjs", "typescript", "ts", "tsx", "node", "vue", "svelte":
		return scriptLanguage
	case "go", "golang":
		return goLanguage
	case "rust", "rs":
		return rustLanguage
	default:
		return otherLanguage
	}
}

// fences finds the code blocks. An unclosed block ends with the answer.
func (s *Scanner) fences() {
	a := s.answer
	if !strings.Contains(a, "```") {
		return
	}
	open := false
	for start := 0; start < len(a) && s.work.Spend(1); {
		end := lineEnd(a, start)
		if info, ok := strings.CutPrefix(strings.TrimSpace(a[start:end]), "```"); ok {
			switch {
			case open:
				s.blocks[len(s.blocks)-1].end = start
				open = false
			case !strings.Contains(info, "`"): // otherwise it is inline code
				s.blocks = append(s.blocks, codeBlock{language: languageOf(info), start: min(end+1, len(a)), end: len(a)})
				open = true
			}
		}
		start = end + 1
	}
}

// lineEnd returns the end of the line at the offset, before its line feed.
func lineEnd(s string, at int) int {
	if n := strings.IndexByte(s[at:], '\n'); n >= 0 {
		return at + n
	}
	return len(s)
}

// trimSpaces moves the bounds past white space.
func trimSpaces(s string, start, end int) (from, to int) {
	for start < end && isBlank(s[start]) {
		start++
	}
	for end > start && isBlank(s[end-1]) {
		end--
	}
	return start, end
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// imports reads the blocks of known languages line by line.
func (s *Scanner) imports() {
	for _, b := range s.blocks {
		group := false
		for start := b.start; start < b.end && s.mayContinue(importCost); {
			end := lineEnd(s.answer[:b.end], start)
			from, to := trimSpaces(s.answer, start, end)
			switch b.language {
			case otherLanguage:
			case pythonLanguage:
				s.pythonLine(from, to)
			case scriptLanguage:
				s.scriptLine(from, to)
			case goLanguage:
				group = s.goLine(from, to, group)
			case rustLanguage:
				s.rustLine(from, to)
			}
			start = end + 1
		}
	}
}

// pythonLine reads `import a.b, c as d` and `from a.b import c`.
func (s *Scanner) pythonLine(from, to int) {
	line := s.answer[from:to]
	for _, prompt := range [...]string{">>> ", "... "} {
		if strings.HasPrefix(line, prompt) {
			from, line = from+len(prompt), line[len(prompt):]
		}
	}
	if rest, ok := strings.CutPrefix(line, "from "); ok {
		if strings.Contains(rest, " import ") {
			s.pythonModule(to-len(rest), to)
			s.pythonFrom(to-len(rest), to)
		}
		return
	}
	rest, ok := strings.CutPrefix(line, "import ")
	if !ok {
		return
	}
	for at := to - len(rest); at < to; {
		end := to
		if n := strings.IndexByte(s.answer[at:to], ','); n >= 0 {
			end = at + n
		}
		s.pythonModule(at, end)
		s.pythonImport(at, end)
		at = end + 1
	}
}

// pythonModule records the Python module path at the start of the span.
func (s *Scanner) pythonModule(start, end int) {
	start, _ = trimSpaces(s.answer, start, end)
	stop := start
	for stop < end && (identifierByte(s.answer[stop]) || s.answer[stop] == '.') {
		stop++
	}
	for stop > start && s.answer[stop-1] == '.' {
		stop--
	}
	if stop > start && s.answer[start] != '.' && !isDigit(s.answer[start]) {
		s.addMention(Python, start, stop, names.PyPI)
	}
}

// identifier records the identifier at the start of the span.
func (s *Scanner) identifier(kind Kind, e names.Ecosystem, start, end int) {
	start, _ = trimSpaces(s.answer, start, end)
	stop := start
	for stop < end && identifierByte(s.answer[stop]) {
		stop++
	}
	if stop > start && !isDigit(s.answer[start]) {
		s.addMention(kind, start, stop, e)
	}
}

func identifierByte(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '_'
}

// scriptLine reads the string after from, import, require( and import(.
func (s *Scanner) scriptLine(from, to int) {
	line := s.answer[from:to]
	if strings.HasPrefix(line, "//") || strings.HasPrefix(line, "*") {
		return
	}
	for _, key := range [...]string{"require(", "import(", "from ", "import "} {
		at := strings.Index(line, key)
		if at < 0 || at > 0 && (identifierByte(line[at-1]) || line[at-1] == '.') {
			continue
		}
		if start, end, ok := quotedAt(line, at+len(key)); ok && end > start {
			s.scriptModule(from+start, from+end)
			s.scriptImport(from, [2]int{from + start, from + end})
		}
	}
}

// quotedAt returns the string literal at the offset, after spaces, without its quotes.
func quotedAt(s string, at int) (start, end int, ok bool) {
	for at < len(s) && s[at] == ' ' {
		at++
	}
	if at == len(s) || s[at] != '"' && s[at] != '\'' && s[at] != '`' {
		return 0, 0, false
	}
	n := strings.IndexByte(s[at+1:], s[at])
	return at + 1, at + 1 + n, n >= 0
}

// scriptModule records the package of a module specifier. Paths and aliases of the project are ignored.
func (s *Scanner) scriptModule(start, end int) {
	spec := s.answer[start:end]
	bare, node := strings.CutPrefix(spec, "node:")
	switch {
	case node:
		s.addMention(Script, start, end, names.NPM)
		return
	case strings.HasPrefix(bare, "@/") || strings.ContainsAny(bare[:1], "./~#$") || strings.ContainsAny(bare, ":!{ "):
		return
	}
	elems := 1
	if bare[0] == '@' {
		elems = 2
	}
	for i := range len(bare) {
		if bare[i] == '/' {
			if elems--; elems == 0 {
				end = start + i
				break
			}
		}
	}
	s.addMention(Script, start, end, names.NPM)
}
