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

// habits are the parameters that an endpoint has shown to do without: refused once, and then content.
type habits struct {
	mu      sync.Mutex
	without map[string]bool
}

func newHabits(ignoresN bool) *habits {
	h := &habits{without: map[string]bool{}}
	if ignoresN {
		h.without[choices] = true
	}
	return h
}

// load is a copy for one request.
func (h *habits) load() map[string]bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return maps.Clone(h.without)
}

// keep remembers what a request that succeeded did without.
func (h *habits) keep(without map[string]bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	maps.Copy(h.without, without)
}

// complaint is what can be told from the body of a refusal, in lower case. It is looked at and never passed on.
type complaint struct {
	param   string
	kind    string // code and type
	message string
}

// complain reads the forms of refusals: OpenAI's object under error, the same without error, an error or a detail that is
// a string, and a list of details with the place of each.
func complain(body []byte) (c complaint) {
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
	c.param = word(inner.Param)
	c.kind = word(inner.Code) + " " + word(inner.Type)
	c.message = word(inner.Message) + word(top.Error) + word(top.Detail)
	details, _ := readList[struct {
		Place json.RawMessage `json:"loc"`
	}](top.Detail, maxDetails)
	for _, d := range details {
		if place, _ := readList[json.RawMessage](d.Place, maxDetails); len(place) > 0 && c.param == "" {
			c.param = word(place[len(place)-1])
		}
	}
	return c
}

// maxDetails bounds the list of details, and the place of each.
const maxDetails = 64

// word is a string in lower case, cut to what is worth searching; "" for any other value.
func word(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return strings.ToLower(s[:min(len(s), 2000)])
}

// names says whether the complaint is about a parameter. A server that says which is believed; else the message is
// searched, and a single letter in it counts only where it cannot be a word of the text.
func (c complaint) names(param string) bool {
	if c.param != "" {
		return c.param == param || strings.HasPrefix(c.param, param+".")
	}
	pattern := `\b` + param + `\b`
	if len(param) == 1 {
		pattern = "['\"`]" + param + "['\"`]" + `|\b` + param + ` ?(must|should|is not|>|=)`
	}
	return regexp.MustCompile(pattern).MatchString(c.message)
}

// objection is the sent parameter that a refusal is about, "" where it is about something else. The more special
// parameter comes first.
func (r Request) objection(without map[string]bool, refusal []byte) string {
	said := complain(refusal)
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
		if said.names(p.name) || p.name == jsonSchema && said.names(responseFormat) {
			return p.name
		}
	}
	return ""
}

// plain replaces the words NaN, Infinity and -Infinity outside of strings by null: JSON does not know them, servers
// send them all the same.
func plain(body []byte) []byte {
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
		if n := notNumber(body[i:]); n > 0 && !quoted {
			out = append(out, "null"...)
			i += n
			continue
		}
		out = append(out, body[i])
		i++
	}
	return out
}

// notNumber is the length of the word that body begins with, where that is no number and stands for one.
func notNumber(body []byte) int {
	for _, w := range []string{"NaN", "Infinity", "-Infinity", "-NaN"} {
		if bytes.HasPrefix(body, []byte(w)) {
			return len(w)
		}
	}
	return 0
}
