package chunkjoin

import (
	"context"
	"crypto/sha256"
	"errors"
	"math"
	"time"

	"confab/consumer"
	"confab/consumer/hold"
	"confab/schemas"
	"confab/schemas/chatstream"
)

// Stage and reasons of dead letters.
const (
	stageDecode = "decode"

	reasonSyntax   = "syntax"
	reasonTooLarge = "too_large"
)

// lateRecord is how long a stream is known for longer than its first chunk waits, so that one that has waited finds it.
const lateRecord = time.Minute

// Codec decodes the records of one assignment of a topic of chunks. The first chunk of an answer waits until the last one has
// come; then the whole answer is decoded in its place. The other chunks need no processing of their own: the watermark cannot
// pass the first, so after a restart all are read again. Only one goroutine uses it.
type Codec struct {
	next    consumer.Codec[*schemas.Interaction] // decodes completions
	tenant  func(*consumer.Raw) string           // of a record, so that no chunk is added to another tenant's answer
	streams *hold.Memory[*stream]                // that are open
	ended   *hold.Memory[int64]                  // first chunks of streams that were decoded: their later ones are not a new stream
	decoded map[hold.Key]*stream                 // since the last new record: their batch may be processed again
}

// stream is an answer of which chunks have come.
type stream struct {
	chatstream.Stream

	first, last int64 // offsets of its chunks
	err         error // why it cannot be assembled
}

// New returns a codec that gives completions to next. Chunks of one id are joined if their records are of one tenant.
func New(next consumer.Codec[*schemas.Interaction], limits hold.Limits, tenant func(*consumer.Raw) string) *Codec {
	limits.Wait += lateRecord
	limits.Items *= 2 // the first chunks, of which fewer may wait, are released before a stream is forgotten
	open := limits
	open.Bytes = math.MaxInt // they count as bytes of their first chunks, which end with the stream: none is forgotten
	return &Codec{next, tenant, hold.NewMemory[*stream](open), hold.NewMemory[int64](open), map[hold.Key]*stream{}}
}

// Release implements consumer.Codec.
func (c *Codec) Release(in *schemas.Interaction) { c.next.Release(in) }

// Decode implements consumer.Codec.
func (c *Codec) Decode(ctx context.Context, r *consumer.Raw, dst []*schemas.Interaction) ([]*schemas.Interaction, error) {
	switch {
	case chatstream.IsTranscript(r.Value):
		s, err := chatstream.Assemble(r.Value)
		if err != nil {
			return dst, poison(err)
		}
		return c.decode(ctx, r, s, dst)
	case !chatstream.IsChunk(r.Value):
		return c.next.Decode(ctx, r, dst)
	}
	id, choices, err := chatstream.ChunkID(r.Value)
	if err != nil { // the words stand somewhere else in a record of another shape
		return c.next.Decode(ctx, r, dst)
	}
	key := c.keyOf(r, id)
	if !choices && !c.isKnown(key) {
		return dst, nil // the usage of a stream that was decoded before a restart
	}
	return c.decodeChunk(ctx, r, key, dst)
}

func (c *Codec) isKnown(key hold.Key) bool {
	now := time.Now()
	_, open := c.streams.Get(key, now)
	_, done := c.ended.Get(key, now)
	return open || done
}

func (c *Codec) decodeChunk(ctx context.Context, r *consumer.Raw, key hold.Key, dst []*schemas.Interaction) ([]*schemas.Interaction, error) {
	now := time.Now()
	if s, later := c.findDecoded(r, key, now); later {
		return dst, nil
	} else if s != nil {
		return c.decodeStream(ctx, r, s, dst) // its batch is processed again
	}
	s, known := c.streams.Get(key, now)
	if !known {
		s = &stream{first: r.Offset, last: -1}
	}
	if s.addRecord(r) {
		c.streams.Put(key, s, s.Bytes(), now)
	}
	r.Turn.Key, r.Turn.Bytes = key, s.Bytes()
	switch {
	case r.Offset != s.first:
		r.Turn.Arrives = s.Finished() || s.err != nil
		return dst, nil
	case r.Turn.Open && !s.Finished() && s.err == nil:
		r.Turn.Ask = hold.WaitForKey
		return dst, nil
	}
	c.streams.Delete(key)
	c.ended.Put(key, s.first, 0, now)
	if r.Turn.Ended != "" {
		c.decoded[key] = s
	}
	return c.decodeStream(ctx, r, s, dst)
}

// findDecoded returns the stream of a first chunk that was decoded in this batch, or reports a later chunk of a decoded one.
func (c *Codec) findDecoded(r *consumer.Raw, key hold.Key, now time.Time) (s *stream, later bool) {
	if r.Turn.Ended == "" { // records that have waited come in batches of their own, and all of those are done
		clear(c.decoded)
	}
	first, done := c.ended.Get(key, now)
	return c.decoded[key], done && r.Offset != first
}

func (c *Codec) decodeStream(ctx context.Context, r *consumer.Raw, s *stream, dst []*schemas.Interaction) ([]*schemas.Interaction, error) {
	if s.err != nil {
		return dst, poison(s.err)
	}
	return c.decode(ctx, r, &s.Stream, dst)
}

// addRecord adds a chunk, unless it was added. It reports whether the stream has changed.
func (s *stream) addRecord(r *consumer.Raw) bool {
	if r.Offset <= s.last {
		return false
	}
	s.last = r.Offset
	if err := s.Add(r.Value); err != nil && s.err == nil {
		s.err = err
	}
	return true
}

// decode decodes the completion in the record's place.
func (c *Codec) decode(ctx context.Context, r *consumer.Raw, s *chatstream.Stream, dst []*schemas.Interaction) ([]*schemas.Interaction, error) {
	value, err := s.Completion()
	if err != nil {
		return dst, err
	}
	whole := *r
	whole.Value = value
	had := len(dst)
	dst, err = c.next.Decode(ctx, &whole, dst)
	for _, in := range dst[had:] {
		in.Streamed, in.Record = true, value
	}
	return dst, err
}

func (c *Codec) keyOf(r *consumer.Raw, id string) (key hold.Key) {
	sum := sha256.Sum256([]byte(c.tenant(r) + "\x00" + id))
	copy(key[:], sum[:])
	return key
}

func poison(err error) error {
	reason := reasonSyntax
	if errors.Is(err, chatstream.ErrLarge) {
		reason = reasonTooLarge
	}
	return &consumer.PoisonError{Stage: stageDecode, Reason: reason, Err: err}
}
