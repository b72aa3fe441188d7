package worker

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/detectors/knownfalse"
	"confab/internal/kafka"
	"confab/internal/worker/config"
	"confab/internal/worker/observations"
	"confab/internal/worker/resources"
	"confab/schemas"
	"confab/schemas/json"
)

// Answers with a claim of ungrounded in other words around it and without sources, so that no other detector fires.
const repeated = `{"interaction_id":%q,"service":"bot","operation":"qa",
	"answer":"Thank you for asking about this. Express  Parcels cost 30 euros! Have a nice day."}`

func (b *workerHarness) observe() {
	b.t.Helper()
	b.config.Observations.Enabled = true
	admin, err := kafka.NewAdmin(b.kafka)
	require.NoError(b.t, err)
	defer admin.Close()
	_, _, err = admin.ApplyTopics(b.t.Context(), resources.TopicSpecs(b.config, resources.Sizing{Partitions: 2}))
	require.NoError(b.t, err)
}

func (b *workerHarness) label(incident string, verdict schemas.HumanVerdict) {
	b.t.Helper()
	value, err := json.AppendFeedback(nil, &schemas.Feedback{IncidentID: incident, Verdict: verdict, User: "ann", Source: schemas.FromCLI, At: time.Now()})
	require.NoError(b.t, err)
	require.NoError(b.t, b.producer.ProduceSync(b.t.Context(), kafka.Message{
		Topic: "llm.feedback", Partition: kafka.AnyPartition, Key: []byte(incident), Value: value,
	}))
}

func (b *workerHarness) observations() []schemas.Observation {
	b.t.Helper()
	all, err := observations.Select(b.t.Context(), b.observationOptions(), &observations.Filter{})
	require.NoError(b.t, err)
	return all
}

func (b *workerHarness) observationOptions() observations.Options {
	return observations.Options{Kafka: b.kafka, Topic: "llm.observations", Now: time.Now}
}

func knownFalse(f *schemas.Flag) *schemas.Signal {
	i := slices.IndexFunc(f.Signals, func(s schemas.Signal) bool { return s.Detector == knownfalse.Name })
	if i < 0 {
		return nil
	}
	return &f.Signals[i]
}

// A person confirms an incident: the next answer that repeats its claim is flagged, until the claim is withdrawn.
func TestConfirmedClaimsAreFlaggedAgain(t *testing.T) {
	b := newWorkerHarness(t)
	b.observe()
	b.config.Roles, b.config.Emit = []config.Role{config.RoleDetect, config.RoleAlert}, config.EmitAll
	b.start()
	b.produce("llm.interactions", fmt.Sprintf(repeated, "before"))
	before := b.readFlags(1)["before"]
	require.Equal(t, "no_observations", knownFalse(&before).Reason)

	b.produce("llm.interactions", fmt.Sprintf(ungrounded, "bad"))
	bad := b.readFlags(2)["bad"]
	b.label(bad.IncidentID, schemas.Wrong)
	eventually(t, func() bool { return b.metric(t, "confab_observations") == 1 }, 30*time.Second, 10*time.Millisecond)
	kept := b.observations()
	require.Len(t, kept, 1)
	for _, o := range kept {
		require.Equal(t, schemas.FromLabel, o.Source)
		require.Equal(t, bad.IncidentID, o.IncidentID)
		require.Equal(t, "ann", o.User)
		require.Equal(t, "default", o.Tenant)
		require.Equal(t, 90*24*time.Hour, o.ExpiresAt.Sub(o.At))
	}

	b.produce("llm.interactions", fmt.Sprintf(repeated, "again"))
	again := b.readFlags(3)["again"]
	require.Equal(t, []string{knownfalse.Name}, again.Fired)
	require.Equal(t, schemas.Recommend, again.Recommendation)
	require.Contains(t, knownFalse(&again).Evidence[0].Note, "(label)")
	require.Equal(t, "Express  Parcels cost 30 euros!", knownFalse(&again).Evidence[0].Excerpt)

	b.label(bad.IncidentID, schemas.Fine)
	eventually(t, func() bool { return b.metric(t, "confab_observations") == 0 }, 30*time.Second, 10*time.Millisecond)
	require.Empty(t, b.observations())
	b.produce("llm.interactions", fmt.Sprintf(repeated, "after"))
	after := b.readFlags(4)["after"]
	require.Empty(t, after.Fired)
	require.InDelta(t, 1, b.metric(t, "confab_events_processed_total", "role", "alert-observations", "outcome", "kept"), 0)
	require.InDelta(t, 1, b.metric(t, "confab_events_processed_total", "role", "alert-observations", "outcome", "withdrawn"), 0)
}

