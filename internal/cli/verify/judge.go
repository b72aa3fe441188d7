package verify

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"confab/consumer"
	"confab/internal/kafka"
	"confab/internal/kafka/schemaregistry"
	"confab/schemas"
)

// kind is what became of a record or an interaction of it.
type kind int

const (
	flagged kind = iota
	quiet
	deadLetter
	tombstone
	leftOut // by the input: it holds no answer
	lost
)

// verdict says what became of an interaction, or of a record without any.
type verdict struct {
	kind    kind
	index   int
	why     string // of a lost one
	otherID bool   // its flag has another id
	both    bool   // it has a flag and a dead letter
	repeats int    // further flags or dead letters of it
}

// judge decides what became of the interactions of a record.
func (a *audit) judge(ctx context.Context, r *kafka.FetchedRecord) ([]verdict, error) {
	if r.Value == nil {
		return []verdict{{kind: tombstone, index: whole}}, nil
	}
	list, raw, err := a.Decode(ctx, r)
	if reason, bad := badRecord(err); bad {
		return []verdict{a.undecodable(r, whole, reason)}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s partition %d offset %d: %w", r.Topic, r.Partition, r.Offset, err)
	}
	var all []verdict
	for i, in := range list {
		v, err := a.interaction(ctx, r, in, raw.IndexOf(i))
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	for _, part := range raw.Rejected {
		all = append(all, a.undecodable(r, part.Index, part.Err.Reason))
	}
	if len(all) == 0 {
		return []verdict{{kind: leftOut, index: whole}}, nil
	}
	return all, nil
}

// badRecord reports whether an error is the record's own, with the reason that its dead letter has.
func badRecord(err error) (reason string, bad bool) {
	if poison, ok := errors.AsType[*consumer.PoisonError](err); ok {
		return poison.Reason, true
	}
	if _, ok := errors.AsType[*schemaregistry.PendingError](err); ok {
		return "unknown_schema", true
	}
	return "", false
}

// undecodable is the verdict on what must be a dead letter. It may have been readable when the worker read it.
func (a *audit) undecodable(r *kafka.FetchedRecord, index int, reason string) verdict {
	v, found := a.written(r, index)
	if !found {
		return verdict{kind: lost, index: index, why: "it cannot be decoded (" + reason + "), and has no dead letter"}
	}
	return v
}

// written is the verdict by what was written about an interaction, or a record with the index whole.
func (a *audit) written(r *kafka.FetchedRecord, index int) (v verdict, found bool) {
	at := place{r.Partition, int32(index), r.Offset}
	letters := a.outcomes.letters[at]
	if index != whole {
		letters += a.outcomes.letters[place{r.Partition, whole, r.Offset}]
	} else {
		at.index = 0 // of a flag, or of what could not be written
		letters += a.outcomes.letters[at]
	}
	flag, hasFlag := a.outcomes.flags[at]
	v = verdict{index: index, both: hasFlag && letters > 0, repeats: flag.repeats + max(letters-1, 0)}
	switch {
	case hasFlag:
		v.kind = flagged
	case letters > 0:
		v.kind = deadLetter
	}
	return v, hasFlag || letters > 0
}

// interaction is the verdict on an interaction that can be decoded. Without a flag it is measured again.
func (a *audit) interaction(ctx context.Context, r *kafka.FetchedRecord, in *schemas.Interaction, index int) (verdict, error) {
	v, found := a.written(r, index)
	if found {
		if v.kind == flagged {
			v.otherID = a.outcomes.flags[place{r.Partition, int32(index), r.Offset}].id != idStart(in.EventID().IncidentID())
		}
		return v, nil
	}
	if a.EmitAll {
		return verdict{kind: lost, index: index, why: "it has no flag, and emit is all"}, nil
	}
	e := a.Evaluator.Suite.Evaluate(ctx, in)
	defer e.Release()
	if err := ctx.Err(); err != nil { // detectors may have been skipped
		return v, fmt.Errorf("measure: %w", err)
	}
	if !e.AnyFired() {
		return verdict{kind: quiet, index: index}, nil
	}
	f := a.Evaluator.Flag(e, schemas.Origin{}, r.Timestamp)
	return verdict{kind: lost, index: index, why: strings.Join(f.Fired, ", ") + " fired on measuring again, and it has no flag"}, nil
}
