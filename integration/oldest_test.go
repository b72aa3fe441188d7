//go:build integration

package integration_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"confab/integration"
)

// TestOldestBroker runs all roles on the oldest supported Kafka, which `make integration-oldest` builds. The doctor finds no
// problem there.
func TestOldestBroker(t *testing.T) {
	version := os.Getenv("OLDEST_KAFKA")
	if version == "" {
		t.Skip("make integration-oldest runs it")
	}
	c := startCluster(t, integration.ClusterOptions{Secure: "SASL_PLAINTEXT", Env: map[string]string{
		"KAFKA_ZOOKEEPER_CONNECT":                            "broker-1:2181",
		"KAFKA_AUTHORIZER_CLASS_NAME":                        "kafka.security.authorizer.AclAuthorizer",
		"KAFKA_SUPER_USERS":                                  "User:ANONYMOUS",
		"KAFKA_LISTENER_NAME_SECURE_SASL_ENABLED_MECHANISMS": "PLAIN",
		"KAFKA_LISTENER_NAME_SECURE_PLAIN_SASL_JAAS_CONFIG":  `org.apache.kafka.common.security.plain.PlainLoginModule required user_detect="secret-of-detect";`,
	}})
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	step := stopwatch(t)
	r := newRoles(t, &securedCluster{Cluster: c, authority: newAuthority(t), dir: t.TempDir(), bin: buildWorker(t)})
	for _, name := range []string{"detect", "people", "forget", "redrive", "audit"} {
		r.configs[name] = r.open
	}
	_, err := command(ctx, r.bin, "topics", "apply", "--partitions", "3", "--replication-factor", "3", "--config", r.open)
	require.NoError(t, err)
	w := startWorker(t, r.bin, r.open, "detect,sample,alert,export,serve,ui", "kafka.start_offset=earliest")
	step("roles ready")
	r.requireWork(ctx, t, "first")
	step("roles have worked")
	r.assertHealthy(ctx, t, "detect")
	out, err := command(ctx, r.bin, "doctor", "--config", r.open)
	require.NoError(t, err)
	require.Contains(t, string(out), "v"+version[:3])
	step("doctor")
	w.stop(t)
	r.requireOldRules(t)
	step("rules")
}

// requireOldRules runs detect with the printed rules: on this version it also needs one of the cluster, which the doctor names.
func (r *roles) requireOldRules(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	r.configs["detect"] = r.write(t, "detect.yaml", "kafka: {seed_brokers: ["+strings.Join(r.SecureSeeds(), ", ")+"], start_offset: earliest, "+
		"sasl: {mechanism: PLAIN, username: detect, password: secret-of-detect}}\nroles: [detect]\n"+r.settings)
	require.NoError(t, r.AddAccess(ctx, r.printed(ctx, t, "detect", "detect")...))
	cluster := integration.AccessRule{Principal: "User:detect", Resource: kmsg.ACLResourceTypeCluster, Name: "kafka-cluster", Operation: kmsg.ACLOperationIdempotentWrite}
	require.NoError(t, r.awaitExamination(ctx, "detect", func(e examination) bool {
		return len(e.problems) == 1 && e.problems[0].Subject == "cluster" && strings.HasPrefix(e.problems[0].Detail, "IDEMPOTENT_WRITE ")
	}))
	require.NoError(t, r.AddAccess(ctx, cluster))
	r.assertHealthy(ctx, t, "detect")
	w := startWorker(t, r.bin, r.configs["detect"], "detect")
	_, err := command(ctx, r.bin, "produce", "--config", r.open, writeRows(t, "rows.jsonl", deepRows()))
	require.NoError(t, err)
	requireText(ctx, t, r.Cluster, topicIncidents, `"interaction_id":"unlikely-1"`)
	w.stop(t)
}
