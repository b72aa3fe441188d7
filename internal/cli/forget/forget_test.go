package forget

import (
	"bytes"
	"context"
	stdjson "encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
	"go.uber.org/goleak"

	"confab/internal/cli/topics"
	"confab/internal/console"
	"confab/internal/kafka"
	"confab/internal/kafka/deadletter"
	"confab/internal/kafka/embedded"
	"confab/internal/kafka/kafkatest"
	"confab/internal/worker/config"
	"confab/internal/worker/incidents"
	"confab/internal/worker/records"
	"confab/internal/worker/resources"
	"confab/schemas"
	"confab/schemas/json"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const entriesTopic = "claims" // a topic of compacted JSON objects, as llm.observations is

// stage is a cluster with records of two tenants.
type stage struct {
	*embedded.Cluster

	config *config.Config
	kafka  kafka.Config
}

// person is one answer of a tenant, in all topics.
type person struct {
	tenant, interaction, conversation, user string
}

func (p person) answer() string { return "The secret of " + p.interaction + " is 42." }

func (p person) incident() string {
	in := schemas.Interaction{ID: p.interaction, Tenant: p.tenant, Answer: p.answer()}
	return in.EventID().IncidentID()
}

func newStage(t *testing.T) *stage {
	t.Helper()
	cluster, err := embedded.Start(embedded.Options{})
	require.NoError(t, err)
	t.Cleanup(cluster.Close)
	c := config.Default()
	c.Kafka.SeedBrokers = cluster.Seeds()
	c.Kafka.Inputs[0].TenantFrom = "payload"
	c.Export.Evaluations, c.Sampling.Salt = true, "salt"
	s := &stage{Cluster: cluster, config: c, kafka: kafka.Config{SeedBrokers: cluster.Seeds()}}
	specs := append(resources.TopicSpecs(c, resources.Sizing{Partitions: 2}), kafka.TopicSpec{
		Name: entriesTopic, Partitions: 2, Configs: map[string]string{"cleanup.policy": "compact"},
	})
	require.NoError(t, topics.Apply(t.Context(), s.kafka, specs, new(bytes.Buffer)))
	return s
}

// write writes what the topics hold about people.
func (s *stage) write(t *testing.T, people ...person) {
	t.Helper()
	topic := s.config.Kafka.Topics
	var all []kafka.Message
	add := func(name, key string, value []byte, headers ...kafka.Header) {
		all = append(all, kafka.Message{Topic: name, Partition: kafka.AnyPartition, Key: []byte(key), Value: value, Headers: headers})
	}
	for _, p := range people {
		interaction := encode(t, map[string]any{
			"interaction_id": p.interaction, "tenant": p.tenant, "conversation_id": p.conversation, "answer": p.answer(),
			"attributes": map[string]string{"user_id": p.user}, "user_feedback": "down", "user_feedback_by": p.user,
		})
		add(s.config.Kafka.Inputs[0].Topic, p.interaction, interaction)
		add(topic.Sampled, p.interaction, interaction, kafka.Header{Key: "confab-origin", Value: schemas.Origin{Topic: s.config.Kafka.Inputs[0].Topic}.Header(p.tenant)})
		add(topic.DLQ, p.interaction, append([]byte("{broken "), interaction...), kafka.Header{Key: deadletter.HeaderErrorTopic, Value: []byte("llm.interactions")})
		f := schemas.Flag{
			IncidentID: p.incident(), Pass: schemas.PassFast, Tenant: p.tenant, InteractionID: p.interaction, ConversationID: p.conversation,
			Question: "Question of " + p.interaction, Fired: []string{"facts"}, DetectedAt: time.Now(),
			UserFeedback: schemas.ThumbDown, UserFeedbackBy: schemas.Voter(p.tenant, p.user),
		}
		flag, err := json.AppendFlag(nil, &f)
		require.NoError(t, err)
		add(topic.Incidents, f.IncidentID, flag)
		add(topic.Evaluations, f.IncidentID, []byte("event"))
		label, err := json.AppendFeedback(nil, &schemas.Feedback{IncidentID: f.IncidentID, Verdict: schemas.Wrong, User: "labeller", Source: schemas.FromCLI, At: time.Now(), Comment: "about " + p.interaction})
		require.NoError(t, err)
		add(topic.Feedback, f.IncidentID, label)
		vote, err := json.AppendVote(nil, &schemas.Vote{MessageID: p.interaction, Vote: schemas.ThumbDown, User: p.user, Tenant: p.tenant})
		require.NoError(t, err)
		add(topic.Votes, "vote-"+p.tenant+p.interaction, vote)
		state, err := json.AppendAlertState(nil, &schemas.AlertState{
			Status: schemas.AlertSent, Channel: "C1", Timestamp: "17." + p.tenant + p.interaction, Group: &schemas.AlertGroupState{Members: 1, Lead: &f},
		})
		require.NoError(t, err)
		add(topic.Alerts, "group-"+p.tenant+p.interaction, state)
		add(entriesTopic, "key:"+p.tenant+p.interaction, encode(t, map[string]string{"tenant": p.tenant, "incident_id": f.IncidentID, "claim": "secret"}))
	}
	kafkatest.Write(t, s.kafka, all...)
}

func encode(t *testing.T, v any) []byte {
	t.Helper()
	raw, err := stdjson.Marshal(v)
	require.NoError(t, err)
	return raw
}

func (s *stage) options(sel Selection) *Options {
	o := &Options{
		Kafka: s.kafka, Topics: append(Topics(s.config), Topic{entriesTopic, Entries}), Labels: s.config.Kafka.Topics.Feedback,
		DeadLetters: s.config.Kafka.Topics.DLQ, Votes: incidents.VotesOf(s.config), DecodeFlag: records.NewFlagReader(nil), Selection: sel, User: "dpo", Now: time.Now, Timeout: 10 * time.Second,
	}
	o.Open = func(cluster string) (records.RecordReader, func(), error) {
		return records.NewRecordReader(s.config, cluster)
	}
	return o
}

// run forgets and returns the counts by topic.
func (s *stage) run(t *testing.T, sel Selection, write bool) (*Result, map[string]int) {
	t.Helper()
	o := s.options(sel)
	o.Write = write
	r, err := Run(t.Context(), o)
	require.NoError(t, err)
	counts := map[string]int{}
	for _, row := range r.Rows {
		if row.Records != nil && *row.Records > 0 {
			counts[row.Topic] = *row.Records
		}
	}
	return r, counts
}

// journal are all records of a topic as key and value, in the order of partitions.
func (s *stage) journal(t *testing.T, topic string) (all []string) {
	t.Helper()
	require.NoError(t, kafka.Read(t.Context(), kafka.ReaderOptions{Config: s.kafka, Topics: []string{topic}, StopAtEnd: true}, func(r *kafka.FetchedRecord) error {
		all = append(all, string(r.Key)+" "+string(r.Value))
		return nil
	}))
	slices.Sort(all)
	return all
}

// everywhere is one record in each topic.
func everywhere(n int) map[string]int {
	all := map[string]int{entriesTopic: n}
	for _, topic := range []string{"llm.interactions", "llm.interactions.sampled", "llm.interactions.dlq", "llm.incidents", "llm.alerts", "llm.feedback", "llm.feedback.users", "llm.evaluations"} {
		all[topic] = n
	}
	return all
}

func people() []person {
	return []person{{"acme", "i-1", "c-1", "ann"}, {"acme", "i-2", "c-2", "bob"}, {"bank", "i-1", "c-1", "ann"}}
}

func TestSelections(t *testing.T) {
	s := newStage(t)
	all := people()
	s.write(t, all...)
	for name, c := range map[string]struct {
		selection Selection
		incidents []person
		tenants   []string
	}{
		"tenant":                 {Selection{Tenant: "acme"}, all[:2], []string{"acme"}},
		"interaction":            {Selection{Interactions: []string{"i-1"}}, []person{all[0], all[2]}, []string{"acme", "bank"}},
		"interaction of tenant":  {Selection{Tenant: "bank", Interactions: []string{"i-1"}}, all[2:], []string{"bank"}},
		"conversation of tenant": {Selection{Tenant: "acme", Conversations: []string{"c-1", "c-2"}}, all[:2], []string{"acme"}},
		"incident":               {Selection{Incidents: []string{strings.ToUpper(all[1].incident())}}, all[1:2], []string{"acme"}},
		"attribute":              {Selection{Attributes: []string{"user_id=ann"}}, []person{all[0], all[2]}, []string{"acme", "bank"}},
		"user":                   {Selection{Users: []string{"ann"}}, []person{all[0], all[2]}, []string{"acme", "bank"}},
		"user of tenant":         {Selection{Tenant: "bank", Users: []string{"ann"}}, all[2:], []string{"bank"}},
		"attribute of tenant":    {Selection{Tenant: "acme", Attributes: []string{"user_id=ann"}}, all[:1], []string{"acme"}},
	} {
		t.Run(name, func(t *testing.T) {
			r, counts := s.run(t, c.selection, false)
			want := everywhere(len(c.incidents))
			delete(want, "llm.interactions.dlq") // its records cannot be decoded
			require.Equal(t, want, counts)
			require.Equal(t, len(c.incidents), r.Incidents)
			require.Equal(t, c.tenants, r.Tenants)
			require.Len(t, r.Messages, len(c.incidents))
			require.Equal(t, 3*len(c.incidents), r.Records, "a mark and two records without a value each")
			require.Zero(t, r.Written)
		})
	}
	require.Len(t, s.journal(t, "llm.feedback"), len(all), "nothing was written")
	for name, sel := range map[string]Selection{
		"tenant":              {Tenant: "nobody"},
		"part of a tenant":    {Tenant: "acm"},
		"other tenant's id":   {Tenant: "bank", Interactions: []string{"i-2"}},
		"other tenant's hash": {Tenant: "bank", Incidents: []string{all[0].incident()}},
		"pattern":             {Conversations: []string{".*"}},
		"attribute":           {Attributes: []string{"user_id=an"}},
	} {
		t.Run("nothing/"+name, func(t *testing.T) {
			r, counts := s.run(t, sel, true)
			require.Empty(t, counts)
			require.Zero(t, r.Records)
		})
	}
}

func TestForget(t *testing.T) {
	s := newStage(t)
	all := people()
	s.write(t, all...)
	before := map[string][]string{}
	for topic := range everywhere(1) {
		before[topic] = s.journal(t, topic)
	}
	r, _ := s.run(t, Selection{Tenant: "acme"}, true)
	require.Equal(t, 6, r.Written)
	votes := s.journal(t, "llm.feedback.users")
	require.Contains(t, votes, "vote-acmei-1 ")
	require.NotContains(t, votes, "vote-banki-1 ")
	labels, entries := s.journal(t, "llm.feedback"), s.journal(t, entriesTopic)
	require.Len(t, labels, len(before["llm.feedback"])+2)
	require.Len(t, entries, len(before[entriesTopic])+2)
	for _, p := range all[:2] {
		require.True(t, slices.ContainsFunc(labels, func(l string) bool {
			return strings.HasPrefix(l, p.incident()) && strings.Contains(l, `"forgotten"`) && !strings.Contains(l, p.interaction)
		}))
		require.Contains(t, entries, "key:"+p.tenant+p.interaction+" ")
	}
	require.NotContains(t, strings.Join(labels, "\n"), all[2].incident()+` {"incident_id":"`+all[2].incident()+`","verdict":"forgotten"`)
	require.NotContains(t, entries, "key:banki-1 ", "the other tenant's stays")
	for _, topic := range slices.Collect(maps.Keys(before)) {
		if topic != "llm.feedback" && topic != "llm.feedback.users" && topic != entriesTopic {
			require.Equal(t, before[topic], s.journal(t, topic), topic)
		}
	}

	s.kafka.ClientID = "alert" // the role alert removes texts from its state
	for _, p := range all[:2] {
		kafkatest.Write(t, s.kafka, kafka.Message{Topic: "llm.alerts", Partition: kafka.AnyPartition, Key: []byte("group-" + p.tenant + p.interaction)})
	}
	again, counts := s.run(t, Selection{Tenant: "acme"}, true)
	require.Zero(t, again.Records, "nothing is left to write")
	require.NotContains(t, counts, entriesTopic)
	require.NotContains(t, counts, "llm.alerts")
	require.Equal(t, 2, counts["llm.incidents"], "they stay, and it says so")

	// A label that is given later is deleted again.
	late, err := json.AppendFeedback(nil, &schemas.Feedback{IncidentID: all[0].incident(), Verdict: schemas.Wrong, User: "x", Source: schemas.FromSlack, At: time.Now()})
	require.NoError(t, err)
	kafkatest.Write(t, s.kafka, kafka.Message{Topic: "llm.feedback", Partition: kafka.AnyPartition, Key: []byte(all[0].incident()), Value: late})
	r, _ = s.run(t, Selection{Tenant: "acme"}, true)
	require.Equal(t, 1, r.Written)
}

// A record is deleted in its own partition, wherever its key would go now.
func TestRecordsInOtherPartitions(t *testing.T) {
	s := newStage(t)
	p := people()[0]
	label := encode(t, schemas.Feedback{IncidentID: p.incident(), Verdict: schemas.Wrong, User: "u", Source: schemas.FromCLI, At: time.Now()})
	entry := encode(t, map[string]string{"tenant": p.tenant, "incident_id": p.incident()})
	for partition := range int32(2) {
		kafkatest.Write(t, s.kafka,
			kafka.Message{Topic: entriesTopic, Partition: partition, Key: []byte("k"), Value: entry},
			kafka.Message{Topic: "llm.feedback", Partition: partition, Key: []byte(p.incident()), Value: label})
	}
	r, _ := s.run(t, Selection{Incidents: []string{p.incident()}}, true)
	require.Equal(t, 4, r.Written)
	for _, topic := range []string{entriesTopic, "llm.feedback"} {
		last := map[int32]string{}
		for _, record := range kafkatest.ReadAll(t, s.kafka, topic) {
			last[record.Partition] = string(record.Value)
		}
		require.Len(t, last, 2)
		for _, value := range last {
			require.NotContains(t, value, p.tenant)
			require.NotContains(t, value, "wrong")
		}
	}
}

func TestFates(t *testing.T) {
	s := newStage(t)
	s.write(t, people()...)
	r, err := Run(t.Context(), s.options(Selection{Tenant: "acme"}))
	require.NoError(t, err)
	rows := map[string]Row{}
	for _, row := range r.Rows {
		rows[row.Topic] = row
	}
	const day = 24 * time.Hour
	gone := func(topic string, age time.Duration) {
		t.Helper()
		require.WithinDuration(t, time.Now().Add(age), *rows[topic].Until, time.Minute, topic)
	}
	gone("llm.interactions", 7*day+7*day) // and segment.ms
	gone("llm.incidents", 90*day+7*day)
	gone("llm.feedback", 7*day)
	gone("llm.alerts", 7*day)
	require.Equal(t, fateDeleted, rows["llm.feedback"].Fate)
	require.Equal(t, fateAlert, rows["llm.alerts"].Fate)
	require.Equal(t, fateStays, rows["llm.incidents"].Fate)
	require.Equal(t, whyCompacted, rows[entriesTopic].Why)
	require.Equal(t, []int{0, 3}, []int{*rows["llm.interactions.dlq"].Records, rows["llm.interactions.dlq"].Unreadable})
	gone("llm.interactions.dlq", 14*day+7*day)

	for _, c := range []struct{ topic, policy, retention string }{{"llm.feedback", "delete", "86400000"}, {"llm.incidents", "delete", "-1"}} {
		s.setTopic(t, c.topic, "cleanup.policy", c.policy)
		s.setTopic(t, c.topic, "retention.ms", c.retention)
	}
	o := s.options(Selection{Tenant: "acme"})
	o.SkipInputs = true
	r, err = Run(t.Context(), o)
	require.NoError(t, err)
	for _, row := range r.Rows {
		rows[row.Topic] = row
	}
	gone("llm.feedback", day+7*day)
	require.Equal(t, fateIgnored, rows["llm.feedback"].Fate)
	require.Equal(t, whyForever, rows["llm.incidents"].Why)
	require.Nil(t, rows["llm.interactions"].Records)

	var table, script bytes.Buffer
	require.NoError(t, PrintTable(&table, r, false))
	for _, want := range []string{"never: no retention", "ignored, stay", "nothing was changed: --yes writes 6 records", "C1 17.acmei-1", "of tenants: acme"} {
		require.Contains(t, table.String(), want)
	}
	require.NoError(t, console.PrintJSON(&script, r))
	require.Contains(t, script.String(), `"records": null`)
	require.Contains(t, script.String(), `"planned": 6`)
}

func (s *stage) setTopic(t *testing.T, topic, name, value string) {
	t.Helper()
	req := kmsg.NewPtrIncrementalAlterConfigsRequest()
	resource := kmsg.NewIncrementalAlterConfigsRequestResource()
	resource.ResourceType, resource.ResourceName = kmsg.ConfigResourceTypeTopic, topic
	change := kmsg.NewIncrementalAlterConfigsRequestResourceConfig()
	change.Name, change.Value = name, &value
	resource.Configs = append(resource.Configs, change)
	req.Resources = append(req.Resources, resource)
	cl, err := s.kafka.NewClient()
	require.NoError(t, err)
	defer cl.Close()
	resp, err := req.RequestWith(t.Context(), cl)
	require.NoError(t, err)
	require.NoError(t, kerr.ErrorForCode(resp.Resources[0].ErrorCode))
}

// A broker that refuses the second write: the command says how far it came, and the next run finishes.
func TestBrokerFailsHalfway(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	s := newStage(t)
	var many []person
	for i := range recordsPerWrite {
		many = append(many, person{"acme", fmt.Sprint("i-", i), "c", "u"})
	}
	s.write(t, append(many, person{"bank", "i-0", "c", "u"})...)
	o := s.options(Selection{Tenant: "acme"})
	o.Write, o.Timeout = true, 2*time.Second
	var down atomic.Bool
	down.Store(true)
	s.ControlKey(int16(kmsg.Produce), func(req kmsg.Request) (kmsg.Response, error, bool) {
		s.KeepControl()
		refused := slices.ContainsFunc(req.(*kmsg.ProduceRequest).Topics, func(t kmsg.ProduceRequestTopic) bool {
			return t.Topic == entriesTopic || t.TopicID == s.TopicInfo(entriesTopic).TopicID
		})
		if down.Load() && refused {
			return nil, context.DeadlineExceeded, true // the connection ends without a reply
		}
		return nil, nil, false
	})
	r, err := Run(t.Context(), o)
	require.ErrorContains(t, err, "500 of 1500 records are written")
	require.ErrorContains(t, err, "run the same command again")
	require.Equal(t, recordsPerWrite, r.Written)
	down.Store(false)
	r, counts := s.run(t, Selection{Tenant: "acme"}, true)
	require.GreaterOrEqual(t, r.Written, recordsPerWrite, "marks are repeated while alerts hold texts")
	require.Equal(t, recordsPerWrite, counts[entriesTopic])
	_, counts = s.run(t, Selection{Tenant: "acme"}, false)
	require.Zero(t, counts[entriesTopic])
	_, counts = s.run(t, Selection{Tenant: "bank"}, false)
	require.Equal(t, 1, counts[entriesTopic])
}

func TestFaultySelections(t *testing.T) {
	for name, c := range map[string]struct {
		selection Selection
		want      string
	}{
		"nothing":          {Selection{}, "--tenant"},
		"empty id":         {Selection{Interactions: []string{""}}, "--interaction-id"},
		"not UTF-8":        {Selection{Conversations: []string{"\xff"}}, "UTF-8"},
		"part of incident": {Selection{Incidents: []string{"5e1d0c9a"}}, "64 hexadecimal digits"},
		"escape":           {Selection{Incidents: []string{"\x1b[31m"}}, "64 hexadecimal digits"},
		"attribute":        {Selection{Attributes: []string{"user_id"}}, "NAME=VALUE"},
		"attribute name":   {Selection{Attributes: []string{"=x"}}, "NAME=VALUE"},
		"too many":         {Selection{Conversations: slices.Repeat([]string{"c"}, maxIDs+1)}, "at most"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Run(t.Context(), &Options{Selection: c.selection})
			require.ErrorContains(t, err, c.want)
			require.NotContains(t, err.Error(), "\x1b")
			var input *console.InputError
			require.ErrorAs(t, err, &input)
		})
	}
	_, err := Run(t.Context(), &Options{Selection: Selection{Attributes: []string{"a=b"}}, SkipInputs: true})
	require.ErrorContains(t, err, "--skip-inputs")
	_, err = Run(t.Context(), &Options{Selection: Selection{Tenant: "a"}, User: strings.Repeat("u", 129)})
	require.ErrorContains(t, err, "--user")
	_, err = Run(t.Context(), &Options{Selection: Selection{Tenant: "a"}, Kafka: kafka.Config{SeedBrokers: []string{"127.0.0.1:1"}}})
	require.ErrorContains(t, err, "no broker")
}

