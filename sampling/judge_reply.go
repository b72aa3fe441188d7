package sampling

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"

	"confab/internal/llm"
	"confab/internal/text"
	"confab/schemas"
)

// Limits of a judge's reply.
const (
	maxStatements     = 256
	maxStatementBytes = 2000
	maxReasonBytes    = 300
	maxFaults         = 64 // a judge that lists more does not read
)

// UnreadableError is a reply that lacks the requested form. Its text is that of [schemas.JudgeUnreadable].
type UnreadableError struct {
	Reply string // untrusted, and maybe a text of the interaction: only for the terminal of a person
}

func (*UnreadableError) Error() string { return schemas.JudgeUnreadable.Error() }

// Unwrap returns [schemas.JudgeUnreadable].
func (*UnreadableError) Unwrap() error { return schemas.JudgeUnreadable }

// replyJSON returns the JSON of a reply, without a Markdown fence around all of it.
func replyJSON(r llm.Reply) ([]byte, error) {
	switch {
	case r.Refusal != "", r.Finish == finishFilter:
		return nil, schemas.JudgeRefused
	case r.Finish == finishLength:
		return nil, schemas.JudgeUnreadable // the part cut off may be a verdict
	}
	s := strings.TrimSpace(r.Text)
	if strings.HasPrefix(s, "<think>") {
		_, s, _ = strings.Cut(s, "</think>")
		s = strings.TrimSpace(s)
	}
	if inner, fenced := strings.CutPrefix(s, "```"); fenced {
		_, inner, _ = strings.Cut(inner, "\n")
		inner, closed := strings.CutSuffix(strings.TrimSpace(inner), "```")
		if !closed {
			return nil, schemas.JudgeUnreadable
		}
		s = strings.TrimSpace(inner)
	}
	if !strings.HasPrefix(s, "{") {
		return nil, schemas.JudgeUnreadable
	}
	return []byte(s), nil
}

// decodeReply decodes one JSON object and rejects trailing data.
func decodeReply(body []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(body))
	if d.Decode(into) != nil {
		return schemas.JudgeUnreadable
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return schemas.JudgeUnreadable
	}
	return nil
}

// readFaults reads a list of faults. A fault without a quote is one that is not in the answer.
func readFaults(body []byte) ([]schemas.Fault, error) {
	var wire struct {
		Faults *[]struct {
			Quote       *string   `json:"quote"`
			Stance      string    `json:"stance"`
			Source      looseText `json:"source"`
			Instead     looseText `json:"instead"`
			Material    *bool     `json:"material"`
			Probability looseText `json:"probability"`
		} `json:"faults"`
	}
	if err := decodeReply(body, &wire); err != nil {
		return nil, err
	}
	if wire.Faults == nil || len(*wire.Faults) > maxFaults {
		return nil, schemas.JudgeUnreadable
	}
	out := make([]schemas.Fault, 0, len(*wire.Faults))
	for _, w := range *wire.Faults {
		p, ok := readProbability(string(w.Probability))
		if !ok || w.Quote == nil {
			return nil, schemas.JudgeUnreadable
		}
		instead, _ := text.Cut(strings.TrimSpace(string(w.Instead)), maxReasonBytes)
		out = append(out, schemas.Fault{
			Quote: *w.Quote, Stance: readStance(w.Stance), Source: readLabel(string(w.Source)), Instead: instead,
			Immaterial: w.Material != nil && !*w.Material, Probability: p,
		})
	}
	return out, nil
}

// looseText is a string, or a number as it is written; "" for null.
type looseText string

// UnmarshalJSON implements json.Unmarshaler.
func (t *looseText) UnmarshalJSON(raw []byte) error {
	switch raw[0] {
	case '"':
		return json.Unmarshal(raw, (*string)(t))
	case '[', '{', 't', 'f':
		return schemas.JudgeUnreadable
	case 'n':
		*t = ""
	default:
		*t = looseText(raw)
	}
	return nil
}

// readProbability reads .9, "0.9" and "90 %"; 1 if there is none.
func readProbability(s string) (p float64, ok bool) {
	if s = strings.TrimSpace(s); s == "" {
		return 1, true
	}
	s, percent := strings.CutSuffix(s, "%")
	p, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if percent {
		p /= 100
	}
	return p, err == nil && p >= 0 && p <= 1
}

// readStance reads a stance in any spelling. One that is unknown says no more than that something is not supported.
func readStance(s string) schemas.Stance {
	switch s = strings.ToLower(s); {
	case strings.Contains(s, "contradict"):
		return schemas.Contradicted
	case strings.Contains(s, "citation"):
		return schemas.WrongCitation
	default:
		return schemas.Unsupported
	}
}

// readLabel reads the label of a source, which may stand in brackets or after its title.
func readLabel(s string) string {
	fields := strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(" []()#:", r) })
	for _, f := range fields {
		if !strings.EqualFold(f, "source") && !strings.EqualFold(f, "id") {
			return f
		}
	}
	return ""
}

func readStatements(body []byte) ([]string, error) {
	var wire struct {
		Statements *[]string `json:"statements"`
	}
	if err := decodeReply(body, &wire); err != nil {
		return nil, err
	}
	if wire.Statements == nil || len(*wire.Statements) > maxStatements {
		return nil, schemas.JudgeUnreadable
	}
	var list []string
	for _, s := range *wire.Statements {
		s, long := text.Cut(strings.TrimSpace(s), maxStatementBytes)
		if long {
			return nil, schemas.JudgeUnreadable
		}
		if s != "" {
			list = append(list, s)
		}
	}
	return list, nil
}

// readVerdicts reads exactly one verdict for each index from 1 to n.
func readVerdicts(body []byte, n int) ([]schemas.Verdict, error) {
	var wire struct {
		Verdicts []struct {
			Index      *int     `json:"index"`
			Verdict    *int     `json:"verdict"`
			OutOfScope bool     `json:"out_of_scope"`
			Confidence *float64 `json:"confidence"`
			Reason     string   `json:"reason"`
		} `json:"verdicts"`
	}
	if err := decodeReply(body, &wire); err != nil {
		return nil, err
	}
	if len(wire.Verdicts) != n {
		return nil, schemas.JudgeUnreadable
	}
	out, places := make([]schemas.Verdict, n), make(replyIndexes, n)
	for _, v := range wire.Verdicts {
		if v.Index != nil {
			*v.Index--
		}
		at, confidence, ok := places.take(v.Index, v.Confidence)
		if !ok || v.Verdict == nil || *v.Verdict != 0 && *v.Verdict != 1 {
			return nil, schemas.JudgeUnreadable
		}
		ruling := schemas.Unfaithful
		switch {
		case *v.Verdict == 1:
			ruling = schemas.Faithful // "out of scope and faithful": some source supports it
		case v.OutOfScope:
			ruling = schemas.OutOfScope
		}
		reason, _ := text.Cut(strings.TrimSpace(v.Reason), maxReasonBytes)
		out[at] = schemas.Verdict{Ruling: ruling, Confidence: confidence, Reason: reason}
	}
	return out, nil
}

// replyIndexes records which indexes have an entry.
type replyIndexes []bool

// take claims an index once; a missing confidence is 1, and one outside 0 to 1 is an error.
func (p replyIndexes) take(index *int, confidence *float64) (at int, sure float64, ok bool) {
	if index == nil || *index < 0 || *index >= len(p) || p[*index] {
		return 0, 0, false
	}
	p[*index] = true
	if confidence == nil {
		return *index, 1, true
	}
	return *index, *confidence, *confidence >= 0 && *confidence <= 1
}
