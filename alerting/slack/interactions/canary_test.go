package interactions

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/slack-go/slack"
	"github.com/stretchr/testify/require"

	slacksink "confab/alerting/slack"
)

// canary stands for texts and secrets in what Slack sends with a click.
const canary = "margaret.oconnor@brightwater.example.org"

// replaceWithCanary replaces every text of v with the canary, except those in keep.
func replaceWithCanary(v any, keep []string) any {
	switch v := v.(type) {
	case string:
		if !slices.Contains(keep, v) {
			return canary
		}
	case []any:
		for i := range v {
			v[i] = replaceWithCanary(v[i], keep)
		}
	case map[string]any:
		for k := range v {
			v[k] = replaceWithCanary(v[k], keep)
		}
		if v["user"] != nil && v["team"] == nil { // missing in the example
			v["team"], v["response_url"], v["hash"] = map[string]any{"domain": canary}, "https://hooks.example.com/"+canary, canary
		}
	}
	return v
}

// Other data that Slack sends with a click is in no label, silence or log.
func TestOtherDataOfClickIsDropped(t *testing.T) {
	for _, action := range []string{slacksink.ActionWrong, slacksink.ActionFine, slacksink.ActionSilence} {
		for name, without := range map[string]string{
			"valid": "", "value": buttonValue(), "action": action, "person": user, "time": clickTime, "kind": "block_actions", "channel": "C042",
			"message": "1763.000100", "block": "confab_actions",
		} {
			t.Run(action+" "+name, func(t *testing.T) {
				keep := slices.DeleteFunc([]string{
					"block_actions", "message", "button", "actions", "section", "plain_text", "C042", "1763.000100", "confab_actions", action,
					buttonValue(), user, clickTime,
				}, func(s string) bool { return s == without })
				var click any
				require.NoError(t, json.Unmarshal([]byte(newClick(action).json()), &click))
				raw, err := json.Marshal(replaceWithCanary(click, keep))
				require.NoError(t, err)
				require.Contains(t, string(raw), canary)

				b := newRecorder()
				var cb slack.InteractionCallback
				require.NoError(t, json.Unmarshal(raw, &cb))
				_, _ = b.handler().Handle(t.Context(), &cb)
				if name == "valid" {
					require.NotEmpty(t, b.records, "a valid click")
				}
				require.NotContains(t, strings.Join(b.records, "\n"), "margaret")
				require.NotContains(t, b.lines.String(), "margaret")
			})
		}
	}
}
