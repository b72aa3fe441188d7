package citations

import (
	"strings"

	"confab/internal/text"
)

// tagForm is the form of an element that holds a citation, "" for another one.
func tagForm(name string) string {
	switch {
	case strings.EqualFold(name, "sup"):
		return FormSuperscript
	case tagNames.Has(text.Hash(name)):
		return FormTag
	default:
		return ""
	}
}

// readTag reads <sup>1</sup>, <cite>1</cite>, <ref id="1"/>, <|id|> and the like at i, and returns the next position.
func (c *Markers) readTag(i int) int {
	s := c.in.Answer
	if hasPrefix(s[i:], "<|") {
		content, end, ok := c.enclosed(i, "<|", "|>")
		m := c.newMarker(i, end, FormTag)
		if ok && c.addLabel(content) {
			return c.addMarker(m)
		}
		c.withdraw(&m)
		return i + 1
	}
	name := leadingWord(s[i+1 : min(len(s), i+1+maxTableWord)])
	form := tagForm(name)
	if form == "" {
		return i + 1
	}
	attributes, open, ok := openTag(s, i+1+len(name))
	if !ok {
		return i + 1
	}
	c.brackets++
	c.in.Work.Spend(bracketCost)
	m := c.newMarker(i, open, form)
	content, isEmpty := "", strings.HasSuffix(attributes, "/")
	if !isEmpty {
		if content, m.End, ok = closeTag(s, open, name); !ok {
			return i + 1
		}
	}
	if c.addTagged(content, attributes) && (form != FormSuperscript || !c.isExponent(i, m.End)) {
		return c.addMarker(m)
	}
	c.withdraw(&m)
	return i + 1
}

// addTagged adds what the content of the element names, or its attributes if it is empty.
func (c *Markers) addTagged(content, attributes string) bool {
	content = strings.TrimSpace(content)
	if inner, ok := strings.CutPrefix(content, "["); ok {
		content = strings.TrimSuffix(inner, "]")
	}
	if content != "" {
		return isNumberList(content) && c.addList(content) || !isNumberList(content) && c.addLabel(content)
	}
	for pair := range strings.FieldsSeq(strings.TrimSuffix(attributes, "/")) {
		key, value, ok := strings.Cut(pair, "=")
		value = strings.Trim(value, `"'`)
		switch strings.ToLower(key) {
		case "id", "index", "source", "doc", "ref", "key", "n", "name", "document", "num", "number", "document_id", "source_id":
			return ok && value != "" && (isNumberList(value) && c.addList(value) || !isNumberList(value) && c.addLabel(value))
		}
	}
	return false
}

// openTag is the attributes of the element whose name ends at i, and the end of its tag.
func openTag(s string, i int) (attributes string, end int, ok bool) {
	switch rest := s[i:]; {
	case hasPrefix(rest, ">"):
		return "", i + 1, true
	case hasPrefix(rest, " "), hasPrefix(rest, "/"):
		attributes, ok = enclosedText(rest, "<", ">")
		return attributes, i + len(attributes) + 1, ok
	default:
		return "", 0, false
	}
}

// closeTag is the text before </name>, and the end of that tag.
func closeTag(s string, open int, name string) (content string, end int, ok bool) {
	head := s[open:min(len(s), open+maxMarkerBytes)]
	at := strings.Index(head, "</")
	if at < 0 || len(head) < at+len(name)+3 || !strings.EqualFold(head[at+2:at+2+len(name)], name) || head[at+2+len(name)] != '>' {
		return "", 0, false
	}
	return head[:at], open + at + len(name) + 3, strings.IndexByte(head[:at], '\n') < 0
}
