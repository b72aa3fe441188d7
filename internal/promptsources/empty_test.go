package promptsources

import (
	"testing"

	"github.com/stretchr/testify/require"

	"confab/schemas"
)

// A context that is announced and holds nothing is an empty retrieval.
func TestEmptyRetrieval(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		messages []schemas.Message
		want     string
	}{
		"header":        {[]schemas.Message{{Role: "system", Content: "You are a support bot.\n\nContext:\n\n"}, {Role: "user", Content: "When do you open?"}}, schemas.NoSourcesEmpty},
		"word for none": {[]schemas.Message{{Role: "user", Content: "Answer by the documents.\n\n## Documents\nNone\n\nQuestion: When do you open?"}}, schemas.NoSourcesEmpty},
		"list":          {[]schemas.Message{{Role: "user", Content: "When do you open?"}, {Role: "tool", Content: "[]"}}, schemas.NoSourcesEmpty},
		"results":       {[]schemas.Message{{Role: "user", Content: "When do you open?"}, {Role: "tool", Content: `{"results": [], "total": 0}`}}, schemas.NoSourcesEmpty},
		"found": {[]schemas.Message{
			{Role: "system", Content: "Context:\n\n"}, {Role: "user", Content: "When do you open?"}, {Role: "tool", Content: "The shop opens at nine on weekdays and at ten on Saturdays."},
		}, ""},
		"nothing announced": {[]schemas.Message{{Role: "system", Content: "You are a support bot."}, {Role: "user", Content: "When do you open?"}}, ""},
		"acknowledgement":   {[]schemas.Message{{Role: "user", Content: "Book it."}, {Role: "tool", Content: "ok"}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := schemas.Interaction{Messages: c.messages, Answer: "We open at nine."}
			new(Finder).Fill(&in)
			require.Equal(t, c.want, in.NoSources, "%+v", in.Sources)
		})
	}
}