// Labels that cannot be used end as outcomes or dead letters, and the next one is kept.
func TestLabelsWithoutClaims(t *testing.T) {
	b := newWorkerHarness(t)
	b.observe()
	b.config.Roles = []config.Role{config.RoleDetect, config.RoleAlert}
	b.start()
	b.produce("llm.interactions", fmt.Sprintf(ungrounded, "bad"))
	bad := b.readFlags(1)["bad"]
	b.produce("llm.feedback", `{"incident_id"`)
	b.label("no incident", schemas.Wrong)
	b.label(bad.IncidentID[:63]+"0", schemas.Wrong)
	b.label(bad.IncidentID, schemas.Wrong)
	eventually(t, func() bool { return b.metric(t, "confab_observations") == 1 }, 30*time.Second, 10*time.Millisecond)
	require.Equal(t, "syntax", headerOf(b.read("llm.interactions.dlq", 1)[0].Headers, "confab-reason"))
	eventually(t, func() bool { // of other partitions
		return b.metric(t, "confab_events_processed_total", "role", "alert-observations", "outcome", "gone") == 2
	}, 30*time.Second, 10*time.Millisecond)
}

// What the topic holds at the start is known before the first answer; a full store ignores the rest and counts it.
func TestObservationsAreReadFirst(t *testing.T) {
	b := newWorkerHarness(t)
	b.observe()
	b.config.Roles, b.config.Observations.Required, b.config.Observations.MaxEntries, b.config.Observations.MaxPerTenant = []config.Role{config.RoleDetect}, true, 1, 1
	claim, err := observations.FromClaim("", "express parcels cost 30 euros", "ann", time.Now(), 0)
	require.NoError(t, err)
	other, err := observations.FromClaim("other", "The moon is made of green cheese.", "ann", time.Now(), 0)
	require.NoError(t, err)
	require.NoError(t, observations.Write(t.Context(), b.observationOptions(), &claim))
	b.produce("llm.observations", "not an observation")
	b.produce("llm.interactions", fmt.Sprintf(repeated, "first"))
	b.start()
	first := b.readFlags(1)["first"]
	require.Equal(t, []string{knownfalse.Name}, first.Fired)
	require.NoError(t, observations.Write(t.Context(), b.observationOptions(), &other))
	eventually(t, func() bool { return b.metric(t, "confab_observations_ignored_total", "reason", "full") == 1 }, 30*time.Second, 10*time.Millisecond)
	require.InDelta(t, 1, b.metric(t, "confab_observations_ignored_total", "reason", "unreadable"), 0)
}

// Checks on request know the claims, too, and need no other topic.
func TestServeKnowsObservations(t *testing.T) {
	b := newWorkerHarness(t)
	b.observe()
	claim, err := observations.FromClaim("", "Express parcels cost 30 euros.", "ann", time.Now(), time.Hour)
	require.NoError(t, err)
	require.NoError(t, observations.Write(t.Context(), b.observationOptions(), &claim))
	b.config.Observations.Required = true
	f := post(t, b.startServing(config.RoleServe), fmt.Sprintf(repeated, "i-1"))
	require.Equal(t, []string{knownfalse.Name}, f.Fired)
}

// readFlags reads n flags, by interaction.
func (b *workerHarness) readFlags(n int) map[string]schemas.Flag {
	b.t.Helper()
	flags := map[string]schemas.Flag{}
	for _, r := range b.read("llm.incidents", n) {
		var f schemas.Flag
		require.NoError(b.t, json.DecodeFlag(r.Value, &f))
		flags[f.InteractionID] = f
	}
	return flags
}
