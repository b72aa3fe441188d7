package config

import (
	"cmp"
	"slices"
	"time"

	"confab/alerting"
	"confab/detectors"
	"confab/detectors/knownfalse"
	"confab/detectors/rewrite"
	"confab/detectors/standard"
	"confab/internal/httpclient"
	"confab/internal/strictyaml"
	"confab/sampling"
	"confab/schemas"
)

// Config is the complete configuration, with defaults in place. [Load] makes one; [Default] is that of an empty file.
// The comments of its fields are the text of docs/configuration.md and of the published JSON Schema.
type Config struct {
	// How to reach the brokers, what to read and where to write.
	Kafka Kafka `yaml:"kafka"`
	// The schema registry of Avro values.
	SchemaRegistry SchemaRegistry `yaml:"schema_registry"`
	// The jobs this process does. Empty: detect, plus alert when a sink is configured under alerting, plus sample when an endpoint is configured under llm, plus export when a destination is configured under export.
	Roles []Role `yaml:"roles" enum:"detect|sample|alert|export|serve|ui"`
	// One section per detector, by its name: `enabled` and the detector's own options.
	Detectors Detectors `yaml:"detectors"`
	// Which interactions are forwarded to the sampled topic for deep evaluation.
	Sampling Sampling `yaml:"sampling"`
	// The language models that deep evaluations of sampled interactions ask, and their budget.
	LLM LLM `yaml:"llm"`
	// Settings of HTTP connections by name, for the key http_config of services, with the keys of Prometheus' http_config.
	HTTPConfigs map[string]httpclient.Options `yaml:"http_configs"`
	// Which flags become alerts, and where they are sent.
	Alerting Alerting `yaml:"alerting"`
	// Where evaluation results are sent, besides llm.incidents.
	Export Export `yaml:"export"`
	// Recommendation by the risk of an answer. Without a risk it follows the alert rule: nothing fired, something fired, the rule holds.
	Recommendation alerting.RecommendationOptions `yaml:"recommendation"`
	// What is replaced in excerpts, questions, prompts to language models and printed values.
	Redaction Redaction `yaml:"redaction"`
	// Claims that were found false, and the detector known_false that finds their repetitions. See docs/observations.md.
	Observations Observations `yaml:"observations"`
	// Whether a worker learns from its own traffic. See docs/learning.md.
	Tuning Tuning `yaml:"tuning"`
	// Rewritten answers that requests get in addition to the flag.
	Rewrite rewrite.Settings `yaml:"rewrite"`
	// What is done with the answers of tenants that have no action of their own: LOG, FLAG or BLOCK.
	Action schemas.Action `yaml:"action" enum:"LOG|FLAG|BLOCK"`
	// By tenant: the action stamped on its flags, and overrides of alerting, recommendation, limits, detectors, llm and rewrite.
	Tenants map[string]Tenant `yaml:"tenants"`
	// A calibration written by `confab tune`. Empty: the one embedded in the binary.
	// It is read again when it changes.
	CalibrationFile string `yaml:"calibration_file"`
	// A model file. Empty: the one embedded in the binary. It is read again when it changes.
	ModelFile string `yaml:"model_file"`
	// Texts that are sources of every answer of a tenant or an operation, such as a policy or a price list, besides those that the interaction has.
	ReferenceContext []ReferenceContext `yaml:"reference_context"`
	// Operations whose answers are not measured, such as creative writing. A name ending in * stands for all that begin so. Their signals are `skipped: operation`, and they are not sampled.
	SkipOperations []string `yaml:"skip_operations"`
	// Directory of JSON Schemas that answers must follow, by operation: `<operation>.schema.json` or `<operation>.json`. Empty: none.
	SchemasDir string `yaml:"schemas_dir"`
	// Which fast flags are written: only those with a signal, or all of them (for shadow runs and audits).
	Emit string `yaml:"emit" enum:"flagged|all"`
	// What flags show of the texts.
	Flags Flags `yaml:"flags"`
	// Number of batches that are measured at a time. 0: one per CPU that the process may use.
	Workers int `yaml:"workers" min:"0" max:"1024"`
	// Limits on the cost of one record.
	Limits Limits `yaml:"limits"`
	// Checks on request over HTTP, by the role serve.
	Serve Serve `yaml:"serve"`
	// The page on which people read and label incidents, by `confab ui`.
	UI UI `yaml:"ui"`
	// The HTTP server for probes and metrics.
	Admin Admin `yaml:"admin"`
	// Labels of metrics.
	Metrics Metrics `yaml:"metrics"`
	// Maximum duration of a shutdown. Keep the pod's termination grace period above it.
	ShutdownGrace time.Duration `yaml:"shutdown_grace" min:"1s" max:"10m"`
	// What the worker writes about itself. Prompts and answers are never logged.
	Log Log `yaml:"log"`

	// Watchdog is how long a handler may make no progress. Then the liveness probe fails and the process ends with exit code 1.
	Watchdog time.Duration `yaml:"-"`
	// Unset are the addresses to listen on that no source has set, by their keys.
	Unset []string `yaml:"-"`
}

