package doctor

import (
	"context"
	"maps"
	"slices"

	"confab/internal/console"
	"confab/internal/llm"
	"confab/internal/redact"
	"confab/internal/worker/config"
)

// LLM sends each configured endpoint one short request without user data. It costs a few tokens that the budget does not
// count.
func LLM(ctx context.Context, c *config.Config) []console.Finding {
	r := console.Report{Check: "llm"}
	if !slices.Contains(c.ActiveRoles(), config.RoleSample) {
		if c.WritesCopies() && slices.Contains(c.ActiveRoles(), config.RoleDetect) {
			r.Warn("interactions are copied for the role sample, which is not active here", "set llm, or run the role sample in another process")
		} else {
			r.OK("not needed: the role sample is not active here")
		}
		return r.Findings
	}
	all := r.Findings
	endpoints := c.LLM.Endpoints()
	for _, name := range slices.Sorted(maps.Keys(endpoints)) {
		if e := endpoints[name]; e.BaseURL != "" {
			all = append(all, examineEndpoint(ctx, name, &c.LLM, e)...)
		}
	}
	return all
}

func examineEndpoint(ctx context.Context, name string, l *config.LLM, e *config.Endpoint) []console.Finding {
	r := console.Report{Check: "llm", Subject: name}
	correct := "correct llm." + name
	client, err := l.Client(e, nil, redact.Redact)
	if err != nil {
		r.Fail(err.Error(), correct)
		return r.Findings
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(ctx, l.Timeout)
	defer cancel()
	switch name {
	case "embedder":
		_, err = client.Embed(ctx, []string{"one"})
	case "verifier":
		var form *llm.Form
		if form, err = l.Verifier.Form(); err == nil {
			_, err = client.Verify(ctx, form, []llm.Pair{{Premise: "It rains.", Hypothesis: "It is wet."}})
		}
	default:
		_, err = client.Chat(ctx, llm.Request{Messages: []llm.Message{{Role: llm.User, Text: "Say yes."}}, MaxTokens: 16})
	}
	switch llm.ClassOf(err) {
	case "":
		r.OK("it answers as " + e.Model)
	case llm.Retryable, llm.Timeout, llm.Canceled:
		r.Fail(err.Error(), "start the server, or "+correct)
	default:
		r.Fail(err.Error(), correct)
	}
	return r.Findings
}
