package records

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"confab/schemas"
	"confab/schemas/json"
	"confab/schemas/json/mapspec"
)

// fieldCounts counts how many records of an input have each field. It is safe for concurrent use.
type fieldCounts struct {
	fields []string // to report

	mu         sync.Mutex
	records    int
	found      map[string]int
	inMessages int            // records whose sources are in their messages
	calls      [2]int         // of tools, and those with results
	unknown    map[string]int // records by a word for their kind that is not known
	wantsCalls bool           // the map says which records are calls
}

// newFieldCounts counts the fields of a map, in their published order and attributes behind them; without one the fields that
// most detectors need.
func newFieldCounts(entries map[string]string) *fieldCounts {
	c := &fieldCounts{found: map[string]int{}, unknown: map[string]int{}}
	entries = maps.Clone(entries)
	for _, many := range []string{"preset", mapspec.Interaction, mapspec.Request, mapspec.Response} {
		if _, ok := entries[many]; ok || len(entries) == 0 { // they stand for many fields
			c.fields = []string{"interaction_id", "answer", "sources", "messages", "model", "occurred_at", "logprobs"}
		}
		delete(entries, many)
	}
	known := json.FieldNames()
	for _, f := range known {
		if _, mapped := entries[f]; mapped && !slices.Contains(c.fields, f) {
			c.fields = append(c.fields, f)
		}
	}
	own := len(c.fields)
	for f := range entries {
		if !slices.Contains(known, f) {
			c.fields = append(c.fields, f)
		}
	}
	slices.Sort(c.fields[own:])
	return c
}

func (c *fieldCounts) count(in *schemas.Interaction) {
	has := map[string]bool{
		"interaction_id": in.ID != "", "tenant": in.Tenant != "", "service": in.Service != "", "operation": in.Operation != "",
		"provider": in.Provider != "", "model": in.Model != "", "trace_id": in.TraceID != "", "span_id": in.SpanID != "",
		"conversation_id": in.ConversationID != "", "answer": in.Answer != "", "finish_reason": in.FinishReason != "",
		"response_schema": in.ResponseSchema != "", "occurred_at": !in.OccurredAt.IsZero(), "tags": len(in.Tags) > 0,
		"messages": len(in.Messages) > 0, "prompt": len(in.Messages) > 0, "streamed": in.Streamed, "temperature": in.Temperature >= 0,
		"sources": len(in.Sources) > 0, "attributes": len(in.Attributes) > 0,
		schemas.FieldUserFeedback: in.UserFeedback != "", "user_feedback_by": in.UserFeedbackBy != "",
		"tools": len(in.Tools) > 0, "tool_calls": len(in.Calls) > 0,
	}
	for _, f := range []string{"logprobs", "token_logprobs", "top_k"} {
		has[f] = in.Logprobs.Rows() > 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.records++
	for i := range in.Calls {
		c.calls[0]++
		if in.Calls[i].Result+in.Calls[i].Error != "" {
			c.calls[1]++
		}
	}
	for _, f := range c.fields {
		_, attribute := in.Attributes[strings.TrimPrefix(f, "attributes.")]
		if has[f] || attribute && strings.HasPrefix(f, "attributes.") {
			c.found[f]++
		}
	}
}

func (c *fieldCounts) countMessages() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.inMessages++
}

// countKind counts a record whose kind is not known. Names of people are none.
func (c *fieldCounts) countKind(word string, known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !known && kindWord.MatchString(word) {
		c.unknown[word]++
	}
}

// kindWord is a word for a kind of events.
var kindWord = regexp.MustCompile(`^[\p{Ll}\d]+([_.:-][\p{Ll}\d]+)*$`)

// report describes the counts in one line.
func (c *fieldCounts) report() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	parts := make([]string, len(c.fields))
	for i, f := range c.fields {
		parts[i] = fmt.Sprintf("%s %d of %d", f, c.found[f], c.records)
	}
	if c.inMessages > 0 {
		parts = append(parts, fmt.Sprintf("sources in messages %d of %d", c.inMessages, c.records))
	}
	const most = 12
	said := "fields: " + strings.Join(parts, ", ")
	if c.calls[0] > 0 && c.calls[1] == 0 {
		said += "; the result of no call of a tool is read: say in kinds of the map which records are results, and where these lie"
	}
	if c.wantsCalls && c.calls[0] == 0 {
		said += "; no call of a tool is read: say in kinds of the map where name, arguments and id of a call lie: call /name /arguments /id"
	}
	if n := len(c.unknown); n > 0 && n <= most {
		said += "; no kind is known by the words " + strings.Join(slices.Sorted(maps.Keys(c.unknown)), ", ") + ": say in kinds of the map what each is"
	}
	return said
}
