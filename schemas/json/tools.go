package json

import (
	"slices"

	"confab/internal/recordformat"
	"confab/schemas"
)

// pendingResult is the result of a call that a message of a tool holds.
type pendingResult struct {
	id      string
	message int
}

// tools reads the tools that were offered: names, or objects with a name and parameters, also within OpenAI's function.
func (s *interactionReader) tools() {
	kept, lost := 0, 0
	l := s.List(recordformat.MaxTools, "a list of tools")
	for s.More(&l) {
		item, t := s.Pos, schemas.Tool{}
		if s.Peek() == '"' {
			t.Name = s.Text()
		} else {
			at := s.function(item)
			t.Name, t.Schema = s.side(at, "name", false), s.side(at, "parameters", true)
			s.Pos = item
			s.Skip()
		}
		if t.Name == "" {
			lost++
			continue
		}
		kept++
		s.in.Tools = append(s.in.Tools, t)
	}
	s.nameLost(kept, lost, "name")
}

// toolCalls reads the calls of tools.
func (s *interactionReader) toolCalls() { s.in.Calls = s.callList(s.in.Calls) }

// callList appends the calls of a list: objects with a name and arguments, also within OpenAI's function.
func (s *interactionReader) callList(calls []schemas.ToolCall) []schemas.ToolCall {
	kept, lost := 0, 0
	l := s.List(recordformat.MaxCalls, "a list of calls of tools")
	for s.More(&l) {
		item := s.Pos
		at := s.function(item)
		c := schemas.ToolCall{
			ID: s.side(item, "id", false), Name: s.side(at, "name", false), Arguments: s.side(at, "arguments", true),
			Result: s.side(item, "result", true), Error: s.side(item, "error", true),
		}
		s.Pos = item
		if s.Skip(); c.Name == "" {
			lost++
			continue
		}
		if c.Error == "false" {
			c.Error = ""
		}
		kept++
		calls = append(calls, c)
	}
	s.nameLost(kept, lost, "name")
	return calls
}

// function is the position of OpenAI's object function within an item, else that of the item.
func (s *interactionReader) function(item int) int {
	if at, _ := s.Find(item, "function"); s.Kind(at) == '{' {
		return at
	}
	return item
}

// side reads a member of an item: a text, or with literal the JSON of another value. null is absent. A malformed one
// is left out and named.
func (s *interactionReader) side(item int, member string, literal bool) (text string) {
	if s.Kind(item) != '{' || s.Err != nil {
		return ""
	}
	at, _ := s.Find(item, member)
	if at < 0 {
		return ""
	}
	s.Pos = at
	start := s.Mark()
	if c := s.Peek(); literal && c != '"' && c != 'n' {
		text = recordformat.StringView(s.Source())
	} else {
		text = s.text()
	}
	if s.Err != nil && isMalformed(s.Err.Reason, s.Field) {
		s.Rewind(start)
		s.addMalformed(s.Field + "." + member)
	}
	return text
}

// messageTools reads the calls that a message made and the id of the call that its content is the result of.
func (s *interactionReader) messageTools(item int) {
	if s.Kind(item) != '{' || s.Err != nil {
		return
	}
	end := s.Pos
	if id := s.side(item, "tool_call_id", false); id != "" {
		s.pending.results = append(s.pending.results, pendingResult{id, len(s.in.Messages) - 1})
	}
	if s.Pos, _ = s.Find(item, schemas.FieldToolCalls); s.Kind(s.Pos) != 0 && !s.Null() {
		start, before := s.Mark(), len(s.pending.calls)
		s.Field = schemas.FieldToolCalls
		if s.pending.calls = s.callList(s.pending.calls); s.Err != nil && isMalformed(s.Err.Reason, s.Field) {
			s.Rewind(start)
			s.pending.calls = s.pending.calls[:before]
			s.addMalformed(s.Field)
		}
		s.Field = schemas.FieldMessages
	}
	s.Pos = end
}

// applyTools puts the calls of messages before those of the record that are others, and gives calls the results that messages of
// tools hold. Where an id was used again, the last call with it counts.
func (s *interactionReader) applyTools() {
	p := &s.pending
	if len(p.calls)+len(p.results) == 0 {
		return
	}
	byID := make(map[string]int, len(s.in.Calls)+len(p.calls))
	for _, c := range s.in.Calls {
		byID[c.ID] = -1
	}
	earlier := slices.DeleteFunc(p.calls, func(c schemas.ToolCall) bool { return c.ID != "" && byID[c.ID] < 0 })
	s.in.Calls = slices.Insert(s.in.Calls, 0, earlier...)
	if excess := len(s.in.Calls) - recordformat.MaxCalls; excess > 0 {
		s.in.Calls = slices.Delete(s.in.Calls, 0, excess)
		s.addMalformed(schemas.FieldToolCalls)
	}
	for i, c := range s.in.Calls {
		byID[c.ID] = i
	}
	for _, r := range p.results {
		if i, ok := byID[r.id]; ok && r.message < len(s.in.Messages) && s.in.Calls[i].Result == "" {
			s.in.Calls[i].Result = s.in.Messages[r.message].Content
		}
	}
}
