package technical

import (
	"strings"

	"confab/internal/names"
)

// installer is a command that installs packages.
type installer struct {
	tool      string
	verbs     string // between spaces; "" when the tool itself is the verb
	ecosystem names.Ecosystem
	one       bool // only the first argument is a package
}

var installers = [...]installer{ //nolint:gochecknoglobals // a read-only table
	{tool: "pip", verbs: " install ", ecosystem: names.PyPI},
	{tool: "pip3", verbs: " install ", ecosystem: names.PyPI},
	{tool: "pipx", verbs: " install run ", ecosystem: names.PyPI, one: true},
	{tool: "pipenv", verbs: " install ", ecosystem: names.PyPI},
	{tool: "uv", verbs: " add install ", ecosystem: names.PyPI},
	{tool: "uvx", ecosystem: names.PyPI, one: true},
	{tool: "poetry", verbs: " add ", ecosystem: names.PyPI},
	{tool: "pdm", verbs: " add ", ecosystem: names.PyPI},
	{tool: "npm", verbs: " install i add ", ecosystem: names.NPM},
	{tool: "pnpm", verbs: " install i add ", ecosystem: names.NPM},
	{tool: "yarn", verbs: " add ", ecosystem: names.NPM},
	{tool: "bun", verbs: " install i add ", ecosystem: names.NPM},
	{tool: "pnpm", verbs: " dlx ", ecosystem: names.NPM, one: true},
	{tool: "yarn", verbs: " dlx ", ecosystem: names.NPM, one: true},
	{tool: "npx", ecosystem: names.NPM, one: true},
	{tool: "bunx", ecosystem: names.NPM, one: true},
	{tool: "go", verbs: " get install ", ecosystem: names.Go},
	{tool: "cargo", verbs: " install add ", ecosystem: names.Crates},
	{tool: "gem", verbs: " install ", ecosystem: names.RubyGems},
	{tool: "bundle", verbs: " add ", ecosystem: names.RubyGems},
}

// Flags between spaces: those whose next word is their value, and those that install packages from elsewhere.
var (
	valueFlags = map[names.Ecosystem]string{ //nolint:gochecknoglobals // a read-only table
		names.PyPI: " -r --requirement -c --constraint -t --target -e --editable --platform --python-version --python -p --prefix --root " +
			"--group -G --extra --extras -E --optional --with --tag --branch --rev --only-binary --no-binary --timeout --retries --proxy --cert --trusted-host --suffix ",
		names.NPM:      " --prefix --workspace --tag --loglevel --filter -C --dir --cwd ",
		names.Go:       " -tags -ldflags -o -C -mod -modfile ",
		names.Crates:   " --version --vers --features -F --target --bin --example -p --package --rename --manifest-path --profile -j --jobs --target-dir --root ",
		names.RubyGems: " -v --version --platform -P --install-dir -i -n --bindir --group -g ",
	}
	elsewhereFlags = map[names.Ecosystem]string{ //nolint:gochecknoglobals // a read-only table
		names.PyPI:     " -i --index-url --extra-index-url -f --find-links --index --default-index --source --git --path --no-index ",
		names.NPM:      " --registry -p --package ",
		names.Go:       " ",
		names.Crates:   " --git --path --registry --index ",
		names.RubyGems: " -s --source --git --github --path -l --local ",
	}
)

// proseWords do not occur in commands: a line with one of them after its verb is prose.
const proseWords = " the a an and or to for with is are was it its this that these then from your our in of on using if will command commands " +
	"can via by any all each both again instead inside globally locally first before after new other some which you we "

// mayInstall reports whether the text may contain a command that installs packages.
func mayInstall(a string) bool {
	return strings.Contains(a, " install ") || strings.Contains(a, " add ") || strings.Contains(a, " get ") ||
		strings.Contains(a, " i ") || strings.Contains(a, "npx ") || strings.Contains(a, "dlx ") ||
		strings.Contains(a, "uvx ") || strings.Contains(a, "bunx ") || strings.Contains(a, "pipx ")
}

// installs finds commands in fenced blocks, in inline code, and on lines that begin with the command.
func (s *Scanner) installs() {
	a, next := s.answer, 0
	for start := 0; start < len(a) && s.mayContinue(1); {
		end := lineEnd(a, start)
		for next < len(s.blocks) && s.blocks[next].end <= start {
			next++
		}
		switch {
		case next < len(s.blocks) && s.blocks[next].start <= start:
			for end < s.blocks[next].end && end > start && a[end-1] == '\\' {
				end = lineEnd(a[:s.blocks[next].end], end+1)
			}
			s.commands(start, end)
		case strings.IndexByte(a[start:end], '`') >= 0:
			s.codeSpans(start, end)
		default:
			s.commandLine(start, end)
		}
		start = end + 1
	}
}

// codeSpans reads the inline code of a line.
func (s *Scanner) codeSpans(start, end int) {
	inside := false
	for at := start; at < end; {
		n := strings.IndexByte(s.answer[at:end], '`')
		if n < 0 {
			return
		}
		if inside {
			s.commands(at, at+n)
		}
		inside = !inside
		at += n + 1
	}
}

