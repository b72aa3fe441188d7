package forget

import (
	"encoding/hex"
	"slices"
	"strings"
	"unicode/utf8"

	"confab/internal/console"
	"confab/schemas"
)

// Selection says whose data is forgotten: that of a tenant, or what has one of the ids or attributes. With both, what has one
// of them and is the tenant's.
type Selection struct {
	Tenant        string
	Interactions  []string
	Conversations []string
	Incidents     []string
	Attributes    []string // NAME=VALUE, of interactions
	Users         []string // who voted on answers

	attributes [][2]string
}

// maxIDs bounds the ids of one command.
const maxIDs = 1000

// check normalizes the selection and reports what is wrong with it.
func (s *Selection) check() error {
	if n := len(s.Interactions) + len(s.Conversations) + len(s.Incidents) + len(s.Attributes) + len(s.Users); n > maxIDs {
		return console.InputErrorf("%d ids and attributes: at most %d in one command", n, maxIDs)
	}
	for _, flag := range []struct {
		name   string
		values []string
	}{{"--interaction-id", s.Interactions}, {"--conversation-id", s.Conversations}, {"--user-id", s.Users}} {
		for _, v := range flag.values {
			if v == "" || !utf8.ValidString(v) {
				return console.InputErrorf("%s %q: write an id that is not empty, in UTF-8", flag.name, v)
			}
		}
	}
	if err := s.checkIncidents(); err != nil {
		return err
	}
	if err := s.checkAttributes(); err != nil {
		return err
	}
	if !s.hasIDs() && s.Tenant == "" {
		return console.InputErrorf("name whose data to forget: --tenant, --conversation-id, --interaction-id, --incident-id, --user-id or --attribute")
	}
	return nil
}

func (s *Selection) checkIncidents() error {
	for i, id := range s.Incidents {
		id = strings.ToLower(strings.TrimSpace(id))
		if raw, err := hex.DecodeString(id); err != nil || len(raw) != incidentBytes {
			return console.InputErrorf("--incident-id %q: write the whole id of %d hexadecimal digits; `confab tail --from-start --json` shows it", console.Sanitize(id), 2*incidentBytes)
		}
		s.Incidents[i] = id
	}
	return nil
}

func (s *Selection) checkAttributes() error {
	for _, a := range s.Attributes {
		name, value, ok := strings.Cut(a, "=")
		if !ok || name == "" || value == "" || !utf8.ValidString(a) {
			return console.InputErrorf("--attribute %q: write NAME=VALUE, such as user_id=42", a)
		}
		s.attributes = append(s.attributes, [2]string{name, value})
	}
	return nil
}

// incidentBytes are the bytes of an incident's id.
const incidentBytes = 32

func (s *Selection) hasIDs() bool {
	return len(s.Interactions)+len(s.Conversations)+len(s.Incidents)+len(s.Attributes)+len(s.Users) > 0
}

// matchesIDs reports whether something of the tenant with one of the ids is selected. An empty id is unknown.
func (s *Selection) matchesIDs(tenant, interaction, conversation, incident string) bool {
	if !s.ofTenant(tenant) {
		return false
	}
	return !s.hasIDs() ||
		interaction != "" && slices.Contains(s.Interactions, interaction) ||
		conversation != "" && slices.Contains(s.Conversations, conversation) ||
		incident != "" && slices.Contains(s.Incidents, incident)
}

func (s *Selection) matchesFlag(f *schemas.Flag) bool {
	return s.matchesIDs(f.Tenant, f.InteractionID, f.ConversationID, f.IncidentID) ||
		f.UserFeedbackBy != "" && slices.ContainsFunc(s.Users, func(user string) bool { return schemas.Voter(f.Tenant, user) == f.UserFeedbackBy })
}

func (s *Selection) matchesVote(v *schemas.Vote) bool {
	return s.matchesIDs(v.Tenant, v.InteractionID, "", "") || s.ofTenant(v.Tenant) && slices.Contains(s.Users, v.User)
}

func (s *Selection) ofTenant(tenant string) bool { return s.Tenant == "" || tenant == s.Tenant }

// matchesInteraction also returns the incident's id where the selection is not the whole tenant.
func (s *Selection) matchesInteraction(in *schemas.Interaction) (matches bool, incident string) {
	if s.Tenant != "" && in.Tenant != s.Tenant {
		return false, ""
	}
	if !s.hasIDs() {
		return true, ""
	}
	if len(s.Incidents) > 0 {
		incident = in.EventID().IncidentID()
	}
	matches = s.matchesIDs(in.Tenant, in.ID, in.ConversationID, incident) || slices.Contains(s.Users, in.UserFeedbackBy) || slices.ContainsFunc(s.attributes, func(a [2]string) bool {
		value, known := in.Attributes[a[0]]
		return known && value == a[1]
	})
	if matches && incident == "" {
		incident = in.EventID().IncidentID()
	}
	return matches, incident
}
