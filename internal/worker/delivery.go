package worker

import (
	"context"
	"errors"
	"slices"

	"confab/consumer"
	"confab/internal/kafka"
	"confab/internal/worker/config"
	"confab/schemas"
)

// exactlyOnce reports whether this process writes flags in transactions.
func (w *worker) exactlyOnce() bool {
	return w.Config.Kafka.ExactlyOnce() && !w.DryRun && slices.Contains(w.activeRoles(), config.RoleDetect)
}

// newDetectLoop makes the loop of the configured delivery.
func (w *worker) newDetectLoop(opts consumer.Options[*schemas.Interaction]) (roleLoop, error) {
	if !w.exactlyOnce() {
		return consumer.New(opts)
	}
	return consumer.NewTransactionLoop(w.Config.TransactionPrefix()+w.Config.Kafka.InstanceID, opts)
}

// checkDelivery compares the cluster's version with the one that transactions need.
func (w *worker) checkDelivery(ctx context.Context, admin *kafka.Admin) error {
	if !w.exactlyOnce() {
		return nil
	}
	c, err := admin.Cluster(ctx)
	switch {
	case err != nil: // a broker is down, which must not keep a worker from starting
		w.Logger.WarnContext(ctx, "check broker versions for exactly_once failed", "error", err)
	case c.Outdated:
		return errors.New("kafka.delivery: exactly_once needs Kafka 2.5 or later on every broker (one is " + c.Version +
			"): upgrade it, or set at_least_once")
	case c.Transactions < 2:
		w.Logger.WarnContext(ctx, "a late request may end another transaction of this worker: exactly_once is safest with "+
			"transaction.version 2, from Kafka 4.0", "transaction_version", c.Transactions, "kafka", c.Version)
	}
	return nil
}
