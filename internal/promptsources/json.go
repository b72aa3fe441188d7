package promptsources

import (
	"cmp"
	"encoding/json"
	"strings"

	"confab/internal/promptsources/jsonwalk"
	"confab/schemas"
)

const maxNesting = 3 // objects in which a list of results is searched

// addContent adds the passages of a text that is known to hold only sources: JSON, tagged documents, or plain text.
func (c *collector) addContent(s string) {
	s = strings.TrimSpace(s)
	if c.addJSON(s) {
		return
	}
	if !c.addTagged(s) {
		c.split(s, false)
	}
}

// addJSON adds the records and texts of JSON, one value or several objects behind each other, and reports whether s is JSON.
func (c *collector) addJSON(s string) bool {
	if s == "" || s[0] != '{' && s[0] != '[' {
		return false
	}
	if json.Valid([]byte(s)) {
		c.addValue(s, 0)
		return true
	}
	if s[0] != '{' || !strings.Contains(s, "}\n") {
		return false
	}
	return c.addLines(s)
}

// addLines adds the objects of lines that are all JSON.
func (c *collector) addLines(s string) bool {
	for i := 0; i < len(s); {
		line, next := lineAt(s, i)
		if line = strings.TrimSpace(line); line != "" && (line[0] != '{' || !json.Valid([]byte(line))) {
			return false
		}
		i = next
	}
	for i := 0; i < len(s); {
		line, next := lineAt(s, i)
		if line = strings.TrimSpace(line); line != "" {
			c.addElement(line)
		}
		i = next
	}
	return true
}

// addValue adds a list's elements, the elements of an object's list of results, or the whole value.
func (c *collector) addValue(s string, nesting int) {
	switch {
	case s[0] == '[' && isListOfTexts(s):
		jsonwalk.EachElement(s, c.addElement)
	case s[0] == '[':
		c.add("", s)
	case !c.addResults(s, nesting):
		c.addElement(s)
	}
}

// addResults adds the list of results that an object wraps, and what stands around it, and reports whether there is one.
func (c *collector) addResults(s string, nesting int) (found bool) {
	jsonwalk.EachMember(s, func(name, value string, at int) bool {
		list := value[0] == '[' && isListOfTexts(value)
		nested := value[0] == '{' && nesting < maxNesting
		if !isResultList(name) || !list && !nested {
			return true
		}
		found = true
		if c.addValue(value, nesting+1); strings.Contains(s[:at], ",") { // other members first
			c.add("", strings.TrimLeft(s[:at], "{ \n\t"))
		}
		c.add("", strings.Trim(s[at+len(value):], "},] \n\t"))
		return false
	})
	return found
}

func isResultList(name string) bool {
	return equalsAny(name, "results", "documents", "docs", "hits", "matches", "passages", "chunks", "sources", "contexts", "context", "items",
		"data", "search_results", "organic", "organic_results", "value", "retrieved_documents", "nodes", "source_nodes", "content", "snippets",
		"records", "rows", "citations")
}

// addElement adds one result: the text of an object with an id, a string, or the whole value as a record.
func (c *collector) addElement(s string) bool {
	if s[0] == '"' {
		c.add("", jsonwalk.Unquote(s))
		return true
	}
	if s[0] == '{' {
		if e := readElement(s); e.text != "" && !e.record {
			if e.title != "" {
				e.text = e.title + "\n" + e.text
			}
			c.addSource(schemas.Source{ID: e.id, Text: e.text, URI: e.uri, Title: e.title})
			return true
		}
	}
	c.add(elementID(s), s)
	return true
}

func elementID(s string) string {
	if s[0] != '{' {
		return ""
	}
	return readElement(s).id
}

// element is one result of a tool.
type element struct {
	id, title, text, uri string
	record               bool // it has members that are neither text nor known metadata
}

func readElement(s string) (e element) {
	jsonwalk.EachMember(s, func(name, value string, _ int) bool {
		e.readMember(name, value)
		return true
	})
	return e
}

func (e *element) readMember(name, value string) {
	isText := value[0] == '"'
	switch {
	case isText && equalsAny(name, "text", "content", "page_content", "pagecontent", "snippet", "body", "passage", "chunk", "document",
		"chunk_text", "excerpt", "document_content", "raw_content"):
		e.record = e.record || e.text != ""
		e.text = jsonwalk.Unquote(value)
	case isText && equalsAny(name, "title", "name", "heading", "header"):
		e.title = jsonwalk.Unquote(value)
	case isText && equalsAny(name, "url", "uri", "link", "href"):
		e.uri = jsonwalk.Unquote(value)
	case equalsAny(name, "id", "doc_id", "docid", "document_id", "chunk_id", "source_id", "index", "number", "n", "ref", "citation_id"):
		e.id = cmp.Or(e.id, scalarText(value))
	case equalsAny(name, "score", "distance", "similarity", "rank", "type", "metadata", "meta", "source", "filename", "file_id", "file_name",
		"relevance", "relevance_score", "position", "page", "embedding", "@search.score", "_score", "favicon", "language", "object", "lc_id"):
	default:
		e.record = true
	}
}

// scalarText is the text of a string, number or boolean, "" for other values.
func scalarText(value string) string {
	if value[0] == '{' || value[0] == '[' || value == "null" {
		return ""
	}
	return jsonwalk.Unquote(value)
}

// isListOfTexts reports a list that has elements, all of them objects or strings.
func isListOfTexts(s string) bool {
	found, other := false, false
	jsonwalk.EachElement(s, func(v string) bool {
		found = true
		other = v[0] != '{' && v[0] != '"'
		return !other
	})
	return found && !other
}
