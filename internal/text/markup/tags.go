package markup

import "strings"

// blockTags are elements that end a sentence.
const blockTags = ` p div li ul ol dl dt dd br hr section article header footer main aside nav blockquote pre figure figcaption
 details summary title head body html form fieldset table tbody thead tfoot caption answer output result response final
 final_answer `

// inlineTags are further elements of HTML, and those that models put around parts of an answer.
const inlineTags = ` a abbr b bdi bdo big cite code data del dfn em font i img input ins kbd label link mark meta q s samp small
 span strong strike sub sup time tt u var wbr center button select option textarea svg path video audio source iframe
 script style base col colgroup tr td th h1 h2 h3 h4 h5 h6 ref quote document `

// tagAt is the lower-case name and the length of the tag at the start of s; 0 for none.
func tagAt(s string) (name string, end int) {
	i := 1
	if i < len(s) && s[i] == '/' {
		i++
	}
	first := i
	for i < len(s) && i-first < 32 && isNameByte(s[i]) {
		i++
	}
	if i == first || !isLetter(s[first]) {
		return "", 0
	}
	return strings.ToLower(s[first:i]), tagEnd(s, i)
}

// tagEnd is the end of the tag whose name ends at s[i], 0 for none: after its attributes and ">".
func tagEnd(s string, i int) int {
	for i < len(s) && i < maxTag {
		switch c := s[i]; {
		case c == '>':
			return i + 1
		case c == ' ' || c == '\t' || c == '\n' || c == '/':
			i++
		case isLetter(c) && (s[i-1] == ' ' || s[i-1] == '\n' || s[i-1] == '\t'):
			i = attributeEnd(s, i)
			if i == 0 {
				return 0
			}
		default:
			return 0
		}
	}
	return 0
}

// attributeEnd is the end of the attribute at s[i], 0 if it has no value and is no word alone before ">".
func attributeEnd(s string, i int) int {
	for i < len(s) && isNameByte(s[i]) {
		i++
	}
	if i >= len(s) || s[i] != '=' {
		if i < len(s) && (s[i] == '>' || s[i] == '/') {
			return i // <input disabled>
		}
		return 0
	}
	i++
	if i < len(s) && (s[i] == '"' || s[i] == '\'') {
		n := strings.IndexByte(s[i+1:min(len(s), i+maxTag)], s[i])
		if n < 0 {
			return 0
		}
		return i + n + 2
	}
	for i < len(s) && i < maxTag && s[i] != ' ' && s[i] != '>' && s[i] != '\n' {
		i++
	}
	return i
}

// isMarkup reports whether a tag of that name is markup, not a comparison, a type parameter or another word in brackets.
func isMarkup(name string) bool {
	return strings.Contains(inlineTags, " "+name+" ") || strings.Contains(blockTags, " "+name+" ") || name == "think" || name == "thinking"
}

func isLetter(c byte) bool { c |= 0x20; return 'a' <= c && c <= 'z' }

func isNameByte(c byte) bool {
	return isLetter(c) || '0' <= c && c <= '9' || c == '-' || c == '_' || c == ':'
}
