package dispatch

import "time"

// GroupOptions configure how alerts become messages. Names are those of Alertmanager where it has the same option.
type GroupOptions struct {
	// What the incidents of one message have in common, of tenant, service, operation, provider, model and detectors.
	// The tenant always counts.
	By []string `yaml:"group_by" enum:"tenant|service|operation|provider|model|detectors"`
	// Least time between two edits of a message. The first message never waits for it.
	Interval time.Duration `yaml:"group_interval" min:"1s" max:"1h"`
	// After this time a problem that goes on gets a new message instead of further edits.
	Repeat time.Duration `yaml:"repeat_interval" min:"1m" max:"168h"`
	// A group without a new incident for this time has ended: the next incident gets a new message.
	Resolve time.Duration `yaml:"-"`
	// Incidents that could not be sent for this time go to one digest per tenant and severity.
	StaleAfter time.Duration `yaml:"-"`
	// How many new messages a tenant may cause, for each severity. Further ones go to a digest.
	NewMessages BucketOptions `yaml:"-"`
	// How many new messages there may be in 24 hours, of all tenants together. Further problems go to digests. 0: no limit.
	DailyLimit int `yaml:"daily_limit" min:"0" max:"1000"`
	// How many groups are kept, divided among the partitions. Near it, delivered groups leave; at it, incidents of new groups are counted by tenant and severity only.
	MaxGroups int `yaml:"max_groups" min:"100" max:"1000000"`
}

// BucketOptions configure a token bucket: a burst, then one per interval.
type BucketOptions struct {
	// How many at once, after a quiet time.
	Burst int `yaml:"burst" min:"1" max:"1000"`
	// After how long there is one more.
	Every time.Duration `yaml:"every" min:"1s" max:"1h"`
}

// DefaultGroupOptions are the defaults of the configuration.
func DefaultGroupOptions() GroupOptions {
	return GroupOptions{
		By:       []string{"tenant", "service", "model", "detectors"},
		Interval: time.Minute, Repeat: 4 * time.Hour, Resolve: time.Hour, StaleAfter: time.Hour,
		NewMessages: BucketOptions{Burst: 10, Every: 30 * time.Second}, MaxGroups: 10_000,
	}
}

// WithDefaults fills in missing values from DefaultGroupOptions.
func (o GroupOptions) WithDefaults() GroupOptions {
	d := DefaultGroupOptions()
	if o.By == nil {
		o.By = d.By
	}
	for _, p := range []struct{ v, d *time.Duration }{
		{&o.Interval, &d.Interval},
		{&o.Repeat, &d.Repeat},
		{&o.Resolve, &d.Resolve},
		{&o.StaleAfter, &d.StaleAfter},
		{&o.NewMessages.Every, &d.NewMessages.Every},
	} {
		if *p.v <= 0 {
			*p.v = *p.d
		}
	}
	if o.NewMessages.Burst <= 0 {
		o.NewMessages.Burst = d.NewMessages.Burst
	}
	if o.MaxGroups <= 0 {
		o.MaxGroups = d.MaxGroups
	}
	return o
}
