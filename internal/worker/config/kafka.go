package config

import (
	"log/slog"
	"time"

	"confab/internal/httpclient"
	"confab/internal/kafka"
	"confab/internal/strictyaml"
	"confab/internal/worker/logging"
)

// Kafka is how to reach the brokers, what to read and where to write.
type Kafka struct {
	// Brokers to connect to first, host:port each. The rest of the cluster is discovered through them.
	SeedBrokers []string `yaml:"seed_brokers"`
	// Name of this client in broker logs and quotas.
	ClientID string `yaml:"client_id"`
	// Encryption of the connections.
	TLS TLS `yaml:"tls"`
	// Login at the brokers.
	SASL SASL `yaml:"sasl"`
	// Prefix of the consumer groups: each role's group is `<consumer_group>-<role>`.
	ConsumerGroup string `yaml:"consumer_group"`
	// Static group membership under this name, unique per replica and stable across restarts, such as the pod name in a StatefulSet. Empty: a dynamic member.
	InstanceID string `yaml:"instance_id"`
	// Let a static member leave its group when it stops. Set it to scale down, or if the next process has another name. Without it, a restart moves no partitions.
	LeaveOnExit bool `yaml:"leave_on_exit"`
	// Rack or zone of this process, to fetch from the nearest replica.
	RackID string `yaml:"rack_id"`
	// How long the group waits for a silent member before its partitions move. Raise it with instance_id.
	SessionTimeout time.Duration `yaml:"session_timeout" min:"1s" max:"30m"`
	// Where a partition without a committed offset starts. Empty: latest for detect, earliest for the others.
	StartOffset string `yaml:"start_offset" enum:"earliest|latest"`
	// Maximum bytes of one fetch over all partitions.
	FetchMaxBytes strictyaml.Bytes `yaml:"fetch_max_bytes" min:"1KiB" max:"1GiB"`
	// Largest record value that is decoded; a larger one goes to the dead-letter topic.
	MaxRecordBytes strictyaml.Bytes `yaml:"max_record_bytes" min:"1KiB" max:"64MiB"`
	// How detect writes. at_least_once: every flag is written once or more; duplicates have the same id. exactly_once: flags, sampled copies, dead letters and offsets in transactions; needs instance_id and Kafka 2.5, better 4.0.
	Delivery string `yaml:"delivery" enum:"at_least_once|exactly_once"`
	// When committed offsets no longer exist in the log: halt with an error, or count the loss and continue at the earliest record.
	OnDataLoss string `yaml:"on_data_loss" enum:"halt|earliest"`
	// Halt a partition when more than half of its last 1,000 records cannot be decoded, until a restart. false: all of them go to the dead-letter topic.
	PoisonCircuit bool `yaml:"poison_circuit"`
	// Make a record at which two processes ended a dead letter with the reason crash_suspect. false: it is tried again for ever.
	CrashSuspect bool `yaml:"crash_suspect"`
	// classic: members assign partitions. consumer: the brokers do, without stopping other members (KIP-848); needs Kafka 4.0, better 4.3, else classic is used. The brokers then set session and heartbeat times.
	GroupProtocol string `yaml:"group_protocol" enum:"classic|consumer"`
	// Topics of interactions to read.
	Inputs []Input `yaml:"inputs"`
	// Names of the topics that Confab writes. The roles alert and export also read incidents.
	Topics Topics `yaml:"topics"`
}

// TLS is transport encryption to the brokers. Files are read at each connect, so renewed certificates need no restart.
type TLS struct {
	// Encrypt the connections to the brokers.
	Enabled bool `yaml:"enabled"`
	// Certificates.
	httpclient.TLS `yaml:",inline"`
}

// Topics are the names of the topics that Confab writes.
type Topics struct {
	// Copies of interactions that are sampled for deep evaluation.
	Sampled string `yaml:"sampled"`
	// Flags.
	Incidents string `yaml:"incidents"`
	// Records that cannot be decoded or written.
	DLQ string `yaml:"dlq"`
	// Alert state and silences: compacted, with as many partitions as incidents.
	Alerts string `yaml:"alerts"`
	// Budget log of deep evaluations: compacted, with as many partitions as sampled.
	Budget string `yaml:"budget"`
	// People's labels of incidents: from the buttons and `confab label`.
	Feedback string `yaml:"feedback"`
	// Votes of end users on answers: from applications and `POST /v1/feedback` of serve.
	Votes string `yaml:"votes"`
	// Claims that were found false, with observations.enabled: compacted.
	Observations string `yaml:"observations"`
	// Versions of the calibration, with tuning.auto: compacted.
	Calibrations string `yaml:"calibrations"`
	// Evaluation results as OpenTelemetry events, with export.evaluations.
	Evaluations string `yaml:"evaluations"`
}

// The values of Kafka.StartOffset.
const (
	OffsetEarliest = "earliest"
	OffsetLatest   = "latest"
)

// Delivery modes of the role detect.
const (
	DeliveryAtLeastOnce = "at_least_once"
	DeliveryExactlyOnce = "exactly_once"
)

// GroupProtocolConsumer lets the brokers assign partitions.
const GroupProtocolConsumer = "consumer"

// InputTopics are the topics of the inputs.
func (k *Kafka) InputTopics() (topics []string) {
	for _, in := range k.Inputs {
		topics = append(topics, in.Topic)
	}
	return topics
}

// ExactlyOnce reports whether detect writes in transactions.
func (k *Kafka) ExactlyOnce() bool { return k.Delivery == DeliveryExactlyOnce }

// OnDataLossHalt is the value of Kafka.OnDataLoss that stops a partition.
const OnDataLossHalt = "halt"

// CopyHeaderBytes is how much larger a copied record may be than the original.
const CopyHeaderBytes = 64 << 10

// KafkaClient is the client configuration of the brokers. Client logs go to log.
func (c *Config) KafkaClient(log *slog.Logger) kafka.Config {
	k := &c.Kafka
	return kafka.Config{
		SeedBrokers: k.SeedBrokers, ClientID: k.ClientID, Rack: k.RackID,
		TLS: kafka.TLS{
			Enabled: k.TLS.Enabled, CAFile: k.TLS.CAFile, CertFile: k.TLS.CertFile, KeyFile: k.TLS.KeyFile,
			ServerName: k.TLS.ServerName, InsecureSkipVerify: k.TLS.InsecureSkipVerify,
		},
		SASL:            k.SASL.login(),
		MaxMessageBytes: int(k.MaxRecordBytes) + CopyHeaderBytes,
		FetchMaxBytes:   int(k.FetchMaxBytes),
		Logger:          slog.New(logging.NewClientLog(log.Handler())),
	}
}
