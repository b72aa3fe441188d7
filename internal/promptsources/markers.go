package promptsources

import (
	"regexp"
	"strconv"
	"strings"
)

// Styles of markers.
const (
	bracketMarker = iota // [1], (1), 【1】
	wordMarker           // Document 1:
	plainMarker          // 1.
	ruleMarker           // --- E1 | title ---
	idMarker             // [kb-17], (kb-17), kb-17: or Source kb-17:
)

// marker is what stands before a numbered passage.
type marker struct {
	style  int
	prefix string // what stands before the number
	id     string
	number int
	rest   int    // where the passage starts in the line
	closes string // what ends a rule behind the title
}

// follows reports the marker of the next passage. Labels in rules and ids are in any order.
func (m marker) follows(previous marker) bool {
	return m.style == previous.style && (m.style == idMarker || m.number == previous.number+1 || m.style == ruleMarker && m.prefix != "") && strings.EqualFold(m.prefix, previous.prefix)
}

// in is the passage without the end of its rule.
func (m marker) in(s string) string { return strings.Replace(s, m.closes, "", 1) }

// Forms of markers, each with what stands before the number, and the number.
var (
	bracketForm = regexp.MustCompile(`^(?:\[([^\]\d.,/:-]{0,12})(\d{1,4})(?::[^\]]*)?\]|【([^】\d.,/:-]{0,12})(\d{1,4})(?::[^】]*)?】|\((\d{1,4})(?::[^)]*)?\))`)
	plainForm   = regexp.MustCompile(`^(\d{1,4})([.)]?) `)
	wordForm    = regexp.MustCompile(`^([^\d:.,;]{1,24}?)[ #\[(.]*(\d{1,4})(?:\D|$)`)
	ruleForm    = regexp.MustCompile(`^[ \t]*[-=~#]{2,} *(\[?)(\pL{0,12}[-_ ]?)(\d{1,9})(\][: ]*|:? +[|–—] *|: *)?(.*?)( *[-=~]{2,}) *$`)
)

// idForm is an id: letters and a number with a mark between, a long number, or one in hexadecimal digits.
const idForm = `((\pL+)(?:\d+[-_./#]|[-_./#](?:\pL+[-_./#])*\pL*\d)[-_./#\pL\d]*|\pL*\d{5,12}|[\da-f]{8}[-\da-f]*)`

// Forms of ids before passages, and at the start of a heading or a value.
var (
	markedID = regexp.MustCompile(`^(?:[ \t*#>-]*[\[(【](?:id[:=] ?)?` + idForm + `[\])】](?:[\s:*]|$)|#+ ` + idForm + `(?:[ :]|$))`)
	labelID  = regexp.MustCompile(`^(?:[ \t*>-]*(\pL+)[: #]+)?` + idForm + `(\*{0,2}:| [(|–-]|$)`)
	headID   = regexp.MustCompile(`^` + idForm + `(?:[ :]|$)`)
)

// readMarker reads the marker of a line, also an id whose beginning the answer has. It stays in the text. Its prefix is what others share.
func readMarker(line, answer string) (m marker, ok bool) {
	head := line[:min(len(line), maxLabel)]
	if !strings.ContainsAny(head, "0123456789") {
		return parseMarker(line)
	}
	if f := markedID.FindStringSubmatch(head); f != nil {
		m = marker{style: idMarker, prefix: f[2] + f[4], id: f[1] + f[3]}
	} else if f = labelID.FindStringSubmatch(head); f != nil && (isPassageWord(f[1]) || isIn("id", f[1]) || f[1] == "" && f[3] != "" && f[4] == ":") {
		m = marker{style: idMarker, prefix: f[3], id: f[2]}
	}
	if m.id == "" || !strings.Contains(answer, m.id[:max(2, strings.IndexAny(m.id, "0123456789"))]) {
		return parseMarker(line)
	}
	m.prefix = line[:strings.Index(line, m.id)] + m.prefix
	return m, true
}

// parseMarker reads the marker at the start of a line.
func parseMarker(line string) (m marker, ok bool) {
	const longest = 80
	at := len(line) - len(strings.TrimLeft(line, " \t#*>-="))
	head := line[at:min(len(line), at+longest)]
	if !strings.ContainsAny(head, "0123456789") {
		return m, false
	}
	if m, ok = ruled(line[:min(len(line), 2*longest)]); ok {
		return m, true
	}
	if f := bracketForm.FindStringSubmatch(head); f != nil {
		digits := f[2] + f[4] + f[5]
		m = marker{style: bracketMarker, prefix: f[1] + f[3], id: f[1] + f[3] + digits, rest: len(f[0])}
		if strings.Contains(m.prefix, " ") {
			m.id = digits
		}
		m.number, _ = strconv.Atoi(digits)
		ok = !strings.HasPrefix(head[m.rest:], "(") && !strings.HasPrefix(head[m.rest:], "[") // a link
	} else if f = plainForm.FindStringSubmatch(head); f != nil {
		m = marker{style: plainMarker, prefix: f[2], id: f[1], rest: len(f[0]) - 1}
		m.number, _ = strconv.Atoi(f[1])
		ok = f[2] != ""
	} else if f := wordForm.FindStringSubmatch(head); f != nil {
		m, ok = worded(head, f, len(line) == at+len(head))
	}
	rest := line[min(len(line), at+m.rest):]
	m.rest += at + len(rest) - len(strings.TrimLeft(rest, " \t*:："))
	return m, ok
}

// ruled reads --- E1 | title ---, === [E1] title === and --- Document 1 ---.
func ruled(s string) (m marker, ok bool) {
	f := ruleForm.FindStringSubmatch(s)
	if f == nil {
		return m, false
	}
	m = marker{style: ruleMarker, prefix: f[2], id: f[2] + f[3], rest: strings.LastIndex(s, f[5]+f[6]), closes: f[6]}
	m.number, _ = strconv.Atoi(f[3])
	word, named := strings.CutSuffix(m.prefix, " ")
	if named {
		m.id = f[3]
	}
	label := (f[1] != "") == strings.HasPrefix(f[4], "]") && (f[4] != "" || f[5] == "" && word != "")
	return m, label && kindOf(word) != question && (!named || isPassageWord(word))
}

// worded reads Document 1:, Source 2 (title):, Doc [3] - title, 文档1：, in the parts of the form. whole says that s is the whole line.
func worded(s string, form []string, whole bool) (m marker, ok bool) {
	m = marker{style: wordMarker, prefix: strings.TrimRight(form[1], " #[(."), id: form[2]}
	m.number, _ = strconv.Atoi(m.id)
	if !isPassageWord(m.prefix) {
		return m, false
	}
	end := strings.Index(s, m.id) + len(m.id)
	rest := strings.TrimLeft(strings.TrimRight(s[end:], "=-"), "])* ")
	title := strings.IndexAny(rest, "([-–") == 0
	colon, _ := colonAt(rest)
	m.rest = len(strings.TrimRight(s, "=-")) - len(rest) + max(colon, 0)
	if rest == "" || title && colon < 0 { // nothing but the marker
		m.rest = len(s)
		return m, whole
	}
	return m, title || colon == 0
}

// isPassageWord reports what stands before the number of a passage: the words of a header, or one for the parts of a list.
func isPassageWord(s string) bool {
	const longest = 24
	return s != "" && len(s) <= longest && !strings.ContainsAny(s, ":.,;") &&
		(kindOf(s) == source || isIn("entry", s))
}
