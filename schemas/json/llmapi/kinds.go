package llmapi

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"confab/schemas"
	"confab/schemas/json/mapspec"
)

// stepMember holds the messages of a step whose kind a map says.
const stepMember = "confab_step"

// Kinds says what the kinds of events, or of steps in a list, are that have words of their own.
type Kinds struct {
	path  []string
	kinds map[string]kindSpec
}

// kindSpec says what a kind is, and where its parts lie: the text of a message, and passages beside it; the name, the arguments and the id of a call; the result
// or error and the id of a result; of a call with what came of it the name, the arguments, the result and the id. Without places they are found.
type kindSpec struct {
	is     string
	places [][]string
}

// NewKinds reads kinds: at the pointer lies a word, and each word is user, answer, system, call, result, error, tool or none, and places behind it.
func NewKinds(pointer string, words map[string]string) (*Kinds, error) {
	path, err := names(pointer)
	if err != nil {
		return nil, err
	}
	k := &Kinds{path, map[string]kindSpec{}}
	is := map[string]string{"user": roleUser, KindAnswer: roleAssistant, "system": "system", "call": EventCall, "result": EventResult, "error": EventError, "tool": roleTool, "none": EventIdle}
	for _, word := range slices.Sorted(maps.Keys(words)) {
		what, places, _ := strings.Cut(words[word], " ")
		spec := kindSpec{is: is[what]}
		if spec.is == "" {
			return nil, fmt.Errorf("%s is %q: say user, answer, system, call, result, error, tool or none", word, what)
		}
		for place := range strings.FieldsSeq(places) {
			path, err := names(place)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", word, err)
			}
			spec.places = append(spec.places, path)
		}
		k.kinds[word] = spec
	}
	if len(k.path) == 0 || len(words) == 0 {
		return nil, errors.New("needs a pointer to the word, and words")
	}
	return k, nil
}

// names are the names in a pointer.
func names(pointer string) (list []string, err error) {
	paths, err := mapspec.ParsePaths(pointer)
	if err != nil {
		return nil, err
	}
	for _, step := range paths[0] {
		list = append(list, step.Name)
	}
	return list, nil
}

// KindAnswer is what a kind is that the model says.
const KindAnswer = "answer"

// Messages are those of a record in the form of the APIs. known is false for a word that is not listed.
func (k *Kinds) Messages(record []byte) (messages []json.RawMessage, word string, known bool) {
	return k.messages(record, k.path)
}

func (k *Kinds) messages(step []byte, path []string) (messages []json.RawMessage, word string, known bool) {
	v, err := open(step)
	if err != nil {
		return nil, "", false
	}
	word = v.under(path).text()
	spec, known := k.kinds[word]
	if !known || spec.is == EventIdle {
		return nil, word, known
	}
	if len(spec.places) == 0 {
		return v.event(word, spec.is, "", nil), word, true
	}
	parts := [4]string{}
	for i := range min(len(parts), len(spec.places)) {
		parts[i] = written(v.under(spec.places[i]))
	}
	switch spec.is {
	case EventCall:
		return stepMessages(&schemas.ToolCall{Name: parts[0], Arguments: parts[1], ID: parts[2]}, EventCall, ""), word, true
	case roleTool:
		c := schemas.ToolCall{Name: parts[0], Arguments: cmp.Or(parts[1], "{}"), ID: parts[3]}
		if parts[2] == "" {
			c.Error = v.failure()
		}
		return stepMessages(&c, roleTool, parts[2]), word, true
	case EventResult:
		c := schemas.ToolCall{ID: parts[1]}
		if parts[0] == "" {
			c.Error = v.failure()
		}
		return stepMessages(&c, EventResult, parts[0]), word, true
	case EventError:
		return stepMessages(&schemas.ToolCall{ID: parts[1], Error: cmp.Or(parts[0], word)}, EventResult, ""), word, true
	}
	messages = appendMessage(nil, map[string]any{"role": spec.is, "content": parts[0]})
	return append(messages, stepMessages(&schemas.ToolCall{}, EventResult, parts[1])...), word, true
}

// failure is the error of a result without a text, in a member whose name says so.
func (v value) failure() (text string) {
	text = errorOf(v)
	for name, member := range v.members() {
		if FailWord.MatchString(name) {
			text = cmp.Or(text, flat(member))
		}
	}
	return text
}

// Mark is a record whose steps, in a list on the way to the word, say what they are.
func (k *Kinds) Mark(record []byte) []byte { return k.mark(record, k.path) }

func (k *Kinds) mark(raw []byte, path []string) []byte {
	var object map[string]json.RawMessage
	var list []json.RawMessage
	var text string
	switch {
	case json.Unmarshal(raw, &list) == nil:
		for i, item := range list {
			if messages, word, _ := k.messages(item, path); word != "" { // an object with members
				of, _ := json.Marshal(append([]json.RawMessage{}, messages...)) // of valid parts
				list[i] = slices.Concat([]byte(`{"`+stepMember+`":`), of, []byte(","), bytes.TrimPrefix(item, []byte("{")))
			}
		}
		raw, _ = json.Marshal(list)
	case len(path) > 1 && json.Unmarshal(raw, &object) == nil && object[path[0]] != nil:
		object[path[0]] = k.mark(object[path[0]], path[1:])
		raw, _ = json.Marshal(object)
	case json.Unmarshal(raw, &text) == nil && strings.IndexAny(text, "[{") == 0 && json.Valid([]byte(text)):
		return k.mark([]byte(text), path)
	}
	return raw
}
