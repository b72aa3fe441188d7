package consumer

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"runtime/debug"

	"github.com/twmb/franz-go/pkg/kgo"
	"golang.org/x/sync/semaphore"

	"confab/internal/kafka"
	"confab/internal/kafka/deadletter"
)

// Stages and reasons of the loops' own dead letters.
const (
	StageDecode  = "decode"
	StageHandle  = "handle"
	StagePublish = "publish"

	ReasonTooLarge = "too_large"
	ReasonPanic    = "panic"

	// ReasonCrashSuspect means that processes ended while they worked on the record.
	ReasonCrashSuspect = "crash_suspect"
)

// Outcomes that are counted without a handler. A handler that sets none is counted under OutcomeDone.
const (
	OutcomeDeadLetter = "dlq"
	OutcomeTombstone  = "skip_tombstone"
	OutcomeDone       = "done"

	outcomeTooLarge = "\x00" // of a record that became a dead letter when it was handled
)

// batchOptions are what the batches of a loop share.
type batchOptions[T any] struct {
	*Options[T]

	role   *Metrics
	limits *kafka.SizeLimits
	slots  *semaphore.Weighted // of batches being decoded and handled
}

// panicked counts and logs a recovered panic. The stack holds no text of a record; the panic's value may.
func (o *batchOptions[T]) panicked(in string, v any) error {
	o.role.Panics.WithLabelValues(in).Inc()
	err := panicError(v)
	o.Logger.Error("panic recovered", slog.String("in", in), slog.Any("error", err), slog.String("stack", string(debug.Stack())))
	return err
}

// LetterRemedy says what to do about dead letters of a topic, stage and reason. The value is that of the first one, for a hint.
type LetterRemedy func(topic, stage, reason string, value []byte) string

// logLetters warns of the dead letters of a batch: a line for each stage and reason, with their number and the first as an example.
func (o *batchOptions[T]) logLetters(letters []deadletter.Letter) {
	type letterKind struct{ stage, reason string }
	counts := make(map[letterKind]int)
	for i := range letters {
		counts[letterKind{letters[i].Stage, letters[i].Reason}]++
	}
	for i := range letters {
		one := &letters[i]
		kind := letterKind{one.Stage, one.Reason}
		if counts[kind] == 0 { // it was logged
			continue
		}
		attrs := []any{
			slog.String("stage", one.Stage), slog.String("reason", one.Reason), slog.Int("count", counts[kind]),
			slog.Group("example", slog.String("topic", one.Topic), slog.Int("partition", int(one.Partition)), slog.Int64("offset", one.Offset)),
			slog.String("error", one.Message()),
		}
		if o.Remedy != nil {
			attrs = append(attrs, slog.String("remedy", o.Remedy(one.Topic, one.Stage, one.Reason, one.Value)))
		}
		if o.DryRun {
			o.Logger.Warn("records would become dead letters", attrs...)
		} else {
			o.Logger.Warn("records became dead letters", attrs...)
		}
		delete(counts, kind)
	}
}

// batchPhase is the progress of a batch. A retry at least once repeats the phase that failed and none before it.
type batchPhase string

const (
	phaseDecode     batchPhase = "decode"
	phaseHandle     batchPhase = "handle"
	phasePublish    batchPhase = "publish"
	phaseDeadLetter batchPhase = "dead_letter"
)

// batchWork is the batch of one partition: the records that its items decode into, its output and its dead letters. Its slices are
// reused by the next batch. One goroutine uses it.
type batchWork[T any] struct {
	Records []Record[T] // one for each value, in order
	Letters []deadletter.Letter

	opts       *batchOptions[T]
	at         *assignment
	circuit    *circuit
	phase      batchPhase
	raw        Raw    // argument of the codec, reused
	values     []T    // decoded, in order; to be released
	out        outbox // of the handler
	tombstones int

	// Where the items of the present Evaluate begin, and how many are decoded: none is decoded a second time in a
	// batch.
	first, sent, rejected, decoded int

	refused map[int64]bool // offsets whose output the broker refused as too large, although it was expected to fit
}

// outbox collects the output of a handler.
type outbox []kafka.Message

// Produce implements Producer.
func (o *outbox) Produce(m kafka.Message) { *o = append(*o, m) }

// newBatchWork returns the work of an assigned partition.
func newBatchWork[T any](opts *batchOptions[T], at *assignment) batchWork[T] {
	return batchWork[T]{
		opts: opts, at: at, circuit: newCircuit(opts.Options, opts.role, at.ID), refused: make(map[int64]bool),
	}
}

// Begin starts an empty batch.
func (w *batchWork[T]) Begin() {
	w.Release()
	w.tombstones, w.phase = 0, phaseDecode
	w.endPart()
}

// endPart makes what the batch holds final: the next Evaluate adds to it.
func (w *batchWork[T]) endPart() {
	w.first, w.sent, w.rejected, w.decoded = len(w.Records), len(w.out), len(w.Letters), 0
}

