package config

import (
	"slices"
	"time"

	"confab/alerting"
	"confab/detectors"
	"confab/detectors/standard"
)

// Config is the whole of confab.yaml with every default in place. [Load] makes one; [Default] is what an empty
// file means. The comments of its fields are the text of docs/configuration.md and of the published JSON Schema.
type Config struct {
	// How to reach the brokers, what to read and where to write.
	Kafka Kafka `yaml:"kafka"`
	// The schema registry of Avro values.
	SchemaRegistry SchemaRegistry `yaml:"schema_registry"`
	// The jobs this process does. Empty: detect, plus alert when a sink is configured under alerting, plus sample when an endpoint is configured under llm.
	Roles []Role `yaml:"roles" enum:"detect|sample|alert"`
	// One section per detector, by its name: `enabled` and the detector's own options.
	Detectors Detectors `yaml:"detectors"`
	// Which interactions are forwarded to the sampled topic for a deeper look.
	Sampling Sampling `yaml:"sampling"`
	// Whom the deep look at sampled interactions asks, and what it may cost.
	LLM LLM `yaml:"llm"`
	// Which flags people hear about, and where.
	Alerting Alerting `yaml:"alerting"`
	// Which risk of an answer recommends what. Without a risk the alert rule decides: nothing fired, something fired, it holds.
	Recommendation alerting.RecommendationOptions `yaml:"recommendation"`
	// By tenant: the action stamped on its flags, and what differs from alerting, recommendation and llm.
	Tenants map[string]Tenant `yaml:"tenants"`
	// A calibration written by `confab calibrate`. Empty: the one embedded in the binary.
	// It is read again when it changes.
	CalibrationFile string `yaml:"calibration_file"`
	// A model written by `confab fit`. Empty: the one embedded in the binary. It is read again when it changes.
	ModelFile string `yaml:"model_file"`
	// Directory of JSON Schemas that answers must follow, by operation: `<operation>.schema.json` or `<operation>.json`. Empty: none.
	SchemasDir string `yaml:"schemas_dir"`
	// Which fast verdicts are written: only those with a signal, or all of them (shadow runs, ledgers).
	Emit string `yaml:"emit" enum:"flagged|all"`
	// How many batches are measured at a time. 0: one per CPU the process may use.
	Workers int `yaml:"workers" min:"0" max:"1024"`
	// What one record may cost.
	Limits Limits `yaml:"limits"`
	// The HTTP server for probes and metrics.
	Admin Admin `yaml:"admin"`
	// How long an orderly shutdown may take. Keep the pod's termination grace period above it.
	ShutdownGrace time.Duration `yaml:"shutdown_grace" min:"1s" max:"10m"`
	// How long a handler may neither return nor wait on purpose. Then the process is not live, and it ends with exit code 1.
	Watchdog time.Duration `yaml:"watchdog" min:"10s" max:"1h"`
	// What the worker writes about itself. Prompts and answers are never logged.
	Log Log `yaml:"log"`
}

// Role is a job of the worker: one consumer group over one kind of topic.
type Role string

// The roles.
const (
	RoleDetect Role = "detect" // interactions in, flags out
	RoleSample Role = "sample" // sampled interactions in, deep flags out
	RoleAlert  Role = "alert"  // flags in, messages to on-call out
)

// Limits bound what one record may cost. Counted work is bounded too, by a fixed amount; see docs/detectors.md.
type Limits struct {
	// How long the detect role may measure one interaction. Detectors that have not finished by then are skipped, what the others found stands.
	EventDeadline time.Duration `yaml:"event_deadline" min:"10ms" max:"1m"`
}

// Admin is the HTTP server for probes and metrics.
type Admin struct {
	// Address to listen on, host:port. Loopback by default; in a pod use 0.0.0.0:9464. Empty: no server.
	Listen string `yaml:"listen"`
	// Serve Go profiles under /debug/pprof/. They show memory contents: keep the address private.
	Pprof bool `yaml:"pprof"`
}

// Log is what the worker writes about itself, on standard error.
type Log struct {
	// The least severe level written.
	Level string `yaml:"level" enum:"debug|info|warn|error"`
	// json, text, or auto: text on a terminal and json elsewhere.
	Format string `yaml:"format" enum:"auto|json|text"`
}

// The values of Config.Emit.
const (
	EmitFlagged = "flagged"
	EmitAll     = "all"
)

// ActiveRoles are the roles to run: those asked for, else detect and, where an LLM endpoint is configured, sample and, where
// a sink is, alert.
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
	return roles
}

// EnabledDetectors are the names of the fast detectors to run, sorted.
func (c *Config) EnabledDetectors() []string {
	entries := c.SelectDetectors(standard.Fast())
	names := detectors.Names(entries)
	slices.Sort(names)
	return names
}

// SamplingEnabled says whether anything is sampled: it takes a rate and a salt.
func (c *Config) SamplingEnabled() bool {
	o := c.Sampling.options()
	return o.On() && c.Sampling.Salt != ""
}

// Group is the consumer group of a role: "<consumer_group>-<role>".
func (c *Config) Group(role Role) string { return c.Kafka.ConsumerGroup + "-" + string(role) }

// StartOffset is where a role starts on a partition without a committed offset: earliest or latest. Detect starts at the
// end of its topics unless configured, the others at the beginning.
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
