package resources

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/internal/kafka"
	"confab/internal/worker/config"
	"confab/schemas"
	"confab/schemas/json"
)

func TestNeedsFollowTheRoles(t *testing.T) {
	c := config.Default()
	names := func() string {
		var all []string
		for _, n := range TopicNeeds(c) {
			all = append(all, n.Name)
		}
		return strings.Join(all, " ")
	}
	require.Equal(t, "llm.interactions llm.incidents llm.interactions.dlq", names())
	c.Sampling.Salt, c.Alerting.Console = "salt", true
	require.Equal(t, "llm.interactions llm.interactions.sampled llm.incidents llm.interactions.dlq llm.alerts llm.feedback", names())
	c.Roles = []config.Role{config.RoleAlert}
	require.Equal(t, "llm.incidents llm.interactions.dlq llm.alerts llm.feedback", names())

	c.Export.Logs.URL, c.Roles = "https://collector.example", []config.Role{config.RoleExport}
	require.Equal(t, "llm.incidents llm.interactions.dlq", names())
	c.Export.Evaluations = true
	require.Equal(t, "llm.incidents llm.interactions.dlq llm.evaluations", names())

	// What `topics apply` makes satisfies the doctor.
	c.Roles = nil
	specs := map[string]kafka.TopicSpec{}
	for _, s := range TopicSpecs(c, Sizing{Partitions: 12}) {
		specs[s.Name] = s
	}
	for _, n := range TopicNeeds(c) {
		s := specs[n.Name]
		require.Equal(t, n.Compacted, s.Configs["cleanup.policy"] == "compact", n.Name)
		if n.SamePartitions != "" {
			require.Equal(t, specs[n.SamePartitions].Partitions, s.Partitions)
		}
		if n.MinMessageBytes > 0 {
			most, err := strconv.Atoi(s.Configs["max.message.bytes"])
			require.NoError(t, err, n.Name)
			require.GreaterOrEqual(t, most, n.MinMessageBytes, n.Name)
			require.NotEmpty(t, n.TooSmall)
		}
	}
}

// The size that llm.incidents needs is that of a flag in which every detector has the maximum evidence.
func TestFlagBytesHoldsTheLargestFlag(t *testing.T) {
	c := config.Default()
	long := func(n int) string { return strings.Repeat("\U0001F4E6", n) }
	f := schemas.Flag{
		Tags: []string{strings.Repeat("t", 16<<10)}, Attributes: map[string]string{"a": strings.Repeat("a", 16<<10)},
		Grounding: &schemas.Grounding{UngroundedClaimList: make([]schemas.Claim, detectors.MaxEvidence)},
	}
	for i := range f.Grounding.UngroundedClaimList {
		f.Grounding.UngroundedClaimList[i] = schemas.Claim{Start: 1 << 30, End: 1 << 30, Excerpt: long(detectors.MaxExcerpt + 1)}
	}
	for _, name := range c.EnabledDetectors() {
		s := schemas.Signal{Detector: name, Outcome: schemas.Fired, Score: 1.0 / 3, Reason: long(200)}
		for range detectors.MaxEvidence {
			s.Evidence = append(s.Evidence, schemas.Evidence{
				Start: 1 << 30, End: 1 << 30, Excerpt: long(detectors.MaxExcerpt + 1), Citation: long(detectors.MaxExcerpt + 1),
				Note: long(detectors.MaxExcerpt + 1), SourceID: strings.Repeat("s", 256), SourceStart: 1 << 30, SourceEnd: 1 << 30, Similarity: 1.0 / 3,
			})
		}
		f.Signals = append(f.Signals, s)
	}
	raw, err := json.AppendFlag(nil, &f)
	require.NoError(t, err)
	require.LessOrEqual(t, len(raw), flagBytes(c))
	require.Greater(t, len(raw), flagBytes(c)/2, "a bound that says something")
}

