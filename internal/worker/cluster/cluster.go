package cluster

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"confab/internal/kafka"
)

// Timeout bounds the first response of a broker.
const Timeout = 15 * time.Second

// RequireTopic returns an error with a remedy if no broker answers or the topic does not exist.
func RequireTopic(ctx context.Context, cfg kafka.Config, topic string) error {
	_, err := PartitionCount(ctx, cfg, topic)
	return err
}

// WithRole adds to an error of access the role whose permissions help.
func WithRole(err error, role string) error {
	if errors.Is(err, kafka.ErrDenied) {
		return fmt.Errorf("%w: `confab topics plan --principal` prints the permissions of the role %s", err, role)
	}
	return err
}

// PartitionCount returns the number of partitions of a topic. The errors are those of [RequireTopic].
func PartitionCount(ctx context.Context, cfg kafka.Config, topic string) (n int, err error) {
	err = WithAdmin(ctx, cfg, func(ctx context.Context, admin *kafka.Admin) error {
		counts, err := admin.PartitionCounts(ctx, topic)
		if err != nil {
			return fmt.Errorf("look up topic %s: %w", topic, err)
		}
		if n = counts[topic]; n == 0 {
			return fmt.Errorf("topic %s does not exist, or may not be described: create it with `confab topics apply`", topic)
		}
		return nil
	})
	return n, err
}

// WithAdmin calls f with an admin client once a broker answers. Timeout bounds both together.
func WithAdmin(ctx context.Context, cfg kafka.Config, f func(context.Context, *kafka.Admin) error) error {
	admin, err := kafka.NewAdmin(cfg)
	if err != nil {
		return err
	}
	defer admin.Close()
	ctx, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	if err := admin.Ping(ctx); err != nil {
		return fmt.Errorf("no broker of [%s] answers: %w", strings.Join(cfg.SeedBrokers, ", "), err)
	}
	return f(ctx, admin)
}
