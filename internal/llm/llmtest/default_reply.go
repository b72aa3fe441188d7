package llmtest

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"unicode"
)

const dimensions = 64

type jsonObject = map[string]any

// defaultReply answers by the end of the path.
func (s *Server) defaultReply(path string, body []byte) (status int, reply string) {
	var out any
	switch {
	case strings.HasSuffix(path, "/chat/completions"):
		status, out = s.chat(body)
	case strings.HasSuffix(path, "/embeddings"):
		status, out = s.embed(body)
	case strings.HasSuffix(path, "/predict"):
		status, out = classifyPairs(body)
	default:
		status, out = 404, errorReply("", "not found")
	}
	text, err := json.Marshal(out)
	if err != nil {
		return 500, err.Error()
	}
	return status, string(text)
}

func errorReply(param, message string) jsonObject {
	return jsonObject{"error": jsonObject{"message": message, "param": param, "type": "invalid_request_error", "code": 400}}
}

func (s *Server) chat(body []byte) (int, any) {
	var chat Chat
	var fields jsonObject
	if json.Unmarshal(body, &chat) != nil || json.Unmarshal(body, &fields) != nil {
		return 400, errorReply("", "not a chat request")
	}
	for _, p := range s.opts.Refuse {
		if _, sent := fields[p]; sent {
			return 400, errorReply(p, fmt.Sprintf("Unsupported parameter: '%s'", p))
		}
	}
	n := max(chat.N, 1)
	if s.opts.IgnoreN {
		n = 1
	}
	answer := s.opts.Answer
	if answer == nil {
		answer = func(c Chat, _ int) string { return "echo: " + c.Last() }
	}
	var choices []jsonObject
	spent := 0
	for i := range n {
		text := answer(chat, i)
		spent += len(strings.Fields(text))
		choice := jsonObject{"index": i, "finish_reason": "stop", "message": jsonObject{"role": "assistant", "content": text}}
		choices = append(choices, choice)
	}
	out := jsonObject{"id": "rote", "object": "chat.completion", "model": chat.Model, "choices": choices}
	prompt := 0
	for _, m := range chat.Messages {
		prompt += len(strings.Fields(m.Content))
	}
	if s.opts.CountOne {
		spent /= n
	}
	if !s.opts.NoUsage {
		out["usage"] = jsonObject{"prompt_tokens": prompt, "completion_tokens": spent, "total_tokens": prompt + spent}
	}
	return 200, out
}

// embed returns hashed word counts: texts with the same words have similar vectors.
func (s *Server) embed(body []byte) (int, any) {
	var in struct {
		Model string
		Input []string
	}
	if json.Unmarshal(body, &in) != nil {
		return 400, errorReply("input", "not a list of texts")
	}
	var data []jsonObject
	spent := 0
	for i, text := range in.Input {
		vector := make([]float64, dimensions)
		for _, w := range splitWords(text) {
			h := fnv.New32a()
			_, _ = h.Write([]byte(w)) // a hash never fails
			vector[h.Sum32()%dimensions]++
			spent++
		}
		data = append(data, jsonObject{"object": "embedding", "index": i, "embedding": vector})
	}
	out := jsonObject{"object": "list", "model": in.Model, "data": data}
	if !s.opts.NoUsage {
		out["usage"] = jsonObject{"prompt_tokens": spent, "total_tokens": spent}
	}
	return 200, out
}

// classifyPairs returns entailment if the premise has every word of the hypothesis.
func classifyPairs(body []byte) (int, any) {
	var in struct{ Inputs [][2]string }
	if json.Unmarshal(body, &in) != nil {
		return 422, jsonObject{"error": "not a list of pairs", "error_type": "validation"}
	}
	var out [][]jsonObject
	for _, pair := range in.Inputs {
		has := splitWords(pair[0])
		entailed := .9
		for _, w := range splitWords(pair[1]) {
			if !slices.Contains(has, w) {
				entailed = .1
			}
		}
		out = append(out, []jsonObject{
			{"label": "entailment", "score": entailed},
			{"label": "neutral", "score": (1 - entailed) / 2},
			{"label": "contradiction", "score": (1 - entailed) / 2},
		})
	}
	return 200, out
}

func splitWords(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
}
