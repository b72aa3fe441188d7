package coverage

import (
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"confab/internal/labels"
	"confab/schemas"
)

// GroundingChecks counts answers whose claims were compared with their sources, by result and action. The roles detect and serve
// of a process share it. It is safe for concurrent use.
type GroundingChecks struct {
	pairs *labels.Table[groundingSeries]
}

// groundingSeries are the series of a service and a model, by result and action.
type groundingSeries map[bool]map[schemas.Action]prometheus.Counter

// NewGroundingChecks registers the counter. actions are those that the policy may set.
func NewGroundingChecks(reg prometheus.Registerer, traffic *labels.Traffic, actions []schemas.Action) *GroundingChecks {
	counter := promauto.With(reg).NewCounterVec(prometheus.CounterOpts{
		Name: "confab_grounding_check_total", Help: "Interactions whose claims were compared with their sources, by result and the tenant's action.",
	}, []string{"grounded", "action", "service", "model"})
	return &GroundingChecks{labels.NewTable(traffic, func(service, model string) *groundingSeries {
		all := groundingSeries{true: {}, false: {}}
		for grounded, series := range all {
			for _, action := range actions {
				series[action] = counter.WithLabelValues(strconv.FormatBool(grounded), string(action), service, model)
			}
		}
		return &all
	})}
}

// Count counts one answer. Nil counts nothing.
func (g *GroundingChecks) Count(service, model string, grounded bool, action schemas.Action) {
	if g == nil {
		return
	}
	if c := (*g.pairs.At(service, model))[grounded][action]; c != nil {
		c.Inc()
	}
}
