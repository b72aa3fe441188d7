package facts

import (
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors/detectortest"
	"confab/schemas"
)

// A balance after a payment, the points after a booking and the rest of a budget are right; those that are not computed so are accused.
func TestSteps(t *testing.T) {
	t.Parallel()
	d, err := New(Options{})
	require.NoError(t, err)
	const account, refund = `{"acct": "701702", "credit_gbp": 204.15}`, `{"refund_id": "RF-1180", "gbp": 150}`
	for _, x := range []struct{ user, first, second, answer, fires string }{
		{"can i get 150 back", account, refund, "The refund of £150 (RF-1180) leaves £54.15 on your account.", ""},
		{"can i get 150 back", account, refund, "Your credit is then £54.15.", ""},
		{"can i get 150 back", account, refund, "Your credit is then £55.14.", "55.14"},
		{"add my 40 points", `{"card": "55012", "points": 120}`, `{"ok": true}`, "With these 40 points you have 160 on your card.", ""},
		{"add my 40 points", `{"card": "55012", "points": 120}`, `{"ok": true}`, "You have 610 points on your card.", "610"},
		{"pay 150", `{"account": "701702", "balance_gbp": 204.15}`, `{"state": "done"}`, "Your balance is now £54.15.", ""},
		{"pay 150", `{"account": "701702", "balance_gbp": 204.15}`, `{"state": "done"}`, "Your balance is now £64.15.", "64.15"},
		{"I've spent 820", `{"team": "Ops", "budget_eur": 1200}`, `{"ok": true}`, "The budget still has 380 euros.", ""},
		{"book 3 seats", `{"tour": 20417, "seats_free": 12}`, `{"booked": 3}`, "There are 9 seats free.", ""},
		{"Ich zahle 250 € zurück", `{"konto": 4410382, "restschuld_eur": 1000}`, `{"ok": true}`, "Die Restschuld ist 750 €.", ""},
		{"lamp and desk?", `{"order": 10233, "cost_gbp": 45}`, `{"order": 10234, "cost_gbp": 30}`, "Your two orders cost £75.", ""},
	} {
		f, _ := detectortest.Detect(t, d, &schemas.Interaction{Answer: x.answer, Sources: []schemas.Source{{ID: "1", Text: x.first}, {ID: "2", Text: x.second}}, Messages: []schemas.Message{{Role: "user", Content: x.user}}})
		if x.fires == "" {
			require.Empty(t, f.Evidence, x.answer)
			continue
		}
		require.NotEmpty(t, f.Evidence, x.answer)
		require.Equal(t, x.fires, x.answer[f.Evidence[0].Start:f.Evidence[0].End])
	}
}
