package budget

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Options limit the cost of deep evaluations. Tokens of prompts and of replies count alike.
type Options struct {
	// Window after which every limit starts anew. Windows follow UTC: 24h begins at midnight, 168h on Mondays.
	Window time.Duration `yaml:"window" min:"1m" max:"8784h"`
	// TokensPerWindow is what all tenants together may use in a window.
	TokensPerWindow int64 `yaml:"tokens_per_window" min:"1"`
	// TokensPerTenant is what a tenant without a limit of its own may use in a window. 0 sets none: the total holds.
	TokensPerTenant int64 `yaml:"tokens_per_tenant" min:"0"`
}

// DefaultOptions are a million tokens a day.
func DefaultOptions() Options {
	return Options{Window: 24 * time.Hour, TokensPerWindow: 1_000_000}
}

// Validate reports everything that is wrong with the options at once.
func (o Options) Validate() error {
	var errs []error
	if o.Window < time.Minute {
		errs = append(errs, fmt.Errorf("llm.budget.window is %v: set a minute or more, such as 24h", o.Window))
	}
	if o.TokensPerWindow < 1 {
		errs = append(errs, errors.New("llm.budget.tokens_per_window must be 1 or more: deep evaluation needs a limit"))
	}
	if o.TokensPerTenant < 0 {
		errs = append(errs, errors.New("llm.budget: tokens_per_tenant must be 0 or more"))
	}
	return errors.Join(errs...)
}

// Reserver grants tokens before they are spent.
type Reserver interface {
	// Reserve reserves tokens, an upper bound of a call's usage, for a tenant and a partition of the sampled topic. It
	// returns when the grant is durable: a crash cannot spend it twice. Without a grant there must be no call. An error
	// means that the budget log failed; the caller may retry.
	Reserve(ctx context.Context, tenant string, partition int32, tokens int64) (Grant, error)
}

// Grant is the result of a reservation.
type Grant struct {
	OK      bool
	Refusal Refusal // "" when OK

	reservation *reservation
}

// maxUsage bounds the reported usage, so that sums cannot overflow.
const maxUsage = 1 << 40

// ReportUsage reports the tokens that were used. Unused tokens become available to the tenant again while this process keeps
// the partition and the window lasts. Call it at most once, and not when the usage is unknown: then the whole grant
// counts as used. Usage above the grant counts against the limits.
func (g Grant) ReportUsage(used int64) {
	if g.reservation != nil {
		g.reservation.addUsage(min(max(used, 0), maxUsage))
	}
}

// Refusal is the limit that prevented a grant.
type Refusal string

// The refusals.
const (
	RefusedTenant Refusal = "tenant_limit" // the tenant's part of this partition is used up
	RefusedTotal  Refusal = "total_limit"  // the partition's part is used up
)
