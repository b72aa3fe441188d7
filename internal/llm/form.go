package llm

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Form is the interface of a server that checks claims: how it is asked, and where its reply says what.
type Form struct {
	path    string // follows the address
	request any    // JSON; see fill
	at      string // JSON pointer into the reply
	says    says
}

// says is what the value of a reply means.
type says int

const (
	saysLabels      says = iota // classes of natural language inference with their probabilities, a list for each pair
	saysSupported               // the probability that the passage supports the claim
	saysUnsupported             // the probability that it does not
	saysSpans                   // parts of the claim without support
	saysLogit                   // the logarithm of the odds that the passage supports the claim
)

// Kind is a published interface of verifiers.
type Kind string

// The kinds.
const (
	KindNLI      Kind = "nli"              // text-embeddings-inference, /predict
	KindRerank   Kind = "rerank"           // text-embeddings-inference, /rerank
	KindLettuce  Kind = "lettucedetect"    // LettuceDetect, /v1/lettucedetect/spans
	KindHHEM     Kind = "hhem"             // Vectara's evaluate_factual_consistency
	KindMini     Kind = "minicheck"        // a chat of OpenAI's API, as MiniCheck is asked
	KindGuardian Kind = "granite_guardian" // a chat of OpenAI's API, as Granite Guardian 3.3 is asked for groundedness
	KindHTTP     Kind = "http"             // by a map
)

// FormMap is the interface of any other server. One of Supported, Unsupported and Spans is set.
type FormMap struct {
	Request                       string // JSON with placeholders
	Supported, Unsupported, Spans string // JSON pointers
}

// formOf is the interface of a kind: request, pointer and meaning.
func formOf(k Kind) (request string, f Form) {
	const chat = "/chat/completions"
	switch k {
	case KindRerank:
		return `{"query": "{claim}", "texts": ["{passage}"], "raw_scores": true, "truncate": true}`, Form{at: "/0/score", says: saysLogit} // llama.cpp knows no others
	case KindLettuce:
		return `{"contexts": ["{passage}"], "question": "", "answer": "{claim}"}`, Form{at: "/predictions", says: saysSpans}
	case KindHHEM:
		return `{"generated_text": "{claim}", "source_texts": ["{passage}"]}`, Form{at: "/score", says: saysSupported}
	case KindMini:
		return `{"model": "{model}", "messages": [{"role": "user", "content": "Document: {passage}\nClaim: {claim}"}],
			"temperature": 0, "max_tokens": 8, "logprobs": true, "top_logprobs": 5}`, Form{path: chat, at: "/choices/0", says: saysSupported}
	case KindGuardian:
		return `{"model": "{model}", "messages": [{"role": "assistant", "content": "{claim}"}],
			"documents": [{"doc_id": "0", "text": "{passage}"}],
			"chat_template_kwargs": {"guardian_config": {"criteria_id": "groundedness"}, "think": false},
			"temperature": 0, "max_tokens": 32, "logprobs": true, "top_logprobs": 5}`, Form{path: chat, at: "/choices/0", says: saysUnsupported}
	default:
		return `{"inputs": "{pairs}", "truncate": true}`, Form{says: saysLabels}
	}
}

// NewForm returns the interface of a kind; m is that of KindHTTP. Its error begins with the key of m that is wrong.
func NewForm(k Kind, m FormMap) (*Form, error) {
	request, f := formOf(k)
	if k == KindHTTP {
		request, f = m.Request, Form{}
		for _, place := range [...]struct {
			key, pointer string
			says         says
		}{{"supported", m.Supported, saysSupported}, {"unsupported", m.Unsupported, saysUnsupported}, {"spans", m.Spans, saysSpans}} {
			switch {
			case place.pointer == "":
			case !strings.HasPrefix(place.pointer, "/"):
				return nil, fmt.Errorf("%s: the pointer %q does not start with /: write it as in /data/0/score", place.key, place.pointer)
			case f.at != "":
				return nil, fmt.Errorf("%s: the reply has one place: set one of supported, unsupported and spans", place.key)
			default:
				f.at, f.says = place.pointer, place.says
			}
		}
	}
	if err := json.Unmarshal([]byte(request), &f.request); err != nil {
		return nil, errors.New("request is no JSON: write the body of a request, with {claim} and {passage} in its strings")
	}
	return &f, f.check(k, request)
}

func (f *Form) check(k Kind, request string) error {
	switch {
	case k != KindHTTP:
	case f.at == "":
		return errors.New("supported is missing: set a JSON pointer to the probability in the reply, or unsupported, or spans")
	case !strings.Contains(request, "{claim}") || !strings.Contains(request, "{passage}"):
		return errors.New("request asks about nothing: write {claim} and {passage} into its strings")
	}
	return nil
}

// Chat reports that the server has a chat template, whose marks texts must not have.
func (f *Form) Chat() bool { return f.path != "" }

// Batch is the number of pairs that one request may have.
func (f *Form) Batch() int {
	if f.says == saysLabels {
		return verifyBatch
	}
	return 1
}

// fill is the request about the pairs: {claim}, {passage} and {model} are replaced within strings, and the string {pairs} is replaced
// by a list of [passage, claim]. What is put in is not read again.
func (f *Form) fill(model string, pairs []Pair) any {
	list := make([][2]string, len(pairs))
	for i, p := range pairs {
		list[i] = [2]string{p.Premise, p.Hypothesis}
	}
	texts := strings.NewReplacer("{claim}", pairs[0].Hypothesis, "{passage}", pairs[0].Premise, "{model}", model)
	var put func(v any) any
	put = func(v any) any {
		switch v := v.(type) {
		case string:
			if v == "{pairs}" {
				return list
			}
			return texts.Replace(v)
		case []any:
			out := make([]any, len(v))
			for i := range v {
				out[i] = put(v[i])
			}
			return out
		case map[string]any:
			out := make(map[string]any, len(v))
			for key := range v {
				out[key] = put(v[key])
			}
			return out
		}
		return v
	}
	return put(f.request)
}
