package worker

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"confab/internal/kafka/embedded"
	"confab/internal/worker/config"
	"confab/internal/worker/resources"
)

// brokerEnv makes the test binary a broker with this retention: benchmarks run it as a child, so that its work is not counted as
// theirs.
const brokerEnv = "CONFAB_BENCH_BROKER"

func TestMain(m *testing.M) {
	if retention := os.Getenv(brokerEnv); retention != "" {
		os.Exit(serveBroker(retention))
	}
	if load := os.Getenv(loaderEnv); load != "" {
		if err := writeLoad(load); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// serveBroker prints the brokers' addresses and serves until its standard input ends.
func serveBroker(retention string) int {
	keep, err := time.ParseDuration(retention)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	topics := map[string]int32{}
	for _, s := range resources.TopicSpecs(config.Default(), resources.Sizing{Partitions: 1}) {
		topics[s.Name] = int32(s.Partitions)
	}
	cluster, err := embedded.Start(embedded.Options{Topics: topics, Retention: keep})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer cluster.Close()
	fmt.Fprintln(os.Stdout, strings.Join(cluster.Seeds(), ","))
	_, _ = io.Copy(io.Discard, os.Stdin)
	return 0
}
