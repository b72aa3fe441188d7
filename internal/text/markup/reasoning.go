package markup

import (
	"regexp"
	"strings"
	"unsafe"
)

// reasoningMarks are the pairs of marks that models write around their reasoning. The first of a pair may have attributes if
// it starts with "<" and a letter.
var reasoningMarks = [...][2]string{ //nolint:gochecknoglobals // a read-only table
	{"<think", "</think>"},
	{"<thinking", "</thinking>"},
	{"<thought", "</thought>"},
	{"<thoughts", "</thoughts>"},
	{"<reasoning", "</reasoning>"},
	{"<reflection", "</reflection>"},
	{"<scratchpad", "</scratchpad>"},
	{"<seed:think", "</seed:think>"},
	{"<|begin_of_thought|>", "<|end_of_thought|>"},
	{"<|channel|>analysis<|message|>", "<|end|>"},
	{"<|channel>thought\n", "<channel|>"},
	{"[THINK]", "[/THINK]"},
	{"◁think▷", "◁/think▷"},
	{"<!--", "-->"},
}

// commentMark is the index of the marks of an HTML comment.
const commentMark = len(reasoningMarks) - 1

// titledReasoning is reasoning under a title of its own at the start of an answer, up to the title of the answer.
var titledReasoning = regexp.MustCompile(`(?is)^[\s#*_]*(?:(?:here is )?my thought process|thinking|thoughts|reasoning)[*_]*:.*?\n[#*_ ]*(?:here is my response|(?:final )?(?:answer|response))[*_]*:[*_]*`)

// BlankReasoning blanks reasoning blocks, and the marks of HTML comments, whose text people see where HTML is not shown as
// such. Of a block that is not closed only the mark is blanked: its text may be the answer. Text before a closing mark
// without an opening one is reasoning too, if any text follows: some servers keep the opening mark in the prompt. Marks in
// inline code are text.
func BlankReasoning(s string) string {
	var b blanker
	if titled := titledReasoning.FindStringIndex(s); titled != nil && strings.TrimSpace(s[titled[1]:]) != "" {
		b.blank(s, 0, titled[1])
	}
	if !strings.Contains(s, "<") && !strings.Contains(s, "[THINK]") && !strings.Contains(s, "◁") {
		return b.text(s)
	}
	unclosed := [len(reasoningMarks)]bool{} // from here on, the closing mark does not occur
	opened := false
	for i := 0; i < len(s); {
		switch s[i] {
		case '<', '[', "◁"[0]:
		case '`':
			i = skipInlineCode(s, i)
			continue
		default:
			i++
			continue
		}
		mark, end := openingMark(s[i:])
		switch {
		case mark >= 0:
			opened = true
			to := -1
			if !unclosed[mark] {
				to = strings.Index(s[i+end:], reasoningMarks[mark][1])
			}
			unclosed[mark] = to < 0
			shut := len(reasoningMarks[mark][1])
			switch {
			case to < 0:
				to = i + end
			case mark == commentMark:
				b.blank(s, i+end+to, i+end+to+shut)
				to = i + end
			default:
				to += i + end + shut
			}
			b.blank(s, i, to)
			i = to
		case !opened && closingMark(s[i:]) > 0:
			opened = true
			end := i + closingMark(s[i:])
			switch {
			case strings.TrimSpace(s[end:]) == "":
				b.blank(s, i, end)
			case startsLine(s, i) || s[end] == '\n':
				b.blank(s, 0, end)
			}
			i = end
		default:
			i++
		}
	}
	return b.text(s)
}

// openingMark is the index of the opening mark at the start of s, with its end; -1 for none.
func openingMark(s string) (mark, end int) {
	for m := range reasoningMarks {
		open := reasoningMarks[m][0]
		if len(s) < len(open) || !strings.EqualFold(s[:len(open)], open) {
			continue
		}
		if m == commentMark || open[len(open)-1] < 'a' || open[len(open)-1] > 'z' {
			return m, len(open)
		}
		if end := tagEnd(s, len(open)); end > 0 {
			return m, end
		}
	}
	return -1, 0
}

// closingMark is the length of the closing mark of a reasoning block at the start of s, 0 for none.
func closingMark(s string) int {
	for m := range reasoningMarks[:commentMark] {
		if shut := reasoningMarks[m][1]; strings.HasPrefix(s, shut) && strings.Contains(shut, "/") {
			return len(shut)
		}
	}
	return 0
}

// skipInlineCode is the end of the inline code at the backtick s[i], or of the backticks themselves.
func skipInlineCode(s string, i int) int {
	end := i
	for end < len(s) && s[end] == '`' {
		end++
	}
	if end-i != 1 {
		return end
	}
	line := s[end:min(len(s), end+maxTag)]
	if n := strings.IndexAny(line, "`\n"); n >= 0 && line[n] == '`' {
		return end + n + 1
	}
	return end
}

// startsLine reports whether only white space precedes s[i] on its line.
func startsLine(s string, i int) bool {
	for i > 0 && (s[i-1] == ' ' || s[i-1] == '\t') {
		i--
	}
	return i == 0 || s[i-1] == '\n' || s[i-1] == '\r'
}

// blanker is a copy of a text in which parts are blanked; empty until the first one.
type blanker struct{ copied []byte }

// blank replaces s[from:to] by spaces; line breaks stay.
func (b *blanker) blank(s string, from, to int) {
	if b.copied == nil {
		b.copied = []byte(s)
	}
	for i := from; i < to; i++ {
		if c := b.copied[i]; c != '\n' && c != '\r' {
			b.copied[i] = ' '
		}
	}
}

// set writes the byte at i, which blank has blanked.
func (b *blanker) set(i int, c byte) { b.copied[i] = c }

// text is the blanked text, s itself if nothing was blanked.
func (b *blanker) text(s string) string {
	if b.copied == nil {
		return s
	}
	return unsafe.String(unsafe.SliceData(b.copied), len(b.copied)) //nolint:gosec // the copy is not changed any more
}
