package main

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/golden"
)

// typicalMistake is a configuration or a command line that new users write.
type typicalMistake struct {
	name, yaml, args string // args is "config validate" when empty
	exit             int    // exitUsage when 0
}

func typicalMistakes() []typicalMistake {
	return []typicalMistake{
		{name: "key typo", yaml: "kafka:\n  seed_broker: [a:9092]\n"},
		{name: "three wrong types", yaml: "workers: many\nsampling: {rate: often}\nkafka: {tls: yes please}\n"},
		{name: "unset variable", yaml: "kafka:\n  seed_brokers: [\"${BROKERS}\"]\n"},
		{name: "missing secret file", yaml: "kafka:\n  sasl: {mechanism: PLAIN, username: u, password_file: nowhere}\n"},
		{name: "SASL without password", yaml: "kafka:\n  sasl: {mechanism: PLAIN, username: u}\n"},
		{name: "unknown mechanism", yaml: "kafka:\n  sasl: {mechanism: SCRAM, username: u, password: p}\n"},
		{name: "broker without port", yaml: "kafka:\n  seed_brokers: [kafka.example.com]\n"},
		{name: "duration without unit", yaml: "shutdown_grace: 30\n"},
		{name: "percent", yaml: "sampling:\n  rate: 1%\n"},
		{name: "log level", yaml: "log:\n  level: verbose\n"},
		{name: "two sinks", yaml: "alerting:\n  console: true\n  slack: {webhook_url: \"https://hooks.slack.com/services/T0/B0/x\"}\n"},
		{name: "Slack bot without channel", yaml: "alerting:\n  slack: {bot_token: xoxb-1-2-abc}\n"},
		{name: "judge without model", yaml: "llm:\n  judge: {base_url: \"http://127.0.0.1:1/v1\"}\n"},
		{name: "JSONPath", yaml: "kafka:\n  inputs:\n    - topic: chat\n      map:\n        answer: $.choices[0].message.content\n"},
		{name: "dotted path", yaml: "kafka:\n  inputs:\n    - topic: chat\n      map:\n        answer: response.text\n"},
		{name: "blank in a pointer", yaml: "kafka:\n  inputs:\n    - topic: chat\n      map:\n        answer: /a\n        sources: text=page_content id=metadata/source /metadata/documents\n"},
		{name: "unknown preset", yaml: "kafka:\n  inputs:\n    - topic: chat\n      map: {preset: langfus}\n"},
		{name: "map without answer", yaml: "kafka:\n  inputs:\n    - {topic: chat, map: {interaction_id: /id}}\n"},
		{name: "roles typo", yaml: "roles: [detect, alerts]\n"},
		{name: "tab", yaml: "kafka:\n\tseed_brokers: [a:9092]\n"},
		{name: "PagerDuty", yaml: "alerting:\n  pagerduty: {routing_key: x}\n"},
		{name: "unknown reason", args: "redrive --reason nosuch"},
		{name: "unknown command", args: "chek answers.jsonl"},
		{name: "--set typo", args: "config validate --set kafka.seed_broker=a:9092"},
		{name: "flag typo", args: "run --role detect"},
		{name: "unknown input", args: "check answers.jsonl --input chat"},
		{name: "missing configuration", args: "run --config nowhere.yaml"},
		{name: "missing file", args: "check nowhere.jsonl", exit: exitFailure},
	}
}

// TestTypicalMistakes holds what a person sees for each mistake against testdata/mistakes.golden.
func TestTypicalMistakes(t *testing.T) {
	file := filepath.Join("testdata", "mistakes.golden")
	absolute, err := filepath.Abs(file)
	require.NoError(t, err)
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("answers.jsonl", []byte(`{"answer":"a"}`+"\n"), 0o600))
	var page strings.Builder
	for _, m := range typicalMistakes() {
		require.NoError(t, os.WriteFile(defaultFile, []byte(m.yaml), 0o600))
		args := cmp.Or(m.args, "config validate")
		var out, errs bytes.Buffer
		code := runProgram(stdStreams{in: strings.NewReader(""), out: &out, err: &errs}, strings.Fields(args), nil)
		require.Equal(t, cmp.Or(m.exit, exitUsage), code, "%s: %s", m.name, errs.String())
		require.Empty(t, out.String(), m.name)
		fmt.Fprintf(&page, "== %s\n%s$ confab %s\n%s\n", m.name, m.yaml, args, errs.String())
	}
	golden.Equal(t, absolute, page.String())
}
