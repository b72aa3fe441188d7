package jsonschema

import (
	"strings"

	"confab/detectors/jsonschema/format"
)

// What compiling costs, in units of about 10 ns, calibrated like the work of validating.
const (
	perObject   = 1500    // an object: held against its draft's own schema, found, compiled
	perKeyword  = 300     // each of its keys
	perFlag     = 1000    // true or false where a schema can be
	perLiteral  = 100     // a value that a keyword compares with
	perPair     = 5       // squares of the number of schemas: each is looked for among all before it
	perResource = 2       // of each schema × identifier: each is looked for among them
	perBase     = 1       // of each byte of the identifiers × reference or identifier: it is resolved against them
	perAnchors  = 1       // squares of the number of anchors: the same among themselves
	perOddRef   = 12      // of each schema × reference to a place that holds none by its draft: what is known is copied
	perMeta     = 500_000 // of each of the drafts' own schemas that is referred to
	perPointer  = 1       // of each byte of the place of each schema
	perWord     = 4       // per bytes of the schema
	perAlike    = 1300    // of each value within an enum of draft 4 or 6, whose values must differ
)

// schemaSurvey finds what the work of compiling a schema grows with: the library takes no meter while it compiles. What stands in
// enum, const, default or examples counts like a schema, because a reference can make it one.
type schemaSurvey struct {
	schemas, keywords, booleans, literals, ids, idBytes, anchors, refs, oddRefs, pointers, text int

	metas        map[string]struct{}
	comparesEnum bool
}

func surveySchema(doc any) *schemaSurvey {
	s := &schemaSurvey{metas: map[string]struct{}{}}
	s.walk(doc, 0, 0)
	return s
}

// work is the number of units that compiling takes, patterns apart.
func (s *schemaSurvey) work() int {
	all := s.schemas + s.booleans
	n := s.schemas*perObject + s.keywords*perKeyword + s.booleans*perFlag + s.literals*perLiteral + all*all/perPair +
		all*s.ids*perResource + all*s.oddRefs*perOddRef + (s.ids+s.refs)*s.idBytes*perBase + s.anchors*s.anchors/perAnchors + len(s.metas)*perMeta + s.pointers*perPointer + s.text/perWord
	if s.comparesEnum {
		n += s.literals * perAlike
	}
	return n
}

// walk counts a value of the schema whose pointer has that many bytes and tokens.
func (s *schemaSurvey) walk(v any, pointer, depth int) {
	switch v := v.(type) {
	case map[string]any:
		s.schemas++
		s.pointers += pointer * (8 + depth) / 8
		for key, e := range v {
			s.keywords++
			s.text += len(key)
			s.keyword(key, e)
			s.walk(e, pointer+pointerBytes(key), depth+1)
		}
	case []any:
		for _, e := range v {
			s.walk(e, pointer+5, depth+1)
		}
	case bool:
		s.booleans++
		s.pointers += pointer * (8 + depth) / 8
	case string:
		s.literals++
		s.text += len(v)
	default:
		s.literals++
	}
}

// keyword counts what identifiers and references cost beyond an ordinary keyword.
func (s *schemaSurvey) keyword(key string, v any) {
	text, _ := v.(string)
	switch key {
	case "$id", "id":
		s.ids++
		s.idBytes += len(text)
	case "$anchor", "$dynamicAnchor":
		s.anchors++
	case "$schema":
		s.comparesEnum = s.comparesEnum || strings.Contains(text, "draft-04") || strings.Contains(text, "draft-06")
	case "$ref", "$dynamicRef", "$recursiveRef":
		s.refs++
		url, fragment, _ := strings.Cut(text, "#")
		if strings.Contains(url, "json-schema.org/") {
			s.metas[url] = struct{}{}
		}
		if !isDefinition(fragment) {
			s.oddRefs++
		}
	}
}

// isDefinition says whether a fragment names a definition, an anchor or the whole.
func isDefinition(fragment string) bool {
	name, ok := strings.CutPrefix(fragment, "/$defs/")
	if !ok {
		name, ok = strings.CutPrefix(fragment, "/definitions/")
	}
	return fragment == "" || fragment[0] != '/' || ok && !strings.Contains(name, "/")
}

// pointerBytes is the length of a key in a pointer of a URL.
func pointerBytes(key string) int {
	n := 1
	for i := range len(key) {
		if n++; format.Class(key[i]) == 0 {
			n += 2
		}
	}
	return n
}
