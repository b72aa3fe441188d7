package llmapi

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"

	"confab/internal/recordformat"
	"confab/schemas"
)

// sourceOf reads a passage: a text, or an object around a text under any of the names that APIs, frameworks and vector stores have.
func sourceOf(v value) (s schemas.Source) {
	switch c := v.kind(); {
	case c == '"' && addressed.MatchString(v.text()):
		return schemas.Source{URI: v.text()}
	case c == '"':
		return schemas.Source{Text: v.text()}
	case c != '{':
		return s
	}
	for _, name := range []string{"node", "document", "retrieved_context", "web", "chunk_info", "data", "payload", "tool_output", "output", "kwargs"} {
		if inner := v.get(name); inner.kind() == '{' {
			s = sourceOf(inner)
		} else if s.Text == "" {
			s.Text = flat(inner)
		}
	}
	s.Text = cmp.Or(passageOf(v), s.Text)
	s.ID = cmp.Or(v.get("id", "id_", "doc_id", "document_id", "chunk_id", "file_id", "segment_id", "node_id").text(), s.ID)
	for _, at := range []value{v.get("metadata", "meta", "document_metadata"), v} {
		s.Title = cmp.Or(at.get("title", "document_title", "document_name", "filename", "file_name", "name").text(), s.Title)
		s.URI = cmp.Or(at.get("url", "uri", "link", "source", "filepath", "file_path", "document_uri").text(), s.URI)
	}
	for _, place := range v.get("location").members() { // Bedrock
		s.URI = cmp.Or(place.get("uri", "url").text(), s.URI)
	}
	score, err := strconv.ParseFloat(v.get("score", "relevance_score", "similarity").text(), 64)
	if err == nil && recordformat.IsFinite(score) {
		s.Score = score
	}
	return s
}

// addressed matches an address, which stands for what lies there.
var addressed = regexp.MustCompile(`^https?://\S+$`)

// passageOf is the text of a passage that is an object.
func passageOf(v value) string {
	for _, name := range []string{"text", "page_content", "content", "snippet", "chunk", "passage", "cited_text", "source_content", "text_resource", "source"} {
		inner := v.get(name)
		switch {
		case inner.kind() == '{' && inner.get("type").text() == "base64", inner.kind() == '"' && name == "source": // an address
			continue
		case inner.kind() == '{':
			if text := flat(inner.get("text", "data", "value")); text != "" {
				return text
			}
			return passageOf(inner)
		}
		if text := flat(inner); text != "" {
			return text
		}
	}
	return ""
}

// addSource adds a passage, unless it is empty or was added shortly before. An address is there once, with a text if there is one.
func addSource(list []schemas.Source, s schemas.Source) []schemas.Source {
	for i := max(0, len(list)-64); i < len(list); i++ {
		switch o := &list[i]; {
		case *o == s, s.URI != "" && s.URI == o.URI && s.Text == "":
			return list
		case s.URI != "" && s.URI == o.URI && o.Text == "":
			*o = s
			return list
		}
	}
	if s == (schemas.Source{}) || len(list) >= recordformat.MaxSources {
		return list
	}
	return append(list, s)
}

// sourcesOf reads passages in a list, or alone.
func sourcesOf(list []schemas.Source, v value) []schemas.Source {
	for item := range v.items() {
		s := sourceOf(item)
		if s == (schemas.Source{}) { // lists of passages by their names
			for _, inner := range item.members() {
				if inner.kind() == '[' && inner.first().kind() == '{' {
					list = sourcesOf(list, inner)
				}
			}
		}
		list = addSource(list, s)
	}
	return list
}

// citation reads what an answer cites. Passages that the API returns with it are added to list, what it quotes of passages that it
// was given to quoted.
func citation(list, quoted []schemas.Source, v value) (all, quotes []schemas.Source) {
	for item := range v.items() {
		if inner := item.get("url_citation", "file_citation"); inner.kind() == '{' {
			item = inner
		}
		s := sourceOf(item)
		if item.kind() == '{' {
			s.Text = flat(item.get("content", "snippet", "cited_text", "source_content")) // a member text is the answer's own
		}
		passages := item.get("sources", "retrieved_references", "references")
		switch {
		case item.kind() == '[':
			list, quoted = citation(list, quoted, item)
		case passages.kind() == '[':
			list = sourcesOf(list, passages)
		case item.get("document_ids").kind() != 0:
		case item.get("cited_text", "source_content").kind() != 0 || s.Text == "":
			quoted = addSource(quoted, s)
		default:
			list = addSource(list, s)
		}
	}
	return list, quoted
}

// setSources sets the sources of the interaction if it has none and there is a text among these. Then results of tools, which are
// evidence too, are sources beside them.
func setSources(in *schemas.Interaction, list []schemas.Source) {
	if len(in.Sources) > 0 || !slices.ContainsFunc(list, func(s schemas.Source) bool { return s.Text != "" }) {
		return
	}
	in.Sources = append(in.Sources, list...)
	for i := range in.Messages {
		if m := &in.Messages[i]; m.Role == roleTool && m.Content != "" {
			in.Sources = addSource(in.Sources, schemas.Source{Text: m.Content})
		}
	}
}
