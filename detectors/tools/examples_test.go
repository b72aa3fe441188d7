package tools

import (
	"cmp"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors/detectortest"
	"confab/internal/golden"
	"confab/schemas"
)

// example is a turn on which the rule fires, or stays quiet.
type example struct {
	user   string
	tools  []schemas.Tool
	calls  []schemas.ToolCall
	answer string
	fires  string // what the evidence notes, "" if the rule is quiet
}

// examples are by rule.
func examples() map[string][]example {
	call := func(name, arguments, result string) []schemas.ToolCall {
		return []schemas.ToolCall{{Name: name, Arguments: arguments, Result: result}}
	}
	order := []schemas.Tool{{Name: "get_order", Schema: `{"type": "object", "properties": {"order_id": {"type": "string"}}, "required": ["order_id"], "additionalProperties": false}`}}
	shipped, attic := `{"error": "already_shipped"}`, `{"ok": true, "failed": ["attic"]}`
	return map[string][]example{
		"not_offered": {
			{tools: []schemas.Tool{{Name: "shop__get_order"}}, calls: call("shop__find_order", `{}`, ""), fires: "shop__find_order"},
			{tools: []schemas.Tool{{Name: "shop__get_order"}}, calls: call("get_order", `{}`, "")},
		},
		"arguments_schema": {
			{user: "Where is order 7?", tools: order, calls: call("get_order", `{"order": "7"}`, ""), fires: "/: additional properties 'order' not allowed"},
			{user: "Where is order 7?", tools: order, calls: call("get_order", `{"order_id": "7", "shop": null}`, "")},
		},
		"argument_invented": {
			{user: "Close INC-771.", calls: call("close", `{"ticket_id": "INC-717"}`, ""), answer: "Done.", fires: "ticket_id INC-717"},
			{user: "Write to Oskar.", calls: call("send", `{"to": "oskar@polar.example"}`, ""), answer: "Done.", fires: "to oskar@polar.example"},
			{user: "To 4 Hill Road, Bath.", calls: call("ship", `{"street": "19 Station Street"}`, ""), answer: "Done.", fires: "street 19 Station Street"},
			{user: "The stove leaks.", calls: call("open_claim", `{"text": "stove, serial DW-99812, leaks"}`, ""), answer: "Done.", fires: "text DW-99812"},
			{user: "Mail is first.last at acme.example, Ann Lee", calls: call("add", `{"email": "ann.lee@acme.example"}`, ""), answer: "Done."},
			{user: "My points?", calls: call("loyalty", `{"customer_id": "C-7731"}`, `{"points": 40}`), answer: "You have 40 points."},
			{user: "My points?", calls: call("loyalty", `{"customer_id": "C-7731"}`, ""), answer: "Done.", fires: "customer_id C-7731"},
			{user: "Two lamps", calls: call("add", `{"sku_code": "LUM-5501"}`, `{"cart": ["LUM-5501"]}`), answer: "Two lamps are in your cart."},
			{user: "My number is 0171 5550134, order 88 again.", calls: call("order", `{"phone": "+491715550134", "order_id": "88"}`, ""), answer: "Done."},
		},
		"error_hidden": {
			{calls: call("cancel_order", "", shipped), answer: "Your order is cancelled.", fires: shipped},
			{calls: call("set_alarm", "", attic), answer: "The alarm is on everywhere.", fires: attic},
			{calls: call("set_lock", "", `{"state": "jammed"}`), answer: "The door is locked.", fires: `{"state": "jammed"}`},
			{calls: call("set_lock", "", `{"state": "jammed"}`), answer: "The front door is locked, but this one is jammed."},
			{calls: call("cancel_order", "", shipped), answer: "Your order has left the warehouse, so I couldn't cancel it."},
			{calls: []schemas.ToolCall{{Name: "pay", Error: "timeout"}, {Name: "pay", Result: `{"status": "paid"}`}}, answer: "The invoice is paid."},
		},
		"action_without_call": {
			{user: "A train to Ghent?", calls: call("search_trains", "", `[{"train": "IC 1513"}]`), answer: "I've booked the IC 1513 for you.", fires: "I've booked"},
			{user: "Fetch it tomorrow", calls: call("create_pickup", "", `{"pickup_id": "PU-881"}`), answer: "Your pickup is booked, the reference is PU-881."},
			{user: "Geld zurück!", calls: call("escalate", "", `{"case": 7}`), answer: "Die 44 Euro wurden soeben erstattet.", fires: "wurden soeben erstattet"},
			{user: "Annulez tout", tools: order, answer: "La commande a été annulée.", fires: "été annulée"},
			{user: "Pide otra", tools: order, answer: "Ya he pedido una nueva.", fires: "he pedido"},
			{user: "Prenota", tools: order, answer: "Ho prenotato la visita.", fires: "Ho prenotato"},
			{user: "A train to Ghent?", calls: call("search_trains", "", `[{"train": "IC 1513"}]`), answer: "The IC 1513. I haven't booked it yet; it can be cancelled for free."},
			{user: "Did you tell the driver?", calls: call("track_parcel", "", `{"van": 2}`), answer: "Yes, I've left a note for the driver.", fires: "I've left"},
			{user: "Weiß der Fahrer Bescheid?", tools: order, answer: "Ja, ich habe dem Fahrer eine Nachricht hinterlassen.", fires: "habe dem Fahrer eine Nachricht hinterlassen"},
			{user: "Le gardien est prévenu ?", tools: order, answer: "Oui, j'ai laissé un message au gardien.", fires: "j'ai laissé"},
			{user: "¿Lo sabe el conductor?", tools: order, answer: "Sí, he dejado una nota para el conductor.", fires: "he dejado"},
			{user: "Lo sa l'autista?", tools: order, answer: "Sì, ho lasciato un messaggio per l'autista.", fires: "ho lasciato"},
			{user: "Pay it", calls: call("get_bill", "", `{"sum": 4860}`), answer: "The bill is paid now, once and for all.", fires: "is paid"},
			{user: "Pay it", calls: call("get_bill", "", `{"sum": 4860}`), answer: "The bill has been paid when it was due.", fires: "been paid"},
			{user: "The bill", calls: call("get_bill", "", `{"sum": 4860}`), answer: "The bill is paid once you confirm it."},
			{user: "Send somebody", calls: call("draft_email", "", `{"id": 4}`), answer: "I've sent WarmHands Heating to you.", fires: "I've sent"},
			{user: "Take it off", calls: call("billing.folio", "", `{"items": [{"name": "bar", "eur": 11.5}], "total_eur": 263.5}`), answer: "I have removed the bar's €11.50.", fires: "I have removed"},
			{user: "Send somebody", calls: call("loanQuote", "", `{"id": 4}`), answer: "I've sent WarmHands Heating to you.", fires: "I've sent"},
			{user: "Send somebody", calls: call("emergency_dispatch", "", `{"status": "DISPATCHED"}`), answer: "I've sent WarmHands Heating to you."},
			{user: "Steht mein Termin?", calls: call("get_appointment", "", `{"status": "cancelled"}`), answer: "Nein, er wurde abgesagt."},
		},
		"identifier_changed": {
			{calls: call("create", "", `{"ticket": "INC-20931"}`), answer: "I created INC-20913.", fires: "INC-20913"},
			{calls: call("open_pr", "", `{"number": 482}`), answer: "PR #428 is open.", fires: "#428"},
			{calls: call("create", "", `{"ticket": "INC-20931"}`), answer: "I created inc 20931; INC-20931 is open."},
		},
		"value_unknown": {
			{calls: call("quote", "", `{"net": 184.3}`), answer: "It costs 148,30 € net.", fires: "148,30"},
			{calls: call("get_train", "", `{"dep": "18:25"}`), answer: "It leaves at 18:52.", fires: "18:52"},
			{calls: call("list_orders", "", `[{"id": "A-1"}, {"id": "A-2"}, {"id": "A-3"}]`), answer: "4 orders are waiting for you.", fires: "4"},
			{user: "Until when am I bound?", calls: call("get_contract", "", `{"end": "2027-06-18"}`), answer: "Until 18 July 2027.", fires: "18 July 2027"},
			{calls: call("quote", "", `{"net": 184.3, "tax": 36.86}`), answer: "It costs about 184 €, with tax 221.16 €."},
			{calls: call("basket", "", `{"items": [{"qty": 3, "unit_cents": 1800}], "shipping_cents": 495}`), answer: "Three at £18 make £54, with delivery £58.95."},
			{calls: call("get_train", "", `{"dep": "09:42", "delay_min": 5}`), answer: "It leaves at 9:47. You need 10 minutes to the station."},
		},
		"value_of_other": {
			{calls: append(call("get_order", "", `{"stove": 54.9, "total": 67.9}`), call("create_refund", `{"amount": 54.9}`, `{"ok": true}`)...), answer: "Your refund of €67.90 has been issued.", fires: "67.90"},
			{calls: append(call("get_order", "", `{"stove": 54.9, "total": 67.9}`), call("create_refund", `{"amount": 54.9}`, `{"ok": true}`)...), answer: "Of the €67.90 I've refunded €54.90."},
		},
	}
}