// IsUnset reports whether no source has set the address to listen on: then another port serves as well.
func (c *Config) IsUnset(key string) bool { return slices.Contains(c.Unset, key) }

// Role is a job of the worker: one consumer group over one kind of topic.
type Role string

// The roles.
const (
	RoleDetect Role = "detect" // interactions in, flags out
	RoleSample Role = "sample" // sampled interactions in, deep flags out
	RoleAlert  Role = "alert"  // flags in, messages to on-call out
	RoleExport Role = "export" // flags in, evaluation results to each destination out
	RoleServe  Role = "serve"  // interactions in and flags out over HTTP
	RoleUI     Role = "ui"     // the page on which people read incidents
)

// Limits bound the cost of one record. A fixed bound on counted work applies too; see docs/detectors.md.
type Limits struct {
	// Maximum time that the detect role measures one interaction. Detectors that have not finished by then are skipped; the findings of the others are kept.
	EventDeadline time.Duration `yaml:"event_deadline" min:"10ms" max:"1m"`
	// Maximum text of an answer with its sources. Padding does not count. What is over a limit is not read, and a claim whose support may lie there is not_checkable: truncated.
	MaxTextSize strictyaml.Bytes `yaml:"max_text_size" min:"1KiB" max:"1MiB"`
	// Maximum number of sources of an interaction.
	MaxSources int `yaml:"max_sources" min:"1" max:"1000"`
	// Maximum size of one source.
	MaxSourceSize strictyaml.Bytes `yaml:"max_source_size" min:"1KiB" max:"1MiB"`
}

// TenantLimits override Limits for one tenant. 0 inherits.
type TenantLimits struct {
	// Overrides limits.max_text_size. 0: inherited.
	MaxTextSize strictyaml.Bytes `yaml:"max_text_size" min:"0" max:"1MiB"`
	// Overrides limits.max_sources. 0: inherited.
	MaxSources int `yaml:"max_sources" min:"0" max:"1000"`
	// Overrides limits.max_source_size. 0: inherited.
	MaxSourceSize strictyaml.Bytes `yaml:"max_source_size" min:"0" max:"1MiB"`
}

// ReferenceContext is one text of the reference context.
type ReferenceContext struct {
	// The tenant whose answers have this source. Empty: every tenant's.
	Tenant string `yaml:"tenant"`
	// The operation whose answers have this source. Empty: all.
	Operation string `yaml:"operation"`
	// Id of the source in flags, and in citations. Empty: the name of text_file.
	ID string `yaml:"id"`
	// The text.
	Text string `yaml:"text"`
	// File that holds the text, at most 1 MiB. It is read at start.
	TextFile string `yaml:"text_file"`
}

// Measured returns the limits of what the detectors measure.
func (l *Limits) Measured() detectors.Limits {
	return detectors.Limits{TextBytes: int(l.MaxTextSize), Sources: l.MaxSources, SourceBytes: int(l.MaxSourceSize)}
}

// TenantLimits returns the limits of the tenants that override any.
func (c *Config) TenantLimits() map[string]detectors.Limits {
	all := map[string]detectors.Limits{}
	for name, t := range c.Tenants {
		if t.Limits == (TenantLimits{}) {
			continue
		}
		l := c.Limits.Measured()
		all[name] = detectors.Limits{
			TextBytes: cmp.Or(int(t.Limits.MaxTextSize), l.TextBytes), Sources: cmp.Or(t.Limits.MaxSources, l.Sources),
			SourceBytes: cmp.Or(int(t.Limits.MaxSourceSize), l.SourceBytes),
		}
	}
	return all
}

