package kafka

import (
	"context"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Brokers do not report permissions of groups that do not exist yet and of transactional ids. These requests find them and change
// nothing.

// probeName is that of a member and of a transaction that do not exist.
const probeName = "confab-doctor"

// CanReadGroup reports whether the principal may READ the group. It sends the heartbeat of a member that does not exist,
// which the broker refuses after it has checked the permission.
func (a *Admin) CanReadGroup(ctx context.Context, group string) (bool, error) {
	req := kmsg.NewPtrHeartbeatRequest()
	req.Group, req.MemberID, req.Generation = group, probeName, -1
	resp, err := req.RequestWith(ctx, a.client)
	return allowed(err, func() int16 { return resp.ErrorCode })
}

// CanWriteTransactions reports whether the principal may WRITE transactional ids with the prefix. It ends a transaction that
// was never begun, which the broker refuses after it has checked the permission.
func (a *Admin) CanWriteTransactions(ctx context.Context, prefix string) (bool, error) {
	req := kmsg.NewPtrEndTxnRequest()
	req.TransactionalID = prefix + probeName
	resp, err := req.RequestWith(ctx, a.client)
	return allowed(err, func() int16 { return resp.ErrorCode })
}

// allowed reports whether a request was refused for another reason than the permission.
func allowed(err error, code func() int16) (bool, error) {
	if err == nil {
		err = kerr.ErrorForCode(code())
	}
	if errors.Is(wrapDenied(err), ErrDenied) {
		return false, nil
	}
	if e, ok := errors.AsType[*kerr.Error](err); err == nil || ok && !e.Retriable {
		return true, nil
	}
	return false, fmt.Errorf("ask for a permission: %w", err)
}
