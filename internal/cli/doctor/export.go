package doctor

import (
	"context"
	"log/slog"
	"slices"

	"confab/internal/console"
	"confab/internal/worker/config"
	"confab/internal/worker/export"
)

// Destinations checks the destinations of the export role. It sends empty requests.
func Destinations(ctx context.Context, c *config.Config) []console.Finding {
	r := console.Report{Check: "export"}
	if !slices.Contains(c.ActiveRoles(), config.RoleExport) {
		return nil
	}
	for _, name := range c.Export.Destinations() {
		r.Subject = name
		h, err := export.NewHandler(name, &export.Dependencies{Config: c, Logger: slog.New(slog.DiscardHandler)}, 0)
		if err != nil {
			r.Fail(err.Error(), "correct export."+name)
			continue
		}
		if err := h.Check(ctx); err != nil {
			r.Fail(err.Error(), "correct export."+name+": results wait in "+c.Kafka.Topics.Incidents+" until it answers")
		} else {
			r.OK("results are sent there by the consumer group " + c.Group(config.ExportRole(name)))
		}
		h.Close()
	}
	return r.Findings
}
