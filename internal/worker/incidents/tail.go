package incidents

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"confab/internal/kafka"
	"confab/internal/kafka/schemaregistry"
	"confab/schemas"
	"confab/schemas/json"
)

// TailOptions say which flags to follow and how to show them.
type TailOptions struct {
	Kafka     kafka.Config
	Topic     string
	FromStart bool        // start at the oldest retained flag
	StopAtEnd bool        // stop at the end of the topic at the start
	Detector  string      // only flags in which this detector fired
	Max       int         // stop after so many flags; 0 is no limit
	Decode    FlagDecoder // nil reads JSON
	Show      func(f *schemas.Flag, raw []byte) error
	// ShowLetter is called instead of Show: the topic holds dead letters, which are not decoded.
	ShowLetter func(r *kafka.FetchedRecord) error
	// Note gets a line for a person when there is nothing to show, or not yet; nil for none.
	Note io.Writer
}

// Tail follows the flags or dead letters of a topic until ctx ends. It joins no group and commits nothing.
func Tail(ctx context.Context, o TailOptions) error {
	if err := checkDetectors(o.Detector); err != nil {
		return err
	}
	if o.Decode == nil {
		o.Decode = func(_ context.Context, value []byte, f *schemas.Flag) error { return json.DecodeFlag(value, f) }
	}
	if !o.StopAtEnd {
		o.note("waiting for")
	}
	return o.follow(ctx)
}

// follow shows what it reads.
func (o *TailOptions) follow(ctx context.Context) error {
	of := kafka.ReaderOptions{Config: o.Kafka, Topics: []string{o.Topic}, StopAtEnd: o.StopAtEnd}
	if !o.FromStart {
		of.Start.Kind = kafka.PositionEnd
	}
	shown := 0
	err := kafka.Read(ctx, of, func(r *kafka.FetchedRecord) error {
		seen, err := o.show(ctx, r)
		if seen {
			shown++
		}
		if err == nil && o.Max > 0 && shown == o.Max {
			return kafka.ErrStop
		}
		return err
	})
	switch {
	case errors.Is(err, context.Canceled):
		return nil // interrupted
	case err == nil && o.StopAtEnd && shown == 0:
		o.note("there are no")
	}
	return err
}

// note says what is not there to show, and how to see more.
func (o *TailOptions) note(state string) {
	what := "flags"
	switch {
	case o.Note == nil:
		return
	case o.ShowLetter != nil:
		what = "dead letters"
	case o.Detector != "":
		what = "flags of " + o.Detector
	}
	if o.FromStart {
		fmt.Fprintf(o.Note, "%s %s in %s\n", state, what, o.Topic)
		return
	}
	fmt.Fprintf(o.Note, "%s new %s in %s; --from-start shows those already there\n", state, what, o.Topic)
}

// show shows a record, if it is one that was asked for.
func (o *TailOptions) show(ctx context.Context, r *kafka.FetchedRecord) (seen bool, err error) {
	if o.ShowLetter != nil {
		return true, o.ShowLetter(r)
	}
	var f schemas.Flag
	if err := o.Decode(ctx, r.Value, &f); err != nil {
		if _, ok := errors.AsType[*schemaregistry.PendingError](err); ok {
			err = fmt.Errorf("%w, and tail does not wait for it: check schema_registry.url, or run it again once the schema is there", err)
		}
		return false, fmt.Errorf("%s partition %d offset %d cannot be read as a flag: %w", r.Topic, r.Partition, r.Offset, err)
	}
	if o.Detector != "" && !slices.Contains(f.Fired, o.Detector) {
		return false, nil
	}
	return true, o.Show(&f, r.Value)
}

// WriteLine writes a flag as a line of JSON: a JSON record as it is, and an Avro record converted.
func WriteLine(w io.Writer, f *schemas.Flag, raw []byte) (err error) {
	if !bytes.HasPrefix(raw, []byte("{")) {
		if raw, err = json.AppendFlag(nil, f); err != nil {
			return err
		}
	}
	if _, err = w.Write(append(slices.Clip(raw), '\n')); err != nil {
		return fmt.Errorf("write flag: %w", err)
	}
	return nil
}
