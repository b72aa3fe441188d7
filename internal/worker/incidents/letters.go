package incidents

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"confab/internal/console"
	"confab/internal/kafka"
	"confab/internal/kafka/deadletter"
	"confab/internal/redact"
)

// maxShownValue is the number of characters of a value that are shown.
const maxShownValue = 4096

// unknownPart stands for what the headers of a dead letter do not say.
const unknownPart = "?"

// LetterPrinter prints dead letters. Keys, messages and values are redacted like excerpts of flags, and values are printed
// only with Values.
type LetterPrinter struct {
	W      io.Writer
	JSON   bool // a line of JSON each
	Values bool
	Redact func(string) string // nil: the built-in patterns
	Remedy func(topic, stage, reason string, value []byte) string
}

// shownLetter is a dead letter as JSON.
type shownLetter struct {
	Time      time.Time `json:"time"`
	Stage     string    `json:"stage"`
	Reason    string    `json:"reason"`
	Error     string    `json:"error"`
	Topic     string    `json:"topic"`
	Partition *int32    `json:"partition"`
	Offset    *int64    `json:"offset"`
	Index     *int      `json:"index,omitempty"` // of a part within the record
	Key       string    `json:"key"`
	Group     string    `json:"group,omitempty"`
	Attempt   int       `json:"attempt,omitempty"`
	Remedy    string    `json:"remedy"`
	Letter    letterAt  `json:"dead_letter"`
	Malformed []string  `json:"malformed_headers,omitempty"`
	Digest    bool      `json:"value_is_digest,omitempty"`
	Bytes     int       `json:"value_bytes"`
	Value     *string   `json:"value,omitempty"`
}

// letterAt is where a dead letter itself is.
type letterAt struct {
	Topic     string `json:"topic"`
	Partition int32  `json:"partition"`
	Offset    int64  `json:"offset"`
}

func (p LetterPrinter) describe(r *kafka.FetchedRecord) shownLetter {
	d := deadletter.Describe(r.Headers)
	s := shownLetter{
		Time: r.Timestamp.UTC(), Stage: p.clean(d.Stage), Reason: p.clean(d.Reason), Error: p.clean(d.Message), Topic: p.clean(d.Topic),
		Key: p.clean(string(r.Key)), Group: p.clean(d.Group), Attempt: d.Attempt,
		Letter: letterAt{r.Topic, r.Partition, r.Offset}, Malformed: d.Malformed, Digest: d.Digest, Bytes: len(r.Value),
	}
	if s.Remedy = p.Remedy(d.Topic, s.Stage, s.Reason, r.Value); s.Reason == "" {
		s.Remedy = "another program wrote it: its headers have no " + deadletter.HeaderReason
	}
	if d.Partition >= 0 {
		s.Partition = &d.Partition
	}
	if d.Offset >= 0 {
		s.Offset = &d.Offset
	}
	if d.Index >= 0 {
		s.Index = &d.Index
	}
	if p.Values {
		s.Value = new(p.shownValue(r.Value))
	}
	return s
}

// Print prints a dead letter: where it was read and why it is one, then the error and the remedy.
func (p LetterPrinter) Print(r *kafka.FetchedRecord) error {
	s := p.describe(r)
	if p.JSON {
		enc := json.NewEncoder(p.W)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(s); err != nil {
			return fmt.Errorf("print: %w", err)
		}
		return nil
	}
	return console.Printf(p.W, "%s", s.text())
}

// text is the form for people.
func (s *shownLetter) text() string {
	partition, offset := unknownPart, unknownPart
	if s.Partition != nil {
		partition = strconv.Itoa(int(*s.Partition))
	}
	if s.Offset != nil {
		offset = strconv.FormatInt(*s.Offset, 10)
	}
	if s.Index != nil {
		offset += " index " + strconv.Itoa(*s.Index)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s  %s  topic %s partition %s offset %s  key %s\n", s.Time.Format("2006-01-02 15:04:05"), cmp.Or(s.Stage, unknownPart),
		cmp.Or(s.Reason, unknownPart), cmp.Or(s.Topic, unknownPart), partition, offset, cmp.Or(s.Key, "-"))
	if s.Error != "" {
		fmt.Fprintf(&b, "    %s\n", s.Error)
	}
	fmt.Fprintf(&b, "    → %s\n", s.Remedy)
	if len(s.Malformed) > 0 {
		fmt.Fprintf(&b, "    malformed headers: %s\n", strings.Join(s.Malformed, ", "))
	}
	if s.Value != nil {
		fmt.Fprintf(&b, "    %s\n", *s.Value)
	}
	return b.String()
}

func (p *LetterPrinter) hide(s string) string {
	if p.Redact == nil {
		return redact.Redact(s)
	}
	return p.Redact(s)
}

func (p *LetterPrinter) clean(s string) string {
	return console.Sanitize(p.hide(strings.ToValidUTF8(s, "")))
}

// shownValue is the start of a value, redacted.
func (p *LetterPrinter) shownValue(value []byte) string {
	if !utf8.Valid(value) {
		return fmt.Sprintf("(%d bytes that are not text)", len(value))
	}
	return console.Sanitize(redact.Excerpt(p.hide(string(value)), maxShownValue))
}
