package technical

import (
	"iter"
	"regexp"
	"slices"
	"strings"

	"confab/detectors"
	"confab/internal/names"
)

// maxMentions is the maximum number of mentions of an answer; further ones are dropped.
const maxMentions = 64

// Costs of scanning an answer, in units of [detectors.Work].
const (
	mentionCost  = 10 // of a mention
	patternCost  = 1  // per byte that a regular expression reads
	addressBytes = 2  // bytes of an address per unit
)

// mention is a span of the answer that names something outside it.
type mention struct {
	start, end int
	kind       kind
	ecosystem  names.Ecosystem // of packages and members
	of         string          // of a member: its module, "" for a global object; of a keyword: the function
	loose      bool            // a package in prose, which may be another word
}

// kind says what a mention names.
type kind uint8

const (
	url kind = iota
	mail
	doi
	arXiv
	packageName
	python
	script // an import of JavaScript or TypeScript
	golang
	rust
	rustStd  // a module of Rust's standard library
	member   // a member of an imported module, with the name in code before it or without
	endpoint // a method and a path of HTTP
	call     // a function with its object
	keyword  // a keyword argument of a function
)

// pattern finds mentions of one kind: the last group of a match.
type pattern struct {
	kind    kind
	anchors []string // a line without any of them has no match
	form    *regexp.Regexp
}

// urlChars are the characters of an address: no white space, brackets, typographic quotes or wide punctuation.
const urlChars = "[^\\x00-\\x20<>\"`{}|\\\\^\\[\\]\\x7f\\x{2000}-\\x{203f}\\x{3000}-\\x{303f}\\x{ff00}-\\x{ff7f}]*"

var patterns = [...]pattern{ //nolint:gochecknoglobals // a read-only table
	{url, []string{"://", "www."}, regexp.MustCompile(`(?i)\b((?:(?:https?|ftp)://(?:\[[^\s\]]*\]?)?|www\.)` + urlChars + `)`)},
	{doi, []string{"10.", "oi:", "OI:"}, regexp.MustCompile(`(?i)\bdoi:\s?(\d` + urlChars + `)|(?:^|[^\pL\pN_.-])(10\.\d{4,9}(?:\.\d+)*/[\pL\pN_(.;:-]` + urlChars + `)`)},
	{arXiv, []string{"iv:", "IV:"}, regexp.MustCompile(`(?i)(?:^|[^\pL\pN_-])arxiv:\s?([\w./-]*\d[\w./-]*)`)},
	{mail, []string{"@"}, regexp.MustCompile(`([\pL\pN_.+%-]+@[\pL\pN.-]*[\pL\pN])`)},
	{endpoint, []string{" /"}, endpointForm},
}

var endpointForm = regexp.MustCompile("(?:^|[^\\pL\\pN_-])((?:GET|POST|PUT|PATCH|DELETE) /[^\\s`'\"?,;)\\]|*#\\\\]*[^\\s`'\"?,;)\\]|*#\\\\.:/])")

// scanner finds the mentions of one answer.
type scanner struct {
	answer   string
	work     *detectors.Work
	mentions []mention
	full     bool // further mentions were dropped
	code     []codeSpan
	bindings []binding
}

func (s *scanner) reset(answer string, work *detectors.Work) {
	s.answer, s.work, s.full = answer, work, false
	s.mentions, s.code, s.bindings = s.mentions[:0], s.code[:0], s.bindings[:0]
}

// scan collects the mentions. Each pattern reads only lines with one of its anchors, so that plain prose costs a few searches.
func (s *scanner) scan() {
	s.work.Spend(len(s.answer) / 4)
	for i := range patterns {
		if !containsAny(s.answer, patterns[i].anchors) {
			continue
		}
		at := 0
		for line := range strings.Lines(s.answer) {
			if s.mayContinue(1) && containsAny(line, patterns[i].anchors) {
				s.match(&patterns[i], at, at+len(line))
			}
			at += len(line)
		}
	}
	if strings.IndexByte(s.answer, '`') >= 0 {
		s.readCode()
	}
	s.installs()
	for _, c := range s.code {
		s.imports(c)
	}
	s.members()
	for _, c := range s.code {
		s.calls(c)
	}
}

func containsAny(text string, list []string) bool {
	return slices.ContainsFunc(list, func(s string) bool { return strings.Contains(text, s) })
}

// matches yields the groups of each match in these bytes, as offsets in the answer.
func (s *scanner) matches(form *regexp.Regexp, at, end int) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		for at < end && s.mayContinue(patternCost) {
			m := form.FindStringSubmatchIndex(s.answer[at:end])
			if m == nil {
				s.work.Spend(patternCost * (end - at))
				return
			}
			s.work.Spend(patternCost * m[1])
			for i := range m {
				if m[i] >= 0 {
					m[i] += at
				}
			}
			at = max(m[1], at+1)
			if !yield(m) {
				return
			}
		}
	}
}

// group returns the text of a group of a match.
func (s *scanner) group(m []int, i int) string {
	if m[2*i] < 0 {
		return ""
	}
	return s.answer[m[2*i]:m[2*i+1]]
}

func (s *scanner) match(p *pattern, at, end int) {
	for m := range s.matches(p.form, at, end) {
		from, to := m[2], m[3]
		if from < 0 {
			from, to = m[4], m[5]
		}
		switch {
		case p.kind == url:
			s.url(from, s.trimAddress(from, to))
		case p.kind == mail && !s.isMail(from, to), s.isMentioned(from):
		case p.kind == doi:
			s.add(doi, from, s.trimAddress(from, to), "", "")
		case p.kind == arXiv:
			s.add(arXiv, from, s.trimArXiv(from, to), "", "")
		default:
			s.add(p.kind, from, to, "", "")
		}
	}
}

