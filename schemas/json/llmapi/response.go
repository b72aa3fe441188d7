package llmapi

import (
	"bytes"
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

// Answers are the answers of one response.
type Answers struct {
	form    string
	choices []choice
	heads   []value // objects with the id, the model, the time and the end
	sources []value // passages that the API returns

	streamed, large bool
}

// choice is one answer.
type choice struct {
	turn
	head value // with its end and its logprobs
}

// Read reads a response. The error is a *scan.Error.
func Read(raw []byte) (*Answers, error) {
	a := &Answers{}
	if IsTranscript(raw) {
		whole, err := Assemble(raw)
		if err != nil {
			return nil, err
		}
		raw, a.streamed = whole, true
	}
	v, err := open(raw)
	if err != nil {
		return nil, err
	}
	if v.isText() {
		if text := []byte(v.text()); IsTranscript(text) {
			inner, err := Read(text)
			return inner, err
		}
	}
	a.read(v, 0)
	if a.large {
		return nil, &scan.Error{Reason: scan.ReasonTooMany, Field: "answer", Detail: "more answers than the limit of " + strconv.Itoa(MaxChoices)}
	}
	return a, v.doc.fault()
}

// Len is the number of answers.
func (a *Answers) Len() int { return len(a.choices) }

// Form is the API that the response is of, "" if it is unknown.
func (a *Answers) Form() string { return a.form }

// Streamed reports a response that was the transcript of a stream.
func (a *Answers) Streamed() bool { return a.streamed }

// Fill reads the answer with that index into the empty fields of in, as Response does.
func (a *Answers) Fill(i int, in *schemas.Interaction) (Reading, error) {
	reading := Reading{Form: a.form}
	a.fillHead(in)
	in.Streamed = in.Streamed || a.streamed
	if i >= len(a.choices) {
		return reading, nil
	}
	c := &a.choices[i]
	reading.Answered = true
	slices.Sort(c.unread)
	reading.Unread = c.unread
	if c.bad {
		return reading, unreadable("the answer is neither a text nor a list of parts")
	}
	if in.Answer == "" {
		in.Answer = c.text
	}
	for _, v := range append([]value{c.head}, a.heads...) {
		if in.FinishReason == "" {
			in.FinishReason = finishOf(v.get("finish_reason", "stop_reason", "done_reason"))
		}
	}
	a.fillSources(c, in)
	return reading, nil
}

// fillHead reads what is said about the response.
func (a *Answers) fillHead(in *schemas.Interaction) {
	for _, v := range a.heads {
		fillText(&in.ID, v.get("id", "response_id", "generation_id"))
		fillText(&in.Model, v.get("model", "model_version", "model_name", "model_id"))
		if in.OccurredAt.IsZero() {
			in.OccurredAt = timeOf(v.get("created", "created_at", "create_time", "timestamp"))
		}
	}
}

func fillText(field *string, v value) {
	if *field == "" {
		*field = v.text()
	}
}

func (a *Answers) fillSources(c *choice, in *schemas.Interaction) {
	var list []schemas.Source
	for _, v := range a.sources {
		list = sourcesOf(list, v)
	}
	addSources(in, list)
}

// finishOf is the reason of an end, in the words that mean an early one for Confab.
func finishOf(v value) string {
	switch word := fold(v.text()); word {
	case "maxtokens", "maxoutputtokens", "modellength", "tokenlimit":
		return "length"
	case "safety", "refusal", "recitation", "blocklist", "prohibitedcontent", "spii", "errortoxic", "contentfiltered", "guardrailintervened":
		return "content_filter"
	}
	return strings.ToLower(v.text())
}

// timeOf reads a time: a number since 1970, or RFC 3339.
func timeOf(v value) (t time.Time) {
	if v.isText() {
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

func (a *Answers) read(v value, depth int) bool {
	choices := v.get("choices")
	if choices.kind() != '[' {
		return false
	}
	a.form = "openai.chat"
	a.heads = append(a.heads, v)
	for c := range choices.items() {
		a.choices = append(a.choices, choice{readTurn(c, false), c})
	}
	return true
}

// IsTranscript reports whether a value looks like the transcript of a stream: the text of server-sent events, or a list of events.
func IsTranscript(raw []byte) bool { return bytes.HasPrefix(raw, []byte("data:")) }

// Assemble returns the whole response of a transcript, as its API returns it at once.
func Assemble(raw []byte) ([]byte, error) { return raw, nil }

func addMalformed(in *schemas.Interaction, field string) {
	if !slices.Contains(in.Malformed, field) {
		in.Malformed = append(in.Malformed, field)
	}
}
