package sampling

import (
	"context"
	"slices"
	"strings"

	"confab/internal/llm"
	"confab/schemas"
)

// Resampler requests resampled responses from the sampler endpoint. It implements deep.Resampler and is safe for
// concurrent use.
type Resampler struct{ gatedClient }

// NewResampler returns a resampler.
func NewResampler(o EndpointOptions) *Resampler { return &Resampler{newEndpoint(o)} }

// Resample sends the interaction's own messages. Sources that no message contains are added before them, so that the
// model has the same context.
func (r *Resampler) Resample(ctx context.Context, in *schemas.Interaction, ask schemas.SampleRequest) ([]schemas.SampledResponse, schemas.Usage, error) {
	mark, err := newMark(r.random)
	if err != nil {
		return nil, schemas.Usage{}, err
	}
	replies, used, err := r.chat(ctx, llm.Request{
		Messages: conversation(in, mark), N: ask.Answers, Temperature: &ask.Temperature, MaxTokens: ask.MaxTokens,
	})
	answers := make([]schemas.SampledResponse, len(replies.Choices))
	for i, c := range replies.Choices {
		answers[i] = schemas.SampledResponse{
			Text: c.Text, Cut: c.Finish == finishLength, Refused: c.Refusal != "" || c.Finish == finishFilter,
		}
	}
	return answers, used, err
}

// Finish reasons of a reply.
const (
	finishLength = "length"
	finishFilter = "content_filter"
)

func conversation(in *schemas.Interaction, mark string) []llm.Message {
	var list []llm.Message
	var given []string
	for _, s := range in.Sources {
		if in.SourcesFrom != "" && in.SourcesFrom != schemas.SourcesFromField && in.SourcesFrom != schemas.SourcesFromRetriever {
			break // the messages hold them
		}
		if t := strings.TrimSpace(s.Text); t != "" && !inMessages(t, in.Messages) {
			given = append(given, t)
		}
	}
	if len(given) > 0 {
		list = append(list, llm.Message{Role: llm.System, Text: contextPrompt(mark, given)})
	}
	for _, m := range in.Messages {
		list = append(list, llm.Message{Role: chatRole(m.Role), Text: m.Content})
	}
	return list
}

func inMessages(text string, messages []schemas.Message) bool {
	return slices.ContainsFunc(messages, func(m schemas.Message) bool { return strings.Contains(m.Content, text) })
}

// chatRole maps roles to those that every server accepts: results of tools become user messages.
func chatRole(r string) string {
	switch strings.ToLower(r) {
	case "system", "developer":
		return llm.System
	case "assistant", "model", "ai":
		return llm.Assistant
	default:
		return llm.User
	}
}
