package receivers

import (
	"fmt"
	"io"
	"time"

	"confab/alerting"
	"confab/alerting/card"
	"confab/alerting/console"
	"confab/alerting/slack/interactions"
	"confab/internal/worker/config"
)

// SinkOptions are the dependencies of a sink.
type SinkOptions struct {
	Console io.Writer // where the console sink prints
	Color   bool      // the console is a terminal
	Now     func() time.Time
}

// Sink is the sink of a receiver.
type Sink struct {
	Notifier alerting.Notifier
	Kind     string // a metric label
	Close    func()
}

// NewSink makes the sink of a receiver by its name. It makes no request.
func NewSink(a *config.Alerting, name string, o SinkOptions) (Sink, error) {
	open := config.OpenOptions{Render: renderOptions(a), Resolve: a.Resolve, Now: o.Now}
	if name == config.DefaultReceiver {
		r := config.Receiver{Slack: a.Slack.SlackSink, Alertmanager: a.Alertmanager.AlertmanagerSink}
		if a.Console {
			render := console.Options{Writer: o.Console, Color: o.Color, RenderOptions: open.Render}
			return Sink{console.New(render), "console", func() {}}, nil
		}
		open.Path, open.HTTP, open.Pace = "alerting", a.Alertmanager.HTTPOptions(), a.Slack.Interval
		open.Render.Buttons = a.Slack.Buttons()
		return openSink(&r, open)
	}
	for i := range a.Receivers {
		if r := &a.Receivers[i]; r.Name == name {
			open.Path = fmt.Sprintf("alerting.receivers[%d]", i)
			return openSink(r, open)
		}
	}
	return Sink{}, fmt.Errorf("no receiver is named %q", name)
}

func openSink(r *config.Receiver, o config.OpenOptions) (Sink, error) {
	n, sink, err := r.Open(o)
	if err != nil {
		return Sink{}, err
	}
	return Sink{n, sink, n.Close}, nil
}

func renderOptions(a *config.Alerting) card.RenderOptions {
	return card.RenderOptions{HideExcerpts: !a.Excerpts, TraceURL: a.TraceURL, RunbookURL: a.RunbookURL, PageURL: a.PageURL}
}

// NewSocket makes the receiver of clicks over Slack's Socket Mode, with the configured token.
func NewSocket(s *config.Slack, o interactions.SocketOptions) (*interactions.Socket, error) {
	o.AppToken, o.APIURL = s.AppToken, s.APIURL
	return interactions.NewSocket(o)
}
