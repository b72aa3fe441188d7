package jsonschema

import (
	"strings"

	"confab/detectors/jsonschema/format"
)

// Costs of compiling in units of about 10 ns, calibrated like those of validating.
const (
	perObject   = 1500    // an object: validated against its metaschema, located, compiled
	perKeyword  = 300     // each of its keys
	perFlag     = 1000    // a boolean schema
	perLiteral  = 100     // a literal value
	perPair     = 5       // per squared number of schemas: each is searched among all before it
	perResource = 2       // of each schema × identifier: each is searched among them
	perBase     = 1       // of each byte of the identifiers × reference or identifier: it is resolved against them
	perAnchors  = 1       // of the squared number of anchors
	perOddRef   = 12      // of each schema × reference to a place that is not a definition: the known schemas are copied
	perMeta     = 500_000 // of each metaschema that is referenced
	perPointer  = 1       // of each byte of the pointer of each schema
	perWord     = 4       // per bytes of the schema
	perAlike    = 1300    // of each value in an enum of draft 4 or 6, whose values must differ
)

// schemaSurvey counts what the work of compiling a schema depends on, because the library cannot be metered while it
// compiles. Values in enum, const, default and examples count like schemas, because a reference can make them one.
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

// work returns the units that compiling takes, without patterns.
func (s *schemaSurvey) work() int {
	all := s.schemas + s.booleans
	n := s.schemas*perObject + s.keywords*perKeyword + s.booleans*perFlag + s.literals*perLiteral + all*all/perPair +
		all*s.ids*perResource + all*s.oddRefs*perOddRef + (s.ids+s.refs)*s.idBytes*perBase + s.anchors*s.anchors/perAnchors + len(s.metas)*perMeta + s.pointers*perPointer + s.text/perWord
	if s.comparesEnum {
		n += s.literals * perAlike
	}
	return n
}

// walk counts a value of the schema; its pointer has pointer bytes and depth tokens.
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

// keyword counts identifiers, anchors and references.
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

// isDefinition reports whether a fragment names a definition, an anchor or the whole schema.
func isDefinition(fragment string) bool {
	name, ok := strings.CutPrefix(fragment, "/$defs/")
	if !ok {
		name, ok = strings.CutPrefix(fragment, "/definitions/")
	}
	return fragment == "" || fragment[0] != '/' || ok && !strings.Contains(name, "/")
}

// pointerBytes returns the length of a key in a JSON Pointer within a URL.
func pointerBytes(key string) int {
	n := 1
	for i := range len(key) {
		if n++; format.Class(key[i]) == 0 {
			n += 2
		}
	}
	return n
}
