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

// Run serves clicks until ctx ends. Slack ends connections after some hours; Run opens the next one. Failures are retried
// with back-off, those that a person must end once a minute. Run must be called once. The library's reading goroutine ends
// with its connection, which may be shortly after Run returns.
func (s *Socket) Run(ctx context.Context) error {
	var all errgroup.Group
	all.Go(func() error { s.serve(ctx); return nil })
	for ctx.Err() == nil {
		// The library reconnects and returns only on errors that it considers permanent.
		err := s.client().RunContext(ctx)
		s.opts.Metrics.connected.Set(0)
		if ctx.Err() == nil {
			s.opts.Logger.Error("open Slack Socket Mode failed, retrying in a minute", "error", explainConnect(err))
			_ = retry.Sleep(ctx, repeatInterval)
		}
	}
	err := all.Wait()
	s.opts.Metrics.connected.Set(0) // serve may have handled a hello meanwhile
	return err
}

// serve handles events of the library. Clicks are handled concurrently, so that one that waits for the brokers or a rate
// limit does not block others.
func (s *Socket) serve(ctx context.Context) {
	var clicks errgroup.Group
	clicks.SetLimit(maxConcurrentClicks)
	var logged logTimes
	app := "" // of the connection
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case event := <-s.client().Events:
			if event.Request != nil && event.Type != socketmode.EventTypeHello {
				sender := app // a later hello must not change it
				clicks.Go(func() error { s.handleEnvelope(ctx, event, sender); return nil })
				continue
			}
			if event.Type == socketmode.EventTypeHello {
				app = event.Request.ConnectionInfo.AppID
			}
			s.trackConnection(event, &logged)
		}
	}
	_ = clicks.Wait() // always nil
}

// logTimes holds when each line was last logged. The other side determines how often its cause occurs.
type logTimes struct{ connected, unread, failed time.Time }

// logDue reports whether a line may be logged again, and records that it is.
func logDue(last *time.Time, now time.Time) bool {
	if now.Sub(*last).Abs() < repeatInterval {
		return false
	}
	*last = now
	return true
}

// trackConnection updates the metric of the connection and logs each event at most once a minute.
func (s *Socket) trackConnection(event socketmode.Event, logged *logTimes) {
	now := s.opts.Now()
	switch event.Type {
	case socketmode.EventTypeHello:
		s.opts.Metrics.connected.Set(1)
		if logDue(&logged.connected, now) {
			s.opts.Logger.Info("connected to Slack Socket Mode", "connections", event.Request.NumConnections)
		}
	case socketmode.EventTypeConnecting:
		s.opts.Metrics.connected.Set(0)
	case socketmode.EventTypeErrorBadMessage:
		s.opts.Metrics.count(unknownAction, outcomeInvalid)
		if logDue(&logged.unread, now) {
			s.opts.Logger.Warn("decode Slack envelope failed")
		}
	case socketmode.EventTypeConnectionError:
		if failed, ok := event.Data.(*slack.ConnectionErrorEvent); ok && logDue(&logged.failed, now) {
			s.opts.Logger.Warn("connect to Slack Socket Mode failed, retrying", "error", explainConnect(failed.ErrorObj))
		}
	default: // connected: hello follows; failed acknowledgements: the click is durable and may be delivered again
	}
}

// handleEnvelope handles an event that Slack requires to be acknowledged. A click is acknowledged once it is durable. For
// other clicks, also those of another app than that of the connection, Slack shows the user a warning. Other events are
// acknowledged, so that Slack does not send them again.
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
		return // the click is durable; delivered again, it gives the same record
	}
	show(ctx)
}

// explainConnect explains a failed connection, with the remedy for an app token.
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
