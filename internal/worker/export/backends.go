package export

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"confab/detectors"
	"confab/detectors/standard"
	"confab/internal/worker/config"
	"confab/schemas"
)

// backend is what differs between the tools that get scores.
type backend struct {
	name    string
	url     string
	headers func(h http.Header)                   // credentials
	locate  func(f *schemas.Flag) (target, error) // where the scores of a flag belong; an error refuses the flag
	search  func(at target) *search               // finds the backend's own id; nil: at is one
	size    int                                   // scores of a request
	method  string                                // of the request
	path    func(at target) string
	body    func(batch []score) any // JSON of scores of one kind: of spans or of traces
	success func(reply []byte) bool // whether a reply with a status of success is one of this API
	missing func(reply []byte) bool // whether a reply of status 404 says that a span is not there yet
}

// search is a request for the backend's id of a span or a trace.
type search struct {
	path string
	read func(reply []byte) (id string, ok bool) // "": it is not there yet
}

// newBackend returns the backend of a destination, by its name.
func newBackend(e *config.Export, name string) *backend {
	switch name {
	case config.DestinationPhoenix:
		return phoenix(&e.Phoenix)
	case config.DestinationLangfuse:
		return langfuse(&e.Langfuse)
	}
	return opik(&e.Opik)
}

// batchSize is below what the backends take: 500 annotations take Phoenix 1.5 s on SQLite, and Opik takes 1,000.
const batchSize = 200

// phoenix annotates spans, or traces for flags without a span. It keeps one annotation per span, name and identifier. Without
// sync it would answer 200 for spans that it does not have, and keep the annotations in memory only.
func phoenix(o *config.Phoenix) *backend {
	judges := detectors.Names(standard.Deep(standard.Dependencies{}))
	return &backend{
		name: "Phoenix", url: o.URL, size: batchSize, method: http.MethodPost, locate: otelTarget,
		headers: func(h http.Header) { setSecret(h, "Authorization", "Bearer ", o.APIKey.Reveal()) },
		path:    func(at target) string { return "/v1/" + at.kind() + "_annotations?sync=true" },
		body: func(batch []score) any {
			data := make([]any, len(batch))
			for i := range batch {
				s := &batch[i]
				kind := "CODE"
				if slices.Contains(judges, s.name) {
					kind = "LLM"
				}
				data[i] = map[string]any{
					s.at.kind() + "_id": s.at.id(), "name": s.name, "annotator_kind": kind, "identifier": s.owner, "metadata": s.metadata,
					"result": map[string]any{"label": s.label, "score": s.value, "explanation": s.explanation},
				}
			}
			return map[string]any{"data": data}
		},
		success: func(reply []byte) bool {
			var list struct{ Data []struct{ ID string } }
			return json.Unmarshal(reply, &list) == nil && len(list.Data) > 0
		},
		missing: func(reply []byte) bool { return bytes.Contains(reply, []byte("do not exist")) }, // "Spans with IDs a, b do not exist."
	}
}

// langfuse writes scores of observations, or of traces for flags without a span: one a request, as the endpoint for batches
// is gone. It keeps one per id, and takes those of spans that it does not have.
func langfuse(o *config.Langfuse) *backend {
	return &backend{
		name: "Langfuse", url: o.URL, size: 1, method: http.MethodPost, locate: freeTarget,
		headers: func(h http.Header) {
			r := http.Request{Header: h}
			r.SetBasicAuth(o.PublicKey, o.SecretKey.Reveal())
		},
		path: func(target) string { return "/api/public/scores" },
		body: func(batch []score) any {
			s := &batch[0]
			meta := s.metadata
			meta.Label = s.label
			body := map[string]any{
				"id": plainID(s.owner + ":" + s.name), "traceId": s.at.trace, "name": s.name, "value": s.value, "dataType": "NUMERIC",
				"comment": s.label + ": " + s.explanation, "metadata": meta,
			}
			if s.yesNo {
				body["dataType"] = "BOOLEAN"
			}
			if s.at.span != "" {
				body["observationId"] = s.at.span
			}
			if o.Environment != "" {
				body["environment"] = o.Environment
			}
			return body
		},
		success: func(reply []byte) bool {
			var made struct{ ID string }
			return json.Unmarshal(reply, &made) == nil && made.ID != ""
		},
	}
}

// opik writes feedback scores of spans, or of traces for flags without a span. It keeps one per span and name. Ids that are
// Opik's own are taken as they are; it is asked for those that it made of OpenTelemetry's.
func opik(o *config.Opik) *backend {
	return &backend{
		name: "Opik", url: o.URL, size: batchSize, method: http.MethodPut, locate: opikTarget,
		headers: func(h http.Header) {
			setSecret(h, "Authorization", "", o.APIKey.Reveal())
			setSecret(h, "Comet-Workspace", "", o.Workspace)
		},
		search: func(at target) *search { return searchOpik(o.Project, at) },
		path:   func(at target) string { return "/v1/private/" + at.kind() + "s/feedback-scores" },
		body: func(batch []score) any {
			scores := make([]any, len(batch))
			for i := range batch {
				s := &batch[i]
				name := "confab." + strings.TrimPrefix(s.name, "confab.") // replaces neither one of another tool nor one of the other pass
				if s.metadata.Pass == string(schemas.PassDeep) {
					name += ".deep"
				}
				scores[i] = map[string]any{
					"id": s.at.id(), "project_name": o.Project, "name": name, "category_name": s.label, "reason": s.explanation, "source": "sdk",
					"value": math.Round(s.value*1e9) / 1e9, // 9 decimals are the most
				}
			}
			return map[string]any{"scores": scores}
		},
		success: func(reply []byte) bool { return len(reply) == 0 || json.Valid(reply) }, // status 204 has no body
	}
}

func opikTarget(f *schemas.Flag) (target, error) {
	if span, ok := uuidID(f.SpanID); ok {
		return target{span: span}, nil
	}
	if trace, ok := uuidID(f.TraceID); ok && f.SpanID == "" {
		return target{trace: trace}, nil
	}
	return otelTarget(f)
}

// searchOpik searches for the span or the trace whose id ends as Opik makes it of the id of OpenTelemetry.
func searchOpik(project string, at target) *search {
	if _, own := uuidID(at.id()); own {
		return nil
	}
	suffix := opikSuffix(at.id())
	filters, _ := json.Marshal([]map[string]string{{"field": "id", "operator": "ends_with", "value": suffix}}) // texts never fail
	query := url.Values{"project_name": {project}, "filters": {string(filters)}, "size": {"10"}, "truncate": {"true"}}
	return &search{
		path: "/v1/private/" + at.kind() + "s?" + query.Encode(),
		read: func(reply []byte) (string, bool) {
			var page struct{ Content *[]struct{ ID string } }
			if json.Unmarshal(reply, &page) != nil || page.Content == nil {
				return "", false
			}
			for _, c := range *page.Content { // servers that ignore filters answer with others
				if id, ok := uuidID(c.ID); ok && strings.HasSuffix(id, suffix) {
					return id, true
				}
			}
			return "", true
		},
	}
}

// setSecret sets a header unless its value is empty.
func setSecret(h http.Header, name, prefix, value string) {
	if value != "" {
		h.Set(name, prefix+value)
	}
}

// errOtherService is a reply that the backend's API does not give.
var errOtherService = errors.New("the reply is not one of the API")