func TestGrantsAreMinimal(t *testing.T) {
	c := config.Default()
	c.Kafka.ConsumerGroup, c.Sampling.Salt = "ours", "salt"
	var got []string
	for _, g := range AllGrants(c) {
		got = append(got, strings.Join(append([]string{g.Role, g.Resource, g.Name}, g.Operations...), " "))
	}
	require.Equal(t, []string{
		"detect topic llm.interactions READ",
		"detect topic llm.incidents DESCRIBE_CONFIGS WRITE",
		"detect topic llm.interactions.sampled DESCRIBE_CONFIGS WRITE",
		"detect topic llm.interactions.dlq WRITE",
		"detect group ours-detect READ",
		"sample topic llm.interactions.sampled READ",
		"sample topic llm.incidents DESCRIBE_CONFIGS WRITE",
		"sample topic llm.budget READ WRITE",
		"sample transactional-id confab-llm.budget- WRITE",
		"sample topic llm.interactions.dlq WRITE",
		"sample group ours-sample READ",
		"alert topic llm.incidents READ",
		"alert topic llm.alerts DESCRIBE_CONFIGS READ WRITE",
		"alert topic llm.feedback READ",
		"alert topic llm.interactions.dlq WRITE",
		"alert group ours-alert READ",
		"ui topic llm.incidents READ",
		"ui topic llm.feedback READ WRITE",
		"ui topic llm.interactions READ",
		"forget topic llm.interactions DESCRIBE_CONFIGS READ",
		"forget topic llm.incidents DESCRIBE_CONFIGS READ",
		"forget topic llm.interactions.dlq DESCRIBE_CONFIGS READ",
		"forget topic llm.alerts DESCRIBE_CONFIGS READ",
		"forget topic llm.interactions.sampled DESCRIBE_CONFIGS READ",
		"forget topic llm.feedback DESCRIBE_CONFIGS READ WRITE",
		"forget topic llm.feedback.users DESCRIBE_CONFIGS READ WRITE",
		"redrive topic llm.interactions READ WRITE",
		"redrive topic llm.interactions.sampled READ WRITE",
		"redrive topic llm.incidents READ WRITE",
		"redrive topic llm.interactions.dlq READ",
		"audit topic llm.interactions READ",
		"audit topic llm.incidents DESCRIBE_CONFIGS READ",
		"audit topic llm.interactions.dlq READ",
		"audit group ours-detect DESCRIBE",
		"people topic llm.incidents READ",
		"people topic llm.feedback.users READ",
		"people topic llm.alerts READ WRITE",
		"people topic llm.feedback READ WRITE",
		"setup topic llm.alerts CREATE DESCRIBE DESCRIBE_CONFIGS",
		"setup topic llm.budget CREATE DESCRIBE DESCRIBE_CONFIGS",
		"setup topic llm.feedback CREATE DESCRIBE DESCRIBE_CONFIGS",
		"setup topic llm.feedback.users CREATE DESCRIBE DESCRIBE_CONFIGS",
		"setup topic llm.incidents CREATE DESCRIBE DESCRIBE_CONFIGS",
		"setup topic llm.interactions CREATE DESCRIBE DESCRIBE_CONFIGS",
		"setup topic llm.interactions.dlq CREATE DESCRIBE DESCRIBE_CONFIGS",
		"setup topic llm.interactions.sampled CREATE DESCRIBE DESCRIBE_CONFIGS",
	}, got)
	c.Kafka.Delivery = config.DeliveryExactlyOnce
	require.Contains(t, Grants(c, config.RoleDetect), kafka.ACL{
		Role: "detect", Resource: kafka.ResourceTransactionalID, Name: "ours-detect-", Prefix: true, Operations: []string{"WRITE"},
	})
	c.Export.Evaluations, c.Export.Traces.URL = true, "https://collector.example"
	require.Contains(t, AllGrants(c), kafka.ACL{Role: "export", Resource: kafka.ResourceTopic, Name: "llm.evaluations", Operations: []string{"DESCRIBE_CONFIGS", "WRITE"}})
	require.Equal(t, []kafka.ACL{
		{Role: "export", Resource: kafka.ResourceTopic, Name: "llm.incidents", Operations: []string{"READ"}},
		{Role: "export", Resource: kafka.ResourceTopic, Name: "llm.evaluations", Operations: []string{"DESCRIBE_CONFIGS", "WRITE"}},
		{Role: "export", Resource: kafka.ResourceTopic, Name: "llm.interactions.dlq", Operations: []string{"WRITE"}},
		{Role: "export", Resource: kafka.ResourceGroup, Name: "ours-export-evaluations", Operations: []string{"READ"}},
		{Role: "export", Resource: kafka.ResourceGroup, Name: "ours-export-traces", Operations: []string{"READ"}},
	}, Grants(c, config.RoleExport), "a group for each destination")
	c.Observations.Enabled = true
	observed := func(role config.Role) string {
		var all []string
		for _, g := range Grants(c, role) {
			if role == config.RoleAlert && g.Resource == kafka.ResourceGroup || g.Name == "llm.observations" || role == config.RoleAlert && g.Name == "llm.interactions" {
				all = append(all, g.Name+" "+strings.Join(g.Operations, "+"))
			}
		}
		return strings.Join(all, ", ")
	}
	require.Equal(t, "llm.observations READ", observed(config.RoleDetect))
	require.Equal(t, "llm.observations READ", observed(config.RoleServe))
	require.Equal(t, "llm.interactions READ, llm.observations WRITE, ours-alert READ, ours-alert-observations READ", observed(config.RoleAlert))
	c.Roles = []config.Role{config.RoleAlert}
	c.Alerting.Slack.AppToken = "xapp-1"
	require.Contains(t, Grants(c, config.RoleAlert), kafka.ACL{
		Role: "alert", Resource: kafka.ResourceTopic, Name: "llm.feedback", Operations: []string{"READ", "WRITE"},
	}, "clicks are written")
}
