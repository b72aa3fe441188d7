package technical

import (
	"regexp"
	"strings"

	"confab/internal/names"
)

// codeSpan is the inside of a fenced block or of inline code.
type codeSpan struct {
	language   string // "" if its imports are not read
	start, end int
}

var languages = map[string]string{ //nolint:gochecknoglobals // a read-only table
	"python": "python", "py": "python", "python3": "python", "pycon": "python", "ipython": "python", "jupyter": "python",
	"javascript": "script", "js": "script", "jsx": "script", "mjs": "script", "cjs": "script", "typescript": "script", "ts": "script", "tsx": "script",
	"node": "script", "vue": "script", "svelte": "script", "go": "go", "golang": "go", "rust": "rust", "rs": "rust",
}

var (
	fenceLine  = regexp.MustCompile("(?m)^[ \t\r]*```([^\n]*)$")
	inlineCode = regexp.MustCompile("`([^`\n]*)`")
)

// readCode finds fenced blocks and the inline code between them. An unclosed block ends with the answer.
func (s *scanner) readCode() {
	open, after := false, 0
	for m := range s.matches(fenceLine, 0, len(s.answer)) {
		info := s.group(m, 1)
		switch {
		case open:
			s.code[len(s.code)-1].end = m[0]
			open, after = false, m[1]
		case !strings.Contains(info, "`"): // otherwise it is inline code
			s.inline(after, m[0])
			language := languages[strings.ToLower(info[:cutAny(info, " \t\r{,:")])]
			s.code = append(s.code, codeSpan{language: language, start: min(m[1]+1, len(s.answer)), end: len(s.answer)})
			open, after = true, len(s.answer)
		}
	}
	s.inline(after, len(s.answer))
}

func (s *scanner) inline(at, end int) {
	for m := range s.matches(inlineCode, at, end) {
		s.code = append(s.code, codeSpan{start: m[2], end: m[3]})
	}
}

var (
	pythonImport = regexp.MustCompile(`(?m)^[ \t]*(?:>>> |\.\.\. )?(?:from[ \t]+(\.*(?:[A-Za-z_][\w.]*)?)[ \t]+import[ \t]|import[ \t]+([^\n#]+))`)
	pythonPart   = regexp.MustCompile(`(?:^|,)[ \t]*([A-Za-z_][\w.]*\b)(?:[ \t]+as[ \t]+\w+)?`)
	scriptImport = regexp.MustCompile("(?m)^(?:([^\n]*?)[^\\w.\n])?(?:require\\(|import\\(|from |import ) *[\"'`]([^\"'`\n]+)[\"'`]")
	// scriptPackage is the package of a module specifier, or a module of Node.js. One that ends with a colon is an alias.
	scriptPackage = regexp.MustCompile(`^(?:node:.+|[^:!{ /]*:|@[^:!{ /]+/[^:!{ /]+|[^@./~#$:!{ ][^:!{ /]*)`)
	goImports     = regexp.MustCompile(`(?m)^[ \t]*import[ \t]*\(([^)]*)|^[ \t]*import[ \t]+([^\n]*)`)
	goImport      = regexp.MustCompile(`(?m)^[ \t]*(?:[\w.]+[ \t]+)?"([^"\n./][^"\n]*)"`)
	rustUse       = regexp.MustCompile(`(?m)^[ \t]*(?:pub )?(?:use (?:::)?([A-Za-z_]\w*)(?:::(\w*)|[^\n]*;[ \t\r]*$)|extern crate ([A-Za-z_]\w*))`)
)

func (s *scanner) imports(c codeSpan) {
	switch c.language {
	case "python":
		s.pythonImports(c)
	case "script":
		for m := range s.matches(scriptImport, c.start, c.end) {
			s.scriptImport(m)
		}
	case "go":
		for m := range s.matches(goImports, c.start, c.end) {
			s.goImports(max(m[2], m[4]), max(m[3], m[5]))
		}
	case "rust":
		s.rustImports(c)
	}
}

func (s *scanner) rustImports(c codeSpan) {
	for m := range s.matches(rustUse, c.start, c.end) {
		if m[4] >= 0 && inList(" std core alloc ", s.group(m, 1)) {
			s.add(rustStd, m[4], m[5], names.Crates, "")
		} else {
			s.add(rust, max(m[2], m[6]), max(m[3], m[7]), names.Crates, "")
		}
	}
}

// pythonImports reads `import a.b, c as d` and `from a.b import c`.
func (s *scanner) pythonImports(c codeSpan) {
	for m := range s.matches(pythonImport, c.start, c.end) {
		if m[2] < 0 {
			for part := range s.matches(pythonPart, m[4], m[5]) {
				s.add(python, part[2], part[3], names.PyPI, "")
			}
			continue
		}
		if module := s.group(m, 1); module != "" && module[0] != '.' {
			s.add(python, m[2], m[3]-(len(module)-len(strings.TrimRight(module, "."))), names.PyPI, "")
		}
	}
}

// scriptImport records the package of a module specifier. Paths and aliases of the project are ignored.
func (s *scanner) scriptImport(m []int) {
	before, spec := strings.TrimSpace(s.group(m, 1)), s.group(m, 2)
	if strings.HasPrefix(before, "//") || strings.HasPrefix(before, "*") {
		return
	}
	if found := scriptPackage.FindString(spec); !strings.HasSuffix(found, ":") {
		s.add(script, m[4], m[4]+len(found), names.NPM, "")
	}
}

func (s *scanner) goImports(at, end int) {
	for m := range s.matches(goImport, at, end) {
		s.add(golang, m[2], m[3], names.Go, "")
	}
}

// callForm is a name before an opening parenthesis.
var callForm = regexp.MustCompile(`([A-Za-z_][\w.]*)\(`)

// calls records the keyword arguments of the functions that code calls.
func (s *scanner) calls(c codeSpan) {
	if c.language != "python" && c.language != "" || strings.IndexByte(s.answer[c.start:c.end], '(') < 0 {
		return
	}
	for m := range s.matches(callForm, c.start, c.end) {
		if name := s.group(m, 1); compound.MatchString(name) {
			s.keywords(name, m[1], min(c.end, m[1]+maxArguments))
		}
	}
}

// compound names have a form that prose does not have: with a dot, an underscore or an inner capital.
var compound = regexp.MustCompile(`\w[._]|[a-z][A-Z]`)

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }

const maxArguments = 400 // bytes of a call that are read

var keywordForm = regexp.MustCompile(`^\s*([A-Za-z_]\w*)\s*=[^=>]`)

// keywords records the names of the keyword arguments, which begin at the offset.
func (s *scanner) keywords(function string, at, end int) {
	for depth, begins := 0, true; at < end && s.mayContinue(1); at++ {
		if begins && depth == 0 {
			if m := keywordForm.FindStringSubmatchIndex(s.answer[at:end]); m != nil {
				s.add(keyword, at+m[2], at+m[3], "", function)
			}
		}
		c := s.answer[at]
		begins = c == ','
		switch c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case '"', '\'':
			at += 1 + strings.IndexByte(s.answer[at+1:end]+string(c), c)
		}
		if depth < 0 {
			return
		}
	}
}
