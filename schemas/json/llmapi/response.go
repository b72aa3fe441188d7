package llmapi

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"confab/internal/recordformat"
	"confab/schemas"
	"confab/schemas/json/scan"
)

// MaxChoices is the number of answers of one response that are read.
const MaxChoices = 128

// fieldAnswer is the field of errors of a response.
const fieldAnswer = "answer"

// Answers are the answers of one response.
type Answers struct {
	form     string
	choices  []choice
	heads    []value          // objects with the id, the model, the time and the end
	sources  []schemas.Source // passages that come with it
	cited    []value          // citations of all answers
	messages []schemas.Message
	calls    toolLog // of all answers
	tools    []schemas.Tool
	streamed bool
}

// choice is one answer.
type choice struct {
	turn

	head value // has its end and its logprobs
}

// Read reads a response, see [Response].
func Read(raw []byte) (*Answers, error) {
	a := &Answers{}
	whole := raw
	if IsTranscript(raw) {
		var err error
		if whole, err = Assemble(raw); err != nil {
			return nil, err
		}
		a.streamed = true
	}
	v, err := open(whole)
	if err != nil {
		return nil, err
	}
	if text := []byte(v.text()); v.kind() == '"' && IsTranscript(text) {
		return Read(text)
	}
	return a, a.readWhole(v)
}

// readWhole reads a response that is no transcript.
func (a *Answers) readWhole(v value) error {
	a.read(v, 0)
	if len(a.choices) > MaxChoices {
		return &scan.Error{Reason: scan.ReasonTooMany, Field: fieldAnswer, Detail: "more than " + strconv.Itoa(MaxChoices) + " answers"}
	}
	if v.doc.err != nil {
		return v.doc.err
	}
	return nil
}

// Len is the number of answers.
func (a *Answers) Len() int { return len(a.choices) }

// Form is the API that the response is of, "" if it is unknown.
func (a *Answers) Form() string { return a.form }

// FillRequest reads the request, unless it is nil, into the empty fields of in, see [Request]. What the response says about the model
// counts more, what the request says about sources.
func (a *Answers) FillRequest(request []byte, in *schemas.Interaction) error {
	a.fillHead(in)
	if request == nil {
		return nil
	}
	return Request(request, in)
}

// Fill reads the answer with that index into the empty fields of in, see [Response]. Read the request first.
func (a *Answers) Fill(i int, in *schemas.Interaction) (Reading, error) {
	reading := Reading{Form: a.form}
	a.fillHead(in)
	if i >= len(a.choices) {
		return reading, nil
	}
	c := &a.choices[i]
	slices.Sort(c.unread)
	reading.Answered, reading.Unread = true, slices.Compact(c.unread)
	if c.bad {
		return reading, &scan.Error{Reason: scan.ReasonWrongType, Field: fieldAnswer, Detail: "expected a text or a list of parts"}
	}
	if in.Answer == "" {
		in.Answer = c.text()
		fillLogprobs(in, c.head)
	}
	in.FinishReason = cmp.Or(in.FinishReason, finishOf(c.head))
	for _, v := range a.heads {
		in.FinishReason = cmp.Or(in.FinishReason, finishOf(v))
	}
	a.fillMessages(in)
	a.fillSources(c, in)
	calls := slices.Clone(a.calls)
	calls.addTurn(&c.turn)
	AddCalls(in, calls)
	setTools(in, a.tools)
	return reading, nil
}

// fillHead reads what is said about the response.
func (a *Answers) fillHead(in *schemas.Interaction) {
	in.Streamed = in.Streamed || a.streamed
	for _, v := range a.heads {
		in.ID = cmp.Or(in.ID, v.get("id", "response_id", "generation_id", "message_id").text())
		in.Model = cmp.Or(in.Model, v.get("model", "model_version", "model_name", "model_id").text())
		in.ConversationID = cmp.Or(in.ConversationID, v.get("conversation_id", "session_id", "thread_id", "previous_response_id").text())
		if in.OccurredAt.IsZero() {
			in.OccurredAt = timeOf(v.get("created", "created_at", "create_time", "timestamp"))
		}
	}
}

// finishOf is the reason of an end, in the words that mean an early one for Confab.
func finishOf(v value) string {
	reason := v.get("finish_reason", "stop_reason", "done_reason", "completion_reason", "block_reason", "incomplete_details")
	if inner := reason.get("reason", "unified"); inner.kind() != 0 {
		reason = inner
	}
	switch word := strings.ToLower(reason.text()); word {
	case "max_output_tokens", "model_length", "token_limit":
		return "length"
	case "safety", "refusal", "recitation", "blocklist", "prohibited_content", "spii", "error_toxic", "content_filtered", "guardrail_intervened":
		return "content_filter"
	default:
		return word
	}
}

// timeOf reads a time: a number since 1970, or RFC 3339.
func timeOf(v value) (t time.Time) {
	if v.kind() == '"' {
		t, _ = time.Parse(time.RFC3339, v.text())
		return t.UTC()
	}
	n, err := strconv.ParseFloat(v.text(), 64)
	ms, ok := recordformat.MillisOf(n)
	if err != nil || !ok || ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// fillMessages takes the messages before the answer of a conversation that holds it. The answer is no message of the prompt.
func (a *Answers) fillMessages(in *schemas.Interaction) {
	last := len(in.Messages) - 1
	switch {
	case last < 0 && hasRole(a.messages, roleUser):
		in.Messages = append(in.Messages, a.messages...)
	case last >= 0 && in.Messages[last].Role == roleAssistant && in.Messages[last].Content == in.Answer:
		in.Messages = in.Messages[:last]
	}
}

// fillSources takes the passages of the response. What it quotes of others counts only where it and the request have none.
func (a *Answers) fillSources(c *choice, in *schemas.Interaction) {
	list, quoted := slices.Concat(a.sources, c.docs), []schemas.Source(nil)
	for _, v := range slices.Concat(c.cited, a.cited) {
		list, quoted = citation(list, quoted, v)
	}
	if !hasRole(in.Messages, roleTool) {
		for i := range a.messages {
			if m := &a.messages[i]; m.Role == roleTool {
				list = addSource(list, schemas.Source{Text: m.Content})
			}
		}
		for _, s := range quoted {
			list = addSource(list, s)
		}
	}
	setSources(in, list)
}

func hasRole(messages []schemas.Message, role string) bool {
	return slices.ContainsFunc(messages, func(m schemas.Message) bool { return m.Role == role })
}
