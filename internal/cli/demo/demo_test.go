package demo

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestEmbeddedSamplesAreValid(t *testing.T) {
	story, err := readSamples(embeddedSamples)
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(story), 12)
	for _, s := range story {
		require.NotEmpty(t, s.Title)
		_, first, err := s.record(0, time.Time{})
		require.NoError(t, err)
		_, second, err := s.record(1, time.Time{})
		require.NoError(t, err)
		if s.Interaction != nil {
			require.NotEqual(t, first, second, "a second round has ids of its own")
		}
	}
}

func TestReadSamplesNamesTheBadLine(t *testing.T) {
	_, err := readSamples([]byte("{}\nnot json\n"))
	require.ErrorContains(t, err, "line 2")
	_, err = readSamples(nil)
	require.ErrorContains(t, err, "there are none")
}

func TestDemoInterruptedPrintsTheSummary(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out bytes.Buffer
	_, err := Run(ctx, Options{Out: &out})
	require.NoError(t, err)
	require.True(t, strings.HasSuffix(out.String(), "0 flagged, 0 alerted, 0 dead letters\n"), out.String())
}
