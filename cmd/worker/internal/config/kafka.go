package config

import (
	"log/slog"
	"time"

	"confab/cmd/worker/internal/logging"
	"confab/internal/kafka"
	"confab/internal/redact"
	"confab/internal/strictyaml"
)

// Kafka is how to reach the brokers, what to read and where to write.
type Kafka struct {
	// Brokers to start from, host:port each. The rest of the cluster is found through them.
	SeedBrokers []string `yaml:"seed_brokers"`
	// Name of this client in broker logs and quotas.
	ClientID string `yaml:"client_id"`
	// Encryption of the connections.
	TLS TLS `yaml:"tls"`
	// Login at the brokers.
	SASL SASL `yaml:"sasl"`
	// Prefix of the consumer groups: each role's group is `<consumer_group>-<role>`.
	ConsumerGroup string `yaml:"consumer_group"`
	// Static group membership under this name, unique per replica and stable across restarts (a StatefulSet's pod name). Empty: a dynamic member.
	InstanceID string `yaml:"instance_id"`
	// A static member leaves its group when it stops: set it to scale down, not for a restart, which then moves no partition.
	LeaveOnExit bool `yaml:"leave_on_exit"`
	// Rack or zone of this process, to fetch from the nearest replica.
	RackID string `yaml:"rack_id"`
	// How long the group waits for a silent member before its partitions move. Raise it with instance_id.
	SessionTimeout time.Duration `yaml:"session_timeout" min:"1s" max:"30m"`
	// How long members may take to hand over partitions in a rebalance.
	RebalanceTimeout time.Duration `yaml:"rebalance_timeout" min:"6s" max:"30m"`
	// How often a member says that it lives; at most a third of session_timeout.
	HeartbeatInterval time.Duration `yaml:"heartbeat_interval" min:"100ms" max:"10m"`
	// Where a partition without a committed offset starts. Empty: latest for detect, earliest for alert and sample.
	StartOffset string `yaml:"start_offset" enum:"earliest|latest"`
	// Most bytes of one fetch over all partitions.
	FetchMaxBytes strictyaml.Bytes `yaml:"fetch_max_bytes" min:"1KiB" max:"1GiB"`
	// Most bytes of one fetch from one partition.
	FetchMaxPartitionBytes strictyaml.Bytes `yaml:"fetch_max_partition_bytes" min:"1KiB" max:"1GiB"`
	// Longest a broker may wait for data before it answers a fetch.
	FetchMaxWait time.Duration `yaml:"fetch_max_wait" min:"10ms" max:"1m"`
	// Largest record value that is decoded; a larger one goes to the dead-letter topic.
	MaxRecordBytes strictyaml.Bytes `yaml:"max_record_bytes" min:"1KiB" max:"64MiB"`
	// at_least_once: every flag is written once or more, under an id that repeats share.
	Delivery string `yaml:"delivery" enum:"at_least_once"`
	// When committed offsets are gone from the log: halt with a message, or count the loss and go on at the earliest record.
	OnDataLoss string `yaml:"on_data_loss" enum:"halt|earliest"`
	// Halts a partition when most of its records are poison, so that a bad deploy does not drain a topic into the dead-letter topic.
	PoisonCircuit PoisonCircuit `yaml:"poison_circuit"`
	// Takes a record out of the way that ends the process again and again.
	CrashSuspect CrashSuspect `yaml:"crash_suspect"`
	// The group protocol.
	GroupProtocol string `yaml:"group_protocol" enum:"classic"`
	// Topics of interactions to read.
	Inputs []Input `yaml:"inputs"`
	// Names of the topics that Confab writes; incidents is read by the alert role, too.
	Topics Topics `yaml:"topics"`
}

// PoisonCircuit halts a partition, visibly, when too many of its records cannot be decoded.
type PoisonCircuit struct {
	// More than this share of poison in the window halts the partition. 0: never; everything goes to the dead-letter topic.
	Share float64 `yaml:"share" min:"0" max:"0.99"`
	// How many of a partition's last records are looked at.
	Window int `yaml:"window" min:"10" max:"100000"`
	// When a halted partition tries 20 records: it goes on when no more than share of them is poison, and otherwise waits twice as long, up to 1h. The 20 are done either way. 0: never; it waits for a restart.
	ProbeAfter time.Duration `yaml:"probe_after" min:"0s" max:"24h"`
}

// CrashSuspect makes a record a dead letter when processes end while they work on it. What a worker works on is noted as
// metadata of the committed offsets, so that the next owner of the partition knows.
type CrashSuspect struct {
	// After how many processes that ended at a record it becomes a dead letter with the reason crash_suspect. 0: never, and nothing is noted.
	Deaths int `yaml:"deaths" min:"0" max:"100"`
}

