package logging

import (
	"context"
	"log/slog"
)

// clientLog lowers the level of the Kafka client's records below warnings: its information (every fetch session and group
// step) is debug output for operators.
type clientLog struct{ slog.Handler }

// NewClientLog passes a Kafka client's records to next, with the level of those below warnings lowered by one step.
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
