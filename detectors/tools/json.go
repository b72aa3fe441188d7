package tools

import (
	"strconv"
	"strings"

	"confab/internal/text/jsonscan"
)

const maxNesting = 32

// leaf is a value of a JSON text. Lists and objects come after what they hold.
type leaf struct {
	key    string // of the member that holds it, or its list
	text   string
	quoted bool
	kind   byte // '[', '{' or 0
	n      int  // elements of a list or object
	depth  int  // lists and objects around it
	listed bool // within a list
}

// appendLeaves appends the values of a JSON text.
func appendLeaves(dst []leaf, s string) []leaf {
	if !jsonscan.Begins(s) {
		return dst
	}
	var open [maxNesting + 1]leaf // the first one is around the text
	p, depth, key := jsonscan.Scanner{JSON: s}, 0, ""
	for c := p.Next(); c != 0; c = p.Next() {
		around := &open[depth]
		v := leaf{key: key, depth: depth, listed: around.listed || around.kind == '['}
		switch c {
		case '{', '[':
			around.n++
			if depth++; depth > maxNesting {
				return dst
			}
			v.kind, open[depth] = c, v
			open[depth].kind = c
			p.At++
			continue
		case '}', ']':
			p.At++
			if depth == 0 {
				return dst
			}
			dst = append(dst, *around)
			depth--
			key = open[depth].key
			continue
		case '"':
			v.text, _ = p.Quoted()
			if v.quoted = true; strings.IndexByte(v.text, '\\') >= 0 {
				if plain, err := strconv.Unquote(`"` + v.text + `"`); err == nil {
					v.text = plain
				}
			}
			if at := jsonscan.SkipSpace(s, p.At); at < len(s) && s[at] == ':' {
				key = v.text
				continue
			}
		default:
			if v.text = p.Bare(); v.text == "" {
				return dst
			}
		}
		around.n++
		dst = append(dst, v)
	}
	return dst
}
