package consumer

import (
	"maps"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// This file holds what the loop of package transaction makes of the same options.

// Series are the label values of the loop's metrics.
func (o *Options[T]) Series() metricSeries {
	letters := map[string][]string{StageDecode: {ReasonTooLarge, ReasonPanic}, StageHandle: {ReasonCrashSuspect}, StagePublish: {ReasonTooLarge}}
	for stage, reasons := range o.Reasons {
		letters[stage] = append(letters[stage], reasons...)
	}
	return metricSeries{
		Role: o.Role, Topics: o.Topics, Outcomes: append([]string{OutcomeDone, OutcomeDeadLetter, OutcomeTombstone}, o.Outcomes...),
		Phases:  []string{string(phaseDecode), string(phaseHandle), string(phasePublish), string(phaseDeadLetter)},
		Letters: letters,
		Probes:  []string{probePassed, probeFailed},
		Held:    slices.Collect(maps.Keys(o.Hold)),
	}
}

// MemberOptions are the client options of a group member, without callbacks.
func (o *Options[T]) MemberOptions() []kgo.Opt {
	start := kgo.NewOffset().AtStart()
	if o.StartOffset == StartLatest {
		start = kgo.NewOffset().AtEnd()
	}
	opts := []kgo.Opt{
		kgo.ConsumerGroup(o.Group),
		kgo.ConsumeTopics(o.Topics...),
		kgo.ConsumeStartOffset(start),
		kgo.ConsumeResetOffset(kgo.NoResetOffset()),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.KeepControlRecords(),
		kgo.Balancers(kgo.CooperativeStickyBalancer()),
		kgo.BlockRebalanceOnPoll(),
		kgo.DisableAutoCommit(),
		kgo.SessionTimeout(o.SessionTimeout),
		kgo.RebalanceTimeout(o.RebalanceTimeout),
		kgo.HeartbeatInterval(o.Heartbeat),
	}
	if o.ServerSide {
		opts = append(opts, kgo.ServerSideBalancer())
	}
	if o.InstanceID != "" {
		opts = append(opts, kgo.InstanceID(o.InstanceID))
	}
	return opts
}

// Batches returns what the batches of a loop share.
func (o *Options[T]) Batches(m roleMetrics) *batchOptions[T] {
	return batchOptions[T]{
		Handler: o.Handler, MaxValueBytes: o.MaxValueBytes, Metrics: m, Logger: o.Logger,
	}.WithLog(letterOptions{Every: logEvery, Now: time.Now, Remedy: o.Remedy, DryRun: o.DryRun})
}

// Positions completes p, which has the functions of a loop.
func (o *Options[T]) Positions(p finderOptions) finderOptions {
	p.Kafka, p.Role, p.Group, p.InstanceID, p.Topics, p.Logger = o.Kafka, o.Role, o.Group, o.InstanceID, o.Topics, o.Logger
	p.FromStart, p.DryRun, p.HaltOnLoss = o.FromStart, o.DryRun, o.OnDataLoss == HaltOnDataLoss
	return p
}

// GuardOptions are those of the crash guard; owner is unique among all loops of the group, past and present.
func (o *Options[T]) GuardOptions(owner string) guardOptions {
	gone := min(o.SessionTimeout, o.RebalanceTimeout) // when the group removes a silent member
	return guardOptions{
		Owner: owner, Instance: o.InstanceID, Deaths: o.crashDeaths(), Waits: o.HandlerWaits,
		Expiry: max(gone/2, gone-2*o.Heartbeat), // a member may die just before its next heartbeat
	}
}

// crashDeaths returns CrashDeaths; a dry run has no guard, since it commits nothing.
func (o *Options[T]) crashDeaths() int {
	if o.DryRun {
		return 0
	}
	return o.CrashDeaths
}
