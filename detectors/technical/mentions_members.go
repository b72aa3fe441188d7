package technical

import (
	"strings"

	"confab/internal/names"
)

// maxBindings is the maximum of imported names whose members are read; further ones are ignored.
const maxBindings = 32

// binding is a name in code that stands for a module.
type binding struct {
	name     string
	module   [2]int // bytes of the module in the answer; empty for a global object
	language codeLanguage
	shadowed bool // the name is also used for something else
}

// globalObjects are the global objects of JavaScript whose members are listed.
const globalObjects = " JSON Math Object Array Promise Number Date "

// bind records that the name stands for the module at these bytes.
func (s *Scanner) bind(name string, module [2]int, language codeLanguage) {
	if name != "" && len(s.bindings) < maxBindings {
		s.bindings = append(s.bindings, binding{name: name, module: module, language: language})
	}
}

// addMember records a member of the module at these bytes.
func (s *Scanner) addMember(module [2]int, start, end int, e names.Ecosystem) {
	n := len(s.Mentions)
	s.addMention(Member, start, end, e)
	if len(s.Mentions) > n {
		s.Mentions[n].ModuleStart, s.Mentions[n].ModuleEnd = int32(module[0]), int32(module[1])
	}
}

// identifierAt returns the end of the identifier at the offset.
func (s *Scanner) identifierAt(at, end int) int {
	for at < end && (identifierByte(s.answer[at]) || s.answer[at] == '$') {
		at++
	}
	return at
}

// pythonImport binds the names of `import a.b as c`, one part of the statement.
func (s *Scanner) pythonImport(start, end int) {
	start, end = trimSpaces(s.answer, start, end)
	path, alias, renamed := strings.Cut(s.answer[start:end], " as ")
	path = strings.TrimSpace(path)
	if renamed {
		s.bind(strings.TrimSpace(alias), [2]int{start, start + len(path)}, pythonLanguage)
		return
	}
	root, _, _ := strings.Cut(path, ".")
	s.bind(root, [2]int{start, start + len(root)}, pythonLanguage)
}

// pythonFrom records the names of `from a.b import c as d, e` as members of a.b. start is that of the module.
func (s *Scanner) pythonFrom(start, end int) {
	module, list, _ := strings.Cut(s.answer[start:end], " import ")
	at := end - len(list)
	if module = strings.TrimSpace(module); strings.HasPrefix(module, ".") {
		return
	}
	if comment := strings.IndexByte(list, '#'); comment >= 0 {
		end = at + comment
	}
	s.namesOf([2]int{start, start + len(module)}, at, end, names.PyPI)
}

// namesOf records a list of names, separated by commas, as members of the module. What follows " as " or a colon is ignored.
func (s *Scanner) namesOf(module [2]int, at, end int, e names.Ecosystem) {
	for at < end && s.mayContinue(1) {
		next := end
		if n := strings.IndexByte(s.answer[at:end], ','); n >= 0 {
			next = at + n
		}
		start := at
		for start < next && strings.IndexByte(" \t(){", s.answer[start]) >= 0 {
			start++
		}
		if stop := s.identifierAt(start, next); stop > start {
			s.addMember(module, start, stop, e)
		}
		at = next + 1
	}
}

// scriptImport reads the names before the module of a JavaScript import or require. The module's bytes are those of the
// whole specifier.
func (s *Scanner) scriptImport(from int, module [2]int) {
	line := s.answer[from:module[0]]
	for _, prefix := range [...]string{"import ", "const ", "let ", "var "} {
		if rest, ok := strings.CutPrefix(line, prefix); ok {
			from, line = from+len(prefix), rest
		}
	}
	if open := strings.IndexByte(line, '{'); open >= 0 {
		if shut := strings.IndexByte(line, '}'); shut > open {
			s.namesOf(module, from+open+1, from+shut, names.NPM)
		}
		line = line[:open]
	}
	line = strings.TrimLeft(line, " ")
	if rest, ok := strings.CutPrefix(line, "* as "); ok {
		line = rest
	}
	end := 0
	for end < len(line) && (identifierByte(line[end]) || line[end] == '$') {
		end++
	}
	if rest := strings.TrimLeft(line[end:], " "); strings.HasPrefix(rest, "from") || strings.HasPrefix(rest, "=") || strings.HasPrefix(rest, ",") {
		s.bind(line[:end], module, scriptLanguage)
	}
}

