package integration

import (
	"encoding/json"
	"math"
	"net/http"
	"strings"
	"sync"
)

// meteredModel is a fake language model that counts what it charges.
type meteredModel struct {
	mu      sync.Mutex
	changed chan struct{}    // closed when allowed or dead changes
	allowed int              // requests up to this number are answered, later ones wait
	down    bool             // half of the requests wait, the others lose their connection
	calls   int              // charged requests
	refused int              // requests that lost their connection
	spent   map[string]int64 // by tenant
	waiting map[string]int   // unanswered requests by model name, which identifies the process
}

func newMeteredModel() *meteredModel {
	return &meteredModel{allowed: math.MaxInt, changed: make(chan struct{}), spent: make(map[string]int64), waiting: make(map[string]int)}
}

// allowRequests answers n further requests and lets the rest wait; a negative n answers all.
func (m *meteredModel) allowRequests(n int) {
	m.change(func() {
		m.allowed = m.calls + n
		if n < 0 {
			m.allowed = math.MaxInt
		}
	})
}

func (m *meteredModel) setDown(dead bool) { m.change(func() { m.down = dead }) }

func (m *meteredModel) change(to func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	to()
	close(m.changed)
	m.changed = make(chan struct{})
}

// waitingRequests returns how many requests of the model wait; of all models for "".
func (m *meteredModel) waitingRequests(model string) (n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for name, held := range m.waiting {
		if model == "" || name == model {
			n += held
		}
	}
	return n
}

// total returns the charged calls and tokens, and the number of refused requests.
func (m *meteredModel) total() (calls, refused int, spent int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, n := range m.spent {
		spent += n
	}
	return m.calls, m.refused, spent
}

// chatRequest is a parsed request.
type chatRequest struct {
	Model     string        `json:"model"`
	N         int           `json:"n"`
	MaxTokens int           `json:"max_tokens"`
	Messages  []chatMessage `json:"messages"`
}

// ServeHTTP implements http.Handler. It charges a request on arrival, whether or not the client waits for the reply.
func (m *meteredModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var in chatRequest
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil || len(in.Messages) == 0 || in.N < 1 {
		http.Error(w, "no chat", http.StatusBadRequest)
		return
	}
	number, prompt, completion := m.charge(in)
	if number == 0 {
		if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
			conn.Close()
		}
		return
	}
	defer m.change(func() { m.waiting[in.Model]-- })
	if !m.wait(r, number) {
		return
	}
	choices := make([]map[string]any, in.N)
	for i := range choices {
		choices[i] = map[string]any{
			"index": i, "finish_reason": "stop", "message": chatMessage{"assistant", "The hall seats two hundred people in eleven rows."},
		}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{ // the worker may have ended
		"choices": choices, "usage": map[string]int64{"prompt_tokens": prompt, "completion_tokens": completion},
	})
}

// charge charges the maximum of what servers count: each byte of the prompt for each reply, and a fourth to all of a
// reply's tokens. The number is 0 for a refused request.
func (m *meteredModel) charge(in chatRequest) (number int, prompt, completion int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.down && (m.calls+m.refused)%2 == 0 {
		m.refused++
		return 0, 0, 0
	}
	m.calls++
	m.waiting[in.Model]++
	for _, msg := range in.Messages {
		prompt += int64(len(msg.Content) * in.N)
	}
	completion = int64(in.MaxTokens * in.N * (1 + m.calls%4) / 4)
	tenant, _, _ := strings.Cut(in.Messages[0].Content, ":")
	m.spent[tenant] += prompt + completion
	return m.calls, prompt, completion
}

// wait waits until the request may be answered; false when the client has left.
func (m *meteredModel) wait(r *http.Request, number int) bool {
	for {
		m.mu.Lock()
		due, changed := !m.down && number <= m.allowed, m.changed
		m.mu.Unlock()
		if due {
			return true
		}
		select {
		case <-changed:
		case <-r.Context().Done():
			return false
		}
	}
}
