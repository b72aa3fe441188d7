package consumer

import "confab/consumer/batch"

// What codecs and handlers see is the same in every loop.
type (
	// Record is one decoded value with its Kafka record's bytes and coordinates.
	Record[T any] = batch.Record[T]
	// Producer writes the records of a handler.
	Producer = batch.Producer
	// Handler processes batches of one partition's records in offset order.
	Handler[T any] = batch.Handler[T]
	// Codec decodes a Kafka record's value into the values that a handler processes.
	Codec[T any] = batch.Codec[T]
	// Splitter is a Codec of topics whose records may wait for others, as Options.Hold says.
	Splitter[T any] = batch.Splitter[T]
	// Raw is a fetched Kafka record, before decoding.
	Raw = batch.Raw
	// Part is a part of a Kafka record that cannot be decoded.
	Part = batch.Part
	// PoisonError means that a record can never be decoded or accepted.
	PoisonError = batch.PoisonError
)

// Stages and reasons of the loop's own dead letters, and outcomes that it counts.
const (
	StageDecode  = batch.StageDecode
	StageHandle  = batch.StageHandle
	StagePublish = batch.StagePublish

	ReasonTooLarge     = batch.ReasonTooLarge
	ReasonPanic        = batch.ReasonPanic
	ReasonCrashSuspect = batch.ReasonCrashSuspect

	OutcomeDeadLetter = batch.OutcomeDeadLetter
	OutcomeTombstone  = batch.OutcomeTombstone
	OutcomeDone       = batch.OutcomeDone
)
