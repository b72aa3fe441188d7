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
	pythonImport = regexp.MustCompile(`(?m)^[ \t]*(?:>>> |\.\.\. )?(?:from[ \t]+(\.*(?:[A-Za-z_][\w.]*)?)[ \t]+import[ \t]+([^\n#]*)|import[ \t]+([^\n#]+))`)
	pythonPart   = regexp.MustCompile(`(?:^|,)[ \t]*([A-Za-z_][\w.]*\b)(?:[ \t]+as[ \t]+(\w+))?`)
	listedName   = regexp.MustCompile(`(?:^|,)[\s(]*([\w$]+)`)
	scriptImport = regexp.MustCompile("(?m)^(?:([^\n]*?)[^\\w.\n])?(?:require\\(|import\\(|from |import ) *[\"'`]([^\"'`\n]+)[\"'`]")
	// scriptPackage is the package of a module specifier, or a module of Node.js. One that ends with a colon is an alias.
	scriptPackage = regexp.MustCompile(`^(?:node:.+|[^:!{ /]*:|@[^:!{ /]+/[^:!{ /]+|[^@./~#$:!{ ][^:!{ /]*)`)
	scriptClause  = regexp.MustCompile(`^\s*(?:import|export|const|let|var)\s+(?:type\s+)?(?:\* as )?([\w$]*)\s*,?\s*(?:\{([^}]*)\})?`)
	goImports     = regexp.MustCompile(`(?m)^[ \t]*import[ \t]*\(([^)]*)|^[ \t]*import[ \t]+([^\n]*)`)
	goImport      = regexp.MustCompile(`(?m)^[ \t]*(?:([\w.]+)[ \t]+)?"([^"\n./][^"\n]*)"`)
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
			for part := range s.matches(pythonPart, m[6], m[7]) {
				module, alias := s.group(part, 1), s.group(part, 2)
				s.add(python, part[2], part[3], names.PyPI, "")
				if alias == "" {
					module = module[:cutAny(module, ".")]
					alias = module
				}
				s.bind(alias, module, "python")
			}
			continue
		}
		if module := s.group(m, 1); module != "" && module[0] != '.' {
			s.add(python, m[2], m[3]-(len(module)-len(strings.TrimRight(module, "."))), names.PyPI, "")
			s.namesOf(module, m[4], m[5], names.PyPI)
		}
	}
}

// namesOf records a list of names, separated by commas, as members of the module.
func (s *scanner) namesOf(module string, at, end int, e names.Ecosystem) {
	for m := range s.matches(listedName, at, end) {
		s.add(member, m[2], m[3], e, module)
	}
}

// scriptImport records the package of a module specifier and the names it is imported under. Paths and aliases of the project
// are ignored.
func (s *scanner) scriptImport(m []int) {
	before, spec := strings.TrimSpace(s.group(m, 1)), s.group(m, 2)
	if strings.HasPrefix(before, "//") || strings.HasPrefix(before, "*") {
		return
	}
	if found := scriptPackage.FindString(spec); !strings.HasSuffix(found, ":") {
		s.add(script, m[4], m[4]+len(found), names.NPM, "")
	}
	if m[2] < 0 {
		return
	}
	for clause := range s.matches(scriptClause, m[2], m[3]) {
		s.bind(s.group(clause, 1), spec, "script")
		if clause[4] >= 0 {
			s.namesOf(spec, clause[4], clause[5], names.NPM)
		}
		return
	}
}

func (s *scanner) goImports(at, end int) {
	for m := range s.matches(goImport, at, end) {
		path, name := s.group(m, 2), s.group(m, 1)
		s.add(golang, m[4], m[5], names.Go, "")
		if name == "" {
			name = path[strings.LastIndexByte(path, '/')+1:]
		}
		s.bind(name, path, "go")
	}
}

// maxBindings is the maximum of imported names whose members are read; further ones are ignored.
const maxBindings = 32

// binding is a name in code that stands for a module.
type binding struct {
	name, module, language string
	shadowed               bool // the name is also used for something else
}

func (s *scanner) bind(name, module, language string) {
	if name != "" && len(s.bindings) < maxBindings {
		s.bindings = append(s.bindings, binding{name: name, module: module, language: language})
	}
}

// globalObjects are the global objects of JavaScript whose members are listed.
const globalObjects = " JSON Math Object Array Promise Number Date "

var (
	// namesInCode are names with members; matches without a group are comments and imports.
	namesInCode = map[string]*regexp.Regexp{ //nolint:gochecknoglobals // a read-only table
		"python": regexp.MustCompile(`(?m)#.*$|^[ \t]*(?:import|from) .*$|([\w$]+)(?:\.([\w$]+))?`),
		"script": regexp.MustCompile(`(?m)://|//.*$|^[ \t]*import .*$|^.*\brequire\(.*$|([\w$]+)(?:\.([\w$]+))?`),
		"go":     regexp.MustCompile(`(?m)://|//.*$|^[ \t]*import .*$|^[ \t]*(?:[\w.]+ )?"[^"\n]*"[ \t\r]*$|([\w$]+)(?:\.([\w$]+))?`),
	}
	ecosystems = map[string]names.Ecosystem{"python": names.PyPI, "script": names.NPM, "go": names.Go} //nolint:gochecknoglobals // a read-only table
)

// members records the members that code uses of the modules it imports: `name.member`, where name stands for nothing else. The
// first pass marks the names that do.
func (s *scanner) members() {
	for pass := range 2 {
		for _, c := range s.code {
			if namesInCode[c.language] != nil && (len(s.bindings) > 0 || c.language == "script") {
				s.membersOf(c, pass == 0)
			}
		}
	}
}

func (s *scanner) membersOf(c codeSpan, mark bool) {
	for m := range s.matches(namesInCode[c.language], c.start, c.end) {
		if m[2] < 0 || m[0] > c.start && strings.IndexByte(".\"'`/-\\", s.answer[m[0]-1]) >= 0 {
			continue
		}
		s.work.Spend(1 + len(s.bindings)/4)
		b := s.bindingOf(s.group(m, 1), c.language)
		switch used := m[4] >= 0; {
		case mark && b != nil:
			b.shadowed = b.shadowed || !used
		case !mark && used && (b == nil || !b.shadowed):
			s.memberUse(b, m[0], m[1], c.language)
		}
	}
}

func (s *scanner) memberUse(b *binding, start, end int, language string) {
	switch {
	case b != nil:
		s.add(member, start, end, ecosystems[language], b.module)
	case language == "script" && inList(globalObjects, s.answer[start:start+cutAny(s.answer[start:end], ".")]):
		s.add(member, start, end, names.NPM, "")
	}
}

// bindingOf returns the module that the name stands for, nil if it stands for none.
func (s *scanner) bindingOf(name, language string) *binding {
	for i := range s.bindings {
		if b := &s.bindings[i]; b.language == language && b.name == name {
			return b
		}
	}
	return nil
}

// callForm is a name before an opening parenthesis.
var callForm = regexp.MustCompile(`([A-Za-z_][\w.]*)\(`)

// calls records the functions that code calls, and the keyword arguments.
func (s *scanner) calls(c codeSpan) {
	if strings.IndexByte(s.answer[c.start:c.end], '(') < 0 {
		return
	}
	for m := range s.matches(callForm, c.start, c.end) {
		name := s.group(m, 1)
		if !compound.MatchString(name) {
			continue
		}
		s.add(call, m[2], m[3], "", "")
		if c.language == "python" || c.language == "" {
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
