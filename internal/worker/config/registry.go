package config

import (
	"net/url"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"confab/internal/kafka/schemaregistry"
	"confab/internal/redact"
)

// SchemaRegistry holds the address and login of the registry of Avro schemas.
type SchemaRegistry struct {
	// Address of a registry with Confluent's API, such as https://registry:8081. Empty: none, and only JSON is read.
	URL string `yaml:"url"`
	// The user to log in as.
	Username string `yaml:"username"`
	// The user's password, preferably as ${VAR}.
	Password redact.Secret `yaml:"password"`
	// File that holds the password.
	PasswordFile string `yaml:"password_file"`
	// A bearer token instead of user and password.
	Token redact.Secret `yaml:"token"`
	// File that holds the token.
	TokenFile string `yaml:"token_file"`
	// PEM file of the trusted certificate authorities. Empty: the system's.
	CAFile string `yaml:"ca_file"`
	// HTTP connections.
	HTTPClient `yaml:",inline"`
	// How long a partition waits for a schema id that the registry does not have. Then the record goes to the dead-letter topic.
	UnknownIDRetry time.Duration `yaml:"unknown_id_retry" min:"0s" max:"10m"`
	// Encoding of flags. avro: behind Confluent's prefix, with the schema registered under `<incidents>-value` (`confab schema --register`).
	Output string `yaml:"output" enum:"json|avro"`
}

// The values of SchemaRegistry.Output.
const (
	OutputJSON = "json"
	OutputAvro = "avro"
)

// OpenRegistry is the configured schema registry's client, nil when none is configured. reg may be nil.
func (c *Config) OpenRegistry(reg prometheus.Registerer) (*schemaregistry.Client, error) {
	s := &c.SchemaRegistry
	if s.URL == "" {
		return nil, nil //nolint:nilnil // a registry is optional
	}
	return schemaregistry.New(schemaregistry.Options{
		URL: s.URL, Username: s.Username, Password: s.Password.Reveal(), Token: s.Token.Reveal(), CAFile: s.CAFile, HTTP: s.HTTPOptions(),
		UnknownRetry: s.UnknownIDRetry, Metrics: reg,
	})
}

// sendsPlaintextLogin reports whether the login is sent unencrypted to another machine.
func (s *SchemaRegistry) sendsPlaintextLogin() bool {
	u, err := url.Parse(s.URL)
	if err != nil || u.Scheme != "http" || s.Token == "" && s.Password == "" {
		return false
	}
	return !IsLoopback(u.Hostname())
}
