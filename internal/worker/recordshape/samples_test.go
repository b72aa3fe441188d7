package recordshape

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/schemas"
	"confab/schemas/json"
	"confab/schemas/json/scan"
)

var update = flag.Bool("update", false, "write the goldens")

const samples = "../../../examples/presets"

// Every record of every sample is read as its golden says, skipped or refused. The samples come from the libraries
// themselves: examples/presets/README.md.
func TestSamplesMatchGoldens(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(samples, "*.jsonl"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		base := strings.TrimSuffix(filepath.Base(file), ".jsonl")
		name, _, _ := strings.Cut(base, ".")
		if name == "presets" || strings.HasSuffix(base, ".otlp") {
			continue // tests for confab map, and spans
		}
		t.Run(base, func(t *testing.T) {
			compareGolden(t, base, readSample(t, name, file))
		})
	}
}

// compareGolden compares what was read with a golden, or writes it.
func compareGolden(t *testing.T, name, got string) {
	t.Helper()
	golden := filepath.Join("testdata", name+".golden")
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(got), 0o600))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

// The recorded calls are the same for every library, so their content is, whatever the shape.
func TestPresetsReadTheSameCall(t *testing.T) {
	for _, base := range []string{
		"openai", "openai.bare", "litellm", "langfuse", "langfuse.api", "openinference", "openinference.phoenix",
		"ragas", "ragas.v01", "langchain", "langchain.runs",
	} {
		t.Run(base, func(t *testing.T) {
			name, _, _ := strings.Cut(base, ".")
			var wrong []*schemas.Interaction
			eachRecord(t, name, filepath.Join(samples, base+".jsonl"), func(_ int, in *schemas.Interaction, err error) {
				if err == nil && in.Answer == "You can return goods within 90 days of delivery [2]." {
					wrong = append(wrong, in)
				}
			})
			require.NotEmpty(t, wrong)
			for _, in := range wrong {
				if base == "openai.bare" {
					continue // a response without its request
				}
				require.NotEmpty(t, in.Messages)
				require.Equal(t, schemas.Message{Role: "user", Content: "How long can I return goods?"}, in.Messages[len(in.Messages)-1])
				given := in.Messages[0].Content
				for _, s := range in.Sources {
					given += s.Text
				}
				if base == "openai" && in.Model != "" && len(in.Messages) == 1 {
					continue // the Responses API has its instructions apart from the messages
				}
				require.Contains(t, given, "Goods can be returned within 30 days of delivery.", "the passage")
			}
		})
	}
}

// readSample describes how each record of a file is read.
func readSample(t *testing.T, name, file string) string {
	t.Helper()
	var b strings.Builder
	eachRecord(t, name, file, func(line int, in *schemas.Interaction, err error) {
		var refused *scan.Error
		switch {
		case errors.Is(err, json.ErrSkipped):
			fmt.Fprintf(&b, "%d: skipped\n", line)
		case errors.As(err, &refused):
			fmt.Fprintf(&b, "%d: refused: %s %s\n", line, refused.Reason, refused.Field)
		default:
			require.NoError(t, err)
			fmt.Fprintf(&b, "%d:\n", line)
			describe(&b, in)
		}
	})
	return b.String()
}

func eachRecord(t *testing.T, name, file string, visit func(line int, in *schemas.Interaction, err error)) {
	t.Helper()
	d, err := NewDecoder(Options{Preset: name}, json.Options{})
	require.NoError(t, err)
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	lines, err := NewRecords(f, json.DefaultMaxBytes, file, nil)
	require.NoError(t, err)
	for {
		line, err := lines.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(t, err)
		in := new(schemas.Interaction)
		visit(lines.Number(), in, d.Decode(bytes.Clone(line), in))
	}
}

// describe writes the fields that are set. Long texts are cut.
func describe(b *strings.Builder, in *schemas.Interaction) {
	put := func(name, value string) {
		if value != "" {
			fmt.Fprintf(b, "  %s: %s\n", name, excerpt(value))
		}
	}
	fmt.Fprintf(b, "  answer: %q\n", in.Answer)
	for _, f := range []struct{ name, value string }{
		{"shape", in.Shape},
		{"id", in.ID},
		{"tenant", in.Tenant},
		{"service", in.Service},
		{"operation", in.Operation},
		{"provider", in.Provider},
		{"model", in.Model},
		{"trace_id", in.TraceID},
		{"span_id", in.SpanID},
		{"conversation_id", in.ConversationID},
		{"finish_reason", in.FinishReason},
		{"response_schema", in.ResponseSchema},
		{"tags", strings.Join(in.Tags, " ")},
		{"malformed", strings.Join(in.Malformed, " ")},
	} {
		if f.name != "tenant" || f.value != schemas.DefaultTenant {
			put(f.name, f.value)
		}
	}
	if !in.OccurredAt.IsZero() {
		put("occurred_at", in.OccurredAt.Format(time.RFC3339Nano))
	}
	if in.Streamed {
		put("streamed", "true")
	}
	if in.Temperature != schemas.UnknownTemperature {
		put("temperature", fmt.Sprint(in.Temperature))
	}
	for _, m := range in.Messages {
		put("message "+m.Role, m.Content+" ")
	}
	for _, s := range in.Sources {
		put("source", fmt.Sprintf("%s %s %v %s", s.ID, s.URI, s.Score, s.Text))
	}
	for _, tool := range in.Tools {
		put("tool", tool.Name+" "+tool.Schema)
	}
	for _, c := range in.Calls {
		put("call", fmt.Sprintf("%s %s(%s)", c.ID, c.Name, c.Arguments))
		put("  result", c.Result)
		put("  error", c.Error)
	}
	if n := in.Logprobs.Rows(); n > 0 {
		put("logprobs", fmt.Sprintf("%d × %d", n, 1+in.Logprobs.TopK))
	}
	names := make([]string, 0, len(in.Attributes))
	for name, value := range in.Attributes {
		names = append(names, name+"="+value)
	}
	slices.Sort(names)
	put("attributes", strings.Join(names, " "))
}

// excerpt returns the beginning of a text in one line.
func excerpt(text string) string {
	text = strings.TrimSpace(strings.ReplaceAll(text, "\n", "⏎"))
	runes := []rune(text)
	if len(runes) <= 100 {
		return text
	}
	return fmt.Sprintf("%s… (%d bytes)", string(runes[:80]), len(text))
}
