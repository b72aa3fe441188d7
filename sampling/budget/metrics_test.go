package budget_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
)

func TestBudgetMetrics(t *testing.T) {
	r := newLedgerTest(t)
	r.opts.Partitions = 2
	r.opts.MetricTenants = []string{"b", "a", "other", "a"}
	l := r.process()
	reg := prometheus.NewPedanticRegistry()
	require.NoError(t, reg.Register(l))
	r.granted(l, "a", 600).ReportUsage(70)
	r.granted(l, "x", 20)
	r.granted(l, "y", 30)
	expect := func(reservedA, reservedOther, spentA, limit int) {
		t.Helper()
		require.NoError(t, testutil.GatherAndCompare(reg, strings.NewReader(fmt.Sprintf(`
# HELP confab_budget_limit_tokens Tokens that the partitions of this worker may reserve in a window, all tenants together.
# TYPE confab_budget_limit_tokens gauge
confab_budget_limit_tokens %d
# HELP confab_budget_reserved_tokens Tokens reserved in the present window on the partitions of this worker.
# TYPE confab_budget_reserved_tokens gauge
confab_budget_reserved_tokens{tenant="a"} %d
confab_budget_reserved_tokens{tenant="b"} 0
confab_budget_reserved_tokens{tenant="other"} %d
# HELP confab_budget_spent_tokens Tokens of these that language models have reported as used.
# TYPE confab_budget_spent_tokens gauge
confab_budget_spent_tokens{tenant="a"} %d
confab_budget_spent_tokens{tenant="b"} 0
confab_budget_spent_tokens{tenant="other"} 0
`, limit, reservedA, reservedOther, spentA))))
	}
	expect(70, 50, 70, 4000)
	r.clock.move(24 * time.Hour)
	expect(0, 0, 0, 4000)
	l.Release(t.Context(), 0)
	expect(0, 0, 0, 0)
}
