package export

import (
	"context"
	"log/slog"

	"confab/internal/worker/buildinfo"
	"confab/internal/worker/config"
	"confab/schemas"
)

// Dependencies are what destinations are built from.
type Dependencies struct {
	Config  *config.Config
	Metrics *Metrics // nil counts nothing
	Logger  *slog.Logger
}

// destination is where one handler sends flags.
type destination struct {
	// send delivers all flags or fails. A repeat replaces what was delivered, because ids are stable. A *rejectedError means
	// that it refused some flags for good and that the others are delivered; any other error is temporary, and the caller
	// repeats the whole batch.
	send       func(ctx context.Context, flags []*schemas.Flag) error
	topic      *evaluationsTopic // instead of send
	needsTrace bool              // flags without a trace are skipped
	check      func(ctx context.Context) error
	close      func()
}

// newDestination builds a destination by its name. A new one has a case here, a name in [config.Export.Destinations] and its
// section there.
func newDestination(name string, d *Dependencies) (*destination, error) {
	e := &d.Config.Export
	encoder := encoder{version: buildinfo.Version(), resource: e.Resource}
	switch name {
	case config.DestinationEvaluations:
		return &destination{topic: &evaluationsTopic{name: d.Config.Kafka.Topics.Evaluations, encoder: encoder}}, nil
	case config.DestinationLogs:
		return newOTLP(d, name, &e.Logs, encoder.logs)
	case config.DestinationTraces:
		to, err := newOTLP(d, name, &e.Traces, encoder.spans)
		if err == nil {
			to.needsTrace = true
		}
		return to, err
	}
	w, err := newScoreWriter(e, name)
	if err != nil {
		return nil, err
	}
	return &destination{send: w.deliver, close: w.close}, nil
}
