package forget

import (
	"slices"

	"confab/internal/worker/config"
)

// Kind is what the records of a topic are.
type Kind int

// The kinds of topics, in the order in which they are read: the first ones determine the selected incidents.
const (
	Interactions Kind = iota // interactions, copies of them, dead letters
	Flags
	AlertState
	Labels
	Votes
	Events  // of any form, keyed by the incident
	Entries // JSON objects with tenant and incident_id in a compacted topic: each is deleted by its key
)

// Topic is a topic that may hold texts or ids of people.
type Topic struct {
	Name string
	Kind Kind
}

// Topics are the topics of a configuration. llm.budget and llm.calibrations are not among them: they have numbers, and names of tenants.
func Topics(c *config.Config) []Topic {
	t := c.Kafka.Topics
	all := make([]Topic, 0, len(c.Kafka.Inputs)+8)
	for _, in := range c.Kafka.Inputs {
		all = append(all, Topic{in.Topic, Interactions})
	}
	all = append(all,
		Topic{t.Sampled, Interactions},
		Topic{t.DLQ, Interactions},
		Topic{t.Incidents, Flags},
		Topic{t.Alerts, AlertState},
		Topic{t.Feedback, Labels},
		Topic{t.Votes, Votes},
		Topic{t.Observations, Entries},
		Topic{t.Evaluations, Events},
	)
	seen := map[string]bool{}
	return slices.DeleteFunc(all, func(t Topic) bool {
		known := seen[t.Name] || t.Name == ""
		seen[t.Name] = true
		return known
	})
}
