package telemetry

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Variables that decide whether and how spans are exported. The SDK reads the others.
const (
	envDisabled       = "OTEL_SDK_DISABLED"
	envExporter       = "OTEL_TRACES_EXPORTER"
	envEndpoint       = "OTEL_EXPORTER_OTLP_ENDPOINT"
	envTracesEndpoint = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
	envProtocol       = "OTEL_EXPORTER_OTLP_PROTOCOL"
	envTracesProtocol = "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"
)

// The protocols of OTLP.
const (
	protocolHTTP = "http/protobuf"
	protocolGRPC = "grpc"
)

// numbers are variables that the SDK ignores if they hold no whole number, without a log line that anyone sees.
func numbers() []string {
	return []string{
		"OTEL_BSP_SCHEDULE_DELAY", "OTEL_BSP_EXPORT_TIMEOUT", "OTEL_BSP_MAX_QUEUE_SIZE", "OTEL_BSP_MAX_EXPORT_BATCH_SIZE",
		"OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT", "OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT", "OTEL_SPAN_LINK_COUNT_LIMIT", "OTEL_SPAN_EVENT_COUNT_LIMIT",
		"OTEL_ATTRIBUTE_COUNT_LIMIT", "OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT",
	}
}

// settings are what the environment asks for.
type settings struct {
	enabled  bool
	protocol string
	problems []problem
}

// problem is a value that is not used, with what happens instead. It never holds the value, which may be a secret.
type problem struct {
	variable string
	remedy   string
}

// environment holds NAME=value entries. The last one of a name counts.
type environment []string

func (e environment) get(name string) string {
	for _, entry := range slices.Backward(e) {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// first returns the first of the variables that is set, and its name.
func (e environment) first(names ...string) (name, value string) {
	for _, name := range names {
		if value := e.get(name); value != "" {
			return name, value
		}
	}
	return "", ""
}

// readSettings reads the variables. As the specification demands, an unknown value counts as none, with a problem.
func readSettings(env environment) settings {
	s := settings{protocol: protocolHTTP}
	switch disabled := env.get(envDisabled); {
	case strings.EqualFold(disabled, "true"):
		return s
	case disabled != "" && !strings.EqualFold(disabled, "false"):
		s.note(envDisabled, "it is neither true nor false and counts as false")
	}
	endpointName, endpoint := env.first(envTracesEndpoint, envEndpoint)
	s.enabled = s.exports(env.get(envExporter), endpoint != "")
	if !s.enabled {
		return s
	}
	switch name, protocol := env.first(envTracesProtocol, envProtocol); protocol {
	case "", protocolHTTP:
	case protocolGRPC:
		s.protocol = protocolGRPC
	default:
		s.note(name, "it is neither http/protobuf nor grpc: http/protobuf is used")
	}
	if endpoint != "" && !usableEndpoint(endpoint, s.protocol) {
		s.enabled = false
		s.note(endpointName, "no span is exported: write a URL such as http://collector:4318, with port 4317 for grpc")
	}
	s.checkNumbers(env)
	return s
}

func (s *settings) checkNumbers(env environment) {
	for _, name := range numbers() {
		if value := env.get(name); value != "" {
			if _, err := strconv.Atoi(value); err != nil {
				s.note(name, "it is not a whole number: the default applies")
			}
		}
	}
}

func (s *settings) note(variable, remedy string) {
	s.problems = append(s.problems, problem{variable, remedy})
}

// exports reports whether spans are exported: an exporter is named, or none is and there is an endpoint.
func (s *settings) exports(exporter string, endpoint bool) bool {
	switch strings.ToLower(exporter) {
	case "":
		return endpoint
	case "otlp":
		return true
	case "none":
		return false
	default:
		s.note(envExporter, fmt.Sprintf("only otlp and none are supported: it counts as not set, so spans are exported: %t", endpoint))
		return endpoint
	}
}

// usableEndpoint reports whether the SDK understands an endpoint. For another one it would silently take localhost.
func usableEndpoint(endpoint, protocol string) bool {
	u, err := url.Parse(endpoint)
	switch {
	case err != nil:
		return false
	case protocol == protocolGRPC: // also host:port and the schemes of gRPC
		return u.Host != "" || u.Opaque != "" || u.Path != ""
	default:
		return u.Host != "" && (strings.EqualFold(u.Scheme, "http") || strings.EqualFold(u.Scheme, "https"))
	}
}
