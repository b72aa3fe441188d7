package forget

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"confab/consumer"
	"confab/internal/kafka"
	"confab/internal/kafka/deadletter"
	"confab/internal/worker/cluster"
	"confab/internal/worker/records"
	"confab/schemas"
	confabjson "confab/schemas/json"
)

// maxIncidents bounds the incidents in memory, about 200 bytes each.
const maxIncidents = 2_000_000

// errTooMany says that the selection is too large for the memory of one command.
var errTooMany = fmt.Errorf("more than %d incidents are selected: forget them in parts, by --conversation-id or --interaction-id", maxIncidents)

// incident is what the topics hold of a selected incident.
type incident struct {
	known      bool    // a record of Confab has it
	verified   bool    // a record says that it is the selected tenant's
	marked     bool    // its last record in the topic of labels is the mark
	held       bool    // the state of alerts holds its texts
	partitions []int32 // of its labels
}

// recordPlace is a key of a compacted topic.
type recordPlace struct {
	topic     string
	partition int32
	key       string
}

// topicCount is what a topic holds.
type topicCount struct {
	records    int
	unreadable int       // records that cannot be decoded, and are not searched
	newest     time.Time // of both
}

// add counts a record that was found, or that cannot be decoded.
func (c *topicCount) add(r *kafka.FetchedRecord, decoded bool) {
	if decoded {
		c.records++
	} else {
		c.unreadable++
	}
	if r.Timestamp.After(c.newest) {
		c.newest = r.Timestamp
	}
}

// scanner reads the topics.
type scanner struct {
	*Options

	counts    map[string]*topicCount
	incidents map[string]*incident
	tenants   map[string]bool
	answers   map[[2]string]bool     // tenants and ids of selected answers
	groups    map[recordPlace]*group // of the state of alerts
	entries   map[recordPlace]bool
	read      int
	decode    records.RecordReader
}

// group is what a record of the state of alerts holds.
type group struct {
	incidents []string // whose texts it has
	message   string   // that shows it, "" if there is none
}

func newScanner(o *Options, decode records.RecordReader) *scanner {
	s := &scanner{
		Options: o, decode: decode, counts: map[string]*topicCount{}, incidents: map[string]*incident{}, tenants: map[string]bool{},
		answers: map[[2]string]bool{}, groups: map[recordPlace]*group{}, entries: map[recordPlace]bool{},
	}
	for _, id := range o.Selection.Incidents {
		s.incidents[id] = &incident{}
	}
	return s
}

// topic reads a topic from its start to its end.
func (s *scanner) topic(ctx context.Context, t Topic) error {
	s.counts[t.Name] = &topicCount{}
	each := map[Kind]func(context.Context, *kafka.FetchedRecord) error{
		Interactions: s.interactions, Flags: s.flag, AlertState: s.alertState, Labels: s.label, Votes: s.vote, Events: s.event, Entries: s.entry,
	}[t.Kind]
	o := kafka.ReaderOptions{Config: s.Kafka, Topics: []string{t.Name}}
	return cluster.Read(ctx, o, s.Timeout, func(r *kafka.FetchedRecord) error {
		if s.read++; s.Progress != nil {
			s.Progress(s.read)
		}
		if len(s.incidents) > maxIncidents {
			return errTooMany
		}
		return each(ctx, r)
	})
}

// note marks an incident as selected.
func (s *scanner) note(id, tenant string, known bool) {
	in := s.incidents[id]
	if in == nil {
		in = &incident{}
		s.incidents[strings.Clone(id)] = in
	}
	in.known, in.verified = in.known || known, true
	if !s.tenants[tenant] && len(s.tenants) < maxIDs {
		s.tenants[strings.Clone(tenant)] = true
	}
}

// noteAnswer marks the ids by which votes name a selected answer.
func (s *scanner) noteAnswer(tenant string, ids ...string) {
	for _, id := range ids {
		if id != "" {
			s.answers[[2]string{strings.Clone(tenant), strings.Clone(id)}] = true
		}
	}
}

// interactions counts a record that holds a selected interaction.
func (s *scanner) interactions(ctx context.Context, r *kafka.FetchedRecord) error {
	read := *r
	if r.Topic == s.DeadLetters { // read it as the record that it was
		read.Topic = cmp.Or(deadletter.Describe(r.Headers).Topic, r.Topic)
	}
	list, _, err := s.decode(ctx, &read)
	if err != nil {
		return fmt.Errorf("%s partition %d offset %d: %w", r.Topic, r.Partition, r.Offset, err)
	}
	if len(list) == 0 {
		s.counts[r.Topic].add(r, false)
		return nil
	}
	found := false
	for _, in := range list {
		matches, id := s.Selection.matchesInteraction(in)
		if matches && id != "" {
			s.note(id, in.Tenant, false)
			s.noteAnswer(in.Tenant, in.ID, in.TraceID, in.SpanID)
		}
		found = found || matches
	}
	if found {
		s.counts[r.Topic].add(r, true)
	}
	return nil
}

