package llm

import (
	"bytes"
	"encoding/json"
	"maps"
	"regexp"
	"strings"
	"sync"
)

// Parameters that servers refuse. The names are the API's; jsonSchema is a kind of response_format.
const (
	temperature    = "temperature"
	logprobs       = "logprobs"
	topLogprobs    = "top_logprobs"
	choices        = "n"
	seed           = "seed"
	jsonSchema     = "json_schema"
	responseFormat = "response_format"
	maxTokens      = "max_tokens"
)

// unsupportedParams are the parameters that an endpoint refused, in requests that succeeded without them.
type unsupportedParams struct {
	mu    sync.Mutex
	names map[string]bool
}

func newUnsupportedParams() *unsupportedParams { return &unsupportedParams{names: map[string]bool{}} }

// snapshot returns a copy for one request.
func (u *unsupportedParams) snapshot() map[string]bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return maps.Clone(u.names)
}

// add stores the parameters that a successful request omitted.
func (u *unsupportedParams) add(omitted map[string]bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	maps.Copy(u.names, omitted)
}

// apiRefusal is the content of a refusal's body, in lower case. It is matched and never passed on.
type apiRefusal struct {
	param   string
	kind    string // code and type
	message string
}

// parseRefusal reads the known forms of refusals: OpenAI's object under error, the same without error, an error or a
// detail that is a string, and a list of details with locations.
func parseRefusal(body []byte) (c apiRefusal) {
	type said struct {
		Param   json.RawMessage `json:"param"`
		Code    json.RawMessage `json:"code"`
		Type    json.RawMessage `json:"type"`
		Message json.RawMessage `json:"message"`
	}
	var top struct {
		said
		Error  json.RawMessage `json:"error"`
		Detail json.RawMessage `json:"detail"`
	}
	if json.Unmarshal(body, &top) != nil {
		return c
	}
	inner := top.said
	if bytes.HasPrefix(top.Error, []byte("{")) {
		inner = said{}
		_ = json.Unmarshal(top.Error, &inner) // raw members of an object always decode
	}
	c.param = lowerText(inner.Param)
	c.kind = lowerText(inner.Code) + " " + lowerText(inner.Type)
	c.message = lowerText(inner.Message) + lowerText(top.Error) + lowerText(top.Detail)
	details, _ := readList[struct {
		Place json.RawMessage `json:"loc"`
	}](top.Detail, maxDetails)
	for _, d := range details {
		if place, _ := readList[json.RawMessage](d.Place, maxDetails); len(place) > 0 && c.param == "" {
			c.param = lowerText(place[len(place)-1])
		}
	}
	return c
}

// maxDetails bounds the list of details, and each location.
const maxDetails = 64

// lowerText returns the start of a JSON string in lower case; "" for any other value.
func lowerText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return strings.ToLower(s[:min(len(s), 2000)])
}

// mentions reports whether the refusal is about a parameter: the one that the server names, or one in the message. A
// single letter counts only where it cannot be a word.
func (c apiRefusal) mentions(param string) bool {
	if c.param != "" {
		return c.param == param || strings.HasPrefix(c.param, param+".")
	}
	pattern := `\b` + param + `\b`
	if len(param) == 1 {
		pattern = "['\"`]" + param + "['\"`]" + `|\b` + param + ` ?(must|should|is not|>|=)`
	}
	return regexp.MustCompile(pattern).MatchString(c.message)
}

// rejectedParam returns the parameter of the request that a refusal is about, "" when it is about something else. More
// specific parameters come first.
func (r Request) rejectedParam(omitted map[string]bool, refusal []byte) string {
	said := parseRefusal(refusal)
	for _, p := range []struct {
		name string
		sent bool
	}{
		{temperature, r.Temperature != nil},
		{topLogprobs, r.Logprobs && r.TopLogprobs > 0},
		{logprobs, r.Logprobs},
		{choices, r.N > 1},
		{seed, r.Seed != nil},
		{jsonSchema, r.JSON != nil},
		{responseFormat, r.JSON != nil},
		{maxTokens, strings.Contains(said.message, maxCompletionTokens)},
	} {
		if !p.sent || omitted[p.name] {
			continue
		}
		if said.mentions(p.name) || p.name == jsonSchema && said.mentions(responseFormat) {
			return p.name
		}
	}
	return ""
}

// replaceNaN replaces NaN, Infinity and -Infinity outside of strings by null: they are not JSON, but servers send them.
func replaceNaN(body []byte) []byte {
	if !bytes.Contains(body, []byte("NaN")) && !bytes.Contains(body, []byte("Infinity")) {
		return body
	}
	out := make([]byte, 0, len(body))
	quoted := false
	for i := 0; i < len(body); {
		if quoted && body[i] == '\\' && i+1 < len(body) {
			out = append(out, body[i], body[i+1])
			i += 2
			continue
		}
		if body[i] == '"' {
			quoted = !quoted
		}
		if n := nonNumberLength(body[i:]); n > 0 && !quoted {
			out = append(out, "null"...)
			i += n
			continue
		}
		out = append(out, body[i])
		i++
	}
	return out
}

// nonNumberLength returns the length of such a word at the start of body, 0 when there is none.
func nonNumberLength(body []byte) int {
	for _, w := range []string{"NaN", "Infinity", "-Infinity", "-NaN"} {
		if bytes.HasPrefix(body, []byte(w)) {
			return len(w)
		}
	}
	return 0
}
