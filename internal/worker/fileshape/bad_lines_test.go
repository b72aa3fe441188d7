package fileshape

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestManyKindsOfErrors(t *testing.T) {
	var errs bytes.Buffer
	m := NewBadLines(&errs)
	for i := range 500 {
		require.NoError(t, m.Report(i, fmt.Errorf("fault %s", strings.Repeat("x", i))))
	}
	require.NoError(t, m.End())
	require.Equal(t, maxKinds+maxAlike+1, strings.Count(errs.String(), "\n"))
	require.Contains(t, errs.String(), "… and 430 more lines like this: other faults\n")
}
