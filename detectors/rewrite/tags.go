package rewrite

import (
	"slices"
	"strings"
)

// maxOpenTags bounds the elements that are open at the same time.
const maxOpenTags = 32

// maxTag is the largest tag of HTML, in bytes.
const maxTag = 300

// maxSwallowed bounds the elements that are removed with their only content.
const maxSwallowed = 16

// balanceTags widens spans by the tags around them, so that each removed tag has its partner, and removes elements that
// are left empty.
func (a *answerLayout) balanceTags(spans []splice) []splice {
	if !strings.Contains(a.Text, "</") {
		return spans
	}
	for range maxSwallowed {
		grown := false
		for i := range spans {
			a.balance(&spans[i])
			grown = a.swallow(&spans[i]) || grown
		}
		spans = mergeSplices(spans)
		if !grown {
			break
		}
	}
	for i := range spans {
		if p := &spans[i]; p.Start > 0 && a.Text[p.Start-1] == ' ' && p.End < len(a.Text) && a.Text[p.End] == ' ' {
			p.End++
		}
	}
	return mergeSplices(spans)
}

// swallow widens the span by the element whose only content it is.
func (a *answerLayout) swallow(p *splice) bool {
	s := a.Text
	start := len(strings.TrimRight(s[:p.Start], " \t\r\n"))
	end := len(s) - len(strings.TrimLeft(s[p.End:], " \t\r\n"))
	name, from := tagBefore(s, start)
	if name == "" || s[from+1] == '/' {
		return false
	}
	other, to := tagAfter(s, end)
	if other != "/"+name {
		return false
	}
	p.Start, p.End = from, to
	return true
}

// balance narrows the span at its ends, or widens it, so that it has as many opening as closing tags.
func (a *answerLayout) balance(p *splice) {
	s := a.Text
	for range maxSwallowed {
		open, shut := unbalancedTags(s[p.Start:p.End])
		switch {
		case len(shut) > 0:
			name, from := tagBefore(s, len(strings.TrimRight(s[:p.Start], " \t")))
			if name == "" || "/"+name != shut[0] {
				return
			}
			p.Start = from
		case len(open) > 0:
			name, to := tagAfter(s, p.End)
			if name != "/"+open[len(open)-1] {
				return
			}
			p.End = to
		default:
			return
		}
	}
}

// unbalancedTags are the tags of s without partner: opening ones, and closing ones with their slash.
func unbalancedTags(s string) (open, shut []string) {
	for at := 0; at < len(s) && len(open) < maxOpenTags; {
		n := strings.IndexByte(s[at:], '<')
		if n < 0 {
			break
		}
		at += n
		name, end := tagAfter(s, at)
		if name == "" {
			at++
			continue
		}
		at = end
		switch {
		case strings.Contains(voidTags, " "+name+" "):
		case name[0] != '/':
			open = append(open, name)
		case len(open) > 0 && open[len(open)-1] == name[1:]:
			open = open[:len(open)-1]
		default:
			shut = append(shut, name)
		}
	}
	return open, shut
}

// voidTags are elements without an end.
const voidTags = ` br hr img input wbr meta link col `

// tagAfter is the lower-case name of the tag that begins at i, with its slash, and its end; "" for none.
func tagAfter(s string, i int) (name string, end int) {
	if i >= len(s) || s[i] != '<' {
		return "", 0
	}
	n := strings.IndexByte(s[i:min(len(s), i+maxTag)], '>')
	if n < 2 {
		return "", 0
	}
	inner := s[i+1 : i+n]
	stop := strings.IndexAny(inner, " \t\n")
	if stop < 0 {
		stop = len(inner)
	}
	name = strings.ToLower(strings.TrimSuffix(inner[:stop], "/"))
	if bare := strings.TrimPrefix(name, "/"); bare == "" || bare[0] < 'a' || bare[0] > 'z' {
		return "", 0
	}
	return name, i + n + 1
}

// tagBefore is the name and the start of the tag that ends at end.
func tagBefore(s string, end int) (name string, start int) {
	if end == 0 || s[end-1] != '>' {
		return "", 0
	}
	start = strings.LastIndexByte(s[max(0, end-maxTag):end], '<')
	if start < 0 {
		return "", 0
	}
	start += max(0, end-maxTag)
	name, to := tagAfter(s, start)
	if to != end {
		return "", 0
	}
	return name, start
}

// hasBrokenTags reports that the removal of spans leaves a tag of HTML without its partner that had one.
func hasBrokenTags(before, after string) bool {
	if !strings.Contains(before, "</") {
		return false
	}
	open, shut := unbalancedTags(before)
	left, right := unbalancedTags(after)
	return !slices.Equal(open, left) || !slices.Equal(shut, right)
}
