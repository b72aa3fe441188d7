package sinks

import (
	"fmt"

	"confab/alerting"
	"confab/internal/worker/config"
	"confab/internal/worker/config/routing"
)

// Receiver is the sink of a receiver.
type Receiver struct {
	Notifier alerting.Notifier
	Sink     string // its kind, a metric label
	Close    func()
}

// NewReceiver makes the sink of a receiver by its name. It makes no request.
func NewReceiver(a *config.Alerting, name string, o Options) (Receiver, error) {
	if name == routing.DefaultReceiver {
		n, sink, closeIt, err := New(a, o)
		return Receiver{n, sink, closeIt}, err
	}
	for i := range a.Receivers {
		if r := &a.Receivers[i]; r.Name == name {
			n, sink, err := r.Open(routing.OpenOptions{
				Path: fmt.Sprintf("alerting.receivers[%d]", i), Render: renderOptions(a), Resolve: a.Resolve, Now: o.Now,
			})
			if err != nil {
				return Receiver{}, err
			}
			return Receiver{n, sink, n.Close}, nil
		}
	}
	return Receiver{}, fmt.Errorf("no receiver is named %q", name)
}
