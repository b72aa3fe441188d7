package inputs

import (
	"errors"

	"confab/internal/promptsources"
	"confab/internal/strictyaml"
	"confab/schemas/json"
	"confab/schemas/otlp"
)

// failFunc takes a problem at a path below the input, such as ".map".
type failFunc func(at, format string, args ...any)

// Check reports problems between the input's settings to fail, each at a path below the input, such as ".map".
func (in *Input) Check(fail func(at, format string, args ...any)) {
	switch {
	case in.TenantFrom == TenantHeader && in.TenantHeader == "":
		fail(".tenant_header", "name the record header that holds the tenant")
	case in.TenantFrom != TenantHeader && in.TenantHeader != "":
		fail(".tenant_header", "has no effect: set tenant_from: header, or remove it")
	case in.TenantFrom == TenantFixed && in.Tenant == "":
		fail(".tenant", "is empty; name the tenant, or set tenant_from")
	}
	in.checkMap(fail)
	in.checkJoin(fail)
	if _, err := promptsources.NewFinder(in.sourceOptions()); err != nil {
		fail(".sources_from", "%v", err)
	}
}

// checkJoin checks what concerns records that wait.
func (in *Input) checkJoin(fail failFunc) {
	if in.JoinChunks.Enabled && (in.IsOTLP() || in.Format == FormatAvro) {
		fail(".join_chunks.enabled", "has no effect on %s: chunks are JSON; remove it", in.Format)
	}
	j := &in.JoinTraces
	switch {
	case !j.Enabled:
	case !in.IsOTLP():
		fail(".join_traces.enabled", "has no effect on %s: traces are joined for otlp_proto and otlp_json; remove it", in.Format)
	case !in.SpanOptions(0).Join:
		fail(".join_traces.enabled", "has no effect under sources_from: %s, which takes no passages of spans; set auto or field, or remove it", in.SourcesFrom)
	}
}

// checkSpans checks what concerns inputs of OTLP only.
func (in *Input) checkSpans(fail failFunc) {
	if in.TenantFrom == TenantPayload {
		fail(".tenant_from", "an attribute of a span is not a tenant: set fixed or header")
	}
	if in.TimeZone != "" {
		fail(".time_zone", "has no effect on %s: remove it", in.Format)
	}
	if _, preset := in.Map[presetKey]; preset {
		fail(".map", "a preset maps JSON, and %s needs none: remove it", in.Format)
		return
	}
	_, err := otlp.NewDecoder(in.SpanOptions(0))
	for _, err := range strictyaml.SplitJoined(err) {
		key := ".map"
		if fault, ok := errors.AsType[*json.MappingError](err); ok && in.Where[fault.Field] != nil {
			key = ".where"
		}
		fail.mappingFaults(key, err)
	}
}

func (in *Input) checkMap(fail failFunc) {
	if in.IsOTLP() {
		in.checkSpans(fail)
		return
	}
	mapped, filtered := len(in.Map) > 0, len(in.Where) > 0
	if in.Format != FormatJSON && in.Format != FormatAuto {
		for key, set := range map[string]bool{".map": mapped, ".where": filtered, ".time_zone": in.TimeZone != ""} {
			if set {
				fail(key, "has no effect on %s: only JSON is mapped; set format: json, or remove it", in.Format)
			}
		}
	}
	if _, err := in.Zone(); err != nil {
		fail(".time_zone", "%s", err)
	}
	entries, where, err := in.Shape()
	if err != nil {
		fail.mappingFaults(".map", err)
		return
	}
	if _, named := entries["tenant"]; mapped && in.TenantFrom == TenantPayload && !named {
		fail(".map", "has no tenant, but tenant_from is payload: point tenant at it, or set tenant_from")
	}
	if mapped {
		_, err = json.NewMapping(entries)
		fail.mappingFaults(".map", err)
	}
	_, err = json.NewFilter(where)
	fail.mappingFaults(".where", err)
}

func (f failFunc) mappingFaults(path string, err error) {
	for _, err := range strictyaml.SplitJoined(err) {
		if fault, ok := errors.AsType[*json.MappingError](err); ok && fault.Field != "" {
			f(strictyaml.JoinPath(path, fault.Field), "%s", fault.Message)
		} else {
			f(path, "%s", err)
		}
	}
}
