package config

import (
	"slices"
	"time"

	"confab/alerting"
	"confab/detectors"
	"confab/detectors/rewrite"
	"confab/detectors/standard"
	"confab/internal/strictyaml"
	"confab/sampling"
	"confab/schemas"
)

// defaultRate needs a key, without which nothing is sampled. Another rate without one is an error.
const defaultRate = 0.01

// Default is the configuration of an empty file. Each call makes a new one.
func Default() *Config {
	return &Config{
		Kafka: defaultKafka(),

		SchemaRegistry: SchemaRegistry{UnknownIDRetry: 10 * time.Second, Output: OutputJSON},
		Detectors:      defaultDetectors(),
		Sampling: Sampling{
			Rate: defaultRate,
			Tags: []string{"medical", "financial", "legal", "high-stakes"},

			Triggers: sampling.DefaultTriggers(),
		},
		Alerting: defaultAlerting(),
		Export:   Export{Only: ExportAll},
		LLM:      defaultLLM(),

		Recommendation: alerting.RecommendationOptions{Flag: new(0.4), Block: new(0.7)},

		Observations:  Observations{TTL: 90 * 24 * time.Hour, MaxEntries: 200_000, MaxPerTenant: 100_000},
		Tuning:        Tuning{Auto: TuningOff, Every: 7 * 24 * time.Hour},
		Rewrite:       rewrite.DefaultSettings(),
		Emit:          EmitFlagged,
		Flags:         Flags{Excerpts: ExcerptsRedacted},
		Action:        schemas.ActionLog,
		Serve:         defaultServe(),
		UI:            UI{Listener: newListener("127.0.0.1:9471", 64*strictyaml.KiB), Flags: 20_000},
		Admin:         Admin{Listen: "127.0.0.1:9464"},
		ShutdownGrace: 30 * time.Second,
		Watchdog:      watchdog,
		Limits: Limits{
			EventDeadline: 500 * time.Millisecond,
			MaxTextSize:   detectors.MaxTextBytes, MaxSources: detectors.MaxSources,
			MaxSourceSize: detectors.MaxSourceBytes,
		},
		Log: Log{Level: "info", Format: "auto"},
	}
}

func defaultKafka() Kafka {
	return Kafka{
		SeedBrokers:    []string{"localhost:9092"},
		ClientID:       "confab",
		ConsumerGroup:  "confab",
		SessionTimeout: 45 * time.Second,
		FetchMaxBytes:  16 * strictyaml.MiB,
		MaxRecordBytes: strictyaml.MiB,
		Delivery:       DeliveryAtLeastOnce,
		OnDataLoss:     OnDataLossHalt,
		PoisonCircuit:  true,
		CrashSuspect:   true,
		GroupProtocol:  "classic",
		Inputs:         []Input{DefaultInput("llm.interactions")},
		Topics: Topics{
			Sampled:   "llm.interactions.sampled",
			Incidents: "llm.incidents",
			DLQ:       "llm.interactions.dlq",
			Alerts:    "llm.alerts",
			Budget:    "llm.budget",
			Feedback:  "llm.feedback",
			Votes:     "llm.feedback.users",

			Observations: "llm.observations",
			Calibrations: "llm.calibrations",
			Evaluations:  "llm.evaluations",
		},
	}
}

// Detectors are the sections under `detectors`, one per detector of [standard.Fast] and [standard.Deep]. No other keys are
// allowed.
type Detectors map[string]*Detector

// Detector is one detector's section.
type Detector struct {
	// Run the detector.
	Enabled bool `yaml:"enabled"`
	// The detector fires from this score, above 0 to 1, on any answer. It outweighs the calibration, whose threshold
	// counts without it: docs/detectors.md has the shipped ones.
	Threshold *float64 `yaml:"threshold"`
	// Options points to the options that the detector's constructor takes.
	Options any `yaml:",inline"`
}

func defaultDetectors() Detectors {
	sections := Detectors{}
	for _, e := range slices.Concat(standard.Fast(standard.Dependencies{}), standard.Deep(standard.Dependencies{})) {
		sections[e.Name] = &Detector{Enabled: true, Options: e.NewOptions()}
	}
	return sections
}

// Thresholds are the thresholds that are set, by detector.
func (c *Config) Thresholds() map[string]float64 {
	set := map[string]float64{}
	for name, d := range c.Detectors {
		if d != nil && d.Threshold != nil {
			set[name] = *d.Threshold
		}
	}
	return set
}

// SelectDetectors returns the enabled entries. It changes all.
func (c *Config) SelectDetectors(all []detectors.Entry) []detectors.Entry {
	return slices.DeleteFunc(all, func(e detectors.Entry) bool {
		return !c.Runs(e.Name)
	})
}

// Runs reports whether a detector runs for any tenant.
func (c *Config) Runs(name string) bool {
	d := c.Detectors[name]
	on := d != nil && d.Enabled
	for _, t := range c.Tenants {
		own := t.Detectors[name].Enabled
		on = on || d != nil && own != nil && *own
	}
	return on
}

// DetectorsOff are the detectors that run for some tenants only, by tenant for which they are off; "" is those without own switches.
func (c *Config) DetectorsOff() detectors.OffByTenant {
	off := detectors.OffByTenant{"": nil}
	for name, t := range c.Tenants {
		if len(t.Detectors) > 0 {
			off[name] = nil
		}
	}
	for name, d := range c.Detectors {
		if !c.Runs(name) {
			continue
		}
		for tenant := range off {
			on := d.Enabled
			if own := c.Tenants[tenant].Detectors[name].Enabled; own != nil {
				on = *own
			}
			if !on {
				off[tenant] = append(off[tenant], name)
			}
		}
	}
	return off
}
