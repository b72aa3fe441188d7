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

// A row of a table has columns, not bytes.
func TestBadRows(t *testing.T) {
	var errs bytes.Buffer
	var given error
	m := NewBadLines(&errs, true, func(_ []byte, fault error) string { given = fault; return "" })
	fault := &scan.Error{Reason: scan.ReasonWrongType, Field: "answer", Offset: 488, Detail: "a text"}
	require.NoError(t, m.Report(2, []byte("{}"), fault))
	require.Equal(t, "line 2: wrong_type in column answer: a text\n", errs.String())
	require.Equal(t, error(fault), given)
}
