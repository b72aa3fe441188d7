package alerting

import (
	"slices"

	"confab/schemas"
)

// Confirmation says who gives a second opinion before an alert; "" takes that of the defaults.
type Confirmation string

// The second opinions.
const (
	ConfirmOff   Confirmation = "off"
	ConfirmJudge Confirmation = "judge" // of an alert by text detectors alone
)

// byTextAlone reports whether only text detectors of the fired ones count.
func (r *tenantRule) byTextAlone(fired []string) bool {
	return !slices.ContainsFunc(fired, func(name string) bool { return r.weight(name) > 0 && !slices.Contains(r.text, name) })
}

// NeedsConfirm reports whether the flag is an alert that waits for a second opinion.
func (p *Policy) NeedsConfirm(f *schemas.Flag) bool {
	return f.Alert && f.Pass != schemas.PassDeep && p.Confirms(f.Tenant, f.Fired)
}

// Confirms reports whether an alert of the tenant on which these detectors fired waits for a second opinion.
func (p *Policy) Confirms(tenant string, fired []string) bool {
	r := p.rule(tenant)
	return r.confirm && r.byTextAlone(fired)
}

// Cleared reports whether the flag would be an alert if the judge had not found the answer fine.
func (p *Policy) Cleared(f *schemas.Flag) bool {
	r := p.rule(f.Tenant)
	return !f.Alert && r.clears(f) && r.reaches(f.Fired, f.OneWitness())
}

// clears reports whether the judge has found right what text detectors alone hold to be wrong.
func (r *tenantRule) clears(f *schemas.Flag) bool {
	return r.confirm && f.Pass == schemas.PassDeep && f.Outcome(schemas.JudgeDetector) == schemas.Clear && r.byTextAlone(f.Fired)
}

// confirmedBy is the flag's ConfirmedBy. Only deep flags have one: whether a second opinion came in time is not known before.
func (r *tenantRule) confirmedBy(f *schemas.Flag) string {
	switch {
	case !f.Alert || f.Pass != schemas.PassDeep:
		return ""
	case f.Outcome(schemas.JudgeDetector) == schemas.Fired && len(f.Fired) > 1:
		return schemas.JudgeDetector
	case r.confirm && r.byTextAlone(f.Fired):
		return schemas.NotConfirmed
	}
	return ""
}
