package app

import (
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"confab/alerting"
	"confab/calibration"
	"confab/detectors"
	"confab/schemas"
	"confab/schemas/json"
)

// Verdict makes flags: the suite's measurement with the alert rule stamped on it. The detect role, check and the demo
// share it, so that all of them say the same about an interaction.
type Verdict struct {
	Suite  *detectors.Suite
	Policy *alerting.Policy
	input  Input             // whose tenancy holds for what is read from a file
	base   suiteBase
	pass   schemas.Pass

	sessions *sessions // of the deep pass; nil in the fast one

	wantsRisk   bool              // nothing alerts without a risk, for a tenant at least
	calibration string            // id of the one in force
	made        [sha256.Size]byte // digest of the files it was made of
}

// NewVerdict builds what measures and judges interactions under the configuration. reg and log may be nil.
func NewVerdict(c *Config, reg prometheus.Registerer, log *slog.Logger) (*Verdict, error) {
	base, err := c.suiteOptions(reg, log)
	if err != nil {
		return nil, err
	}
	return newVerdict(c, base, schemas.PassFast)
}

func newVerdict(c *Config, base suiteBase, pass schemas.Pass) (*Verdict, error) {
	t, err := c.readTuning()
	if err != nil {
		return nil, err
	}
	v := &Verdict{
		Policy: alerting.NewPolicy(c.policyOptions()), input: c.Kafka.Inputs[0], wantsRisk: c.wantsRisk(), base: base, pass: pass,
	}
	return v.with(t)
}

// with is the verdict under another calibration and another model. Metrics and schemas stay what they are.
func (v *Verdict) with(t tuning) (*Verdict, error) {
	cal, err := t.parseCalibration()
	if err != nil {
		return nil, err
	}
	model, err := t.parseModel()
	if err != nil {
		return nil, err
	}
	next := *v
	next.calibration, next.made = cal.ID(), t.digest()
	if next.Suite, err = v.base.over(cal, model); err != nil {
		return nil, err
	}
	v.warn(t, cal, model)
	return &next, nil
}

// warn tells what loads and may not do what is expected of it.
func (v *Verdict) warn(t tuning, cal *calibration.Calibration, model *detectors.Model) {
	if v.base.Logger == nil {
		return
	}
	if t.calibrationFile != "" {
		for _, doubt := range cal.Doubts(Version(), model.ID) {
			v.base.Logger.Warn("calibration may not fit this worker", "calibration", cal.ID(), "why", doubt)
		}
	}
	if why := riskless(cal, model); v.wantsRisk && why != "" {
		v.base.Logger.Warn("minimum risk can never be reached, alerts that require one never fire", "calibration", cal.ID(), "why", why)
	}
}

// Admit gives an interaction that was read from a file what the worker's first input would give it: its tenant, and a
// name where it came without one.
func (v *Verdict) Admit(in *schemas.Interaction, origin schemas.Origin) {
	v.input.assign(in)
	if in.ID == "" {
		in.ID, in.IDSource = schemas.OffsetID(origin.Topic, origin), schemas.IDSourceOffset
	}
}

// ReadAs makes the verdict treat what is read from a file as records of one input topic: it returns what reads them, by
// the input's map, and Admit gives them that input's tenant. A tenant that the worker takes from a header is the default
// one here.
func (v *Verdict) ReadAs(c *Config, topic string) (func(raw []byte, in *schemas.Interaction) error, error) {
	topics := make([]string, len(c.Kafka.Inputs))
	for i, in := range c.Kafka.Inputs {
		if topics[i] = in.Topic; in.Topic == topic {
			limits := json.Options{MaxBytes: int(c.Kafka.MaxRecordBytes)}
			v.input = in
			return in.reader(json.NewDecoder(limits), limits).Decode, nil
		}
	}
	return nil, fmt.Errorf("no input reads the topic %q: name one of %s, or add it to kafka.inputs", topic, strings.Join(topics, ", "))
}

// Measure is the verdict over in, quiet or not.
func (v *Verdict) Measure(ctx context.Context, in *schemas.Interaction, origin schemas.Origin, now time.Time) schemas.Flag {
	var models detectors.LanguageModels
	if v.sessions != nil {
		models = v.sessions.open(in.Tenant, 0, now).models
	}
	e := detectors.EvaluateDeep(ctx, v.Suite, in, models)
	defer e.Release()
	return v.flag(e, origin, now)
}

func (v *Verdict) flag(e *detectors.Evaluation, origin schemas.Origin, now time.Time) schemas.Flag {
	f := e.Flag(origin, v.pass, now)
	v.Policy.Stamp(&f)
	return f
}

// policyOptions are the alert rule and what differs by tenant.
func (c *Config) policyOptions() alerting.PolicyOptions {
	tenants := make(map[string]alerting.TenantOptions, len(c.Tenants))
	for name := range c.Tenants {
		tenants[name] = c.Tenants[name].TenantOptions
	}
	return alerting.PolicyOptions{Default: c.Alerting.RuleOptions, Recommendation: c.Recommendation, Tenants: tenants}
}
