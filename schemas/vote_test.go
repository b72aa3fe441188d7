package schemas

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestParseThumb(t *testing.T) {
	for text, want := range map[string]Thumb{
		`"up"`: ThumbUp, `"down"`: ThumbDown, `1`: ThumbUp, `-1`: ThumbDown, `0`: ThumbDown, `1.0`: ThumbUp, `true`: ThumbUp, `false`: ThumbDown,
		`"thumbs_up"`: ThumbUp, `"THUMBS-DOWN"`: ThumbDown, `"thumb up"`: ThumbUp, `"👎"`: ThumbDown, `"+1"`: ThumbUp, `"-1"`: ThumbDown,
		`" Like "`: ThumbUp, `"dislike"`: ThumbDown, `"not_helpful"`: ThumbDown, `null`: "", `""`: "",
	} {
		var got Thumb
		require.NoError(t, json.Unmarshal([]byte(text), &got), text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{`5`, `4.5`, `"3"`, `"maybe"`, `"thumbs"`, `{}`, `["up"]`, `"NaN"`, `"inf"`, `1e400`} {
		var got Thumb
		require.NoError(t, json.Unmarshal([]byte(text), &got), "a flag is read whatever it says of a vote")
		require.Empty(t, got, text)
	}
}

// A later vote of the same user on the same answer replaces the earlier one; names of users are not in flags.
func TestVoteKey(t *testing.T) {
	v := Vote{InteractionID: "i", TraceID: "t", Vote: ThumbUp, User: "ann", Tenant: "acme"}
	later := v
	later.Vote, later.At = ThumbDown, time.Unix(1, 0)
	require.Equal(t, v.Key(), later.Key())
	require.Equal(t, []string{"i", "t"}, v.IDs())
	for _, other := range []Vote{{InteractionID: "i", TraceID: "t", User: "bob", Tenant: "acme"}, {InteractionID: "i", TraceID: "t", User: "ann"}, {MessageID: "i", TraceID: "t", User: "ann", Tenant: "acme"}} {
		require.NotEqual(t, v.Key(), other.Key())
	}
	require.Len(t, Voter("acme", "ann"), 16)
	require.NotEqual(t, Voter("acme", "ann"), Voter("bank", "ann"))
	require.Empty(t, Voter("acme", ""))
}