func (s *scanner) flag(ctx context.Context, r *kafka.FetchedRecord) error {
	var f schemas.Flag
	err := s.DecodeFlag(ctx, r.Value, &f)
	if _, poison := errors.AsType[*consumer.PoisonError](err); poison || err == nil && f.IncidentID == "" {
		s.counts[r.Topic].add(r, false)
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s partition %d offset %d: %w", r.Topic, r.Partition, r.Offset, err)
	}
	if s.selects(&f) {
		s.counts[r.Topic].add(r, true)
	}
	return nil
}

// selects notes the incident of a flag that is selected.
func (s *scanner) selects(f *schemas.Flag) bool {
	if s.incidents[f.IncidentID] == nil && !s.Selection.matchesFlag(f) || s.Selection.Tenant != "" && f.Tenant != s.Selection.Tenant {
		return false
	}
	s.note(f.IncidentID, f.Tenant, true)
	if s.Selection.hasIDs() {
		s.noteAnswer(f.Tenant, f.InteractionID, f.TraceID, f.SpanID, f.Attributes["message_id"])
	}
	return true
}

// flagsOf are the flags in a state of alerts.
func flagsOf(state *schemas.AlertState) (flags []schemas.Flag) {
	if state.Waiting != nil {
		flags = append(flags, *state.Waiting)
	}
	if state.Group != nil {
		flags = append(flags, state.Group.Top...)
		if state.Group.Lead != nil {
			flags = append(flags, *state.Group.Lead)
		}
	}
	return flags
}

func (s *scanner) alertState(_ context.Context, r *kafka.FetchedRecord) error {
	at := recordPlace{r.Topic, r.Partition, string(r.Key)}
	delete(s.groups, at)
	var state schemas.AlertState
	if r.Value == nil || confabjson.DecodeAlertState(r.Value, &state) != nil {
		return nil //nolint:nilerr // Confab writes no such state
	}
	g, flags := &group{}, flagsOf(&state)
	for i := range flags {
		if f := &flags[i]; hasText(f) && s.selects(f) {
			g.incidents = append(g.incidents, f.IncidentID)
		}
	}
	if len(g.incidents) == 0 {
		return nil
	}
	if state.Timestamp != "" {
		g.message = state.Channel + " " + state.Timestamp
	}
	s.groups[at] = g
	if c := s.counts[r.Topic]; r.Timestamp.After(c.newest) {
		c.newest = r.Timestamp
	}
	return nil
}

// hasText reports whether a flag of the state of alerts was not forgotten yet.
func hasText(f *schemas.Flag) bool {
	return f.InteractionID != "" || f.ConversationID != "" || f.Question != "" ||
		slices.ContainsFunc(f.Signals, func(s schemas.Signal) bool { return len(s.Evidence) > 0 || s.Reason != "" })
}

// selected is the incident of a record without a tenant; nil if it is not selected.
func (s *scanner) selected(id string) *incident {
	in := s.incidents[id]
	if in == nil || s.Selection.Tenant != "" && !in.verified {
		return nil
	}
	return in
}

func (s *scanner) label(_ context.Context, r *kafka.FetchedRecord) error {
	var l schemas.Feedback
	if confabjson.DecodeFeedback(r.Value, &l) != nil {
		return nil //nolint:nilerr // it is not a label
	}
	in := s.selected(l.IncidentID)
	if in == nil {
		return nil
	}
	in.known = true
	if in.marked = l.Verdict == schemas.Forgotten; in.marked {
		return nil
	}
	s.counts[r.Topic].add(r, true)
	if !slices.Contains(in.partitions, r.Partition) {
		in.partitions = append(in.partitions, r.Partition)
	}
	return nil
}

func (s *scanner) vote(_ context.Context, r *kafka.FetchedRecord) error {
	at := recordPlace{r.Topic, r.Partition, string(r.Key)}
	delete(s.entries, at)
	if r.Value == nil {
		return nil
	}
	v := s.Votes.Decode(r)
	if v == nil {
		s.counts[r.Topic].add(r, false)
		return nil
	}
	named := slices.ContainsFunc(v.IDs(), func(id string) bool { return s.answers[[2]string{v.Tenant, id}] })
	if named || s.Selection.matchesVote(v) {
		s.entries[at] = true
	}
	return nil
}

func (s *scanner) event(_ context.Context, r *kafka.FetchedRecord) error {
	if s.selected(string(r.Key)) != nil {
		s.counts[r.Topic].add(r, true)
	}
	return nil
}

func (s *scanner) entry(_ context.Context, r *kafka.FetchedRecord) error {
	at := recordPlace{r.Topic, r.Partition, string(r.Key)}
	delete(s.entries, at)
	var e struct {
		Tenant         string `json:"tenant"`
		IncidentID     string `json:"incident_id"`
		InteractionID  string `json:"interaction_id"`
		ConversationID string `json:"conversation_id"`
	}
	if r.Value == nil {
		return nil
	}
	if json.Unmarshal(r.Value, &e) != nil {
		return nil //nolint:nilerr // whose it is is unknown: it may be another tenant's
	}
	ofTenant := s.Selection.Tenant == "" || s.Selection.Tenant == e.Tenant
	if s.Selection.matchesIDs(e.Tenant, e.InteractionID, e.ConversationID, e.IncidentID) || ofTenant && e.IncidentID != "" && s.incidents[e.IncidentID] != nil {
		s.entries[at] = true
	}
	return nil
}