// goImport binds the name of an imported package. before is the text of the line before the path.
func (s *Scanner) goImport(before string, path [2]int) {
	name := s.answer[path[0]:path[1]]
	name = name[strings.LastIndexByte(name, '/')+1:]
	before = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(before), "import"))
	if alias := strings.Trim(before, "( \t"); alias != "" {
		name = alias
	}
	s.bind(name, path, goLanguage)
}

// members records the members that code uses of the modules it imports: `name.member`, where name stands for nothing else.
func (s *Scanner) members() {
	for pass := range 2 {
		for _, b := range s.blocks {
			if b.language == otherLanguage || len(s.bindings) == 0 && b.language != scriptLanguage {
				continue
			}
			for start := b.start; start < b.end && s.mayContinue(1); {
				end := lineEnd(s.answer[:b.end], start)
				s.work.Spend((end - start) / scanBytes)
				s.memberLine(start, start+codeLength(s.answer[start:end], b.language), b.language, pass == 0)
				start = end + 1
			}
		}
	}
}

// codeLength is the length of a line without its comment.
func codeLength(line string, l codeLanguage) int {
	mark := "//"
	if l == pythonLanguage {
		mark = "#"
	}
	if at := strings.Index(line, mark); at >= 0 && (at == 0 || line[at-1] != ':') {
		return at
	}
	return len(line)
}

// memberLine reads one line: the first time it marks names that stand for something else, then it records members.
func (s *Scanner) memberLine(at, end int, l codeLanguage, mark bool) {
	if isImport(strings.TrimSpace(s.answer[at:end]), l) {
		return
	}
	for begin := at; at < end; {
		stop := s.identifierAt(at, end)
		if stop == at {
			at++
			continue
		}
		before := byte(' ')
		if at > begin {
			before = s.answer[at-1]
		}
		if strings.IndexByte(".\"'`/-\\", before) < 0 {
			s.memberUse(at, stop, end, mark, l)
		}
		at = stop
	}
}

// memberUse reads the use of the name at start..stop.
func (s *Scanner) memberUse(start, stop, end int, mark bool, l codeLanguage) {
	name := s.answer[start:stop]
	s.work.Spend(1 + len(s.bindings)/4)
	last := stop
	if stop < end && s.answer[stop] == '.' {
		last = s.identifierAt(stop+1, end)
	}
	used := last > stop+1
	b := s.bindingOf(name, l)
	switch {
	case b != nil && mark:
		b.shadowed = b.shadowed || !used
	case mark || !used:
	case b != nil && !b.shadowed:
		s.addMember(b.module, start, last, l.ecosystem())
	case b == nil && l.hasGlobal(name):
		s.addMember([2]int{}, start, last, names.NPM)
	}
}

// bindingOf returns the module that the name stands for, nil if it stands for none.
func (s *Scanner) bindingOf(name string, l codeLanguage) *binding {
	for i := range s.bindings {
		if b := &s.bindings[i]; b.language == l && b.name == name {
			return b
		}
	}
	return nil
}

// isImport reports whether the line imports something, so that its names are no uses.
func isImport(line string, l codeLanguage) bool {
	switch l {
	case pythonLanguage:
		return strings.HasPrefix(line, "import ") || strings.HasPrefix(line, "from ")
	case goLanguage:
		return strings.HasPrefix(line, "import ") || strings.HasSuffix(line, `"`) && (line[0] == '"' || strings.Count(line, `"`) == 2 && !strings.ContainsAny(line, "(=:,"))
	default:
		return strings.HasPrefix(line, "import ") || strings.Contains(line, "require(")
	}
}

// ecosystem is that of the language's modules.
func (l codeLanguage) ecosystem() names.Ecosystem {
	switch l {
	case goLanguage:
		return names.Go
	case scriptLanguage:
		return names.NPM
	default:
		return names.PyPI
	}
}

// hasGlobal reports whether the name is a listed global object of the language.
func (l codeLanguage) hasGlobal(name string) bool {
	return l == scriptLanguage && InList(globalObjects, name)
}
