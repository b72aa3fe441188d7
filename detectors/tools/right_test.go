package tools

import (
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/detectors/detectortest"
	"confab/detectors/jsonschema"
	"confab/schemas"
)

// TestRight: turns of other wording than the corpus that no rule may accuse.
func TestRight(t *testing.T) {
	t.Parallel()
	d, err := New(Options{}, newValidator)
	require.NoError(t, err)
	tools := []schemas.Tool{{Name: "get_order"}, {Name: "search_flights"}, {Name: "book_flight"}, {Name: "cancel_order"}, {Name: "send_email"}, {Name: "issue_refund"}, {Name: "update_profile"}}
	lookup := func(result string) []schemas.ToolCall {
		return []schemas.ToolCall{{ID: "1", Name: "get_order", Arguments: `{"order_id": "A-1"}`, Result: result}}
	}
	act := func(name, arguments, result string) schemas.ToolCall {
		return schemas.ToolCall{ID: "2", Name: name, Arguments: arguments, Result: result}
	}
	order := lookup(`{"order_id": "A-1", "status": "open", "total": 40.0, "items": 2}`)
	for _, x := range []struct {
		user   string
		calls  []schemas.ToolCall
		answer string
	}{
		{"How do refunds work?", nil, "Refunds are issued to the card that you paid with. Once your parcel has arrived, the money is sent within five days."},
		{"How do refunds work?", nil, "If an order is cancelled before it was shipped, you are refunded in full."},
		{"Wann bekomme ich mein Geld?", nil, "Sobald die Ware bei uns eingegangen ist, wird der Betrag erstattet. Bestellungen werden werktags verschickt."},
		{"Quand serai-je remboursé ?", nil, "Dès que le colis est arrivé, le montant est remboursé sous cinq jours."},
		{"¿Cuándo me devuelven el dinero?", nil, "Cuando el paquete haya llegado, el importe será reembolsado en cinco días."},
		{"Quando ricevo il rimborso?", nil, "Appena il pacco è arrivato, l'importo viene rimborsato entro cinque giorni."},
		{"Hi!", nil, "Hello! I can look up orders, and once you've found a flight I can have it booked for you."},
		{"Cancel A-1", order, "A-1 is still open, so it can be cancelled. Shall I do that?"},
		{"Cancel A-1", order, "Before I do that: once it's cancelled, it can't be restored. Please confirm."},
		{"Cancel A-1", order, "You've ordered two items for 40.00. Tell me 'yes' and they'll be cancelled."},
		{"Is A-1 on its way?", order, "Not yet. It was ordered yesterday and hasn't been sent."},
		{"Is A-1 on its way?", lookup(`{"order_id": "A-1", "status": "shipped", "carrier": "DHL"}`), "Yes, A-1 has been handed to DHL; you were notified by e-mail."},
		{"Is A-1 on its way?", lookup(`{"order_id": "A-1", "status": "shipped", "carrier": "DHL"}`), "Yes, it was sent with DHL."},
		{"Ist A-1 unterwegs?", lookup(`{"order_id": "A-1", "status": "shipped"}`), "Ja, A-1 wurde bereits verschickt."},
		{"Est-ce que A-1 est partie ?", lookup(`{"order_id": "A-1", "status": "shipped"}`), "Oui, votre commande a été expédiée."},
		{"¿Ha salido A-1?", lookup(`{"order_id": "A-1", "status": "shipped"}`), "Sí, el pedido A-1 ya ha sido enviado."},
		{"A-1 è partito?", lookup(`{"order_id": "A-1", "status": "shipped"}`), "Sì, l'ordine A-1 è stato spedito."},
		{"Did the customer pay?", lookup(`{"order_id": "A-1", "invoice": {"state": "settled", "on": "2026-11-19"}}`), "Yes, the invoice was paid on 19 November."},
		{"What happened to A-1?", lookup(`{"order_id": "A-1", "events": ["payment received", "packed", "label printed"]}`), "It has been paid for and packed, and the label is printed. It leaves today."},
		{"What's in the news?", nil, "I've no access to news. I was built for orders only."},
		{"Fix this sentence: I has sent it", nil, "\"I have sent it.\" You could also write “I sent it yesterday.”"},
		{"Draft a reply to Ben", nil, "Here's a draft:\n\n> Hi Ben, I've cancelled the meeting and sent you the notes.\n\nShall I change anything?"},
		{"Write a status update", nil, "Subject: Status\n\nHello team,\n\nthe server was restarted last night and all jobs were run.\n\nBest"},
		{"Cancel A-1", append(order, act("cancel_order", `{"order_id": "A-1"}`, `{"status": "cancelled"}`)), "I've cancelled A-1, and the 40.00 will be refunded."},
		{"Cancel A-1", append(order, act("cancel_order", `{"order_id": "A-1"}`, `{"status": "cancelled", "refund": 40.0}`)), "A-1 is cancelled and 40.00 has been refunded to your card."},
		{"Cancel A-1", append(order, act("cancel_order", `{"order_id": "A-1"}`, `{"status": "failed"}`)), "That failed, I'm afraid. Please try again tomorrow."},
		{"Cancel A-1", append(order, act("cancel_order", `{"order_id": "A-1"}`, `{"status": "failed"}`)), "A-1 remains active because the shop's system rejected the request."},
		{"Storniere A-1", append(order, act("cancel_order", `{"order_id": "A-1"}`, `{"error": "zu spät"}`)), "Dafür ist es zu spät, A-1 bleibt bestehen."},
		{"Change my town", append(order, act("update_profile", `{"town": "Leeds"}`, `{"ok": true}`)), "Done. Shipped orders aren't changed, and refunded items cannot be sent again."},
		{"What do 8 rows cost?", lookup(`{"price": 48.0, "rows": 5, "extra_row": 6.5, "limit": 77.0}`), "It comes to $67.50: $48.00 for the first 5, plus 3 × $6.50."},
		{"A table for 6 at 9 pm", lookup(`{"available": false, "alternatives": ["19:00"]}`), "Unfortunately the roof is fully booked at 21:00. I could offer you 19:00."},
		{"A table for 6 at 9 pm", lookup(`{"free_at_21": false, "others": ["19:00"]}`), "The roof is already booked at 21:00, and all tables are reserved for a party. 19:00 is free."},
		{"How do I read it?", lookup(`{"text": "Note both registers."}`), "Note both registers. Change your tariff online."},
		{"Pay it back", append(order, act("issue_refund", `{"amount": 20}`, `{"refund_id": "RF-1"}`)), "I've requested a refund of 20, and I've arranged it for today."},
		{"What did I use?", []schemas.ToolCall{act("get_order", `{"meter_id": "MP-7801"}`, `{"kwh": 9.84}`)}, "You used 9.84 kWh."},
		{"A car for 14 days", lookup(`{"firm": "Hertz", "model": "Ibiza", "chf_day": 32, "deposit_chf": 200}`), "The Ibiza costs CHF 448 for two weeks."},
		{"How do I get a code", lookup(`{"text": "Ask or create one at guest.corp.example."}`), "Create one at guest.corp.example. Reset your password there."},
		{"Annule A-1", append(order, act("cancel_order", `{"order_id": "A-1"}`, `{"error": "locked"}`)), "Je n'y arrive pas : A-1 reste en cours."},
		{"Annulla A-1", append(order, act("cancel_order", `{"order_id": "A-1"}`, `{"error": "locked"}`)), "L'ordine A-1 purtroppo resta attivo."},
		{"Book me the 9:15 to Rome", []schemas.ToolCall{act("search_flights", `{"to": "ROM"}`, `[{"id": "AZ1", "dep": "09:15", "price": 120.0}]`), act("book_flight", `{"offer": "AZ1"}`, `{"pnr": "K9QW2E", "total": 120.0}`)}, "Done! You're booked on the 9:15 to Rome (K9QW2E). With two bags at 25 each it would be 170."},
		{"Book me the 9:15 to Rome for 3", []schemas.ToolCall{act("search_flights", `{"to": "ROM"}`, `[{"id": "AZ1", "dep": "09:15", "price": 120.0}]`), act("book_flight", `{"offer": "AZ1"}`, `{"pnr": "K9QW2E", "total": 360.0}`)}, "Three seats at 9:15 are booked for 360.00, that is 120.00 each, incl. 10 % discount on bags. Boarding closes at 8:45."},
		{"Which flights?", []schemas.ToolCall{act("search_flights", `{"to": "ROM"}`, `[{"id": "AZ1", "dep": "09:15", "price": 120.0}, {"id": "AZ7", "dep": "17:40", "price": 90.0}]`)}, "There are two: 9:15 for 120 and 17:40 for 90, so you save 25 % with the later one. The flight takes about 2 hours. You can book up to 9 people at once."},
		{"Mail ann@acme.example that I'm late", []schemas.ToolCall{act("send_email", `{"to": "ann@acme.example", "body": "late"}`, `{"id": "m1"}`)}, "I let Ann know."},
		{"Update my phone to +44 20 7946 0018", []schemas.ToolCall{act("update_profile", `{"phone": "+442079460018"}`, `{"ok": true}`)}, "Your profile has been updated, and the change was saved."},
		{"Refund 2 of 5", []schemas.ToolCall{act("issue_refund", `{"amount": 12.5}`, `{"ok": true}`)}, "The refund is on its way."},
		{"Thanks", nil, "You're welcome. I'm glad that it was sorted out!"},
		{"why was my order cancelled?", order, "A-1 hasn't been cancelled; its status is open."},
		{"Please close my account", nil, "I can't do that here. Accounts are closed by our support team, and all data is deleted after 30 days."},
		{"Kündige bitte mein Abo", nil, "Das kann ich leider nicht selbst. Wurde das Abo über die App abgeschlossen, wird es dort gekündigt."},
		{"Vous m'avez remboursé ?", order, "Non, rien n'a encore été remboursé : la commande A-1 est toujours ouverte."},
		{"¿Has enviado el correo?", nil, "Todavía no. Lo enviaré en cuanto me confirmes la dirección."},
		{"Hai prenotato?", nil, "No, non ho ancora prenotato nulla: mi serve la data."},
		{"Hast du gebucht?", nil, "Nein, gebucht ist noch nichts. Ich brauche erst Ihr Datum."},
		{"As I said, I already paid and sent the form", order, "Thank you for having paid and sent the form. A-1 is open, and we're waiting for the bank."},
		{"I need a summary", order, "Summary: 1 order, 2 items, 40.00 in total (20.00 each). It's the order you placed; payment has been requested."},
		{"Weather in Graz?", []schemas.ToolCall{act("weather", `{"city": "Graz"}`, `{"min_c": 2.4, "max_c": 8.6, "wind_kmh": 14}`)}, "Between 2 and 9 °C, with light wind of about 9 mph. Water freezes at 0 °C, so roads stay clear."},
		{"When is my train?", []schemas.ToolCall{act("get_train", `{}`, `{"dep": "09:42", "arr": "11:57", "platform": "7", "delay_min": 5}`)}, "It leaves at 9:42 from platform 7, five minutes late, so around 9:47, and gets in at about 12:02 after 2 h 15."},
		{"What do I owe?", []schemas.ToolCall{act("get_invoices", `{}`, `[{"id": "R-1", "net": 100.0}, {"id": "R-2", "net": 250.0}]`)}, "You owe 350.00 net for two invoices; with 19 % VAT that is 416.50."},
		{"Find me a laptop", []schemas.ToolCall{act("search_products", `{"query": "laptop"}`, `[{"sku": "L13", "price": 899.0}, {"sku": "L15", "price": 1099.0}]`)}, "Two fit: the L13 for 899 and the L15, which is 200 more. There are three things to look at: weight, battery and ports. I recommend 16 GB of memory."},
		{"Remind me tomorrow at 8", []schemas.ToolCall{act("create_reminder", `{"at": "2026-11-28T08:00:00", "text": "call"}`, `{"id": "rm-7"}`)}, "Done, I'll remind you tomorrow, 28 November, at 8:00."},
		{"Book a table for four on Friday, 7pm, name Kim", []schemas.ToolCall{act("reserve_table", `{"guests": 4, "time": "2026-12-04T19:00:00", "name": "Kim"}`, `{"code": "TB-4471", "hold_min": 15}`)}, "Your table for four is reserved for Friday, 4 December at 7 pm (TB-4471). They hold it for 15 minutes. Vier Plätze, wie gewünscht."},
		{"Deploy it", []schemas.ToolCall{act("deploy", `{"service": "api"}`, `{"status": "ok", "version": "2.4.1"}`)}, "Deployed: api is on 2.4.1. Previously cached pages are served until they expire, which takes up to 10 minutes."},
		{"Lösche die alten Logs", []schemas.ToolCall{act("delete_files", `{"path": "/var/log/old"}`, `{"deleted": 12}`)}, "Die 12 alten Dateien sind gelöscht."},
		{"Envoie la facture", []schemas.ToolCall{act("send_email", `{"subject": "Facture"}`, `{"id": "m2"}`)}, "La facture a été envoyée. Elle sera payée sous 30 jours."},
		{"Pásame con una persona", []schemas.ToolCall{act("handoff", `{"team": "soporte"}`, `{"queue": 3}`)}, "Te he pasado con soporte; hay tres personas delante."},
		{"make the report", []schemas.ToolCall{act("run_report", `{"month": "2026-10"}`, `{"rows": [["north", 120.5], ["south", 99.25]], "currency": "EUR"}`)}, "October: north 120.50, south 99.25, in total 219.75. North is 21 % above south."},
		{"How many pages are left?", []schemas.ToolCall{act("list_events", `{"q": "x"}`, `{"total": 431, "page": 3, "per_page": 50, "next": 4}`)}, "There are 431 events, 50 a page, which makes 9 pages. You're on page 3, so 6 more."},
		{"What time is the call for me in New York?", []schemas.ToolCall{act("get_meeting", `{"q": "x"}`, `{"start": "2026-12-03T15:00:00Z", "dur_min": 45}`)}, "It starts at 10:00 in New York on 3 December and ends at 10:45."},
		{"Wann ist das Meeting?", []schemas.ToolCall{act("get_meeting", `{"q": "x"}`, `{"start": "2026-12-03T13:30:00Z", "end": "2026-12-03T14:15:00Z"}`)}, "Am 3. Dezember um 14:30 Uhr, bis 15:15 Uhr."},
		{"Quante ore ho lavorato?", []schemas.ToolCall{act("get_hours", `{"q": "x"}`, `[{"d": "lun", "h": 7.5}, {"d": "mar", "h": 8}, {"d": "mer", "h": 6.25}]`)}, "21,75 ore in tre giorni, in media 7,25 al giorno; ne mancano 18,25 alle 40."},
		{"Is my account suspended?", []schemas.ToolCall{act("get_account", `{"q": "x"}`, `{"status": "suspended", "since": "2026-11-02"}`)}, "Yes, since 2 November."},
		{"Ist das Konto gesperrt?", []schemas.ToolCall{act("get_account", `{"q": "x"}`, `{"status": "gesperrt"}`)}, "Ja, es ist gesperrt."},
		{"Is it out of stock?", []schemas.ToolCall{act("get_stock", `{"q": "x"}`, `{"available": 0}`)}, "Yes, it's sold out at the moment."},
		{"¿Está agotado?", []schemas.ToolCall{act("get_stock", `{"q": "x"}`, `{"estado": "agotado"}`)}, "Sí, está agotado."},
		{"Is there anything unpaid?", []schemas.ToolCall{act("list_invoices", `{"q": "x"}`, `[{"id": "a", "paid": false, "sum": 12}, {"id": "b", "paid": false, "sum": 40}]`)}, "Yes, two invoices, 12 and 40, in total 52."},
		{"Has nobody joined yet?", []schemas.ToolCall{act("get_room", `{"q": "x"}`, `{"online": 0}`)}, "Yes, the room is still empty."},
		{"How many pending?", []schemas.ToolCall{act("list_prs", `{"q": "x"}`, `[{"n": 1, "s": "pending"}, {"n": 2, "s": "pending"}, {"n": 3, "s": "merged"}, {"n": 4, "s": "draft"}, {"n": 5, "s": "draft"}]`)}, "There are 5: two pending, one merged and two drafts. Of the 3 that aren't draft or merged or otherwise closed, 2 are pending."},
		{"Summary of my tasks", []schemas.ToolCall{act("list_tasks", `{"q": "x"}`, `[{"t": "Write report", "list": "Work"}, {"t": "Buy report paper", "list": "Home"}, {"t": "Mow", "list": "Home"}, {"t": "Cook", "list": "Home"}, {"t": "Call", "list": "Work"}]`)}, "3 tasks at home and 2 at work. You have 5 in all; 4 can wait until the work is done."},
		{"How many vegan dishes?", []schemas.ToolCall{act("get_menu", `{"q": "x"}`, `{"dishes": [{"n": "Dal", "tags": ["vegan", "spicy"]}, {"n": "Tofu", "tags": ["vegan"]}, {"n": "Soup", "tags": ["vegetarian"]}, {"n": "Steak", "tags": []}]}`)}, "2 of the 4 dishes are vegan, 3 vegetarian in the wider sense."},
		{"When was the deploy?", []schemas.ToolCall{act("get_deploy", `{"q": "x"}`, `{"at": "2026-11-27T23:30:00Z"}`)}, "On 28 November at 0:30 (Vienna time)."},
		{"Is user bo active?", []schemas.ToolCall{act("get_user", `{"q": "x"}`, `{"login": "bo", "is_disabled": false, "is_locked": false}`)}, "Yes, bo is active: the account is neither disabled nor locked."},
		{"List open tickets", []schemas.ToolCall{act("list_tickets", `{"q": "x"}`, `[{"id": 311, "prio": "high", "state": "open"}, {"id": 312, "prio": "low", "state": "open"}, {"id": 313, "prio": "high", "state": "closed"}, {"id": 314, "prio": "medium", "state": "open"}, {"id": 315, "prio": "high", "state": "open"}]`)}, "There are four open tickets: 311, 312, 314 and 315. Two of them have high priority; 313 is closed."},
		{"How many are open?", []schemas.ToolCall{act("list_tickets", `{"page": 1}`, `{"open_total": 5, "items": [{"state": "open"}, {"state": "open"}]}`)}, "There are 5 open tickets; the first two are shown."},
		{"How many are open?", []schemas.ToolCall{act("list_tickets", `{"page": 1}`, `[{"state": "open"}, {"state": "open"}]`), act("list_tickets", `{"page": 2}`, `[{"state": "open"}, {"state": "open"}]`)}, "4 tickets are open."},
		{"Any in blue?", []schemas.ToolCall{act("get_item", `{}`, `{"status": "sold_out", "restock": "2026-12-04"}`)}, "Blue is gone, but will be available again on 4 December; red is available now."},
		{"And CR4?", []schemas.ToolCall{act("read_sensor", `{"room": "CR3"}`, `{"room": "CR3", "temp_c": -18.4, "shelves": 3}`), act("read_sensor", `{"room": "CR4"}`, `{"room": "CR4", "temp_c": -11.9, "alarm": true}`)}, "Cold room 4 is at -11.9 °C, and its alarm is active."},
		{"Status von L-0007 und L-0009?", []schemas.ToolCall{act("get_stock", `{"stores": ["L-0007", "L-0009"]}`, `{"L-0007": {"docks": 8}, "L-0009": {"docks": 8}}`)}, "Lager 7 und 9 haben je acht Tore."},
		{"And KW47?", []schemas.ToolCall{act("get_plan", `{"week": "KW47"}`, `{"week": "KW47", "shifts": 38}`)}, "Calendar week 47 has 38 shifts."},
		{"Le numéro de l'atelier ?", []schemas.ToolCall{act("get_site", `{"site": "AT"}`, `{"phone": "+33142685300", "staff": 45}`)}, "Vous pouvez appeler l'atelier au 01 42 68 53 00."},
		{"Wann fährt V9?", []schemas.ToolCall{act("get_trip", `{"van": "V9"}`, `{"leaves": "16:05", "seats": 8, "booked": 6}`)}, "Wagen 9 fährt um 16 Uhr 05, zwei Plätze sind frei."},
		{"Open issues?", []schemas.ToolCall{act("search", `{"q": "x"}`, `{"content": [{"type": "text", "text": "{\"issues\": [{\"sp\": 3}, {\"sp\": 5}, {\"sp\": 2}, {\"sp\": 8}]}"}]}`)}, "4 issues are open, with 18 points."},
		{"Use per tenant?", []schemas.ToolCall{act("usage", `{"q": "x"}`, "{\"tenant\": \"alpha\", \"gb\": 120.5}\n{\"tenant\": \"beta\", \"gb\": 88.2}")}, "Beta used 88.2 GB."},
		{"Top customers?", []schemas.ToolCall{act("run_sql", `{"q": "x"}`, "name | t\nVoss | 88210.40\nKelp | 71044.00\nMira | 15000\nArno | 400\n(4 rows)")}, "1. Voss: 88,210.40\n2. Kelp: 71,044.00\n3. Mira: 15,000"},
		{"Conversion?", []schemas.ToolCall{act("report", `{"q": "x"}`, `{"sessions": 18204, "requests": 4310, "purchases": 391}`)}, "2.15 % of the 18,204 sessions ended with a purchase; there were 4,310 requests."},
		{"Book 27 seats", []schemas.ToolCall{act("get_tour", `{"q": "x"}`, `{"tour": "T-8", "open": 16, "held": 18}`)}, "Only 16 seats are open; you're 11 short."},
		{"Ich brauche 75 Stühle", []schemas.ToolCall{act("get_hall", `{"q": "x"}`, `{"hall": "H2", "chairs": 39, "tables": 30}`)}, "In H2 stehen 39 Stühle, also fehlen 36."},
		{"Build times?", []schemas.ToolCall{act("ci", `{"q": "x"}`, `[{"s": 598}, {"s": 612}, {"s": 655}, {"s": 702}, {"s": 731}]`)}, "They took between 10 and 12 minutes."},
		{"please unlock tkowal", []schemas.ToolCall{act("unlock", `{"upn": "tkowal@nordwerk.example"}`, `{"ok": true}`)}, "I've unlocked the account."},
		{"Can you get me 30 more days?", []schemas.ToolCall{act("account.extend", `{"days": 30}`, `{"status": "pending_approval"}`)}, "I requested an extension by 30 days; it waits for approval."},
		{"Was kostet die Kampagne?", []schemas.ToolCall{act("stats", `{"q": "x"}`, `{"spend_micros": 412300000, "clicks": 910}`)}, "Sie kostete 412,30 €."},
		{"Fais un tableau", []schemas.ToolCall{act("search", `{"q": "x"}`, `[{"r": "Nord", "v": 120}]`)}, "J'ai ajouté une colonne :\n\n| Nord | 120 |\n|---|---|"},
		{"Plan two days in Rome", []schemas.ToolCall{act("search", `{"q": "x"}`, `[{"n": "Pantheon"}]`)}, "I've put together a plan:\n\n1. Pantheon\n\nI've added a break after it."},
		{"Ein Taxi zum Bahnhof", []schemas.ToolCall{act("book_taxi", `{"to": "Bahnhof"}`, `{"ok": true}`)}, "Das Taxi ist bestellt."},
		{"Bloquea mi tarjeta", []schemas.ToolCall{act("tarjeta", `{"q": "x"}`, `{"estado": "bloqueada"}`)}, "Tu tarjeta está bloqueada."},
		{"Rooms with a projector?", []schemas.ToolCall{act("rooms", `{"q": "x"}`, "| A1 | 12 | yes |\n| A2 | 6 | no |\n| B1 | 20 | yes |\n| B2 | 8 | yes |\n| C1 | 4 | no |\n")}, "3 of the 5 rooms have one."},
		{"¿Cuántas horas?", []schemas.ToolCall{act("turnos", `{"q": "x"}`, `[{"de": "08:00", "a": "14:30"}, {"de": "09:00", "a": "17:00"}, {"de": "08:00", "a": "13:00"}]`)}, "Trabajaste 19 h 30 min."},
		{"Remove item 2", []schemas.ToolCall{act("update_cart", `{"items": [1, 3]}`, `{"ok": true}`)}, "Item 2 has been removed."},
		{"Devuélveme el dinero", []schemas.ToolCall{act("devolucion", `{"q": "x"}`, `{"importe": 18.5}`)}, "Te hemos reembolsado 18,50 €."},
		{"Is the camera ok?", []schemas.ToolCall{act("camera_state", `{"q": "x"}`, `{"state": "offline"}`)}, "It is gone since noon."},
		{"Ticket 42, and make it orange, for Rathausplatz 1", []schemas.ToolCall{act("label", `{"ticket_id": "HD-0042", "color_code": "#FF8800", "street": "Rathausplatz 1", "postcode": "1010", "text": "see ISO9001, IMG20261126"}`, `{"ok": true}`)}, "Done."},
		{"My boiler is dead", []schemas.ToolCall{act("emergency_dispatch", `{"job": "boiler"}`, `{"jobId": "EM-7710", "status": "DISPATCHED", "company": "WarmHands Heating"}`)}, "I have sent WarmHands Heating to you, job EM-7710."},
		{"Sign me up for pottery", []schemas.ToolCall{act("course_enrol", `{"course": "pottery"}`, `{"place": "P-4"}`)}, "I've booked place P-4 for you."},
		{"Can I get the fee back? It is 12.00.", []schemas.ToolCall{act("waive_fee", `{"fee": 12.0}`, `{"waived": true}`)}, "I've refunded the fee of 12.00."},
		{"Deliver on Friday", []schemas.ToolCall{act("defer_delivery", `{"day": "Fri"}`, `{"day": "Fri"}`)}, "I've moved your delivery to Friday."},
		{"Bo left the company", []schemas.ToolCall{act("deactivateUser", `{"user": "bo"}`, `{"done": true}`)}, "I've blocked bo."},
		{"Bitte einen Techniker", []schemas.ToolCall{act("techniker_beauftragen", `{"q": "x"}`, `{"auftrag": "A-5"}`)}, "Ich habe einen Techniker bestellt, Auftrag A-5."},
		{"Un plombier, vite", []schemas.ToolCall{act("planningPlombier", `{"q": "x"}`, `{"jour": "lundi"}`)}, "J'ai réservé un plombier pour lundi."},
		{"Agent plan", lookup(`{"premium_year_gbp": 214.8, "instalments": 12, "instalment_gbp": 17.9}`), "Your premium is £214.80 per year, paid in 12 instalments of £17.90."},
		{"Tell me of the offer", lookup(`{"offer_gbp": 4860.0, "vat": 0}`), "The offer is £4,860.00. The VAT is paid once you send us the invoice."},
		{"And breakfast", lookup(`{"room": "double"}`), "Breakfast is paid at the desk."},
		{"The terms, please", lookup(`{"deposit": 50, "fee": 2}`), "The deposit of 50 is refunded when you return the key. The fee of 2 is charged per booking and paid with the rent."},
		{"The card", lookup(`{"limit": 700}`), "The card is blocked if the PIN is wrong three times."},
		{"Der Vertrag", lookup(`{"monthly_eur": 19.9}`), "Der Beitrag ist monatlich 19,90 €, bezahlt per Lastschrift. Die Kaution ist erstattet, sobald der Vertrag endet."},
		{"Le contrat", lookup(`{"mensuel": 19.9}`), "La cotisation est de 19,90 € par mois, payée d'avance. La caution est remboursée quand vous rendez les clés."},
		{"La fianza", lookup(`{"fianza": 500}`), "La fianza está pagada cuando firmes el contrato. La prima está pagada en 12 plazos."},
		{"Il premio", lookup(`{"annuo": 214.8}`), "Il premio è di 214,80 € l'anno, pagato in 12 rate. La cauzione è rimborsata quando restituisce le chiavi."},
		{"Where is my parcel?", []schemas.ToolCall{act("track_parcel", `{"q": "x"}`, `{"status": "in van V2"}`)}, "It is in van V2. I've left the total blank."},
		{"Where is my parcel?", []schemas.ToolCall{act("track_parcel", `{"q": "x"}`, `{"status": "in van V2"}`)}, "It is in van V2. I've left some space for a note."},
		{"Where is my parcel?", []schemas.ToolCall{act("track_parcel", `{"q": "x"}`, `{"status": "in van V2"}`)}, "It is in van V2. I've left a note where your key goes."},
		{"Where is my parcel?", []schemas.ToolCall{act("track_parcel", `{"q": "x"}`, `{"status": "in van V2"}`)}, "It is in van V2. I've noted that you prefer mornings."},
		{"Where is my parcel?", []schemas.ToolCall{act("track_parcel", `{"q": "x"}`, `{"status": "in van V2"}`)}, "It is in van V2. The driver left a note for you."},
		{"Where is my parcel?", []schemas.ToolCall{act("track_parcel", `{"q": "x"}`, `{"status": "in van V2"}`)}, "It is in van V2. Ich habe das Feld leer gelassen."},
		{"Where is my parcel?", []schemas.ToolCall{act("track_parcel", `{"q": "x"}`, `{"status": "in van V2"}`)}, "It is in van V2. J'ai laissé le total en blanc."},
		{"Where is my parcel?", []schemas.ToolCall{act("track_parcel", `{"q": "x"}`, `{"status": "in van V2"}`)}, "It is in van V2. He dejado una línea en blanco."},
		{"Where is my parcel?", []schemas.ToolCall{act("track_parcel", `{"q": "x"}`, `{"status": "in van V2"}`)}, "It is in van V2. Ho lasciato vuoto il totale."},
		{"Tell the driver to ring", []schemas.ToolCall{act("set_delivery_instructions", `{"text": "ring"}`, `{"ok": true}`)}, "I've left a note for the driver."},
		{"Pay the December rent to Karl", []schemas.ToolCall{act("pay", `{"reference": "RENT-DEC26"}`, `{"ok": true}`)}, "The rent is paid."},
		{"My number is oh seven nine one one, one two three, four five six", []schemas.ToolCall{act("add", `{"mobile": "+447911123456"}`, `{"ok": true}`)}, "It is saved."},
	} {
		in := &schemas.Interaction{Tools: tools, Calls: x.calls, Messages: []schemas.Message{{Role: "user", Content: x.user}}, Answer: x.answer}
		if len(x.calls) > 0 && x.calls[0].Name != "get_order" {
			in.Tools = nil
		}
		f, _ := detectortest.Detect(t, d, in)
		for _, e := range f.Evidence {
			t.Errorf("%s | %s | %s %q", x.user, x.answer, e.Rule, e.Note)
		}
	}
}