// Evaluate adds the items to the batch: it decodes and handles them while it holds one of the loop's slots. note commits the owner
// note where the next owner needs it. After an error it may be called again with the same items.
func (w *batchWork[T]) Evaluate(items []queueItem, note func([]queueItem) error) error {
	release, err := w.acquireSlots(items)
	if err != nil {
		return err
	}
	defer release()
	if err := note(items); err != nil {
		return err
	}
	defer w.at.EndWork()
	w.phase = phaseDecode
	for ; w.decoded < len(items); w.decoded++ {
		it := items[w.decoded]
		w.at.Begin(it.Offset())
		poison, err := w.Decode(it)
		if err != nil {
			return err
		}
		w.rejected = len(w.Letters)
		if w.circuit.record(it.Offset(), poison) {
			return w.circuit.error()
		}
	}
	w.phase = phaseHandle
	w.out, w.Letters = w.out[:w.sent], w.Letters[:w.rejected] // without those of an earlier attempt
	if w.first == len(w.Records) {
		return nil
	}
	w.at.Begin(w.Records[w.first].Offset)
	return w.handleFitting()
}

// acquireSlots acquires processor slots for the items: one, or all of them for a record at which an earlier owner ended, so that
// another crash is certainly this record's.
func (w *batchWork[T]) acquireSlots(items []queueItem) (release func(), err error) {
	n := int64(1)
	if deaths, tooMany := w.at.Deaths(items[0]); deaths > 0 && !tooMany {
		n = int64(w.opts.Workers)
	}
	if w.opts.slots.Acquire(w.at.halting, n) != nil {
		return nil, errAbandoned
	}
	return func() { w.opts.slots.Release(n) }, nil
}

// handleFitting handles the new records: together, or one at a time if some output is too large. Those become letters.
func (w *batchWork[T]) handleFitting() error {
	records := w.Records[w.first:]
	for i := range records {
		records[i].Outcome = ""
	}
	if len(w.refused) == 0 {
		if err := w.handle(records); err != nil {
			return err
		}
		if w.fits(w.sent) {
			return nil
		}
		w.out = w.out[:w.sent]
	}
	for i := range records {
		r, had := &records[i], len(w.out)
		r.Outcome = ""
		if err := w.handle(records[i : i+1]); err != nil {
			return err
		}
		if !w.fits(had) || w.refused[r.Offset] {
			w.out, r.Outcome = w.out[:had], outcomeTooLarge
			w.Letters = append(w.Letters, w.oversized(w.first+i))
		}
	}
	return nil
}

// fits reports whether the messages from n on fit their topics.
func (w *batchWork[T]) fits(n int) bool {
	for i := range w.out[n:] {
		if !w.opts.limits.Fits(&w.out[n+i]) {
			return false
		}
	}
	return true
}

// oversized is the dead letter of a record whose output cannot be written.
func (w *batchWork[T]) oversized(i int) deadletter.Letter {
	r := &w.Records[i]
	several := i > 0 && w.Records[i-1].Offset == r.Offset || i+1 < len(w.Records) && w.Records[i+1].Offset == r.Offset
	return deadletter.Letter{
		Topic: r.Topic, Partition: r.Partition, Offset: r.Offset, Key: r.Key, Value: r.Raw, Headers: r.Headers,
		Timestamp: r.Timestamp, Stage: StagePublish, Reason: ReasonTooLarge, Err: errTooLarge, Part: several || r.Index > 0, Index: r.Index,
	}
}

var errTooLarge = errors.New("the output is larger than its topic allows")

// errAbandoned means that the result of a batch will never be known to this assignment.
var errAbandoned = errors.New("batch abandoned")

// Decode turns an item into records, dead letters or nothing, and reports whether more of it became letters than values.
// After an error, which is not the record's, the item may be decoded again.
func (w *batchWork[T]) Decode(it queueItem) (poison bool, err error) {
	letters, values := len(w.Letters), len(w.values)
	err = w.decode(it)
	return len(w.Letters)-letters > len(w.values)-values, err
}

func (w *batchWork[T]) decode(it queueItem) error {
	deaths, tooMany := w.at.Deaths(it)
	switch {
	case it.Bad != nil:
		w.Letters = append(w.Letters, deadletter.Letter{
			Topic: it.Bad.Topic, Partition: it.Bad.Partition, Offset: it.Bad.Offset,
			Stage: StageDecode, Reason: ReasonTooLarge, Err: it.Bad, NoValue: true,
		})
		return nil //nolint:nilerr // the error has become a letter
	case tooMany:
		w.Letters = append(w.Letters, newLetter(it.Rec, w.crashSuspect(it, deaths)))
		return nil
	case it.Rec.Value == nil:
		w.tombstones++
		return nil
	case len(it.Rec.Value) > w.opts.MaxValueBytes:
		err := fmt.Errorf("value of %d bytes, the limit is %d", len(it.Rec.Value), w.opts.MaxValueBytes)
		w.Letters = append(w.Letters, newLetter(it.Rec, &PoisonError{Stage: StageDecode, Reason: ReasonTooLarge, Err: err}))
		return nil
	}
	had := len(w.values)
	err := w.callCodec(it)
	if err != nil {
		w.dropValues(had)
		return w.handleDecodeError(it.Rec, err)
	}
	for i, v := range w.values[had:] {
		w.Records = append(w.Records, Record[T]{
			work: w.at, Value: v, Raw: it.Rec.Value, Key: it.Rec.Key, Headers: it.Rec.Headers, Topic: it.Rec.Topic,
			Partition: it.Rec.Partition, Offset: it.Rec.Offset, Index: w.raw.IndexOf(i), Timestamp: it.Rec.Timestamp,
		})
	}
	for _, part := range w.raw.Rejected {
		letter := newLetter(it.Rec, part.Err)
		letter.Value, letter.Part, letter.Index = part.Value, true, part.Index
		w.Letters = append(w.Letters, letter)
	}
	return nil
}

