package schemas

import (
	"time"
)

// ObservationVerdict is what was found about a claim.
type ObservationVerdict string

// ClaimIsFalse is the only verdict so far.
const ClaimIsFalse ObservationVerdict = "false"

// ObservationSource is where the verdict comes from.
type ObservationSource string

// The sources of observations.
const (
	FromLabel  ObservationSource = "label"  // a person confirmed the incident
	FromManual ObservationSource = "manual" // somebody added the claim
)

// Observation is the record of llm.observations: a claim that was found false. Its key is [Observation.Key], so a later
// record of the same claim and tenant replaces it, and a record without a value deletes it.
type Observation struct {
	Tenant     string             `json:"tenant"`
	ClaimKey   string             `json:"claim_key"`         // hexadecimal SHA-256 of the claim's normal form
	Claim      string             `json:"claim"`             // redacted, at most 300 characters
	About      []string           `json:"about,omitempty"`   // names, figures and further words of the claim, sorted
	Sources    []string           `json:"sources,omitempty"` // of the answer that made the claim: the first 8 bytes of each text's SHA-256
	Verdict    ObservationVerdict `json:"verdict"`
	Source     ObservationSource  `json:"source"`
	IncidentID string             `json:"incident_id,omitempty"` // of the answer that made the claim
	User       string             `json:"user,omitempty"`        // who labelled or added it
	At         time.Time          `json:"at"`
	ExpiresAt  time.Time          `json:"expires_at,omitzero"` // zero: never
}

// Key is the key of the record: claim key and tenant, with a colon between them.
func (o *Observation) Key() string { return o.ClaimKey + ":" + o.Tenant }

// Expired reports whether the observation no longer counts.
func (o *Observation) Expired(now time.Time) bool {
	return !o.ExpiresAt.IsZero() && !now.Before(o.ExpiresAt)
}
