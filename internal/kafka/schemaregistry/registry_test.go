package schemaregistry_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/sr"
	"github.com/twmb/franz-go/pkg/sr/srfake"

	"confab/internal/kafka/schemaregistry"
)

const (
	schemaV1 = `{"type":"record","name":"R","fields":[{"name":"a","type":"string"}]}`
	notFound = `{"error_code":40403,"message":"Schema 7 not found"}`
)

func newTestClient(t *testing.T, o schemaregistry.Options) *schemaregistry.Client {
	t.Helper()
	r, err := schemaregistry.New(o)
	require.NoError(t, err)
	t.Cleanup(r.Close)
	return r
}

// serveSchema answers every request with h.
func serveSchema(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

func writeAnswer(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func TestUnknownSchemaIsNotAnOutage(t *testing.T) {
	elsewhere := serveSchema(t, writeAnswer(http.StatusOK, `{"schema":"\"string\""}`))
	tests := []struct {
		name    string
		handler http.HandlerFunc
		unknown bool
		says    string
	}{
		{"404 of the registry", writeAnswer(404, notFound), true, "no such schema"},
		{"404 of a path", writeAnswer(404, `{"error_code":404,"message":"HTTP 404 Not Found"}`), false, "check the path"},
		{"404 of a proxy", writeAnswer(404, "<html>secret page</html>"), false, "check the path"},
		{"500", writeAnswer(500, `{"error_code":50001,"message":"secret store"}`), false, "answers status 500"},
		{"503 HTML", writeAnswer(503, "<html>secret</html>"), false, "answers status 503"},
		{"429", writeAnswer(429, ""), false, "answers status 429"},
		{"200 HTML", writeAnswer(200, "<html>secret login</html>"), false, "holds no schema"},
		{"200 empty", writeAnswer(200, ""), false, "holds no schema"},
		{"200 of something else", writeAnswer(200, `{"status":"UP"}`), false, "holds no schema"},
		{"200 list", writeAnswer(200, `[1]`), false, "holds no schema"},
		{"401", writeAnswer(401, `{"error_code":40101,"message":"secret"}`), false, "refuses the login (status 401)"},
		{"403", writeAnswer(403, ""), false, "refuses the login (status 403)"},
		{"endless", func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"schema":"`)
			_, _ = io.WriteString(w, strings.Repeat("x", 5<<20))
		}, false, "too long"},
		{"redirect elsewhere", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere+r.URL.Path, http.StatusFound)
		}, false, "redirects to another host"},
		{"redirect for ever", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, r.URL.Path, http.StatusFound)
		}, false, "redirects"},
		{"cut connection", func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				_ = conn.Close()
			}
		}, false, "cannot be reached"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newTestClient(t, schemaregistry.Options{URL: serveSchema(t, tt.handler), Username: "u", Password: "secret"})
			_, err := r.Schema(t.Context(), schemaregistry.ID{Number: 7})
			require.ErrorContains(t, err, tt.says)
			require.NotContains(t, err.Error(), "secret")
			if tt.unknown {
				require.ErrorIs(t, err, schemaregistry.ErrUnknownSchema)
			} else {
				require.NotErrorIs(t, err, schemaregistry.ErrUnknownSchema)
			}
		})
	}
}

// A schema that is longer than what is read will be so the next time: it is an answer, asked for once. Records of it are
// dead letters, and hold up no partition.
func TestRegistryOversizedSchema(t *testing.T) {
	asked := 0
	url := serveSchema(t, func(w http.ResponseWriter, _ *http.Request) {
		asked++
		w.Header().Set("Content-Type", "application/vnd.schemaregistry.v1+json")
		_, _ = io.WriteString(w, `{"schema":"`+strings.Repeat("x", 5<<20)+`"}`)
	})
	r := newTestClient(t, schemaregistry.Options{URL: url})
	for range 2 {
		got, err := r.Schema(t.Context(), schemaregistry.ID{Number: 7})
		require.NoError(t, err)
		require.Equal(t, schemaregistry.WriterSchema{Oversized: true}, got)
	}
	require.Equal(t, 1, asked)
}