// crashSuspect is the error of a record at which too many processes ended.
func (w *batchWork[T]) crashSuspect(it queueItem, deaths int) *PoisonError {
	w.opts.Logger.Error("sent record to the dead-letter topic: processes crashed while they worked on it",
		slog.String("topic", w.at.ID.Topic), slog.Int("partition", int(w.at.ID.Partition)),
		slog.Int64("offset", it.Offset()), slog.Int("deaths", deaths))
	return &PoisonError{
		Stage: StageHandle, Reason: ReasonCrashSuspect,
		Err: fmt.Errorf("%d processes ended while they worked on the record", deaths),
	}
}

// handleDecodeError makes a dead letter of a poison record and returns any other error, to be retried.
func (w *batchWork[T]) handleDecodeError(r *kgo.Record, err error) error {
	poison, ok := errors.AsType[*PoisonError](err)
	if !ok {
		return fmt.Errorf("decode: %w", err)
	}
	w.Letters = append(w.Letters, newLetter(r, poison))
	return nil
}

// callCodec calls the codec. A panic makes the record poison: the next attempt would panic as well.
func (w *batchWork[T]) callCodec(it queueItem) (err error) {
	r, had := it.Rec, len(w.values)
	defer func() {
		if v := recover(); v != nil {
			w.values = w.values[:had] // values of the failed call cannot be released
			err = &PoisonError{Stage: StageDecode, Reason: ReasonPanic, Err: w.opts.panicked(inCodec, v)}
		}
	}()
	w.raw = Raw{
		Topic: r.Topic, Partition: r.Partition, Offset: r.Offset, Key: r.Key, Value: r.Value, Headers: r.Headers,
	}
	values, err := w.opts.Codec.Decode(w.at.Context, &w.raw, w.values)
	if len(values) >= had {
		w.values = values
	}
	return err
}

// handle calls the handler. A panic becomes an error, so that the batch is offered again.
func (w *batchWork[T]) handle(records []Record[T]) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("handler: %w", w.opts.panicked(inHandler, v))
		}
	}()
	if err := w.opts.Handler.Handle(w.at.Context, records, &w.out); err != nil {
		return fmt.Errorf("handle: %w", err)
	}
	return nil
}

// CountDone counts the outcomes of a durable batch.
func (w *batchWork[T]) CountDone() {
	m := w.opts.role
	m.countOutcome(OutcomeTombstone, w.tombstones)
	for i := range w.Letters {
		m.Letters.WithLabelValues(w.Letters[i].Stage, w.Letters[i].Reason).Inc()
	}
	w.opts.logLetters(w.Letters)
	m.countOutcome(OutcomeDeadLetter, len(w.Letters))
	for i := 0; i < len(w.Records); {
		first := i
		for i < len(w.Records) && w.Records[i].Outcome == w.Records[first].Outcome {
			i++
		}
		if outcome := cmp.Or(w.Records[first].Outcome, OutcomeDone); outcome != outcomeTooLarge {
			m.countOutcome(outcome, i-first)
		}
	}
}

// Release returns the values to the codec and clears the batch.
func (w *batchWork[T]) Release() {
	w.dropValues(0)
	clear(w.Records)
	clear(w.Letters)
	clear(w.out)
	w.Records, w.Letters, w.out = w.Records[:0], w.Letters[:0], w.out[:0]
}

func (w *batchWork[T]) dropValues(from int) {
	for _, v := range w.values[from:] {
		w.opts.Codec.Release(v)
	}
	clear(w.values[from:])
	w.values = w.values[:from]
}

// newLetter returns the dead letter of a record.
func newLetter(r *kgo.Record, e *PoisonError) deadletter.Letter {
	return deadletter.Letter{
		Topic: r.Topic, Partition: r.Partition, Offset: r.Offset, Key: r.Key, Value: r.Value, Headers: r.Headers,
		Timestamp: r.Timestamp, Stage: e.Stage, Reason: e.Reason, Err: e.Err,
	}
}

// panicError converts a panic's value. Only the runtime's own errors keep their text: any other may quote a record.
func panicError(v any) error {
	var rt runtime.Error
	if err, ok := v.(error); ok && errors.As(err, &rt) {
		return fmt.Errorf("panic: %w", rt)
	}
	return fmt.Errorf("panic: %T", v)
}
