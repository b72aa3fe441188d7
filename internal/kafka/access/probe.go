package access

import (
	"context"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"confab/internal/kafka"
)

// probeName is that of a member and of a transaction that do not exist.
const probeName = "confab-doctor"

// CanReadGroup reports whether the principal may READ the group. It sends the heartbeat of a member that does not exist,
// which the broker refuses after it has checked the permission.
func CanReadGroup(ctx context.Context, cfg kafka.Config, group string) (bool, error) {
	return probe(ctx, cfg, func(ctx context.Context, cl *kgo.Client) (int16, error) {
		req := kmsg.NewPtrHeartbeatRequest()
		req.Group, req.MemberID, req.Generation = group, probeName, -1
		resp, err := req.RequestWith(ctx, cl)
		if err != nil {
			return 0, err
		}
		return resp.ErrorCode, nil
	})
}

// CanWriteTransactions reports whether the principal may WRITE transactional ids with the prefix. It ends a transaction that
// was never begun, which the broker refuses after it has checked the permission.
func CanWriteTransactions(ctx context.Context, cfg kafka.Config, prefix string) (bool, error) {
	return probe(ctx, cfg, func(ctx context.Context, cl *kgo.Client) (int16, error) {
		req := kmsg.NewPtrEndTxnRequest()
		req.TransactionalID = prefix + probeName
		resp, err := req.RequestWith(ctx, cl)
		if err != nil {
			return 0, err
		}
		return resp.ErrorCode, nil
	})
}

// CanProduce reports whether the principal may write idempotently: before Kafka 3.0 that is a permission of the cluster, since
// then a principal that may WRITE a topic has it. It asks for the number of a producer, as producers do first.
func CanProduce(ctx context.Context, cfg kafka.Config) (bool, error) {
	return probe(ctx, cfg, func(ctx context.Context, cl *kgo.Client) (int16, error) {
		req := kmsg.NewPtrInitProducerIDRequest()
		req.TransactionalID, req.ProducerID, req.ProducerEpoch = nil, -1, -1
		resp, err := req.RequestWith(ctx, cl)
		if err != nil {
			return 0, err
		}
		return resp.ErrorCode, nil
	})
}

// probe reports whether a request was refused for another reason than the permission.
func probe(ctx context.Context, cfg kafka.Config, ask func(context.Context, *kgo.Client) (code int16, err error)) (bool, error) {
	cl, err := cfg.NewClient()
	if err != nil {
		return false, err
	}
	defer cl.Close()
	code, err := ask(ctx, cl)
	if err == nil {
		err = kerr.ErrorForCode(code)
	}
	switch {
	case errors.Is(err, kerr.GroupAuthorizationFailed), errors.Is(err, kerr.TransactionalIDAuthorizationFailed),
		errors.Is(err, kerr.ClusterAuthorizationFailed):
		return false, nil
	case err == nil:
		return true, nil
	}
	if e, ok := errors.AsType[*kerr.Error](err); ok && !e.Retriable {
		return true, nil
	}
	return false, fmt.Errorf("ask for a permission: %w", err)
}
