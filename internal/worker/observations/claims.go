package observations

import (
	"encoding/hex"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"confab/detectors"
	"confab/detectors/knownfalse"
	"confab/internal/redact"
	"confab/schemas"
)

const (
	maxClaim   = 300 // characters of a claim in a record
	maxAbout   = 8   // words of a claim in a record
	maxSources = 50  // of an answer in a record
	minWord    = 5   // letters of a word that says what a claim is about
)

// claimVerdict says who found claims false, and for how long that counts.
type claimVerdict struct {
	source         schemas.ObservationSource
	incident, user string
	at             time.Time
	ttl            time.Duration       // 0: for ever
	redact         func(string) string // nil: the built-in patterns
}

// flaggedSpans are the places that fired detectors of claims name.
func flaggedSpans(f *schemas.Flag) (all []schemas.Span) {
	for i := range f.Signals {
		s := &f.Signals[i]
		if s.Outcome != schemas.Fired || s.Detector == knownfalse.Name || !judgesClaims(s.Type) {
			continue
		}
		for _, e := range s.Evidence {
			all = append(all, schemas.Span{Start: e.Start, End: e.End})
		}
	}
	return all
}

// judgesClaims reports whether evidence of the type is a claim that is false. A wrong citation or an odd token is none.
func judgesClaims(t schemas.SignalType) bool {
	return t == schemas.Factual || t == schemas.Logical || t == schemas.Fabrication
}

// observeFlag makes an observation of each flagged sentence of the answer, if it can be recognised again.
func observeFlag(in *schemas.Interaction, f *schemas.Flag, v claimVerdict) (all []schemas.Observation) {
	spans := flaggedSpans(f)
	var doc detectors.Document
	var n knownfalse.Normalizer
	doc.Reset(in)
	sources := sourceHashes(in)
	for _, s := range doc.Sentences() {
		holds := func(p schemas.Span) bool { return p.Start >= 0 && p.Start < int(s.End) && int(s.Start) < p.End }
		if !slices.ContainsFunc(spans, holds) {
			continue
		}
		claim := s.In(doc.Text())
		key, ok := n.Key(claim)
		if !ok {
			continue
		}
		if !slices.ContainsFunc(all, func(o schemas.Observation) bool { return o.ClaimKey == hex.EncodeToString(key[:]) }) {
			o := v.of(in.Tenant, key, claim)
			o.Sources = sources
			all = append(all, o)
		}
	}
	return all
}

// sourceHashes are the hashes of the sources.
func sourceHashes(in *schemas.Interaction) (all []string) {
	for _, s := range in.Sources[:min(len(in.Sources), maxSources)] {
		h := knownfalse.HashSource(s.Text)
		all = append(all, hex.EncodeToString(h[:]))
	}
	return all
}

// of is the observation of a tenant's claim.
func (v *claimVerdict) of(tenant string, key knownfalse.ClaimKey, claim string) schemas.Observation {
	hide := v.redact
	if hide == nil {
		hide = redact.Redact
	}
	shown := shortened(hide(strings.Join(strings.Fields(claim), " ")))
	o := schemas.Observation{
		Tenant: tenant, ClaimKey: hex.EncodeToString(key[:]), Claim: shown, About: aboutWords(shown), Verdict: schemas.ClaimIsFalse,
		Source: v.source, IncidentID: v.incident, User: v.user, At: v.at.UTC().Truncate(time.Second),
	}
	if v.ttl > 0 {
		o.ExpiresAt = o.At.Add(v.ttl)
	}
	return o
}

// shortened cuts a claim to what a record may hold.
func shortened(claim string) string {
	if utf8.RuneCountInString(claim) <= maxClaim {
		return claim
	}
	return string([]rune(claim)[:maxClaim-3]) + "..."
}

// aboutWords are the words that say what a claim is about, sorted: figures, names and long words.
func aboutWords(claim string) (words []string) {
	fields := strings.FieldsFunc(claim, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for i, word := range fields {
		first, _ := utf8.DecodeRuneInString(word)
		named := unicode.IsUpper(first) && i > 0 || strings.ContainsFunc(word, unicode.IsDigit)
		if named || utf8.RuneCountInString(word) >= minWord {
			words = append(words, strings.ToLower(word))
		}
	}
	words = words[:min(len(words), maxAbout)]
	slices.Sort(words)
	return slices.Compact(words)
}
