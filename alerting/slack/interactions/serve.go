package interactions

import (
	"context"
	"time"

	"github.com/slack-go/slack"
	"github.com/slack-go/slack/socketmode"
	"golang.org/x/sync/errgroup"

	"confab/alerting"
	slacksink "confab/alerting/slack"
	"confab/internal/retry"
)

// Run serves clicks until ctx ends, over one connection after the other: Slack itself ends each after some hours. What
// fails is tried again, with growing pauses, and what only a person can end once a minute. It is called once. (The
// library's reading goroutine ends with its connection, an instant after Run may have returned.)
func (s *Socket) Run(ctx context.Context) error {
	var all errgroup.Group
	all.Go(func() error { s.serve(ctx); return nil })
	for ctx.Err() == nil {
		// The library opens connection after connection and returns only where it thinks that nothing helps.
		err := s.client().RunContext(ctx)
		s.opts.Metrics.connected.Set(0)
		if ctx.Err() == nil {
			s.opts.Logger.Error("open Slack Socket Mode failed, retrying in a minute", "error", explainConnect(err))
			_ = retry.Sleep(ctx, oncePerMinute)
		}
	}
	return all.Wait()
}

// serve takes what the library hands over. Clicks are handled beside each other: one that waits for the brokers or for a
// channel's turn holds up no other.
func (s *Socket) serve(ctx context.Context) {
	var clicks errgroup.Group
	clicks.SetLimit(maxConcurrentClicks)
	var said logTimes
	app := "" // whose socket it is
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case event := <-s.client().Events:
			if event.Request != nil && event.Type != socketmode.EventTypeHello {
				clicks.Go(func() error { s.handleEnvelope(ctx, event, app); return nil })
				continue
			}
			if event.Type == socketmode.EventTypeHello {
				app = event.Request.ConnectionInfo.AppID
			}
			s.trackConnection(event, &said)
		}
	}
	_ = clicks.Wait() // they return nil
}

// logTimes are when each line of the log was last written: what is at the other end decides how often there is a cause.
type logTimes struct{ connected, unread, failed time.Time }

// logDue says whether a line may be written again, and notes that it is.
func logDue(last *time.Time, now time.Time) bool {
	if now.Sub(*last).Abs() < oncePerMinute {
		return false
	}
	*last = now
	return true
}

// trackConnection follows whether there is a connection, and writes each line of the log at most once a minute.
func (s *Socket) trackConnection(event socketmode.Event, said *logTimes) {
	now := s.opts.Now()
	switch event.Type {
	case socketmode.EventTypeHello:
		s.opts.Metrics.connected.Set(1)
		if logDue(&said.connected, now) {
			s.opts.Logger.Info("connected to Slack Socket Mode", "connections", event.Request.NumConnections)
		}
	case socketmode.EventTypeConnecting:
		s.opts.Metrics.connected.Set(0)
	case socketmode.EventTypeErrorBadMessage:
		s.opts.Metrics.count(unknownAction, outcomeInvalid)
		if logDue(&said.unread, now) {
			s.opts.Logger.Warn("decode Slack envelope failed")
		}
	case socketmode.EventTypeConnectionError:
		if failed, ok := event.Data.(*slack.ConnectionErrorEvent); ok && logDue(&said.failed, now) {
			s.opts.Logger.Warn("connect to Slack Socket Mode failed, retrying", "error", explainConnect(failed.ErrorObj))
		}
	default: // connected: hello follows; answers that could not be written: the click is durable, and may come again
	}
}

// handleEnvelope handles what Slack wants acknowledged. A click is acknowledged once it is durable; one that is not shows the
// person a warning, as does one that is none of ours, or of another app than the one that Slack greeted, where it named one.
// What is no click is acknowledged, so that Slack does not send it again.
func (s *Socket) handleEnvelope(ctx context.Context, event socketmode.Event, app string) {
	show := func(context.Context) {}
	if cb, ok := event.Data.(slack.InteractionCallback); ok {
		if cb.Type == slack.InteractionTypeBlockActions && app != "" && cb.APIAppID != app {
			s.opts.Metrics.count(unknownAction, outcomeInvalid)
			return
		}
		var err error
		if show, err = s.opts.Handler.Handle(ctx, &cb); err != nil {
			return // logged and counted
		}
	}
	if event.Request.EnvelopeID == "" {
		return
	}
	ack, cancel := context.WithTimeout(ctx, editTimeout)
	defer cancel()
	if err := s.client().AckCtx(ack, event.Request.EnvelopeID, nil); err != nil {
		return // the click is durable; where it is delivered again it is the same record
	}
	show(ctx)
}

// explainConnect says in our own words why there is no connection, with the remedy for an app token.
func explainConnect(err error) error {
	e := slacksink.Explain(opConnect, err)
	switch e.Reason {
	case alerting.ReasonAuth, alerting.ReasonNotFound:
		e.Remedy = appTokenHelp
	case alerting.ReasonUnknown:
		e.Detail = "the websocket could not be opened"
	default:
	}
	return e
}
