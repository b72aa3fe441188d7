package avro

import (
	"testing"

	"github.com/linkedin/goavro/v2"
	"github.com/stretchr/testify/require"

	"confab/schemas"
)

// Votes are read as logs have them: text, number or boolean.
func TestUserFeedback(t *testing.T) {
	for typ, c := range map[string]struct {
		value any
		want  schemas.Thumb
	}{
		`"string"`: {"thumbs_down", schemas.ThumbDown}, `"int"`: {int32(1), schemas.ThumbUp}, `"boolean"`: {false, schemas.ThumbDown}, `"double"`: {-1.0, schemas.ThumbDown},
		`"long"`: {int64(5), ""},
	} {
		text := `{"type":"record","name":"I","fields":[{"name":"answer","type":"string"},{"name":"user_feedback","type":` + typ + `}]}`
		codec, err := goavro.NewCodec(text)
		require.NoError(t, err)
		body, err := codec.BinaryFromNative(nil, map[string]any{"answer": "a", "user_feedback": c.value})
		require.NoError(t, err)
		s, err := NewSchema(text)
		require.NoError(t, err)
		var in schemas.Interaction
		require.NoError(t, s.DecodeInteraction(body, &in), typ)
		require.Equal(t, c.want, in.UserFeedback, typ)
		require.Equal(t, c.want == "", len(in.Malformed) == 1, typ)
	}
}
