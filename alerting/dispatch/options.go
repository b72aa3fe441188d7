package dispatch

import (
	"cmp"
	"time"
)

// GroupOptions configure how alerts become messages. Names are those of Alertmanager where it has the same option.
type GroupOptions struct {
	// What the incidents of one message have in common, of tenant, service, operation, provider, model, detectors and problem: the
	// source that says otherwise, or the accused sentence, without figures. The tenant always counts.
	By []string `yaml:"group_by" enum:"tenant|service|operation|provider|model|detectors|problem"`
	// Least time between two edits of a message. The first message never waits for it.
	Interval time.Duration `yaml:"group_interval" min:"1s" max:"1h"`
	// How long an alert waits for its second opinion. Then it is sent, marked as not confirmed.
	ConfirmWithin time.Duration `yaml:"confirm_within" min:"1s" max:"30m"`
	// After this time a problem that goes on gets a new message instead of further edits.
	Repeat time.Duration `yaml:"repeat_interval" min:"1m" max:"168h"`
	// A group without a new incident for this time has ended: the next incident gets a new message.
	Resolve time.Duration `yaml:"-"`
	// Incidents that could not be sent for this time go to one digest per tenant and severity.
	StaleAfter time.Duration `yaml:"-"`
	// How many new messages a tenant may cause, for each severity. Further ones go to a digest.
	NewMessages BucketOptions `yaml:"-"`
	// How many groups are kept, divided among the partitions. At it, incidents of new groups are counted by tenant and severity only.
	MaxGroups int `yaml:"max_groups" min:"100" max:"1000000"`
}

// BucketOptions configure a token bucket: a burst, then one per interval.
type BucketOptions struct {
	Burst int           // how many at once, after a quiet time
	Every time.Duration // after how long there is one more
}

// DefaultGroupOptions are the defaults of the configuration.
func DefaultGroupOptions() GroupOptions {
	return GroupOptions{
		By:       []string{"tenant", "service", "model", "problem"},
		Interval: time.Minute, ConfirmWithin: 2 * time.Minute, Repeat: 4 * time.Hour, Resolve: time.Hour, StaleAfter: time.Hour,
		NewMessages: BucketOptions{Burst: 10, Every: 30 * time.Second}, MaxGroups: 10_000,
	}
}

// WithDefaults fills in missing values from DefaultGroupOptions.
func (o GroupOptions) WithDefaults() GroupOptions {
	d := DefaultGroupOptions()
	if o.By == nil {
		o.By = d.By
	}
	o.Interval, o.Repeat, o.ConfirmWithin = cmp.Or(o.Interval, d.Interval), cmp.Or(o.Repeat, d.Repeat), cmp.Or(o.ConfirmWithin, d.ConfirmWithin)
	o.Resolve, o.StaleAfter = cmp.Or(o.Resolve, d.Resolve), cmp.Or(o.StaleAfter, d.StaleAfter)
	o.NewMessages, o.MaxGroups = cmp.Or(o.NewMessages, d.NewMessages), cmp.Or(o.MaxGroups, d.MaxGroups)
	return o
}
