package recordshape

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestManyLikeErrors(t *testing.T) {
	var errs bytes.Buffer
	m := NewBadLines(&errs)
	for i := range 500 {
		require.NoError(t, m.Report(i, errors.New(strings.Repeat("x", i))))
	}
	require.NoError(t, m.End())
	require.Equal(t, maxAlike+1, strings.Count(errs.String(), "\n"))
	require.Contains(t, errs.String(), "… and 480 more lines like this: other faults\n")
}
