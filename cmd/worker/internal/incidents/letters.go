package incidents

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"confab/cmd/worker/internal/console"
	"confab/internal/kafka"
	"confab/internal/kafka/deadletter"
	"confab/internal/redact"
)

// LetterOptions say which dead letters to follow and how to show them.
type LetterOptions struct {
	Kafka     kafka.Config
	Topic     string // of the dead letters
	FromStart bool   // start at the oldest retained one
	StopAtEnd bool   // stop at the end of the topic at the start
	Max       int    // stop after so many; 0 is no limit
	Show      func(r *kafka.FetchedRecord) error
}

// TailLetters follows the dead letters of a topic until ctx ends. It joins no group and commits nothing.
func TailLetters(ctx context.Context, o LetterOptions) error {
	start := kafka.Position{Kind: kafka.PositionEnd}
	if o.FromStart {
		start.Kind = kafka.PositionStart
	}
	reader, err := kafka.NewReader(kafka.ReaderOptions{Config: o.Kafka, Topics: []string{o.Topic}, Start: start, StopAtEnd: o.StopAtEnd})
	if err != nil {
		return err
	}
	shown := 0
	err = reader.Read(ctx, func(r *kafka.FetchedRecord) error {
		if err := o.Show(r); err != nil {
			return err
		}
		if shown++; o.Max > 0 && shown == o.Max {
			return kafka.ErrStop
		}
		return nil
	})
	if errors.Is(err, context.Canceled) {
		return nil // interrupted
	}
	return err
}

// maxShownValue is the number of characters of a value that are shown.
const maxShownValue = 4096

// unknownPart stands for what the headers of a dead letter do not say.
const unknownPart = "?"

// LetterPrinter prints dead letters. Keys, messages and values are redacted like excerpts of flags, and values are printed
// only with Values.
type LetterPrinter struct {
	W      io.Writer
	Values bool
	Remedy func(stage, reason string) string
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
		Time: r.Timestamp.UTC(), Stage: cleanText(d.Stage), Reason: cleanText(d.Reason), Error: cleanText(d.Message), Topic: cleanText(d.Topic),
		Key: cleanText(string(r.Key)), Group: cleanText(d.Group), Attempt: d.Attempt,
		Letter: letterAt{r.Topic, r.Partition, r.Offset}, Malformed: d.Malformed, Digest: d.Digest, Bytes: len(r.Value),
	}
	if s.Remedy = p.Remedy(s.Stage, s.Reason); s.Reason == "" {
		s.Remedy = "another program wrote it: its headers have no " + deadletter.HeaderReason
	}
	if d.Partition >= 0 {
		s.Partition = &d.Partition
	}
	if d.Offset >= 0 {
		s.Offset = &d.Offset
	}
	if p.Values {
		s.Value = new(shownValue(r.Value))
	}
	return s
}

// JSON prints a dead letter as a line of JSON.
func (p LetterPrinter) JSON(r *kafka.FetchedRecord) error {
	enc := json.NewEncoder(p.W)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(p.describe(r)); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}

// Text prints a dead letter for people: where it was read and why it is one, then the error and the remedy.
func (p LetterPrinter) Text(r *kafka.FetchedRecord) error {
	s := p.describe(r)
	partition, offset := unknownPart, unknownPart
	if s.Partition != nil {
		partition = strconv.Itoa(int(*s.Partition))
	}
	if s.Offset != nil {
		offset = strconv.FormatInt(*s.Offset, 10)
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
	return console.Printf(p.W, "%s", b.String())
}

func cleanText(s string) string { return console.Sanitize(redact.Redact(strings.ToValidUTF8(s, ""))) }

// shownValue is the start of a value, redacted.
func shownValue(value []byte) string {
	if !utf8.Valid(value) {
		return fmt.Sprintf("(%d bytes that are not text)", len(value))
	}
	return console.Sanitize(redact.Excerpt(string(value), maxShownValue))
}