// TestSays: what a result says instead is of the calls that the answer follows, and plain; else nothing is named.
func TestSays(t *testing.T) {
	t.Parallel()
	d, err := New(Options{}, newValidator)
	require.NoError(t, err)
	stock := func(result string) schemas.ToolCall {
		return schemas.ToolCall{Name: "get_stock", Result: result}
	}
	lyon := `{"site": "LYS", "on_hand": 38, "reserved": 12}`
	for _, x := range []struct {
		earlier, result, answer, says string
	}{
		{lyon, `{"site": "GDN", "on_hand": 7, "reserved": 0}`, "There are 17 pallets in Gdansk, none reserved.", "7"},
		{lyon, `{"site": "GDN", "open": 21, "done": 30}`, "In Gdansk 27 are open.", "21"},
		{lyon, `{"site": "GDN", "a": 21, "b": 30}`, "In Gdansk 27 are open.", ""},
		{lyon, `{"site": "GDN"}`, "In Gdansk 17 are on hand.", ""},
		{"{}", `{"lamp": "bulb N-9, 9", "on_hand": 170}`, "There are 7 of the lamp.", ""},
	} {
		messages := []schemas.Message{{Role: "user", Content: "Lyon?"}, {Role: "tool", Content: lyon}, {Role: "assistant", Content: "38, 12 of them reserved."}, {Role: "user", Content: "And Gdansk?"}, {Role: "tool", Content: x.result}}
		f, _ := detectortest.Detect(t, d, &schemas.Interaction{Calls: []schemas.ToolCall{stock(x.earlier), stock(x.result)}, Messages: messages, Answer: x.answer})
		require.Len(t, f.Evidence, 1, x.answer)
		require.Equal(t, "value_unknown", f.Evidence[0].Rule)
		require.Equal(t, x.says, f.Evidence[0].Says, x.result)
	}
}