// TestExamples: each rule fires on its faulty examples with that note, and no rule accuses a right one.
func TestExamples(t *testing.T) {
	t.Parallel()
	d, err := New(Options{}, newValidator)
	require.NoError(t, err)
	all := examples()
	for _, r := range Rules() {
		require.GreaterOrEqual(t, len(all[r.ID]), 2, r.ID)
		for _, x := range all[r.ID] {
			in := &schemas.Interaction{Tools: x.tools, Calls: x.calls, Answer: x.answer}
			if x.user != "" {
				in.Messages = []schemas.Message{{Role: "user", Content: x.user}}
			}
			f, _ := detectortest.Detect(t, d, in)
			detectortest.RequireContract(t, r.ID, in, &f)
			if x.fires == "" {
				require.Empty(t, f.Evidence, x.answer)
				continue
			}
			require.NotEmpty(t, f.Evidence, "%s: %s", r.ID, x.answer)
			require.Equal(t, r.ID, f.Evidence[0].Rule, x.answer)
			require.Equal(t, x.fires, f.Evidence[0].Note)
		}
	}
}

// TestReference keeps the part of docs/rules.md on these rules.
func TestReference(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/rules.md")
	require.NoError(t, err)
	before, _, _ := strings.Cut(string(page), "\n## Rules of tools\n")
	var b strings.Builder
	b.WriteString(before + "\n## Rules of tools\n\nThe detector `tools` has these. A rule fires alone from the threshold on that its weight reaches.\n")
	cell := strings.NewReplacer("|", "\\|", "\n", " ⏎ ").Replace
	for _, r := range Rules() {
		fmt.Fprintf(&b, "\n### %s\n\nFires on %s. Weight %v.\n\n| user | calls | answer | accused |\n|---|---|---|---|\n", r.ID, r.Doc, r.Weight)
		for _, x := range examples()[r.ID] {
			calls := []string{}
			for _, c := range x.calls {
				calls = append(calls, strings.TrimSpace(fmt.Sprintf("%s %s → %s", c.Name, c.Arguments, cmp.Or(c.Result, c.Error, "no result"))))
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", cell(x.user), cell(strings.Join(calls, "; ")), cell(x.answer), cell(x.fires))
		}
	}
	b.WriteString("\n### Measured on turns\n\nTurns of the corpus on which the detector and each rule fire, by fault. Those that the rules were chosen on:\n\n")
	for _, file := range []string{"train", "test"} {
		table, err := os.ReadFile("testdata/" + file + ".golden")
		require.NoError(t, err)
		b.Write(table)
		if file == "train" {
			b.WriteString("\nOthers:\n\n")
		}
	}
	golden.Equal(t, "../../docs/rules.md", b.String())
}
