package topics

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/kafka"
)

func TestPlanAccess(t *testing.T) {
	plan := AccessPlan{
		Principal: "User:CN=the worker", Brokers: []string{"a:9092", "b:9092"},
		Grants: []kafka.ACL{
			{Role: "detect", Resource: kafka.ResourceTopic, Name: "in", Operations: []string{"DESCRIBE", "READ"}},
			{Role: "detect", Resource: kafka.ResourceGroup, Name: "it's", Operations: []string{"READ"}},
			{Role: "setup", Resource: kafka.ResourceTopic, Name: "in", Operations: []string{"CREATE", "DESCRIBE_CONFIGS"}},
		},
	}
	var out bytes.Buffer
	require.NoError(t, PlanAccess(&out, plan))
	require.Equal(t, `User:CN=the worker needs, by role:
┌────────┬──────────┬──────┬──────────────────────────┐
│ ROLE   │ RESOURCE │ NAME │ OPERATIONS               │
├────────┼──────────┼──────┼──────────────────────────┤
│ detect │ topic    │ in   │ DESCRIBE, READ           │
│ detect │ group    │ it's │ READ                     │
│ setup  │ topic    │ in   │ CREATE, DESCRIBE_CONFIGS │
└────────┴──────────┴──────┴──────────────────────────┘

# detect
kafka-acls --bootstrap-server a:9092,b:9092 --add --allow-principal 'User:CN=the worker' --operation Describe --operation Read --topic in
kafka-acls --bootstrap-server a:9092,b:9092 --add --allow-principal 'User:CN=the worker' --operation Read --group 'it'\''s'

# setup
kafka-acls --bootstrap-server a:9092,b:9092 --add --allow-principal 'User:CN=the worker' --operation Create --operation DescribeConfigs --topic in

`, out.String())
	for _, bad := range []string{"", "confab", "User:", ":confab", "User:a\nb"} {
		plan.Principal = bad
		require.ErrorContains(t, PlanAccess(&out, plan), "User:confab", bad)
	}
}
