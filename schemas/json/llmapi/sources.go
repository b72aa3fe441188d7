package llmapi

import (
	"slices"
	"strconv"
	"strings"

	"confab/internal/recordformat"
	"confab/schemas"
)

// sourceOf reads a passage: a text, or an object around a text under any of the names that APIs, frameworks and vector stores have.
func sourceOf(v value, depth int) (s schemas.Source) {
	switch c := v.kind(); {
	case c == '"':
		return textSource(v.text())
	case c != '{' || depth > 4:
		return s
	}
	for _, name := range []string{"node", "document", "retrieved_context", "web", "maps", "chunk_info", "data", "record", "payload", "tool_output"} {
		if inner := v.get(name); inner.kind() == '{' {
			s = sourceOf(inner, depth+1)
			break
		} else if s.Text == "" {
			s.Text = flat(inner)
		}
	}
	meta := v.get("metadata", "meta", "document_metadata", "attributes")
	either := func(names ...string) string {
		if text := v.get(names...).text(); text != "" {
			return text
		}
		return meta.get(names...).text()
	}
	if text := textOfSource(v); text != "" {
		s.Text = text
	}
	set(&s.ID, v.get("id", "id_", "doc_id", "document_id", "chunk_id", "file_id", "segment_id", "node_id").text())
	set(&s.Title, either("title", "document_title", "document_name", "filename", "file_name", "name"))
	set(&s.URI, either("url", "uri", "link", "source", "filepath", "file_path", "document_uri"))
	for _, place := range v.get("location").members() { // Bedrock
		set(&s.URI, place.get("uri", "url").text())
	}
	if score, err := strconv.ParseFloat(v.get("score", "relevance_score", "similarity").text(), 64); err == nil && recordformat.IsFinite(score) {
		s.Score = score
	}
	return s
}

// textSource is a text as a source: an address stands for what lies there.
func textSource(text string) schemas.Source {
	if (strings.HasPrefix(text, "https://") || strings.HasPrefix(text, "http://")) && !strings.ContainsAny(text, " \n") {
		return schemas.Source{URI: text}
	}
	return schemas.Source{Text: text}
}

// citation reads what an answer cites. Passages that the API returns with it are added to list, what it quotes of passages that it
// was given to quoted.
func citation(list, quoted []schemas.Source, v value, depth int) (all, quotes []schemas.Source) {
	for item := range v.items() {
		if inner := item.get("url_citation", "file_citation", "citation"); inner.kind() == '{' {
			item = inner
		}
		if content := item.get("content", "results"); item.get("cited_text").kind() == 0 && content.kind() == '[' && depth == 0 { // of a tool
			list, quoted = citation(list, quoted, content, depth+1)
			continue
		}
		if passages := item.get("sources", "retrieved_references", "references"); passages.kind() == '[' {
			list = sourcesOf(list, passages)
			continue
		}
		s := sourceOf(item, 0)
		if item.kind() == '{' {
			s.Text = flat(item.get("content", "snippet", "output", "cited_text", "source_content"))
		}
		switch {
		case item.get("document_ids").kind() != 0 || s == schemas.Source{}:
		case item.get("cited_text", "source_content").kind() != 0 || s.Text == "":
			quoted = addSource(quoted, s)
		default:
			list = addSource(list, s)
		}
	}
	return list, quoted
}

func set(text *string, found string) {
	if found != "" {
		*text = found
	}
}

// textOfSource is the text of a passage.
func textOfSource(v value) string {
	if v.kind() != '{' {
		return flat(v)
	}
	for _, name := range []string{"text", "page_content", "content", "snippet", "chunk", "passage", "cited_text", "text_resource", "body", "excerpt", "source"} {
		inner := v.get(name)
		switch inner.kind() {
		case '"':
			if name != "source" {
				return inner.text()
			}
		case '[':
			return flat(inner)
		case '{':
			if text := inner.get("text", "data", "value", "content"); text.kind() != 0 && inner.get("type").text() != "base64" {
				return flat(text)
			}
		}
	}
	return ""
}

// sourcesOf reads passages in a list, or alone. Each is there once.
func sourcesOf(list []schemas.Source, v value) []schemas.Source {
	for item := range v.items() {
		list = addSource(list, sourceOf(item, 0))
	}
	return list
}

func addSource(list []schemas.Source, s schemas.Source) []schemas.Source {
	if s == (schemas.Source{}) || len(list) >= recordformat.MaxSources || slices.Contains(list[max(0, len(list)-64):], s) {
		return list
	}
	return append(list, s)
}

// addSources sets the sources of the interaction if it has none and there is a text among these. Then results of tools, which are
// evidence too, are sources beside them.
func addSources(in *schemas.Interaction, list []schemas.Source) {
	if len(in.Sources) > 0 || !slices.ContainsFunc(list, func(s schemas.Source) bool { return s.Text != "" }) {
		return
	}
	in.Sources = append(in.Sources, list...)
	for i := range in.Messages {
		if m := &in.Messages[i]; m.Role == roleTool && m.Content != "" && len(in.Sources) < recordformat.MaxSources {
			in.Sources = append(in.Sources, schemas.Source{Text: m.Content})
		}
	}
}
