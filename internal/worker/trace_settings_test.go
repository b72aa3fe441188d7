package worker

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReadSettings(t *testing.T) {
	const endpoint = "OTEL_EXPORTER_OTLP_ENDPOINT=http://collector:4318"
	for _, tc := range []struct {
		name     string
		env      []string
		enabled  bool
		protocol string
		problem  string // its variable
	}{
		{name: "nothing", env: nil},
		{name: "endpoint", env: []string{endpoint}, enabled: true},
		{name: "endpoint of traces", env: []string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=https://collector/v1/traces"}, enabled: true},
		{name: "empty endpoint", env: []string{"OTEL_EXPORTER_OTLP_ENDPOINT= "}},
		{name: "endpoint of metrics only", env: []string{"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT=http://collector:4318"}},
		{name: "other variables only", env: []string{"OTEL_SERVICE_NAME=x", "OTEL_TRACES_SAMPLER=always_on"}},
		{name: "exporter named: the default endpoint", env: []string{"OTEL_TRACES_EXPORTER=otlp"}, enabled: true},
		{name: "exporter none", env: []string{endpoint, "OTEL_TRACES_EXPORTER=none"}},
		{name: "unknown exporter", env: []string{endpoint, "OTEL_TRACES_EXPORTER=zipkin"}, problem: "OTEL_TRACES_EXPORTER"},
		{name: "unknown exporter, no endpoint", env: []string{"OTEL_TRACES_EXPORTER=console"}, problem: "OTEL_TRACES_EXPORTER"},
		{name: "disabled", env: []string{endpoint, "OTEL_SDK_DISABLED=TRUE"}},
		{name: "not disabled", env: []string{endpoint, "OTEL_SDK_DISABLED=false"}, enabled: true},
		{name: "grpc", env: []string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://collector:4317", "OTEL_EXPORTER_OTLP_PROTOCOL=grpc"}, enabled: true, protocol: protocolGRPC},
		{name: "grpc, host and port", env: []string{"OTEL_EXPORTER_OTLP_ENDPOINT=collector:4317", "OTEL_EXPORTER_OTLP_PROTOCOL=grpc"}, enabled: true, protocol: protocolGRPC},
		{name: "protocol of traces wins", env: []string{endpoint, "OTEL_EXPORTER_OTLP_PROTOCOL=grpc", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=http/protobuf"}, enabled: true, protocol: "http/protobuf"},
		{name: "host and port", env: []string{"OTEL_EXPORTER_OTLP_ENDPOINT=collector:4318"}, problem: "OTEL_EXPORTER_OTLP_ENDPOINT"},
		{name: "address and port", env: []string{"OTEL_EXPORTER_OTLP_ENDPOINT=10.0.0.1:4318"}, problem: "OTEL_EXPORTER_OTLP_ENDPOINT"},
		{name: "other scheme", env: []string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=ftp://collector"}, problem: "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"},
		{name: "no host", env: []string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://"}, problem: "OTEL_EXPORTER_OTLP_ENDPOINT"},
		{name: "the last entry counts", env: []string{endpoint, "OTEL_EXPORTER_OTLP_ENDPOINT="}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := readSettings(tc.env)
			require.Equal(t, tc.enabled, got.enabled)
			if tc.enabled {
				require.Equal(t, tc.protocol, got.protocol)
			}
			require.Equal(t, tc.problem, got.problem)
			require.Equal(t, tc.problem == "", got.remedy == "")
		})
	}
}
