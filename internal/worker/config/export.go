package config

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/net/http/httpguts"

	"confab/internal/redact"
)

// Export says where the export role sends the evaluation results in llm.incidents. Every destination has a consumer group
// of its own, `<consumer_group>-export-<destination>`.
type Export struct {
	// The flags to export: all in llm.incidents, those with a fired detector, or alerts only.
	Only string `yaml:"only" enum:"all|fired|alerts"`
	// PEM file of the certificate authorities that destinations are trusted by. Empty: the system's. Proxies are those of HTTPS_PROXY and NO_PROXY.
	CAFile string `yaml:"ca_file"`
	// Attributes of the resource in events and spans besides service.name and service.version, such as deployment.environment.name.
	Resource map[string]string `yaml:"resource"`
	// Write OpenTelemetry events gen_ai.evaluation.result to kafka.topics.evaluations: one record per flag, OTLP logs in protobuf.
	Evaluations bool `yaml:"evaluations"`
	// Where the same events are sent as OTLP logs.
	Logs OTLP `yaml:"logs"`
	// Where a span per flag is sent, in the trace of its interaction.
	Traces OTLP `yaml:"traces"`
	// Phoenix, which gets the scores as annotations of spans.
	Phoenix Phoenix `yaml:"phoenix"`
	// Langfuse, which gets the scores as those of its traces.
	Langfuse Langfuse `yaml:"langfuse"`
	// Opik, which gets the scores as feedback.
	Opik Opik `yaml:"opik"`
}

// Destination is an address to which results are sent.
type Destination struct {
	// Base address of the API. Empty: none.
	URL string `yaml:"url"`
}

// Phoenix is an instance that gets scores.
type Phoenix struct {
	// The instance.
	Destination `yaml:",inline"`
	// API key, for a Phoenix with authentication.
	APIKey redact.Secret `yaml:"api_key"`
	// File that holds the API key.
	APIKeyFile string `yaml:"api_key_file"`
}

// Langfuse is a project that gets scores.
type Langfuse struct {
	// The project.
	Destination `yaml:",inline"`
	// Public key of the project (pk-lf-...).
	PublicKey string `yaml:"public_key"`
	// Secret key of the project (sk-lf-...).
	SecretKey redact.Secret `yaml:"secret_key"`
	// File that holds the secret key.
	SecretKeyFile string `yaml:"secret_key_file"`
	// Environment of the scores, as the traces have it. Empty: Langfuse's default.
	Environment string `yaml:"environment"`
}

// Opik is a project that gets scores.
type Opik struct {
	// The project.
	Destination `yaml:",inline"`
	// Name of the project that has the traces.
	Project string `yaml:"project"`
	// Workspace of the project. Empty: the default one.
	Workspace string `yaml:"workspace"`
	// API key, for Opik Cloud.
	APIKey redact.Secret `yaml:"api_key"`
	// File that holds the API key.
	APIKeyFile string `yaml:"api_key_file"`
}

// OTLP is an endpoint of OTLP over HTTP, with protobuf. Its address may end in /v1/logs or /v1/traces.
type OTLP struct {
	// The endpoint.
	Destination `yaml:",inline"`
	// Sent with every request, in the form of OTEL_EXPORTER_OTLP_HEADERS: name=value pairs with commas between, values percent-encoded.
	Headers redact.Secret `yaml:"headers"`
	// File that holds the headers.
	HeadersFile string `yaml:"headers_file"`
}

// The values of Export.Only.
const (
	ExportAll    = "all"
	ExportFired  = "fired"
	ExportAlerts = "alerts"
)

// Names of the destinations, in consumer groups and metrics.
const (
	DestinationEvaluations = "evaluations"
	DestinationLogs        = "logs"
	DestinationTraces      = "traces"
	DestinationPhoenix     = "phoenix"
	DestinationLangfuse    = "langfuse"
	DestinationOpik        = "opik"
)

// Destinations are the names of the configured destinations, in the order of the reference.
func (e *Export) Destinations() (names []string) {
	for _, d := range []struct {
		name string
		on   bool
	}{
		{DestinationEvaluations, e.Evaluations},
		{DestinationLogs, e.Logs.URL != ""},
		{DestinationTraces, e.Traces.URL != ""},
		{DestinationPhoenix, e.Phoenix.URL != ""},
		{DestinationLangfuse, e.Langfuse.URL != ""},
		{DestinationOpik, e.Opik.URL != ""},
	} {
		if d.on {
			names = append(names, d.name)
		}
	}
	return names
}

// ExportRole is the role of one destination: its consumer group, its `role` in metrics.
func ExportRole(destination string) Role { return RoleExport + Role("-"+destination) }

// AlertObservationsRole is the consumer group of the role alert that keeps the claims of confirmed incidents.
func AlertObservationsRole() Role { return RoleAlert + "-observations" }

// Members are the roles whose consumer groups a role consists of: itself, and for alert the one that keeps claims; for export
// one per destination.
func (c *Config) Members(role Role) []Role {
	switch {
	case role == RoleAlert && c.Observations.Enabled:
		return []Role{role, AlertObservationsRole()}
	case role != RoleExport:
		return []Role{role}
	}
	var members []Role
	for _, name := range c.Export.Destinations() {
		members = append(members, ExportRole(name))
	}
	return members
}

// ParsedHeaders are the headers by name.
func (o *OTLP) ParsedHeaders() (map[string]string, error) {
	headers := map[string]string{}
	for pair := range strings.SplitSeq(o.Headers.Reveal(), ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, value, ok := strings.Cut(pair, "=")
		name = http.CanonicalHeaderKey(strings.TrimSpace(name))
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if !ok || err != nil || !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
			return nil, errors.New("expected name=value pairs with commas between, values percent-encoded, such as api-key=abc,x-scope=team")
		}
		switch name {
		case "Host", "Content-Length", "Content-Type", "Content-Encoding", "Transfer-Encoding":
			return nil, fmt.Errorf("%s is set by the client: remove it", name)
		}
		headers[name] = value
	}
	return headers, nil
}
