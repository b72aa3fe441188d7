package standard_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestForeignTextsDoNotAllocate(t *testing.T) {
	suite := textSuite(t)
	for _, language := range []string{"de", "es", "fr", "zh"} {
		in := languageSamples(t, language)[0].Interaction
		run := func() {
			e := suite.Evaluate(t.Context(), &in)
			e.Release()
		}
		run()
		require.LessOrEqual(t, testing.AllocsPerRun(20, run), 0.0, language)
	}
}
