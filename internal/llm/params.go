package llm

import (
	"bytes"
	"encoding/json"
	"maps"
	"regexp"
	"strings"
	"sync"
)

// Parameters that servers refuse. The names are those of the API, jsonSchema a kind of response_format.
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

// unsupportedParams are the parameters that an endpoint has shown to do without: refused once, and then content.
type unsupportedParams struct {
	mu    sync.Mutex
	names map[string]bool
}

func newUnsupportedParams(ignoresN bool) *unsupportedParams {
	h := &unsupportedParams{names: map[string]bool{}}
	if ignoresN {
		h.names[choices] = true
	}
	return h
}

// snapshot is a copy for one request.
func (h *unsupportedParams) snapshot() map[string]bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return maps.Clone(h.names)
}

// add remembers what a request that succeeded did without.
func (h *unsupportedParams) add(without map[string]bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	maps.Copy(h.names, without)
}

// apiRefusal is what can be told from the body of a refusal, in lower case. It is looked at and never passed on.
type apiRefusal struct {
	param   string
	kind    string // code and type
	message string
}

// parseRefusal reads the forms of refusals: OpenAI's object under error, the same without error, an error or a detail that is
// a string, and a list of details with the place of each.
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
		_ = json.Unmarshal(top.Error, &inner) // it is an object, and every member is taken as it is
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

// maxDetails bounds the list of details, and the place of each.
const maxDetails = 64

// lowerText is a string in lower case, cut to what is worth searching; "" for any other value.
func lowerText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return strings.ToLower(s[:min(len(s), 2000)])
}

// mentions says whether the complaint is about a parameter. A server that says which is believed; else the message is
// searched, and a single letter in it counts only where it cannot be a word of the text.
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

// rejectedParam is the sent parameter that a refusal is about, "" where it is about something else. The more special
// parameter comes first.
func (r Request) rejectedParam(without map[string]bool, refusal []byte) string {
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
		if !p.sent || without[p.name] {
			continue
		}
		if said.mentions(p.name) || p.name == jsonSchema && said.mentions(responseFormat) {
			return p.name
		}
	}
	return ""
}

// replaceNaN replaces the words NaN, Infinity and -Infinity outside of strings by null: JSON does not know them, servers
// send them all the same.
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

// nonNumberLength is the length of the word that body begins with, where that is no number and stands for one.
func nonNumberLength(body []byte) int {
	for _, w := range []string{"NaN", "Infinity", "-Infinity", "-NaN"} {
		if bytes.HasPrefix(body, []byte(w)) {
			return len(w)
		}
	}
	return 0
}
