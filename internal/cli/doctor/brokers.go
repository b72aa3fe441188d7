package doctor

import (
	"context"
	"fmt"
	"strings"

	"confab/detectors"
	"confab/internal/console"
	"confab/internal/kafka"
	"confab/internal/worker/cluster"
	"confab/schemas"
)

// Options say what a worker needs of its cluster.
type Options struct {
	Kafka  kafka.Config
	Topics []kafka.TopicRequirement
	Grants []kafka.ACL
	Inputs []string // topics of interactions
	// Transactions says that the role detect writes in transactions.
	Transactions bool
	// Sample decodes a record of an input; the error is the reason why the worker cannot.
	Sample func(ctx context.Context, r *kafka.FetchedRecord) ([]*schemas.Interaction, error)
	// Remedy says what to do about a reason of Sample, such as that of a record with this value; nil: a general hint.
	Remedy func(topic, reason string, value []byte) string
	// Suite measures what Sample decodes; nil if the detectors cannot be built.
	Suite *detectors.Suite
	// KnowsModel reports a model that the calibration has thresholds or baselines of; nil knows all.
	KnowsModel func(model string) bool
	Agreement  JudgeCheck
	// Judge says when a judge is asked; nil: never.
	Judge *JudgeOptions
}

// clusterCheck is one examination of a cluster.
type clusterCheck struct {
	Options
	admin  *kafka.Admin
	topics map[string]*kafka.TopicState // nil if they could not be read
	all    []console.Finding

	granted map[string]*kafka.TopicState // topics that only grants name
}

// The checks of a cluster, in order.
const (
	checkBrokers = "brokers"
	checkKafka   = "kafka"
	checkTopic   = "topic"
	checkAccess  = "access"
	checkGroup   = "group"
	checkSample  = "sample"
	checkContent = "content"
	checkJudge   = "judge"
)

// Cluster checks the cluster and writes nothing to it. Every check has a finding; if it depends on something that does not
// answer, the finding is "not checked".
func Cluster(ctx context.Context, o Options) []console.Finding {
	d := &clusterCheck{Options: o}
	if !d.brokers(ctx) {
		for _, check := range []string{checkKafka, checkTopic, checkAccess, checkGroup, checkSample, checkContent} {
			d.report(check, "", func(r *console.Report) { r.Skip("no broker answers", "") })
		}
		return d.all
	}
	defer d.admin.Close()
	for _, check := range []func(context.Context){d.version, d.eachTopic, d.access, d.groups, d.samples, d.judge, d.agreement} {
		limited, cancel := context.WithTimeout(ctx, cluster.Timeout)
		check(limited)
		cancel()
	}
	return d.all
}

func (d *clusterCheck) report(check, subject string, look func(r *console.Report)) {
	r := console.Report{Check: check, Subject: subject}
	look(&r)
	d.all = append(d.all, r.Findings...)
}

// brokers connects and reports whether the other checks can run.
func (d *clusterCheck) brokers(ctx context.Context) (ok bool) {
	d.report(checkBrokers, strings.Join(d.Kafka.SeedBrokers, ", "), func(r *console.Report) {
		admin, err := kafka.NewAdmin(d.Kafka)
		if err != nil {
			r.Fail(err.Error(), "correct the section kafka of the configuration")
			return
		}
		ctx, cancel := context.WithTimeout(ctx, cluster.Timeout)
		defer cancel()
		if err := admin.Ping(ctx); err != nil {
			admin.Close()
			r.Fail(fmt.Sprintf("none answers: %v", err),
				"correct what it names; kafka.seed_brokers, kafka.tls and kafka.sasl say how to connect")
			return
		}
		d.admin, ok = admin, true
	})
	return ok
}

func (d *clusterCheck) version(ctx context.Context) {
	c, err := d.admin.Cluster(ctx)
	d.report(checkBrokers, strings.Join(d.Kafka.SeedBrokers, ", "), func(r *console.Report) {
		switch c.Brokers {
		case 0:
			r.Fail(fmt.Sprintf("a broker answers, but the cluster's metadata cannot be read: %v", err), "read the brokers' logs")
		case 1:
			r.Warn("1 broker: records have one copy, and its restart is an outage", "run three brokers, as docs/operations.md describes")
		default:
			r.OK(fmt.Sprintf("%d brokers, cluster %s", c.Brokers, c.ID))
		}
	})
	d.report(checkKafka, "", func(r *console.Report) {
		switch {
		case err != nil:
			r.Warn(err.Error(), "a broker is down or slow: read its logs; or its advertised.listeners names an address that this machine cannot reach")
		case c.Outdated:
			r.Fail("a broker is older than Kafka 2.5 ("+c.Version+")", "upgrade it: reading committed offsets safely needs 2.5")
		case d.Transactions && c.Transactions < 2:
			r.Warn(fmt.Sprintf("transaction.version is %d (%s)", c.Transactions, c.Version), "kafka.delivery: exactly_once is safest with 2: "+
				"upgrade to Kafka 4.0 or later and finalize the feature")
		default:
			r.OK("version by its protocols: " + c.Version)
		}
	})
}
