package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"confab/internal/kafka"
)

// checkCluster finds out at once everything about the cluster that would keep the roles from working, and returns the
// cluster's id.
func (w *worker) checkCluster(ctx context.Context) (clusterID string, err error) {
	admin, err := kafka.NewAdmin(w.kafka)
	if err != nil {
		return "", err
	}
	defer admin.Close()
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	if err := admin.Ping(ctx); err != nil {
		return "", fmt.Errorf("no broker of [%s] answered within %s: check kafka.seed_brokers, kafka.tls and kafka.sasl: %w",
			strings.Join(w.Config.Kafka.SeedBrokers, ", "), connectTimeout, err)
	}
	if clusterID, err = admin.ClusterID(ctx); err != nil {
		return "", fmt.Errorf("ask for the cluster's id: %w", err)
	}
	var topics []string
	for _, name := range w.activeRoles() {
		topics = append(topics, roleTable()[name].topics(w.Config)...)
	}
	slices.Sort(topics)
	topics = slices.Compact(topics)
	counts, err := admin.PartitionCounts(ctx, topics...)
	if err != nil {
		return "", fmt.Errorf("look up the topics: %w", err)
	}
	return clusterID, checkTopics(w.Config, topics, counts)
}

// checkTopics holds the topics that exist, by their partition counts, against those that the roles need.
func checkTopics(c *Config, topics []string, counts map[string]int) error {
	var errs []error
	for _, topic := range topics {
		if counts[topic] == 0 {
			errs = append(errs, fmt.Errorf("topic %s does not exist, or may not be described: create it with `confab topics apply`, or grant DESCRIBE", topic))
		}
	}
	incidents, alerts := c.Kafka.Topics.Incidents, c.Kafka.Topics.Alerts
	if slices.Contains(topics, alerts) && counts[incidents] > 0 && counts[alerts] > 0 && counts[incidents] != counts[alerts] {
		errs = append(errs, fmt.Errorf("%s has %d partitions and %s has %d: the state of an incident is kept in the partition of the same number, so give both the same count",
			incidents, counts[incidents], alerts, counts[alerts]))
	}
	return errors.Join(errs...)
}

// openRegistry prepares the schema registry's client. A registry that is down keeps nobody from starting: what needs it
// waits. A schema that is not registered does, since no waiting heals it.
func (w *worker) openRegistry(ctx context.Context) (err error) {
	if w.registry, err = w.Config.OpenRegistry(w.Registry); err != nil || w.registry == nil {
		return err
	}
	w.closers = append(w.closers, w.registry.Close)
	if w.Config.SchemaRegistry.Output != OutputAvro || w.DryRun || !slices.Contains(w.activeRoles(), RoleDetect) {
		return nil
	}
	w.flags = &flagEncoder{registry: w.registry, subject: kafka.Subject(w.Config.Kafka.Topics.Incidents)}
	_, err = w.flags.prepare(ctx)
	if err != nil && !errors.Is(err, kafka.ErrUnknownSchema) {
		w.Logger.WarnContext(ctx, "the schema registry does not answer: flags wait for it", "error", err)
		return nil
	}
	return err
}