// Other servers answer with JSON as well. Without an id nothing is registered: flags would be written under the id 0.
func TestReplyWithoutAnID(t *testing.T) {
	url := serveSchema(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"status":"ready"}`) })
	r := newTestClient(t, schemaregistry.Options{URL: url})
	_, err := r.Lookup(t.Context(), "s-value", `"string"`)
	require.ErrorContains(t, err, "check schema_registry.url")
	_, err = r.Register(t.Context(), "s-value", `"string"`)
	require.ErrorContains(t, err, "check schema_registry.url")
}

func TestRegistryThatDoesNotAnswer(t *testing.T) {
	release := make(chan struct{})
	url := serveSchema(t, func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	})
	defer close(release)
	r := newTestClient(t, schemaregistry.Options{URL: url, Timeout: 10 * time.Millisecond})
	_, err := r.Schema(t.Context(), schemaregistry.ID{Number: 7})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.NotErrorIs(t, err, schemaregistry.ErrUnknownSchema)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = newTestClient(t, schemaregistry.Options{URL: url}).Schema(ctx, schemaregistry.ID{Number: 7})
	require.ErrorIs(t, err, context.Canceled)
}

func TestRegistryFollowsARedirectOfItsOwn(t *testing.T) {
	url := serveSchema(t, func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/new") {
			http.Redirect(w, r, "/new"+r.URL.Path, http.StatusFound)
			return
		}
		writeAnswer(200, `{"schema":"\"string\"","schemaType":"JSON","references":[{"name":"x","subject":"y","version":1}]}`)(w, r)
	})
	w, err := newTestClient(t, schemaregistry.Options{URL: url}).Schema(t.Context(), schemaregistry.ID{Number: 7})
	require.NoError(t, err)
	require.Equal(t, schemaregistry.WriterSchema{Type: "JSON", Text: `"string"`, HasReferences: true}, w)
}

func TestRegistryLogin(t *testing.T) {
	for name, tt := range map[string]struct {
		opts schemaregistry.Options
		want string
	}{
		"none":   {schemaregistry.Options{}, ""},
		"basic":  {schemaregistry.Options{Username: "u", Password: "p"}, "Basic dTpw"},
		"bearer": {schemaregistry.Options{Token: "t"}, "Bearer t"},
	} {
		t.Run(name, func(t *testing.T) {
			var got string
			tt.opts.URL = serveSchema(t, func(w http.ResponseWriter, r *http.Request) {
				got = r.Header.Get("Authorization")
				writeAnswer(200, `{"schema":"x"}`)(w, r)
			})
			_, err := newTestClient(t, tt.opts).Schema(t.Context(), schemaregistry.ID{Number: 1})
			require.NoError(t, err)
			require.Equal(t, tt.want, got)
		})
	}
}

func TestRegistryRefusesOptions(t *testing.T) {
	for name, tt := range map[string]struct {
		opts schemaregistry.Options
		says string
	}{
		"no authority":  {schemaregistry.Options{URL: "https://h", CAFile: "nowhere.pem"}, "nowhere.pem"},
		"empty CA file": {schemaregistry.Options{URL: "https://h", CAFile: "registry_test.go"}, "no PEM certificate"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := schemaregistry.New(tt.opts)
			require.ErrorContains(t, err, tt.says)
			require.NotContains(t, err.Error(), "secret")
		})
	}
}

// TestRegistryRemembers follows one missing id through time: pending within the window, then unknown, asked for again
// half a minute later, found, and never asked for again.
func TestRegistryRemembers(t *testing.T) {
	var asked atomic.Int32
	var there atomic.Bool
	url := serveSchema(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if there.Load() {
			writeAnswer(200, `{"schema":"x"}`)(w, r)
			return
		}
		writeAnswer(404, notFound)(w, r)
	})
	start := time.Unix(1_800_000_000, 0)
	now := start
	r := newTestClient(t, schemaregistry.Options{URL: url, UnknownRetry: 10 * time.Second, Now: func() time.Time { return now }})
	const pending, unknown, found = "pending", "unknown", "found"
	for _, step := range []struct {
		at    time.Duration
		want  string
		asked int32
		there bool
	}{
		{0, pending, 1, false},
		{500 * time.Millisecond, pending, 1, false}, // too early to ask again
		{time.Second, pending, 2, false},
		{9500 * time.Millisecond, pending, 3, false},
		{10 * time.Second, unknown, 4, false}, // the last chance
		{39 * time.Second, unknown, 4, false},
		{40 * time.Second, unknown, 5, false}, // no second window
		{69 * time.Second, unknown, 5, true},
		{71 * time.Second, found, 6, true},
		{time.Hour, found, 6, false},
	} {
		now = start.Add(step.at)
		there.Store(step.there)
		_, err := r.Schema(t.Context(), schemaregistry.ID{Number: 7})
		var wait *schemaregistry.PendingError
		switch step.want {
		case pending:
			require.ErrorAs(t, err, &wait, "at %s", step.at)
			require.Positive(t, wait.RetryAfter())
			require.LessOrEqual(t, wait.RetryAfter(), time.Second)
			require.NotErrorIs(t, err, schemaregistry.ErrUnknownSchema)
		case unknown:
			require.ErrorIs(t, err, schemaregistry.ErrUnknownSchema, "at %s", step.at)
		default:
			require.NoError(t, err, "at %s", step.at)
		}
		require.Equal(t, step.asked, asked.Load(), "requests at %s", step.at)
	}
}

func TestRegistryAsksOnceAtATime(t *testing.T) {
	var asked atomic.Int32
	arrived, release := make(chan struct{}, 64), make(chan struct{})
	url := serveSchema(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		arrived <- struct{}{}
		select {
		case <-release:
		case <-r.Context().Done():
		}
		writeAnswer(200, `{"schema":"x"}`)(w, r)
	})
	r := newTestClient(t, schemaregistry.Options{URL: url, Timeout: time.Minute})

	ctx, cancel := context.WithCancel(t.Context())
	first := make(chan error)
	go func() {
		_, err := r.Schema(ctx, schemaregistry.ID{Number: 7})
		first <- err
	}()
	<-arrived
	var all sync.WaitGroup
	errs := make(chan error, 16)
	for range 16 {
		all.Go(func() {
			_, err := r.Schema(t.Context(), schemaregistry.ID{Number: 7})
			errs <- err
		})
	}
	cancel() // the caller of the request is canceled: the others get its answer
	require.ErrorIs(t, <-first, context.Canceled)
	close(release)
	all.Wait()
	close(errs)
	for err := range errs {
		require.NoError(t, err)
	}
	require.EqualValues(t, 1, asked.Load())
}

func TestRegistryStall(t *testing.T) {
	status := http.StatusServiceUnavailable
	url := serveSchema(t, func(w http.ResponseWriter, r *http.Request) { writeAnswer(status, notFound)(w, r) })
	reg := prometheus.NewRegistry()
	now := time.Unix(1_800_000_000, 0)
	r := newTestClient(t, schemaregistry.Options{URL: url, Metrics: reg, Now: func() time.Time { return now }})
	stall := func(want string) {
		t.Helper()
		require.NoError(t, testutil.GatherAndCompare(reg, strings.NewReader(
			"# HELP confab_registry_stall_seconds For how long the registry has not answered lookups; 0 when it does.\n"+
				"# TYPE confab_registry_stall_seconds gauge\nconfab_registry_stall_seconds "+want+"\n"), "confab_registry_stall_seconds"))
	}
	stall("0")
	for range 2 {
		_, err := r.Schema(t.Context(), schemaregistry.ID{Number: 7})
		require.Error(t, err)
		now = now.Add(5 * time.Second)
	}
	stall("10")
	status = http.StatusNotFound
	_, err := r.Schema(t.Context(), schemaregistry.ID{Number: 7})
	require.ErrorIs(t, err, schemaregistry.ErrUnknownSchema)
	stall("0")
}

func TestRegistrySubjects(t *testing.T) {
	fake := srfake.New(srfake.WithGlobalCompat(sr.CompatFull))
	t.Cleanup(fake.Close)
	r := newTestClient(t, schemaregistry.Options{URL: fake.URL()})
	ctx := t.Context()
	subject := schemaregistry.Subject("llm.incidents")
	require.Equal(t, "llm.incidents-value", subject)

	_, err := r.Lookup(ctx, subject, schemaV1)
	require.ErrorIs(t, err, schemaregistry.ErrUnknownSchema)
	ok, _, err := r.Compatible(ctx, subject, schemaV1, true)
	require.NoError(t, err)
	require.True(t, ok, "a subject without schemas takes any")
	id, err := r.Register(ctx, subject, schemaV1)
	require.NoError(t, err)
	again, err := r.Lookup(ctx, subject, schemaV1)
	require.NoError(t, err)
	require.Equal(t, id, again)
	w, err := r.Schema(ctx, schemaregistry.ID{Number: id})
	require.NoError(t, err)
	require.Equal(t, "AVRO", w.Type)
	require.JSONEq(t, schemaV1, w.Text)

	level, err := r.Compatibility(ctx, subject)
	require.NoError(t, err)
	require.Equal(t, "FULL", level, "the registry's where the subject has none")
	require.NoError(t, r.SetCompatibility(ctx, subject, "FULL_TRANSITIVE"))
	level, err = r.Compatibility(ctx, subject)
	require.NoError(t, err)
	require.Equal(t, "FULL_TRANSITIVE", level)
	_, err = r.Register(ctx, subject, "no schema")
	require.ErrorIs(t, err, schemaregistry.ErrIncompatible)
	ok, _, err = r.Compatible(ctx, subject, schemaV1, false)
	require.NoError(t, err)
	require.True(t, ok)
}

// Ids that only one kind of registry knows are asked for where that has them.
func TestSchemaByOtherIDs(t *testing.T) {
	const guid = "89791762-2336-4186-9674-299b90a802e2"
	answers := map[string]string{
		"/apis/ccompat/v7/schemas/guids/" + guid: `{"guid":"` + guid + `","schemaType":"JSON","schema":"{}"}`,
		"/apis/registry/v3/ids/globalIds/7":      schemaV1,
		"/apis/registry/v3/ids/contentIds/7":     `{"type":"object"}`,
		"/apis/registry/v2/ids/globalIds/8":      `syntax = "proto3";`,
		"/apis/registry/v2/ids/globalIds/9":      `["null","string"]`,
	}
	url := serveSchema(t, func(w http.ResponseWriter, r *http.Request) {
		text, ok := answers[r.URL.Path]
		if !ok {
			w.WriteHeader(404)
			text = `{"status":404,"name":"ArtifactNotFoundException"}`
			if strings.Contains(r.URL.Path, "/guids/") { // a registry without that path
				text = ""
			}
		}
		_, _ = io.WriteString(w, text)
	}) + "/apis/ccompat/v7"
	r := newTestClient(t, schemaregistry.Options{URL: url})
	for _, tt := range []struct {
		id        schemaregistry.ID
		typ, text string
	}{
		{schemaregistry.ID{GUID: guid}, "JSON", "{}"},
		{schemaregistry.ID{Global: 7}, "AVRO", schemaV1},
		{schemaregistry.ID{Content: 7}, "JSON", `{"type":"object"}`},
		{schemaregistry.ID{Global: 8}, "PROTOBUF", `syntax = "proto3";`},
		{schemaregistry.ID{Global: 9}, "AVRO", `["null","string"]`},
	} {
		got, err := r.Schema(t.Context(), tt.id)
		require.NoError(t, err, tt.id)
		require.Equal(t, schemaregistry.WriterSchema{Type: tt.typ, Text: tt.text}, got, tt.id)
	}
	for _, id := range []schemaregistry.ID{{GUID: "x"}, {Global: 99}, {Content: 99}} {
		_, err := r.Schema(t.Context(), id)
		require.ErrorIs(t, err, schemaregistry.ErrUnknownSchema, id)
		require.ErrorContains(t, err, id.String())
	}
	other := newTestClient(t, schemaregistry.Options{URL: serveSchema(t, writeAnswer(404, "<html>a proxy</html>"))})
	_, err := other.Schema(t.Context(), schemaregistry.ID{Global: 7})
	require.ErrorIs(t, err, schemaregistry.ErrNotApicurio)
	_, err = other.Schema(t.Context(), schemaregistry.ID{GUID: guid})
	require.NotErrorIs(t, err, schemaregistry.ErrUnknownSchema, "a proxy's page is no answer")
}