// RewriteSettings are the settings of a tenant's rewritten answers.
func (c *Config) RewriteSettings(tenant string) rewrite.Settings {
	return c.Rewrite.Overridden(c.Tenants[tenant].Rewrite)
}

// Metrics bound the labels of metrics that come from the traffic.
type Metrics struct {
	// Services with a label of their own in metrics; all others count as `other`. Empty: the first 20.
	Services []string `yaml:"services"`
	// Models with a label of their own in metrics; all others count as `other`. Empty: the first 20.
	Models []string `yaml:"models"`
}

// Log is what the worker writes about itself, on standard error.
type Log struct {
	// The least severe level written.
	Level string `yaml:"level" enum:"debug|info|warn|error"`
	// json, text, or auto: text on a terminal and json elsewhere.
	Format string `yaml:"format" enum:"auto|json|text"`
}

// Flags says what flags hold of the interactions.
type Flags struct {
	// `redacted`: short excerpts of answer, source and question, without secrets. `none`: positions, ids, scores and reasons only; alerts then show no excerpts either.
	Excerpts string `yaml:"excerpts" enum:"redacted|none"`
	// `attributes` of the application that flags copy, such as prompt_version, redacted and cut to 100 characters: for `confab rate --by attributes.prompt_version`. At most 10.
	Attributes []string `yaml:"attributes"`
}

// The values of Flags.Excerpts.
const (
	ExcerptsRedacted = "redacted"
	ExcerptsNone     = "none"
)

// The values of Config.Emit.
const (
	EmitFlagged = "flagged"
	EmitAll     = "all"
)

// ActiveRoles are the configured roles, else detect, plus sample if an LLM endpoint is configured, plus alert if a sink is, plus
// export if a destination is.
func (c *Config) ActiveRoles() []Role {
	if len(c.Roles) > 0 {
		return slices.Clone(c.Roles)
	}
	roles := []Role{RoleDetect}
	if c.LLM.Enabled() {
		roles = append(roles, RoleSample)
	}
	if c.Alerting.HasSink() {
		roles = append(roles, RoleAlert)
	}
	if len(c.Export.Destinations()) > 0 {
		roles = append(roles, RoleExport)
	}
	return roles
}

// EnabledDetectors are the names of the fast detectors to run, sorted.
func (c *Config) EnabledDetectors() []string {
	names := c.FastDetectors()
	slices.Sort(names)
	return names
}

// FastDetectors are the names of the fast detectors to run, in the order of flags.
func (c *Config) FastDetectors() []string {
	names := detectors.Names(c.SelectDetectors(standard.Fast(standard.Dependencies{})))
	if c.Observations.Enabled {
		names = append(names, knownfalse.Name)
	}
	return names
}

// SamplingEnabled reports whether interactions are sampled, which takes a rate and a key.
func (c *Config) SamplingEnabled() bool {
	o := c.samplingOptions()
	return o.Enabled() && o.Salt != ""
}

// WritesCopies reports whether detect copies interactions for the role sample: those that are sampled, that a verifier checks, or whose
// alerts wait.
func (c *Config) WritesCopies() bool {
	return c.SamplingEnabled() || c.ConfirmsAlerts() || c.verifies() != sampling.VerifySampled
}

// verifies is which answers a verifier checks beside those that are sampled.
func (c *Config) verifies() sampling.Verify {
	if c.LLM.Verifier.BaseURL == "" || !c.asks(schemas.VerifierDetector) {
		return sampling.VerifySampled
	}
	return sampling.Verify(c.LLM.Verifier.On)
}

// Group is the consumer group of a role: "<consumer_group>-<role>".
func (c *Config) Group(role Role) string { return c.Kafka.ConsumerGroup + "-" + string(role) }

// TransactionPrefix starts the transactional ids of detect, which end with kafka.instance_id.
func (c *Config) TransactionPrefix() string { return c.Group(RoleDetect) + "-" }

// StartOffset is where a role starts on a partition without a committed offset. The default is latest for detect and
// earliest for the other roles.
func (c *Config) StartOffset(role Role) string {
	switch {
	case c.Kafka.StartOffset != "":
		return c.Kafka.StartOffset
	case role == RoleDetect:
		return OffsetLatest
	default:
		return OffsetEarliest
	}
}
