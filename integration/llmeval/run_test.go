//go:build integration

package llmeval_test

import (
	"bytes"
	"context"
	"flag"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/integration/llmeval"
	"confab/integration/llmserver"
	"confab/internal/llm"
	"confab/internal/redact"
)

var (
	out    = flag.String("eval.out", "", "file for the report; empty evaluates the test model only")
	judged = flag.Int("eval.judged", 30, "answers that the judge reads")
)

const judgeContext = 1536 // tokens of the longest prompt and its reply

// asked is the evaluated model.
type asked struct {
	heading        llmeval.Heading
	sampler, judge *llm.Client
}

// TestEval evaluates the 2 MB test model, and writes a report only with -eval.out, as `make llm-eval` does.
func TestEval(t *testing.T) {
	a := who(t)
	a.heading.Date, a.heading.Command = time.Now().UTC().Format(time.DateOnly), "make llm-eval"
	questions := llmeval.Questions()
	report, err := llmeval.Run(t.Context(), llmeval.Options{
		Sampler: a.sampler, Judge: a.judge, Questions: questions, Judged: *judged, Progress: t.Logf,
	})
	require.NoError(t, err)
	page := report.Markdown(a.heading)
	t.Log(page)
	require.GreaterOrEqual(t, len(report.Answers), 40, "of %d; the last failure: %v", len(questions), report.LastFail)
	require.Positive(t, report.JudgeReplies.Statements.Calls)
	right := 0
	for i := range report.Answers {
		require.Equal(t, 4, report.Answers[i].Samples, "of %q", report.Answers[i].Question.Text)
		if !report.Answers[i].Wrong {
			right++
		}
	}
	require.Positive(t, right, "a model that knows nothing")
	require.Less(t, right, len(report.Answers), "a model that knows everything")
	if *out != "" {
		require.NoError(t, os.WriteFile(*out, []byte(page), 0o644))
	}
}

func who(t *testing.T) asked {
	t.Helper()
	model := os.Getenv("CONFAB_TEST_LLM_MODEL")
	url := os.Getenv("CONFAB_TEST_LLM_URL")
	switch {
	case *out == "":
		c := client(t, serve(t, llmserver.Options{}), "tiny")
		return asked{heading: llmeval.Heading{Model: "tiny-facts"}, sampler: c, judge: c}
	case url != "":
		require.NotEmpty(t, model, "set CONFAB_TEST_LLM_MODEL: the report names it")
		c := client(t, url, model)
		return asked{heading: llmeval.Heading{Model: model, Server: "CONFAB_TEST_LLM_URL"}, sampler: c, judge: c}
	}
	llmserver.RequirePython(t)
	file := pretrained(t)
	return asked{
		heading: llmeval.Heading{
			Model:  "Gemma 3 270M, base, Q4_K_M; not instruction-tuned, so its judging only tests the plumbing",
			Server: "llama.cpp, by xllamacpp 2026.10.11549, on one core",
		},
		sampler: client(t, serve(t, llmserver.Options{Model: file, Template: "base.jinja", Stop: "\n"}), "gemma-3-270m"),
		judge:   client(t, serve(t, llmserver.Options{Model: file, Template: "judge.jinja", Context: judgeContext}), "gemma-3-270m"),
	}
}

func serve(t *testing.T, o llmserver.Options) string {
	t.Helper()
	s, err := llmserver.Start(t.Context(), llmserver.RequirePython(t), o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	require.NoError(t, s.Await(t.Context()))
	return s.URL()
}

func client(t *testing.T, url, model string) *llm.Client {
	t.Helper()
	o := llm.Options{BaseURL: url, Model: model, Timeout: time.Minute, MaxRetries: -1, Redact: redact.Redact}
	if key := os.Getenv("CONFAB_TEST_LLM_KEY"); key != "" {
		o.APIKey = redact.Secret(key)
	}
	c, err := llm.New(o)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

func pretrained(t *testing.T) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "../llmserver/python.sh")
	cmd.Env = append(os.Environ(), "MODEL=1")
	var errs bytes.Buffer
	cmd.Stderr = &errs
	file, err := cmd.Output()
	require.NoError(t, err, "no pre-trained model: %s", errs.String())
	return strings.TrimSpace(string(file))
}
