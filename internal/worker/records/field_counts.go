package records

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"confab/schemas"
	"confab/schemas/json"
)

// fieldCounts counts how many records of an input have each field. It is safe for concurrent use.
type fieldCounts struct {
	fields []string // to report

	mu         sync.Mutex
	records    int
	found      map[string]int
	inMessages int // records whose sources are in their messages
}

// newFieldCounts counts the fields of a map; without one the fields that most detectors need.
func newFieldCounts(entries map[string]string) *fieldCounts {
	fields := []string{"interaction_id", "answer", "sources", "messages", "model", "occurred_at", "logprobs"}
	if len(entries) > 0 {
		order := json.FieldNames()
		fields = slices.SortedFunc(maps.Keys(entries), func(a, b string) int {
			return cmp.Or(fieldOrder(order, a)-fieldOrder(order, b), strings.Compare(a, b))
		})
	}
	return &fieldCounts{fields: fields, found: map[string]int{}}
}

// fieldOrder is the place of a field in the published order, behind all for an attribute.
func fieldOrder(order []string, field string) int {
	if at := slices.Index(order, field); at >= 0 {
		return at
	}
	return len(order)
}

func (c *fieldCounts) count(in *schemas.Interaction) {
	texts := textFields(in)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.records++
	for _, f := range c.fields {
		if text, is := texts[f]; is && text != "" || !is && hasField(in, f) {
			c.found[f]++
		}
	}
}

func (c *fieldCounts) countMessages() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.inMessages++
}

// hasField reports whether a field of the interaction that is not a text has a value.
func hasField(in *schemas.Interaction, field string) bool {
	if name, is := strings.CutPrefix(field, "attributes."); is {
		_, found := in.Attributes[name]
		return found
	}
	switch field {
	case "occurred_at":
		return !in.OccurredAt.IsZero()
	case "tags":
		return len(in.Tags) > 0
	case "messages", "prompt":
		return len(in.Messages) > 0
	case "streamed":
		return in.Streamed
	case "temperature":
		return in.Temperature >= 0
	case "sources":
		return len(in.Sources) > 0
	case "attributes":
		return len(in.Attributes) > 0
	default: // logprobs, token_logprobs, top_k
		return in.Logprobs.Rows() > 0
	}
}

// textFields returns the fields that are texts.
func textFields(in *schemas.Interaction) map[string]string {
	return map[string]string{
		"interaction_id": in.ID, "tenant": in.Tenant, "service": in.Service, "operation": in.Operation, "provider": in.Provider,
		"model": in.Model, "trace_id": in.TraceID, "span_id": in.SpanID, "conversation_id": in.ConversationID, "answer": in.Answer,
		"finish_reason": in.FinishReason, "response_schema": in.ResponseSchema,
	}
}

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
	return "fields: " + strings.Join(parts, ", ")
}
