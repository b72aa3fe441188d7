package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"confab/internal/worker/config"
)

const secret = "canary-key"

// stored is a score as a fake holds it.
type stored struct {
	entity      string // the span or trace
	name, label string
	value       float64
	explanation string
}

// fake is a backend built from its published API: Phoenix 20.26 (which integration/phoenix_test.go runs for real), Langfuse
// 4.16 and Opik's openapi of 2026. The latter two were not run.
type fake struct {
	kind   string
	url    string
	absent map[string]bool // ids of OpenTelemetry that it does not have

	mu       sync.Mutex
	scores   map[string]stored
	bodies   []string
	requests int // that write
	searches int
	reply    func(w http.ResponseWriter, body []byte) bool
	search   func(w http.ResponseWriter) bool
}

// kinds are the backends of the table.
func kinds() []string { return []string{"Phoenix", "Langfuse", "Opik"} }

// forEach runs a test against every backend.
func forEach(t *testing.T, test func(t *testing.T, f *fake, d *scoreWriter)) {
	t.Helper()
	for _, kind := range kinds() {
		t.Run(kind, func(t *testing.T) {
			f := newFake(t, kind)
			test(t, f, f.open(t))
		})
	}
}

// open returns the writer of the fake's backend.
func (f *fake) open(t *testing.T) *scoreWriter {
	t.Helper()
	var e config.Export
	e.Phoenix.URL, e.Phoenix.APIKey = f.url, secret
	e.Langfuse.URL, e.Langfuse.PublicKey, e.Langfuse.SecretKey, e.Langfuse.Environment = f.url, "pk", secret, "staging"
	e.Opik.URL, e.Opik.Project, e.Opik.Workspace, e.Opik.APIKey = f.url, "chat", "team", secret
	w, err := newScoreWriter(&e, strings.ToLower(f.kind))
	require.NoError(t, err)
	t.Cleanup(w.close)
	return w
}

func newFake(t *testing.T, kind string) *fake {
	t.Helper()
	f := &fake{kind: kind, absent: map[string]bool{}, scores: map[string]stored{}}
	s := httptest.NewServer(http.HandlerFunc(f.serve))
	t.Cleanup(s.Close)
	f.url = s.URL
	return f
}

func (f *fake) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	f.mu.Lock()
	defer f.mu.Unlock()
	if err != nil || !utf8.Valid(body) {
		http.Error(w, "broken body", http.StatusTeapot)
		return
	}
	if r.Method == http.MethodGet {
		f.searches++
	}
	if r.Method == http.MethodGet && f.search != nil && f.search(w) {
		return
	}
	if r.Method != http.MethodGet {
		f.requests++
		f.bodies = append(f.bodies, string(body))
		if f.reply != nil && f.reply(w, body) {
			return
		}
	}
	switch f.kind {
	case "Phoenix":
		f.servePhoenix(w, r, body)
	case "Langfuse":
		f.serveLangfuse(w, r, body)
	case "Opik":
		f.serveOpik(w, r, body)
	}
}

func (f *fake) servePhoenix(w http.ResponseWriter, r *http.Request, body []byte) {
	var in struct {
		Data []struct {
			SpanID        string `json:"span_id"`
			TraceID       string `json:"trace_id"`
			Name          string `json:"name"`
			AnnotatorKind string `json:"annotator_kind"`
			Identifier    string `json:"identifier"`
			Result        struct {
				Label       string  `json:"label"`
				Score       float64 `json:"score"`
				Explanation string  `json:"explanation"`
			} `json:"result"`
			Metadata map[string]any `json:"metadata"`
		} `json:"data"`
	}
	spans := r.URL.String() == "/v1/span_annotations?sync=true"
	if r.Header.Get("Authorization") != "Bearer "+secret {
		http.Error(w, "Invalid token", http.StatusUnauthorized)
		return
	}
	if !spans && r.URL.String() != "/v1/trace_annotations?sync=true" || strictJSON(body, &in) != nil {
		http.Error(w, `{"detail":[]}`, http.StatusUnprocessableEntity)
		return
	}
	var missing []string
	for _, a := range in.Data {
		if id := a.SpanID + a.TraceID; f.absent[id] && !slices.Contains(missing, id) {
			missing = append(missing, id)
		}
		if (a.SpanID != "") != spans || (a.TraceID == "") != spans || a.Name == "" || !slices.Contains([]string{"CODE", "LLM"}, a.AnnotatorKind) {
			http.Error(w, `{"detail":[]}`, http.StatusUnprocessableEntity)
			return
		}
	}
	if missing != nil {
		http.Error(w, "Spans with IDs "+strings.Join(missing, ", ")+" do not exist.", http.StatusNotFound)
		return
	}
	var ids []string
	for _, a := range in.Data {
		key := a.SpanID + a.TraceID + "/" + a.Name + "/" + a.Identifier
		f.scores[key] = stored{a.SpanID + a.TraceID, a.Name, a.Result.Label, a.Result.Score, a.Result.Explanation}
		ids = append(ids, fmt.Sprintf(`{"id":%q}`, key))
	}
	fmt.Fprintf(w, `{"data":[%s]}`, strings.Join(ids, ","))
}