// add records a span, once per name.
func (s *scanner) add(k kind, start, end int, e names.Ecosystem, of string) {
	if start >= end {
		return
	}
	s.work.Spend(mentionCost + (end-start)/detectors.SearchBytes)
	for i := range s.mentions {
		m := &s.mentions[i]
		if m.kind == k && m.ecosystem == e && s.answer[m.start:m.end] == s.answer[start:end] && (k != keyword || m.of == of) {
			return
		}
	}
	if s.full = len(s.mentions) == maxMentions; !s.full {
		s.mentions = append(s.mentions, mention{start: start, end: end, kind: k, ecosystem: e, of: of})
	}
}

// mayContinue charges a step and reports false once the mentions are full or the work has ended.
func (s *scanner) mayContinue(cost int) bool { return !s.full && s.work.Spend(cost) }

// isMentioned reports whether a mention covers the offset.
func (s *scanner) isMentioned(at int) bool {
	s.work.Spend(1 + len(s.mentions)/detectors.ScanRows)
	return slices.ContainsFunc(s.mentions, func(m mention) bool { return m.start <= at && at < m.end })
}

// standsAlone reports whether the span is not part of a longer name.
func standsAlone(text string, start, end int) bool {
	return (start == 0 || !nameByte(text[start-1])) && (end == len(text) || !nameByte(text[end]))
}

func nameByte(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '_' || c == '-' || c >= 0x80
}

// trimAddress returns the end of an address without punctuation of the sentence or of Markdown and without an unopened closing
// parenthesis.
func (s *scanner) trimAddress(start, end int) int {
	a := s.answer
	s.work.Spend((end - start) / addressBytes)
	closed := strings.Count(a[start:end], ")") - strings.Count(a[start:end], "(")
	for ; end > start; end-- {
		switch c := a[end-1]; {
		case strings.IndexByte(".,;:!?'*_", c) >= 0:
		case c == ')' && closed > 0:
			closed--
		default:
			return end
		}
	}
	return end
}

func (s *scanner) trimArXiv(start, end int) int {
	return start + len(strings.TrimRight(strings.TrimSuffix(strings.TrimRight(s.answer[start:end], "./-"), ".pdf"), "./-"))
}

// identifierPath is the path of an address that ends with a DOI or an arXiv id, without what publishers append.
var identifierPath = regexp.MustCompile(`^[^/]*/(?:.*/)?(?:(10\.\d{4,9}/[^?#]+?)(?:/(?:full|abstract|e?pdf|html|meta|summary)|\.full|\.pdf)*(?:[?#].*)?$)`)

// url records an address, or the identifier that it resolves.
func (s *scanner) url(start, end int) {
	authority := start
	if at := strings.Index(s.answer[start:end], "://"); at >= 0 {
		authority += at + len("://")
	} else if start > 0 && strings.IndexByte("./@-", s.answer[start-1]) >= 0 || !strings.Contains(strings.TrimSuffix(s.answer[start:end], "."), ".") {
		return
	}
	s.addressOf(start, authority, end)
}

func (s *scanner) addressOf(start, authority, end int) {
	rest := s.answer[authority:end]
	host, path, _ := strings.Cut(rest, "/")
	host = strings.TrimPrefix(strings.ToLower(host), "www.")
	archive, id, found := strings.Cut(path, "/")
	switch m := identifierPath.FindStringSubmatchIndex(rest); {
	case m != nil:
		s.add(doi, authority+m[2], authority+m[3], "", "")
	case path != "" && (host == "doi.org" || host == "dx.doi.org"):
		s.add(doi, end-len(path), end, "", "")
	case host == "arxiv.org" && found && inList(" abs pdf html ", archive):
		s.add(arXiv, end-len(id), s.trimArXiv(end-len(id), end-len(id)+cutAny(id, "?#,;:()")), "", "")
	case end < len(s.answer) && s.answer[end] == '{' || strings.IndexByte(rest, '$') >= 0:
		// a template: the final address is unknown
	case rest != "":
		s.add(url, start, end, "", "")
	}
}

// isMail distinguishes mail addresses from package@1.2, git@host:path and @user@host.
func (s *scanner) isMail(start, end int) bool {
	_, host, _ := strings.Cut(s.answer[start:end], "@")
	dot := strings.LastIndexByte(host, '.')
	if dot < 1 || len(host)-dot < 3 || strings.ContainsAny(host[dot:], "0123456789") {
		return false
	}
	if start > 0 && strings.IndexByte("@/:", s.answer[start-1]) >= 0 && !strings.HasSuffix(s.answer[:start], "mailto:") {
		return false
	}
	behind := s.answer[end:]
	return behind == "" || behind[0] != '/' && behind[0] != '@' && (behind[0] != ':' || len(behind) == 1 || !nameByte(behind[1]))
}

// cutAny returns the index of the first of the characters, or len(s) without one.
func cutAny(s, chars string) int {
	if at := strings.IndexAny(s, chars); at >= 0 {
		return at
	}
	return len(s)
}

// inList reports whether the list, whose words are between spaces, contains the word.
func inList(list, word string) bool { return word != "" && strings.Contains(list, " "+word+" ") }