// A broker that stops answering in the middle of reading does not keep the command for ever.
func TestReadingStalls(t *testing.T) {
	s := newStage(t)
	s.write(t, people()...)
	hits, release := s.Hang(int16(kmsg.Fetch))
	o := s.options(Selection{Tenant: "acme"})
	o.Write, o.Timeout = true, 300*time.Millisecond
	_, err := Run(t.Context(), o)
	release()
	require.ErrorContains(t, err, "nothing was changed")
	require.Positive(t, hits.Load())
	require.Len(t, s.journal(t, "llm.feedback"), 3)
}

func TestReadingMayBeDenied(t *testing.T) {
	s := newStage(t)
	s.write(t, people()...)
	s.ControlKey(int16(kmsg.Fetch), func(req kmsg.Request) (kmsg.Response, error, bool) {
		s.KeepControl()
		resp := req.ResponseKind().(*kmsg.FetchResponse)
		for _, t := range req.(*kmsg.FetchRequest).Topics {
			topic := kmsg.NewFetchResponseTopic()
			topic.Topic, topic.TopicID = t.Topic, t.TopicID
			for _, p := range t.Partitions {
				part := kmsg.NewFetchResponseTopicPartition()
				part.Partition, part.ErrorCode = p.Partition, kerr.TopicAuthorizationFailed.Code
				topic.Partitions = append(topic.Partitions, part)
			}
			resp.Topics = append(resp.Topics, topic)
		}
		return resp, nil, true
	})
	_, err := Run(t.Context(), s.options(Selection{Tenant: "acme"}))
	require.ErrorContains(t, err, "grant READ")
}

// Ids and names of others are data, never patterns, paths or terminal sequences.
func TestHostileNames(t *testing.T) {
	s := newStage(t)
	const tenant, id = "a\x1b[31m\n| b", `"},{"*%00../..`
	s.write(t, person{tenant, id, id, "u\x00"}, person{"a", id + "x", "*", "u"})
	for name, sel := range map[string]Selection{"tenant": {Tenant: tenant}, "id": {Interactions: []string{id}}, "conversation": {Tenant: tenant, Conversations: []string{id}}} {
		t.Run(name, func(t *testing.T) {
			r, counts := s.run(t, sel, false)
			require.Equal(t, 1, counts["llm.interactions"])
			require.Equal(t, 1, counts["llm.incidents"])
			require.Equal(t, []string{tenant}, r.Tenants)
			var table bytes.Buffer
			require.NoError(t, PrintTable(&table, r, false))
			require.NotContains(t, table.String(), "\x1b")
		})
	}
}
