package detectors

import (
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/text/prepared"
	"confab/schemas"
)

// TestDerived: what was derived from sources is kept from their second time on, under its name, for exactly these sources.
func TestDerived(t *testing.T) {
	t.Parallel()
	var d Document
	d.SetCache(prepared.NewCache(1 << 20))
	known := func(name string, sources ...string) string {
		in := &schemas.Interaction{Answer: "Yes."}
		for _, s := range sources {
			in.Sources = append(in.Sources, schemas.Source{Text: s})
		}
		d.Reset(in)
		derived := DerivedFrom[string](&d, name)
		if derived.Wanted() {
			value := name + " of " + sources[0]
			derived.Keep(&value, len(value))
		}
		if derived.Known == nil {
			return ""
		}
		return *derived.Known
	}
	require.Empty(t, known("cells", "a", "b"))
	require.Empty(t, known("cells", "a", "b"))
	require.Equal(t, "cells of a", known("cells", "a", "b"))
	for name, sources := range map[string][]string{"cells": {"b", "a"}, "fields": {"a", "b"}} {
		require.Empty(t, known(name, sources...), "%s of %s", name, sources)
	}
	require.Empty(t, known("cells", "ab"))
	require.Empty(t, known("cells", "a", "b", ""))
	d.SetCache(nil)
	for range 3 {
		require.Empty(t, known("cells", "a", "b"), "without a cache")
	}
}
