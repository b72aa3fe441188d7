package receivers

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"time"

	"go.opentelemetry.io/otel/trace"

	"confab"
	"confab/alerting"
	"confab/alerting/dispatch"
	"confab/internal/worker/config"
	"confab/schemas"
)

// Options are the dependencies of a Set. All are required.
type Options struct {
	Config     *config.Config
	Console    io.Writer // where the console sink prints
	Color      bool      // the console is a terminal
	Now        func() time.Time
	Metrics    *dispatch.Metrics // of the receiver default
	Logger     *slog.Logger
	Tracer     trace.Tracer // nil: none
	Partitions int          // of llm.incidents
}

// Receiver is a dispatcher with its name.
type Receiver struct {
	Name       string
	Dispatcher *dispatch.Dispatcher
}

// Set is the dispatchers of all receivers. It is safe for concurrent use.
type Set struct {
	Receivers []Receiver
	Default   alerting.Notifier // that of the receiver default; nil without one
	closers   []func()
	policies  []reloadedPolicy
}

// reloadedPolicy is the policy of a receiver, and what of the configuration it takes.
type reloadedPolicy struct {
	policy  *alerting.Policy
	options func(alerting.PolicyOptions) alerting.PolicyOptions
}

// New makes the configured receivers. It makes no request.
func New(o *Options) (*Set, error) {
	a := &o.Config.Alerting
	names := a.ReceiverNames()
	s := &Set{}
	base := dispatch.Options{
		Logger: o.Logger, Tracer: o.Tracer, Groups: a.GroupOptions, Tenants: o.Config.FixedTenants(), Partitions: o.Partitions,
		Threads: a.Slack.Threads, Now: o.Now,
	}
	for _, name := range names {
		made, err := NewSink(a, name, SinkOptions{Console: o.Console, Color: o.Color, Now: o.Now})
		if err != nil {
			s.Close()
			return nil, err
		}
		s.closers = append(s.closers, made.Close)
		options := base
		options.Notifier, options.Sink = made.Notifier, made.Kind
		channels := withoutChannels
		if name == config.DefaultReceiver {
			s.Default, options.Metrics = made.Notifier, o.Metrics
			channels = func(o alerting.PolicyOptions) alerting.PolicyOptions { return o }
		} else {
			options.Metrics, options.Logger = o.Metrics.ForReceiver(name), o.Logger.With("receiver", name)
		}
		options.Policy = alerting.NewPolicy(channels(o.Config.PolicyOptions()))
		s.policies = append(s.policies, reloadedPolicy{options.Policy, channels})
		s.Receivers = append(s.Receivers, Receiver{name, dispatch.New(options)})
	}
	return s, nil
}

// Reload prepares the alert rule of a changed configuration. commit puts it in force. Receivers change by a restart.
func (s *Set) Reload(next *config.Config, _ confab.Tuning) (commit func(), err error) {
	return func() {
		for _, p := range s.policies {
			p.policy.Replace(p.options(next.PolicyOptions()))
		}
	}, nil
}

// withoutChannels removes the channels of alerting.slack from a policy: other receivers have their own.
func withoutChannels(o alerting.PolicyOptions) alerting.PolicyOptions {
	o.Default.Channel, o.Default.High.Channel = "", ""
	tenants := make(map[string]alerting.TenantOptions, len(o.Tenants))
	for name := range o.Tenants {
		t := o.Tenants[name]
		t.Alerting.Channel, t.Alerting.High.Channel = "", ""
		tenants[name] = t
	}
	o.Tenants = tenants
	return o
}

// Add adds the flag's incident to its group of every receiver. It waits for the log only. After an error
// the caller offers the same flag again: receivers that have it already change nothing.
func (s *Set) Add(ctx context.Context, partition int32, f *schemas.Flag) (dispatch.Outcome, error) {
	best := dispatch.NotAlerting
	for i := range s.Receivers {
		out, err := s.Receivers[i].Dispatcher.Add(ctx, partition, f)
		if err != nil {
			return "", err
		}
		if out == dispatch.Grouped || best == dispatch.NotAlerting {
			best = out
		}
	}
	return best, nil
}

// Label applies a person's verdict at every receiver.
func (s *Set) Label(ctx context.Context, label schemas.Feedback) error {
	var errs []error
	for i := range s.Receivers {
		errs = append(errs, s.Receivers[i].Dispatcher.Label(ctx, label))
	}
	return errors.Join(errs...)
}

// Silence applies a silence at every receiver.
func (s *Set) Silence(silence schemas.Silence) {
	for i := range s.Receivers {
		s.Receivers[i].Dispatcher.Silence(silence)
	}
}

// Run delivers until ctx ends. When one receiver's dispatcher fails, all end.
func (s *Set) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var all sync.WaitGroup
	errs := make([]error, len(s.Receivers))
	for i := range s.Receivers {
		all.Go(func() {
			errs[i] = s.Receivers[i].Dispatcher.Run(ctx)
			cancel()
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// Close closes the sinks.
func (s *Set) Close() {
	for _, closeSink := range s.closers {
		closeSink()
	}
}
