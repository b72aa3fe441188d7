package promptsources

import "strings"

// isItemTag reports the name of an element that holds one passage.
func isItemTag(name string) bool {
	return equalsAny(name, "document", "doc", "passage", "source", "chunk", "result", "search_result", "excerpt", "snippet", "context",
		"retrieved_document", "retrieved_chunk", "article", "item", "evidence", "dokument", "documento")
}

// isListTag reports the name of an element that holds passages. Names of HTML are left out.
func isListTag(name string) bool {
	if equalsAny(name, "documents", "chunks", "search_results", "results", "document", "kb", "retrieved", "background", "reference", "evidence", "data",
		"policy", "policies", "terms", "catalog") {
		return true
	}
	if isItemTag(name) || equalsAny(name, "text", "base") {
		return equalsAny(name, "context")
	}
	last := name[strings.LastIndexAny(name, "_-")+1:]
	return namesPassages(last) || equalsAny(last, "kb") || strings.HasPrefix(name, "retrieved_") || strings.HasPrefix(name, "knowledge_")
}

// isInnerTag reports the name of an element within one passage.
func isInnerTag(name string) bool {
	return equalsAny(name, "document_content", "document_contents", "content", "title", "name", "id", "url")
}

// attributeID is the value of the attribute that names a passage.
func attributeID(attributes string) string {
	for _, name := range [...]string{"id", "index", "number", "n", "num", "doc_id", "title", "name", "source"} {
		if v := attributeValue(attributes, name); v != "" {
			return v
		}
	}
	attributes = strings.TrimSpace(attributes)
	if strings.HasPrefix(attributes, "=") { // <doc=1>
		return strings.Trim(attributes[1:], `"' `)
	}
	return ""
}

func attributeValue(attributes, name string) string {
	for rest := attributes; ; {
		at := strings.Index(rest, name)
		if at < 0 {
			return ""
		}
		value := strings.TrimLeft(rest[at+len(name):], " ")
		whole := at == 0 || rest[at-1] == ' ' || rest[at-1] == '\n'
		if rest = rest[at+len(name):]; !whole || !strings.HasPrefix(value, "=") {
			continue
		}
		value = strings.TrimLeft(value[1:], " ")
		if value != "" && (value[0] == '"' || value[0] == '\'') {
			inner, _, _ := strings.Cut(value[1:], value[:1])
			return inner
		}
		value, _, _ = strings.Cut(value, " ")
		return value
	}
}

// trailingNumber is the number at the end of a name, "" for none.
func trailingNumber(s string) string { return s[len(strings.TrimRight(s, "0123456789")):] }
