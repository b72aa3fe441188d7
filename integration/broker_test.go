//go:build integration

package integration

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/moby/moby/api/pkg/stdcopy"
)

// brokerAlias returns a broker's name on the cluster's network. Index 0 is node 1, as in Kafka's tools.
func brokerAlias(i int) string { return "broker-" + strconv.Itoa(i+1) }

// InternalSeed returns a broker's address on the cluster's network.
func InternalSeed(i int) string { return brokerAlias(i) + ":9094" }

// freePorts are n times [FreePort].
func freePorts(ctx context.Context, n int) ([]int, error) {
	ports := make([]int, n)
	for i := range ports {
		var err error
		if ports[i], err = FreePort(ctx); err != nil {
			return nil, err
		}
	}
	return ports, nil
}

// brokerEnv configures node i: two of three replicas must have a write, unclean elections are off, and a dead broker is
// detected in seconds, so that fault tests are short.
func brokerEnv(i int, ports []int) map[string]string {
	voters := make([]string, len(ports))
	for k := range ports {
		voters[k] = fmt.Sprintf("%d@%s:9093", k+1, brokerAlias(k))
	}
	replicas, minISR := strconv.Itoa(len(ports)), strconv.Itoa(len(ports)/2+1)
	return map[string]string{
		"CLUSTER_ID":                      "4L6g3nShT-eMCtK--X86sw",
		"KAFKA_NODE_ID":                   strconv.Itoa(i + 1),
		"KAFKA_PROCESS_ROLES":             "broker,controller",
		"KAFKA_CONTROLLER_LISTENER_NAMES": "CONTROLLER",
		"KAFKA_CONTROLLER_QUORUM_VOTERS":  strings.Join(voters, ","),

		"KAFKA_LISTENERS":                      "HOST://:9092,INTERNAL://:9094,CONTROLLER://:9093",
		"KAFKA_ADVERTISED_LISTENERS":           fmt.Sprintf("HOST://127.0.0.1:%d,INTERNAL://%s:9094", ports[i], brokerAlias(i)),
		"KAFKA_LISTENER_SECURITY_PROTOCOL_MAP": "HOST:PLAINTEXT,INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT",
		"KAFKA_INTER_BROKER_LISTENER_NAME":     "INTERNAL",

		"KAFKA_DEFAULT_REPLICATION_FACTOR":               replicas,
		"KAFKA_MIN_INSYNC_REPLICAS":                      minISR,
		"KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR":         replicas,
		"KAFKA_OFFSETS_TOPIC_NUM_PARTITIONS":             "4",
		"KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR": replicas,
		"KAFKA_TRANSACTION_STATE_LOG_MIN_ISR":            minISR,
		"KAFKA_TRANSACTION_STATE_LOG_NUM_PARTITIONS":     "4",
		"KAFKA_AUTO_CREATE_TOPICS_ENABLE":                "false",
		"KAFKA_UNCLEAN_LEADER_ELECTION_ENABLE":           "false",

		"KAFKA_BROKER_SESSION_TIMEOUT_MS":        "3000",
		"KAFKA_BROKER_HEARTBEAT_INTERVAL_MS":     "500",
		"KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS": "0",

		"KAFKA_LOG_CLEANER_DEDUPE_BUFFER_SIZE": "8388608",
		"KAFKA_HEAP_OPTS":                      "-Xms128m -Xmx384m",
		"KAFKA_JVM_PERFORMANCE_OPTS":           "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
	}
}

// addListener adds a listener that is advertised at a port of 127.0.0.1.
func addListener(env map[string]string, l listener, port int) {
	env["KAFKA_LISTENERS"] += fmt.Sprintf(",%s://:%d", l.name, l.port)
	env["KAFKA_ADVERTISED_LISTENERS"] += fmt.Sprintf(",%s://127.0.0.1:%d", l.name, port)
	env["KAFKA_LISTENER_SECURITY_PROTOCOL_MAP"] += "," + l.name + ":" + l.protocol
}

// listener is a further listener of a broker.
type listener struct {
	name, protocol string
	port           int // in the container
}

// Exec runs a command in a broker's container and returns its standard output.
func (c *Cluster) Exec(ctx context.Context, i int, command ...string) (string, error) {
	code, out, err := c.brokers[i].Exec(ctx, command)
	if err != nil {
		return "", wrapBrokerError(err, "execute in", i)
	}
	var stdout, stderr bytes.Buffer
	_, err = stdcopy.StdCopy(&stdout, &stderr, out)
	if err == nil && code != 0 {
		err = fmt.Errorf("exit %d: %s", code, stderr.String())
	}
	if err != nil {
		return "", wrapBrokerError(err, "execute in", i)
	}
	return stdout.String(), nil
}
