package recordshape

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/schemas/json/scan"
)

// What to do stands before the first line of a kind, and is said once.
func TestManyLikeErrors(t *testing.T) {
	var errs bytes.Buffer
	m := NewBadLines(&errs, false, func(line []byte, _ error) string { return strings.TrimSpace("do " + string(line)) })
	for i := range 500 {
		require.NoError(t, m.Report(i, []byte("this"), errors.New(strings.Repeat("x", i))))
	}
	require.NoError(t, m.Report(500, []byte("this"), &scan.Error{Reason: "syntax"}))
	require.NoError(t, m.Report(501, nil, &scan.Error{Reason: "too_large"}))
	require.NoError(t, m.End())
	require.Equal(t, "hint: do this\nline 0: \nline 1: x\nline 2: xx\nline 500: syntax\nhint: do\nline 501: too_large\n… and 497 more lines like this: other faults\n", errs.String())
}