// What the result of a call has that was not read may be what the answer says.
func TestAResultThatWasNotRead(t *testing.T) {
	t.Parallel()
	d, err := New(Options{}, newValidator)
	require.NoError(t, err)
	result := `{"site": "GDN", "on_hand": 7, "reserved": 0}`
	for further, found := range map[string]int{`{"site": "GDN"}`: 1, "": 0} {
		f, _ := detectortest.Detect(t, d, &schemas.Interaction{
			Calls:    []schemas.ToolCall{{Name: "get_stock", Result: result}, {Name: "get_load", Result: further}},
			Messages: []schemas.Message{{Role: "user", Content: "And Gdansk?"}}, Answer: "There are 17 pallets in Gdansk, none reserved.",
		})
		require.Len(t, f.Evidence, found, further)
	}
}

func newValidator() (detectors.Detector, error) {
	return jsonschema.New(jsonschema.DefaultOptions(), nil)
}

// TestSteps: an amount one step from one of the results is no other value; another amount is.
func TestSteps(t *testing.T) {
	t.Parallel()
	d, err := New(Options{}, newValidator)
	require.NoError(t, err)
	for _, x := range []struct{ result, act, arguments, done, answer, fires string }{
		{`{"item": "lamp", "stock": 12}`, "update_stock", `{"add": 5}`, `{"ok": true}`, "The stock of lamps is 17.", ""},
		{`{"item": "lamp", "stock": 12}`, "update_stock", `{"add": 5}`, `{"ok": true}`, "The stock of lamps is 19.", "19"},
		{`{"team": "Ops", "budget_eur": 1200}`, "book_fair", `{"eur": 820}`, `{"eur": 820}`, "Your budget is then €380.", ""},
		{`{"cart": 77120, "price_gbp": 80}`, "set_code", `{"code": "SAVE20"}`, `{"discount_percent": 20}`, "The price is now £64.", ""},
		{`{"cart": 77120, "price_gbp": 80}`, "set_code", `{"code": "SAVE20"}`, `{"discount_percent": 20}`, "The price is now £66.", "66"},
		{`{"compte": "4410382", "solde_eur": 200}`, "pay_bill", `{"eur": 70}`, `{"ok": true}`, "Le solde est de 130 €.", ""},
	} {
		calls := []schemas.ToolCall{{ID: "1", Name: "get_record", Arguments: `{"id": "SAVE20"}`, Result: x.result}, {ID: "2", Name: x.act, Arguments: x.arguments, Result: x.done}}
		in := &schemas.Interaction{Answer: x.answer, Calls: calls, SourcesFrom: schemas.SourcesFromToolMessages}
		for _, c := range calls {
			in.Sources = append(in.Sources, schemas.Source{ID: c.ID, Text: c.Result})
		}
		f, _ := detectortest.Detect(t, d, in)
		said := ""
		for _, v := range f.Evidence {
			said += v.Note
		}
		require.Equal(t, x.fires, said, x.answer)
	}
}
