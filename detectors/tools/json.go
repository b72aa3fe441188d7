package tools

import (
	"strconv"
	"strings"

	"confab/internal/text/jsonscan"
)

const maxNesting = 32

// leaf is a value of a JSON text: a text, a number or word, or with list a list or an object.
type leaf struct {
	key    string // of the member that holds it, or its list
	text   string
	quoted bool
	list   bool // or an object
	object bool
	n      int // elements of the list or object
	depth  int // objects and lists around it
}

// eachLeaf calls f with each value of a JSON text, lists and objects after their elements, until it returns false.
func eachLeaf(s string, f func(v *leaf) bool) {
	if !jsonscan.Begins(s) {
		return
	}
	var open [maxNesting]leaf
	p, depth := jsonscan.Scanner{JSON: s}, 0
	key := ""
	for c := p.Next(); c != 0; c = p.Next() {
		v := leaf{key: key, depth: depth}
		switch c {
		case '{', '[':
			if depth > 0 {
				open[depth-1].n++
			}
			if depth == maxNesting {
				return
			}
			open[depth] = leaf{key: key, list: true, object: c == '{', depth: depth}
			depth++
			p.At++
			continue
		case '}', ']':
			p.At++
			if depth--; depth < 0 || !f(&open[depth]) {
				return
			}
			if key = ""; depth > 0 && !open[depth-1].object {
				key = open[depth-1].key
			}
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
				return
			}
		}
		if depth > 0 {
			open[depth-1].n++
		}
		if !f(&v) {
			return
		}
	}
}