// commandLine reads a line outside code if it begins with a tool.
func (s *Scanner) commandLine(start, end int) {
	start = unbulleted(s.answer, start, end)
	w := commandWords{text: s.answer, at: start, end: end}
	from, to, _ := w.next()
	s.readCommand(s.answer[from:to], w)
}

// unbulleted skips a list marker and a shell prompt.
func unbulleted(a string, start, end int) int {
	for start < end && (isBlank(a[start]) || strings.IndexByte("-*>$%#.)", a[start]) >= 0 || '0' <= a[start] && a[start] <= '9') {
		start++
	}
	return start
}

// commandWords iterates over the words of a part of the answer.
type commandWords struct {
	text    string
	at, end int
}

// next returns the next word without quotes and brackets around it.
func (w *commandWords) next() (start, end int, ok bool) {
	for w.at < w.end && (isBlank(w.text[w.at]) || w.text[w.at] == '\\') {
		w.at++
	}
	start = w.at
	for w.at < w.end && !isBlank(w.text[w.at]) {
		w.at++
	}
	end = w.at
	for start < end && strings.IndexByte("\"'`$([!%{", w.text[start]) >= 0 {
		start++
	}
	for end > start && strings.IndexByte("\"'`),;.:", w.text[end-1]) >= 0 {
		end--
	}
	return start, end, w.at > start || end > start
}

// commands finds the commands in a part of code.
func (s *Scanner) commands(start, end int) {
	w := commandWords{text: s.answer, at: start, end: end}
	for {
		from, to, ok := w.next()
		if !ok {
			return
		}
		s.readCommand(s.answer[from:to], w)
	}
}

// readCommand reads the arguments after a word if it is a tool.
func (s *Scanner) readCommand(tool string, w commandWords) {
	s.work.Spend(1)
	if len(tool) < len("go") || len(tool) > len("bundle") {
		return
	}
	for i := range installers {
		if c := &installers[i]; c.tool == tool && s.work.Spend(installCost) {
			s.command(c, w)
		}
	}
}

// command reads the arguments of a tool and records the packages if they form a command.
func (s *Scanner) command(c *installer, w commandWords) {
	if !s.verb(c, &w) {
		return
	}
	const most = 16
	var found [most][2]int
	n := 0
	for n < most {
		raw := w.at
		from, to, ok := w.next()
		if !ok || endsCommand(s.answer[raw:w.at]) {
			break
		}
		word := s.answer[from:to]
		use := c.argument(word)
		switch use {
		case otherArgument:
		case flagWithValue:
			w.next()
		case dropCommand:
			return
		case packageArgument:
			found[n] = [2]int{from, from + nameLength(c.ecosystem, word)} // length 0 is not recorded
			n++
		}
		if endsAfterWord(s.answer[raw:w.at]) || c.one && use == packageArgument {
			break
		}
	}
	s.packages(c, found[:n])
}

func (s *Scanner) packages(c *installer, found [][2]int) {
	for _, f := range found {
		s.addMention(Package, f[0], f[1], c.ecosystem)
	}
}

// verb reports whether the tool's verb installs packages, and moves past it.
func (s *Scanner) verb(c *installer, w *commandWords) bool {
	if c.verbs == "" {
		return true
	}
	from, to, _ := w.next()
	if word := s.answer[from:to]; word == "tool" || word == "global" {
		from, to, _ = w.next()
	}
	return InList(c.verbs, s.answer[from:to])
}

// argumentUse is the meaning of an argument.
type argumentUse uint8

const (
	packageArgument argumentUse = iota // it may name a package
	otherArgument                      // it does not
	flagWithValue                      // it does not, nor does the next one
	dropCommand                        // the packages come from elsewhere, or this is not a command
)

func (c *installer) argument(word string) argumentUse {
	switch {
	case word == "":
		return otherArgument
	case InList(proseWords, word):
		return dropCommand
	case word[0] != '-':
		return packageArgument
	}
	flag, _, whole := strings.Cut(word, "=")
	switch {
	case InList(elsewhereFlags[c.ecosystem], flag):
		return dropCommand
	case !whole && InList(valueFlags[c.ecosystem], flag):
		return flagWithValue
	default:
		return otherArgument
	}
}

// endsCommand reports whether the word is a shell operator or a comment.
func endsCommand(word string) bool {
	word = strings.TrimLeft(word, " \t\r\n")
	return word == "" || strings.IndexByte("#&|;<>", word[0]) >= 0
}

// endsAfterWord reports whether the command ends after the word.
func endsAfterWord(word string) bool {
	return strings.HasSuffix(word, ";") || strings.HasSuffix(word, "`")
}

// InList reports whether the list, whose words are between spaces, contains the word.
func InList(list, word string) bool {
	if word == "" || strings.IndexByte(word, ' ') >= 0 {
		return false
	}
	for {
		at := strings.Index(list, word)
		if at < 0 {
			return false
		}
		if at > 0 && list[at-1] == ' ' && at+len(word) < len(list) && list[at+len(word)] == ' ' {
			return true
		}
		list = list[at+1:]
	}
}
