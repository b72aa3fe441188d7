package worker

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"confab/internal/kafka"
	"confab/internal/kafka/schemaregistry"
	"confab/internal/retry"
	"confab/internal/worker/config"
	"confab/internal/worker/records"
	"confab/internal/worker/resources"
)

// checkCluster reports at once everything about the cluster that keeps the roles from working, and returns the cluster's
// id.
func (w *worker) checkCluster(ctx context.Context) (clusterID string, err error) {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	if err := w.ping(ctx); err != nil {
		return "", err
	}
	w.kafka.Proven = true
	cfg := w.kafka
	cfg.Context = ctx
	admin, err := kafka.NewAdmin(cfg)
	if err != nil {
		return "", err
	}
	defer admin.Close()
	if clusterID, err = admin.ClusterID(ctx); err != nil {
		return "", fmt.Errorf("read cluster id: %w", err)
	}
	var topics []string
	for _, name := range w.activeRoles() {
		topics = append(topics, resources.RoleTopics(w.Config, name)...)
	}
	slices.Sort(topics)
	topics = slices.Compact(topics)
	counts, err := countPartitions(ctx, admin, topics)
	if err != nil {
		return "", fmt.Errorf("look up topics: %w", err)
	}
	w.partitions = counts
	if err := checkTopics(w.Config, topics, counts); err != nil {
		return clusterID, err
	}
	w.readLimits(ctx, admin)
	return clusterID, w.checkDelivery(ctx, admin)
}

// ping connects to a broker and logs in.
func (w *worker) ping(ctx context.Context) error {
	cfg := w.kafka
	cfg.Context = ctx
	admin, err := kafka.NewAdmin(cfg)
	if err != nil {
		return err
	}
	defer admin.Close()
	err = admin.Ping(ctx)
	if err == nil || errors.Is(err, kafka.ErrLogin) {
		return err
	}
	return fmt.Errorf("no broker of [%s] answers: %w", strings.Join(w.Config.Kafka.SeedBrokers, ", "), err)
}

// Not every broker knows a new topic at once: missing topics are looked up again.
const (
	countAttempts = 5
	countPause    = 500 * time.Millisecond
)

func countPartitions(ctx context.Context, admin *kafka.Admin, topics []string) (counts map[string]int, err error) {
	for left := countAttempts; ; {
		counts, err = admin.PartitionCounts(ctx, topics...)
		if left--; err != nil || len(counts) == len(topics) || left == 0 {
			return counts, err
		}
		if err := retry.Sleep(ctx, countPause); err != nil {
			return counts, err
		}
	}
}

// checkTopics compares the partition counts of the existing topics with those that the roles need.
func checkTopics(c *config.Config, topics []string, counts map[string]int) error {
	var errs []error
	for _, topic := range topics {
		if counts[topic] == 0 {
			errs = append(errs, fmt.Errorf("topic %s does not exist, or may not be described: create it with `confab topics apply`, or grant DESCRIBE", topic))
		}
	}
	t := c.Kafka.Topics
	for _, pair := range []struct{ of, state, why string }{
		{t.Incidents, t.Alerts, "the state of an incident is kept in the partition of the same number"},
		{t.Sampled, t.Budget, "the owner of a partition keeps its budget log in the partition of the same number"},
	} {
		of, state := counts[pair.of], counts[pair.state]
		if slices.Contains(topics, pair.state) && of > 0 && state > 0 && of != state {
			errs = append(errs, fmt.Errorf("%s has %d partitions and %s has %d: %s, so give both the same count",
				pair.of, of, pair.state, state, pair.why))
		}
	}
	return errors.Join(errs...)
}

// writesFlags reports whether a role that writes flags is active.
func (w *worker) writesFlags() bool {
	roles := w.activeRoles()
	if slices.Contains(roles, config.RoleServe) && w.Config.Serve.Publish == config.PublishFlags {
		return true
	}
	return slices.Contains(roles, config.RoleDetect) || slices.Contains(roles, config.RoleSample)
}

// openRegistry makes the schema registry's client. The worker starts without an answer of the registry: what needs it waits.
// A schema that is not registered is an error, since waiting does not help.
func (w *worker) openRegistry(ctx context.Context) (err error) {
	if w.registry, err = w.Config.OpenRegistry(w.Registry); err != nil || w.registry == nil {
		return err
	}
	w.closers = append(w.closers, w.registry.Close)
	if w.Config.SchemaRegistry.Output != config.OutputAvro || w.DryRun || !w.writesFlags() {
		return nil
	}
	w.flags = records.NewFlagEncoder(w.registry, w.Config.Kafka.Topics.Incidents)
	_, err = w.flags.Prepare(ctx)
	if err != nil && !errors.Is(err, schemaregistry.ErrUnknownSchema) {
		w.Logger.WarnContext(ctx, "look up flag schema failed, flags wait for the schema registry", "error", err)
		return nil
	}
	return err
}

// writtenTopics are the topics whose size limits apply to the writes of the active roles.
func (w *worker) writtenTopics() []string {
	t, roles := w.Config.Kafka.Topics, w.activeRoles()
	var topics []string
	if w.exactlyOnce() {
		topics = append(topics, t.DLQ) // sizes are checked before records are written
	}
	if w.writesFlags() {
		topics = append(topics, t.Incidents)
	}
	if slices.Contains(roles, config.RoleDetect) && w.Config.WritesCopies() {
		topics = append(topics, t.Sampled)
	}
	if slices.Contains(roles, config.RoleAlert) {
		topics = append(topics, t.Alerts)
	}
	if slices.Contains(roles, config.RoleServe) && w.Config.Serve.Publish == config.PublishAll {
		topics = append(topics, w.Config.Kafka.Inputs[0].Topic)
	}
	if slices.Contains(roles, config.RoleServe) && w.Config.Serve.OTLPTopic != "" {
		topics = append(topics, w.Config.Serve.OTLPTopic)
	}
	if slices.Contains(roles, config.RoleExport) && w.Config.Export.Evaluations {
		topics = append(topics, t.Evaluations)
	}
	return topics
}

// readLimits reads max.message.bytes of the written topics, before the producer is made; a changed one needs a restart. If a limit cannot be read, the
// broker rejects records that are too large.
func (w *worker) readLimits(ctx context.Context, admin *kafka.Admin) {
	limits, err := admin.MaxMessageBytes(ctx, w.writtenTopics()...)
	if err != nil {
		w.Logger.WarnContext(ctx, "read topic limits failed, flags too large for their topic become dead letters: grant DESCRIBE_CONFIGS",
			"error", err)
	}
	t := w.Config.Kafka.Topics
	bounded := []string{t.Incidents, t.Alerts}
	if w.exactlyOnce() {
		bounded = append(bounded, t.Sampled, t.DLQ)
	}
	w.limits = kafka.NewSizeLimits(w.kafka, limits, bounded...)
	w.kafka.Limits = w.limits
}
