package detectors

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/internal/redact"
	"confab/schemas"
)

// Evidence that starts or ends inside a secret, or contains parts of it, shows none of them.
func TestPartsOfSecretsAreMasked(t *testing.T) {
	const answer = "Call Ann at (415) 867-5301 or write to ann.lee@example.org: Ann knows the key."
	at := func(s string) int { return strings.Index(answer, s) }
	for name, tt := range map[string]struct {
		row  Evidence
		want schemas.Evidence
	}{
		"whole": {
			Evidence{Start: 0, End: len(answer)},
			schemas.Evidence{Excerpt: "Call Ann at [phone] or write to [email]: Ann knows the key."},
		},
		"from within": {
			Evidence{Start: at("867"), End: at(" or")}, schemas.Evidence{Excerpt: "[redacted]"},
		},
		"to within": {
			Evidence{Start: at("write"), End: at("@")}, schemas.Evidence{Excerpt: "write to ann.[redacted]"},
		},
		"half of a word": {
			Evidence{Start: at("ample"), End: at(": Ann")}, schemas.Evidence{Excerpt: "[redacted].[redacted]"},
		},
		"a note of its words":             {Evidence{Note: "Ann, 867 5301; the source has 4539148"}, schemas.Evidence{Note: "Ann, [redacted] [redacted]; the source has [redacted]"}},
		"in other letters":                {Evidence{Note: "EXAMPLE"}, schemas.Evidence{Note: "[redacted]"}},
		"a citation":                      {Evidence{Citation: "ann.lee"}, schemas.Evidence{Citation: "ann.[redacted]"}},
		"words that also occur elsewhere": {Evidence{Note: "write key ann call"}, schemas.Evidence{Note: "write key ann call"}},
		"words that occur nowhere":        {Evidence{Note: "a missing word 999"}, schemas.Evidence{Note: "a missing word 999"}},
		"too short to mask":               {Evidence{Note: "53 01"}, schemas.Evidence{Note: "53 01"}},
		"before the cut":                  {Evidence{Note: strings.Repeat("x", 97) + " 867-5301"}, schemas.Evidence{Note: strings.Repeat("x", 97) + " 86..."}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newTestSuite(t, nil, fakeFunc("d", func(_ context.Context, d *Document) (Finding, error) {
				return Finding{Score: 1, Evidence: d.Evidence(tt.row)}, nil
			}))
			s.opts.Redact = redact.Redact
			e := s.Evaluate(t.Context(), &schemas.Interaction{Answer: answer, Sources: []schemas.Source{{Text: "card 4539 1488 0343 6467, 4539148803436467"}}})
			defer e.Release()
			f := e.Flag(schemas.Origin{}, schemas.PassFast, time.Time{})
			got := f.Signals[0].Evidence[0]
			if tt.want.Excerpt != "" {
				require.Equal(t, tt.want.Excerpt, got.Excerpt)
			}
			require.Equal(t, tt.want.Note, got.Note)
			require.Equal(t, tt.want.Citation, got.Citation)
		})
	}
}

func TestNoMaskWithoutSecrets(t *testing.T) {
	s := newTestSuite(t, nil, fakeEntry("d", Finding{Score: 1}, nil))
	s.opts.Redact = redact.Redact
	for answer, want := range map[string]bool{"Call Ann in 2026.": false, "Call +4915238471902.": true} {
		e := s.Evaluate(t.Context(), &schemas.Interaction{Answer: answer})
		require.Equal(t, want, e.newRedactionMask() != nil, answer)
		e.Release()
	}
	var none *redact.Mask
	require.Equal(t, "as it is", none.Apply("as it is"))
}
