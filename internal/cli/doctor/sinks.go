package doctor

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"confab/alerting"
	slacksink "confab/alerting/slack"
	"confab/alerting/slack/interactions"
	"confab/internal/console"
	"confab/internal/worker/config"
)

// postScope is what a bot token needs in order to post.
const postScope = "chat:write"

// Sink checks the sink of alerts. It posts nothing; it asks Slack about the bot token.
func Sink(ctx context.Context, c *config.Config, now func() time.Time) []console.Finding {
	r := console.Report{Check: "sink"}
	a := &c.Alerting
	switch active := slices.Contains(c.ActiveRoles(), config.RoleAlert); {
	case !active && a.HasSink():
		r.OK("not needed: the role alert is not active here")
	case !active:
		r.Warn("no sink: flags are written, but no alerts are sent", "set alerting.slack or alerting.alertmanager, or run the role alert in another process")
	case !a.HasSink():
		r.Fail("the role alert is active, but no sink is configured", "set alerting.slack or alerting.alertmanager, or alerting.console: true")
	default:
		examineSink(ctx, &r, a, now)
		if a.Slack.BotToken != "" && console.CountFindings(r.Findings, console.Problem) == 0 {
			r.Findings = append(r.Findings, examineClicks(ctx, &a.Slack)...)
		}
	}
	return r.Findings
}

// examineSink checks the configured sink, as far as that posts nothing.
func examineSink(ctx context.Context, r *console.Report, a *config.Alerting, now func() time.Time) {
	const correct = "correct alerting.slack, alerting.alertmanager or alerting.webhook"
	made, err := a.NewSink(config.SinkOptions{Now: now})
	if err != nil {
		r.Fail(err.Error(), correct)
		return
	}
	defer made.Close()
	r.Subject = made.Kind
	detail := ""
	switch sink := made.Notifier.(type) {
	case *slacksink.Bot:
		var id slacksink.Identity
		id, err = sink.Check(ctx)
		detail = fmt.Sprintf("the token is valid: %q in %q", id.User, id.Team)
		if err == nil && id.Scopes != nil && !slices.Contains(id.Scopes, postScope) {
			r.Fail(detail+", without the scope "+postScope, "give the Slack app the scope "+postScope+" and install it again")
			return
		}
		detail += "; the first message shows whether the app is in its channel"
	case interface {
		Check(ctx context.Context) (version string, err error)
	}:
		var version string
		version, err = sink.Check(ctx)
		detail = "it answers, version " + version + "; its own configuration routes the alerts"
	default:
		if made.Kind == "console" {
			r.OK("alerts are printed on standard output")
		} else {
			r.Skip("a webhook cannot be checked without posting", "post to it once by hand, and watch confab_notifications_failed_total")
		}
		return
	}
	if err != nil {
		r.Fail(sinkError(err, correct))
	} else {
		r.OK(detail)
	}
}

// examineClicks checks whether clicks can be received.
func examineClicks(ctx context.Context, s *config.Slack) []console.Finding {
	r := console.Report{Check: "buttons"}
	if !s.Buttons() {
		r.OK("none: set alerting.slack.app_token_file to label alerts by buttons")
		return r.Findings
	}
	const correct = "correct alerting.slack.app_token"
	socket, err := interactions.NewSocket(interactions.SocketOptions{
		AppToken: s.AppToken, APIURL: s.APIURL,
		Metrics: interactions.NewMetrics(prometheus.NewRegistry()), Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		r.Fail(err.Error(), correct)
	} else if err := socket.Check(ctx); err != nil {
		r.Fail(sinkError(err, correct))
	} else {
		r.OK("Slack lets the app open a connection for clicks")
	}
	return r.Findings
}

// sinkError returns the text and the remedy of a sink's error.
func sinkError(err error, otherwise string) (detail, remedy string) {
	e, ok := errors.AsType[*alerting.Error](err)
	switch {
	case !ok:
		return err.Error(), otherwise
	case e.Remedy != "":
		return e.Op + ": " + e.Detail, e.Remedy
	default:
		return e.Op + ": " + e.Detail, "try again later"
	}
}