func (f *fake) serveLangfuse(w http.ResponseWriter, r *http.Request, body []byte) {
	var in struct {
		ID            string         `json:"id"`
		TraceID       string         `json:"traceId"`
		ObservationID string         `json:"observationId"`
		Name          string         `json:"name"`
		Value         float64        `json:"value"`
		DataType      string         `json:"dataType"`
		Comment       string         `json:"comment"`
		Environment   string         `json:"environment"`
		Metadata      map[string]any `json:"metadata"`
	}
	user, password, _ := r.BasicAuth()
	switch {
	case user != "pk" || password != secret:
		http.Error(w, `{"message":"Invalid credentials"}`, http.StatusUnauthorized)
	case r.Method+r.URL.String() != "POST/api/public/scores":
		http.Error(w, "no page", http.StatusNotFound)
	case strictJSON(body, &in) != nil, in.ID == "", len(in.ID) > 800, in.TraceID == "", in.Name == "", in.Environment != "staging",
		in.DataType != "NUMERIC" && in.DataType != "BOOLEAN", in.DataType == "BOOLEAN" && in.Value != 0 && in.Value != 1,
		(in.Name == "confab.alert") != (in.DataType == "BOOLEAN"):
		http.Error(w, `{"message":"Invalid request data"}`, http.StatusBadRequest)
	default:
		label, explanation, _ := strings.Cut(in.Comment, ": ")
		if in.ObservationID == "" {
			in.ObservationID = in.TraceID
		}
		f.scores[in.ID] = stored{in.ObservationID, in.Name, label, in.Value, explanation}
		fmt.Fprintf(w, `{"id":%q}`, in.ID)
	}
}

func (f *fake) serveOpik(w http.ResponseWriter, r *http.Request, body []byte) {
	if r.Header.Get("Authorization") != secret || r.Header.Get("Comet-Workspace") != "team" {
		http.Error(w, `{"code":401}`, http.StatusUnauthorized)
		return
	}
	switch r.Method + r.URL.Path {
	case "GET/v1/private/spans", "GET/v1/private/traces":
		f.searchOpik(w, r)
	case "PUT/v1/private/spans/feedback-scores", "PUT/v1/private/traces/feedback-scores":
		f.scoreOpik(w, body)
	default:
		http.Error(w, "no page", http.StatusNotFound)
	}
}

// opikIDs are what Opik makes of the test's ids, computed apart from the package: Python's
// hashlib.sha256(bytes.fromhex(id)).digest()[:10] with version 7 and variant 10 behind the milliseconds 0x019a00000000.
func opikIDs() map[string]string {
	return map[string]string{
		"00f067aa0ba902b1":                 "019a0000-0000-7e5c-8182-564d450e83b1",
		"00f067aa0ba902b2":                 "019a0000-0000-7cd1-9326-b07f4a5a7fba",
		"00f067aa0ba902b3":                 "019a0000-0000-7fdb-a572-42819be3a67b",
		"00f067aa0ba902b4":                 "019a0000-0000-774e-a164-99911eef003f",
		"4bf92f3577b34da6a3ce929d0e0e4736": "019a0000-0000-7fa5-891b-80f54f40f0cf",
	}
}

func (f *fake) searchOpik(w http.ResponseWriter, r *http.Request) {
	var filters []struct{ Field, Operator, Value string }
	q := r.URL.Query()
	if strictJSON([]byte(q.Get("filters")), &filters) != nil || len(filters) != 1 || filters[0].Field != "id" ||
		filters[0].Operator != "ends_with" || q.Get("project_name") != "chat" {
		http.Error(w, `{"errors":["invalid"]}`, http.StatusBadRequest)
		return
	}
	found := []string{`{"id":"019a0000-0000-7000-8000-000000000000"}`} // of a server that ignores filters
	for otel, id := range opikIDs() {
		if strings.HasSuffix(id, filters[0].Value) && !f.absent[otel] {
			found = append(found, fmt.Sprintf(`{"id":%q,"name":"chat"}`, id))
		}
	}
	fmt.Fprintf(w, `{"page":1,"size":%d,"total":%d,"content":[%s]}`, len(found), len(found), strings.Join(found, ","))
}

func (f *fake) scoreOpik(w http.ResponseWriter, body []byte) {
	var in struct {
		Scores []struct {
			ID           string  `json:"id"`
			ProjectName  string  `json:"project_name"`
			Name         string  `json:"name"`
			CategoryName string  `json:"category_name"`
			Value        float64 `json:"value"`
			Reason       string  `json:"reason"`
			Source       string  `json:"source"`
		} `json:"scores"`
	}
	if strictJSON(body, &in) != nil || len(in.Scores) == 0 || len(in.Scores) > 1000 {
		http.Error(w, `{"errors":["scores size must be between 1 and 1000"]}`, http.StatusUnprocessableEntity)
		return
	}
	for _, s := range in.Scores {
		if len(s.ID) != 36 || s.ProjectName != "chat" || strings.TrimSpace(s.Name) == "" || s.Source != "sdk" {
			http.Error(w, `{"errors":["invalid"]}`, http.StatusUnprocessableEntity)
			return
		}
		f.scores[s.ID+"/"+s.Name] = stored{s.ID, s.Name, s.CategoryName, s.Value, s.Reason}
	}
	w.WriteHeader(http.StatusNoContent)
}

func strictJSON(raw []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

// state returns the stored scores, sorted by key, and the number of requests that tried to write.
func (f *fake) state() (all []stored, requests int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	keys := make([]string, 0, len(f.scores))
	for k := range f.scores {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		all = append(all, f.scores[k])
	}
	return all, f.requests
}

// written are all bodies of requests that tried to write.
func (f *fake) written() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return strings.Join(f.bodies, "\n")
}

func (f *fake) answer(reply func(w http.ResponseWriter, body []byte) bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.reply = reply
}

// lose makes the fake have all traces and spans but these.
func (f *fake) lose(ids ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.absent = map[string]bool{}
	for _, id := range ids {
		f.absent[id] = true
	}
}

// clock is a settable clock.
type clock struct{ now time.Time }

func (c *clock) read() time.Time { return c.now }
