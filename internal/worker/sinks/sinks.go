package sinks

import (
	"fmt"
	"io"
	"time"

	"confab/alerting"
	"confab/alerting/card"
	"confab/alerting/console"
	"confab/alerting/slack/interactions"
	"confab/internal/worker/config"
	"confab/internal/worker/config/routing"
)

// Options are the dependencies of a sink.
type Options struct {
	Console io.Writer // where the console sink prints
	Color   bool      // the console is a terminal
	Now     func() time.Time
}

// Receiver is the sink of a receiver.
type Receiver struct {
	Notifier alerting.Notifier
	Sink     string // its kind, a metric label
	Close    func()
}

// NewReceiver makes the sink of a receiver by its name. It makes no request.
func NewReceiver(a *config.Alerting, name string, o Options) (Receiver, error) {
	open := routing.OpenOptions{Render: renderOptions(a), Resolve: a.Resolve, Now: o.Now}
	if name == routing.DefaultReceiver {
		r := routing.Receiver{Slack: a.Slack.Slack, Alertmanager: a.Alertmanager.Alertmanager}
		if a.Console {
			render := console.Options{Writer: o.Console, Color: o.Color, RenderOptions: open.Render}
			return Receiver{console.New(render), "console", func() {}}, nil
		}
		open.Path, open.HTTP, open.Render.Buttons = "alerting", a.Alertmanager.HTTPClient.Options(), a.Slack.Buttons()
		return openReceiver(&r, open)
	}
	for i := range a.Receivers {
		if r := &a.Receivers[i]; r.Name == name {
			open.Path = fmt.Sprintf("alerting.receivers[%d]", i)
			return openReceiver(r, open)
		}
	}
	return Receiver{}, fmt.Errorf("no receiver is named %q", name)
}

func openReceiver(r *routing.Receiver, o routing.OpenOptions) (Receiver, error) {
	n, sink, err := r.Open(o)
	if err != nil {
		return Receiver{}, err
	}
	return Receiver{n, sink, n.Close}, nil
}

func renderOptions(a *config.Alerting) card.RenderOptions {
	return card.RenderOptions{HideExcerpts: !a.Excerpts, TraceURL: a.TraceURL, RunbookURL: a.RunbookURL, PageURL: a.PageURL}
}

// NewSocket makes the receiver of clicks over Slack's Socket Mode, with the configured token.
func NewSocket(s *config.Slack, o interactions.SocketOptions) (*interactions.Socket, error) {
	o.AppToken, o.APIURL = s.AppToken, s.APIURL
	return interactions.NewSocket(o)
}
