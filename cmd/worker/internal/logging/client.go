package logging

import (
	"context"
	"log/slog"
)

// clientLog is the Kafka client's voice: what it calls information (every fetch session and group step) is detail to the
// people who run a worker.
type clientLog struct{ slog.Handler }

// NewClientLog passes a Kafka client's records on to next, those below warnings as detail.
func NewClientLog(next slog.Handler) slog.Handler { return clientLog{next} }

func (h clientLog) Enabled(ctx context.Context, l slog.Level) bool {
	return h.Handler.Enabled(ctx, clientLevel(l))
}

func (h clientLog) Handle(ctx context.Context, r slog.Record) error {
	r.Level = clientLevel(r.Level)
	return h.Handler.Handle(ctx, r)
}

func (h clientLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	return clientLog{h.Handler.WithAttrs(attrs)}
}

func (h clientLog) WithGroup(name string) slog.Handler { return clientLog{h.Handler.WithGroup(name)} }

func clientLevel(l slog.Level) slog.Level {
	if l < slog.LevelWarn {
		return l - 4
	}
	return l
}
