package main

import (
	"cmp"
	stdjson "encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/kafka"
	"confab/internal/kafka/embedded"
	"confab/internal/worker/config"
	"confab/schemas"
	"confab/schemas/json"
)

// examplePython is the Python of the examples, whose tests run with REQUIRE_EXAMPLES=1, as make examples does.
func examplePython(t *testing.T) string {
	t.Helper()
	if os.Getenv("REQUIRE_EXAMPLES") == "" {
		t.Skip("make examples runs it")
	}
	return cmp.Or(os.Getenv("CONFAB_TEST_PYTHON"), "python3")
}

// Each example producer writes an interaction that the worker can read.
func TestExampleProducers(t *testing.T) {
	python := examplePython(t)
	for _, tc := range []struct {
		name    string
		command []string
	}{
		{"go", []string{"go", "run", "./examples/producers/go"}},
		{"kcat", []string{"sh", "examples/producers/kcat/produce.sh"}},
		{"python", []string{python, "examples/producers/python/produce.py"}},
		{"java", []string{"sh", "-c", `mvn -q -f examples/producers/java/pom.xml -DbuildDirectory="$1" compile exec:java -Dexec.args="$2"`, "sh", t.TempDir()}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			cluster, err := embedded.Start(embedded.Options{Topics: map[string]int32{"llm.interactions": 1}})
			require.NoError(t, err)
			t.Cleanup(cluster.Close)
			cmd := exec.CommandContext(t.Context(), tc.command[0], append(tc.command[1:], cluster.Seeds()[0])...)
			cmd.Dir = repository
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, string(out))

			var in schemas.Interaction
			records := 0
			require.NoError(t, kafka.Read(t.Context(), kafka.ReaderOptions{
				Config: kafka.Config{SeedBrokers: cluster.Seeds()}, Topics: []string{"llm.interactions"}, StopAtEnd: true,
			}, func(r *kafka.FetchedRecord) error {
				records++
				return json.NewDecoder(json.Options{}).Decode(r.Value, &in)
			}))
			require.Equal(t, 1, records)
			require.Equal(t, "example-"+tc.name+"-1", in.ID)
			require.Len(t, in.Sources, 1)
			require.Zero(t, in.UnknownFields)
		})
	}
}

func TestExampleConfigurationLoads(t *testing.T) {
	c, err := config.Load(config.LoadOptions{File: filepath.Join(repository, "examples", "confab.yaml")})
	require.NoError(t, err)
	require.Equal(t, []config.Role{config.RoleDetect, config.RoleAlert}, c.ActiveRoles())
}

// The interactions that examples/compose.yaml writes are those of the demo.
func TestExampleInteractionsAreTheDemos(t *testing.T) {
	samples, err := os.ReadFile(filepath.Join("..", "..", "internal", "cli", "demo", "samples", "samples.jsonl"))
	require.NoError(t, err)
	var want strings.Builder
	for line := range strings.Lines(string(samples)) {
		var sample struct {
			Interaction stdjson.RawMessage `json:"interaction"`
		}
		require.NoError(t, stdjson.Unmarshal([]byte(line), &sample))
		if sample.Interaction != nil {
			want.Write(append(sample.Interaction, '\n'))
		}
	}
	got, err := os.ReadFile(filepath.Join(repository, "examples", "interactions.jsonl"))
	require.NoError(t, err)
	require.Equal(t, want.String(), string(got))
}
