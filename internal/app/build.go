package app

import (
	"log/slog"

	"confab/internal/kafka"
	"confab/sampling"
)

// samplingOptions are the sampler's; without a salt nothing is sampled, of which Warnings tells.
func (c *Config) samplingOptions() sampling.Options {
	if !c.SamplingOn() {
		return sampling.Options{}
	}
	return c.Sampling.options()
}

func (s *Sampling) options() sampling.Options {
	return sampling.Options{
		Rate: s.Rate, Tags: s.Tags, Salt: s.Salt, Tenants: s.Tenants, Operations: s.Operations, Triggers: s.Triggers,
	}
}

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
		MaxMessageBytes: int(k.MaxRecordBytes) + headerRoom,
		FetchMaxBytes:   int(k.FetchMaxBytes), FetchMaxPartitionBytes: int(k.FetchMaxPartitionBytes), FetchMaxWait: k.FetchMaxWait,
		Logger: slog.New(clientLog{log.Handler()}),
	}
}