// TLS is transport encryption to the brokers. Files are read again at each connect, so renewed certificates need no restart.
type TLS struct {
	// Encrypt the connections to the brokers.
	Enabled bool `yaml:"enabled"`
	// PEM file of the authorities to trust. Empty: the system's.
	CAFile string `yaml:"ca_file"`
	// PEM file of the client certificate, for mutual TLS.
	CertFile string `yaml:"cert_file"`
	// PEM file of the client certificate's key.
	KeyFile string `yaml:"key_file"`
	// Name expected in the broker's certificate. Empty: the host that was dialed.
	ServerName string `yaml:"server_name"`
	// Do not check the broker's certificate: for tests only.
	InsecureSkipVerify bool `yaml:"insecure_skip_verify"`
}

// SASL is the login at the brokers.
type SASL struct {
	// How to log in. Empty: not at all.
	Mechanism string `yaml:"mechanism" enum:"PLAIN|SCRAM-SHA-256|SCRAM-SHA-512"`
	// The user to log in as.
	Username string `yaml:"username"`
	// The password, best written as ${VAR}.
	Password redact.Secret `yaml:"password"`
	// File that holds the password; read again at each connect.
	PasswordFile string `yaml:"password_file"`
}

// Input is one topic of interactions.
type Input struct {
	// Name of the topic.
	Topic string `yaml:"topic"`
	// How the values are encoded; auto looks at the first bytes. avro and Confluent's prefix need schema_registry.url.
	Format string `yaml:"format" enum:"auto|avro|json"`
	// Where an interaction's tenant comes from. Only trust payload when nobody else can write to the topic.
	TenantFrom string `yaml:"tenant_from" enum:"fixed|header|payload"`
	// The tenant under `tenant_from: fixed`.
	Tenant string `yaml:"tenant"`
	// The record header that names the tenant under `tenant_from: header`; records without it are dead-lettered.
	TenantHeader string `yaml:"tenant_header"`
	// For a JSON topic of another shape: where each field of an interaction lies, as a JSON Pointer. Empty: the fields have our names. See docs/existing-topics.md.
	Map FieldMap `yaml:"map"`
}

// FieldMap is a JSON Pointer by field of the interaction, as NewMapping of schemas/json takes it.
type FieldMap map[string]string

// Topics are the names of the topics that Confab writes.
type Topics struct {
	// Interactions picked for a deeper look, as they were read.
	Sampled string `yaml:"sampled"`
	// Flags.
	Incidents string `yaml:"incidents"`
	// Records that cannot be decoded or written.
	DLQ string `yaml:"dlq"`
	// What was told to whom: compacted, with as many partitions as incidents.
	Alerts string `yaml:"alerts"`
	// What deep looks have reserved of their budget: compacted, with as many partitions as sampled.
	Budget string `yaml:"budget"`
	// What people say about incidents: labels of the buttons and of `confab label`.
	Feedback string `yaml:"feedback"`
}

// The values of Kafka.StartOffset.
const (
	OffsetEarliest = "earliest"
	OffsetLatest   = "latest"
)

// The values of Input.TenantFrom.
const (
	TenantFixed   = "fixed"
	TenantHeader  = "header"
	TenantPayload = "payload"
)

// The values of Input.Format.
const (
	FormatAuto = "auto"
	FormatAvro = "avro"
	FormatJSON = "json"
)

// DeliveryAtLeastOnce is the only delivery mode of this version.
const DeliveryAtLeastOnce = "at_least_once"

// The values of Kafka.OnDataLoss.
const (
	OnDataLossHalt     = "halt"
	OnDataLossEarliest = "earliest"
)

// CopyHeaderBytes is how many bytes a copy may be larger than the record it was made of.
const CopyHeaderBytes = 64 << 10

// KafkaClient is how the configuration reaches the brokers.
func (c *Config) KafkaClient(log *slog.Logger) kafka.Config {
	k := &c.Kafka
	return kafka.Config{
		SeedBrokers: k.SeedBrokers, ClientID: k.ClientID, Rack: k.RackID,
		TLS: kafka.TLS{
			Enabled: k.TLS.Enabled, CAFile: k.TLS.CAFile, CertFile: k.TLS.CertFile, KeyFile: k.TLS.KeyFile,
			ServerName: k.TLS.ServerName, InsecureSkipVerify: k.TLS.InsecureSkipVerify,
		},
		SASL: kafka.SASL{
			Mechanism: k.SASL.Mechanism, User: k.SASL.Username,
			Password: k.SASL.Password.Reveal(), PasswordFile: k.SASL.PasswordFile,
		},
		MaxMessageBytes: int(k.MaxRecordBytes) + CopyHeaderBytes,
		FetchMaxBytes:   int(k.FetchMaxBytes), FetchMaxPartitionBytes: int(k.FetchMaxPartitionBytes), FetchMaxWait: k.FetchMaxWait,
		Logger: slog.New(logging.NewClientLog(log.Handler())),
	}
}
