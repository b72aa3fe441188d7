package facts

import (
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/schemas"
)

const (
	orderList = `[{"order_id": 501, "customer": "Mia Holt", "status": "shipped", "weight_kg": 2.4, "gift": true, "courier": null},
 {"order_id": 502, "customer": "Raj Patel", "status": "delivered", "weight_kg": 11.8, "gift": false, "courier": "DPD"}]`
	orderTable = "order,customer,state,weight (kg),insured\nA-1,Mia Holt,shipped,2.4,yes\nA-2,Raj Patel,delivered,11.8,no\n"
	orderPage  = "| Order | Customer | State | Weight (kg) | Insured |\n|---|---|---|---|---|\n| A-1 | Mia Holt | shipped | 2.4 | yes |\n| A-2 | Raj Patel | delivered | 11.8 | no |\n"
	planObject = `{"planName": "Growth", "billingCycle": "annual", "seats": 25, "pricePerSeatUsd": 12, "autoRenew": true, "owner": "Ana Ruiz", "reviewer": "Tom Beck", "startsAt": "2025-03-04T09:30:00Z"}`
)

// TestFactsOfCells addresses fields by the names of records and keys, in JSON and in tables.
func TestFactsOfCells(t *testing.T) {
	for name, source := range map[string]string{"json": orderList, "separated": orderTable, "markdown": orderPage} {
		t.Run(name, func(t *testing.T) {
			runFactCases(t, []factCase{
				{"a value of its record", source, "The order of Mia Holt weighs 2.4 kg and has been shipped.", ""},
				{"a value of another record", source, "The order of Mia Holt weighs 11.8 kg at the moment.", "contradicted 11.8 kg"},
				{"a status of another record", source, "The order of Mia Holt has been delivered by now.", "contradicted delivered"},
				{"a status expected", source, "The delivery of Mia Holt's order is expected next week.", ""},
				{"a sum", source, "Together the two orders weigh 14.2 kg in all.", ""},
				{"another unit", source, "The order of Mia Holt weighs 2400 grams in all.", ""},
				{"the heaviest", source, "The heaviest order is the one of Raj Patel here.", ""},
				{"not the heaviest", source, "The heaviest order is the one of Mia Holt here.", "contradicted Mia"},
			})
		})
	}
	runFactCases(t, []factCase{
		{"a boolean of a record", orderList, "The order of Raj Patel is a gift for somebody.", "contradicted gift"},
		{"the same denied", orderList, "The order of Raj Patel is not a gift at all.", ""},
		{"an id names the record", orderList, "Order 502 is a gift for a friend of his.", "contradicted gift"},
		{"a JSON answer", orderList, `{"order_id": 502, "gift": false, "customer": "Raj Patel", "courier": "DPD"}`, ""},
		{"both", orderList, "Both orders, 501 and 502, are gifts for a friend.", ""},
		{"unnamed", orderList, "The customer ordered it as a gift for a friend.", ""},
		{"not stated", orderList, "The courier of order 501 is not listed there.", ""},
		{"in a table", orderTable, "Order A-2 is insured against loss and damage.", "contradicted insured"},
		{"an exclusive value", planObject, "The Growth plan is billed monthly for all seats.", "contradicted monthly"},
		{"a synonym of the value", planObject, "The Growth plan is billed yearly for all seats.", ""},
		{"a product", planObject, "The 25 seats of the plan cost $300 in total.", ""},
		{"a wrong count", planObject, "The Growth plan comes with 52 seats for the team.", "contradicted 52"},
		{"a switched role", planObject, "Tom Beck is the owner of the plan named Growth.", "contradicted Tom Beck"},
		{"the right role", planObject, "Ana Ruiz is the owner of the plan named Growth.", ""},
		{"a renewal", planObject, "The plan does not renew automatically after its term.", "contradicted renew automatically"},
		{"an ISO time", planObject, "The plan starts on March 4, 2025 at 9:30 am.", ""},
		{"another ISO time", planObject, "The plan starts on March 4, 2025 at 10:30 am.", "date 10:30 am"},
		{"text between rows", "Orders of the week follow.\n\n" + orderPage, "The order of Mia Holt weighs 11.8 kg at the moment.", "contradicted 11.8 kg"},
		{"a list of prose", "Red, green and blue are colors.\nDogs, cats and birds are animals.", "Birds and dogs are animals, not colors.", ""},
	})
}

// TestFieldOfFinding requires that a finding has the key and the value of the source.
func TestFieldOfFinding(t *testing.T) {
	for source, want := range map[string][2]string{orderList: {"status", "shipped"}, orderTable: {"state", "shipped"}, orderPage: {"State", "shipped"}} {
		var doc detectors.Document
		doc.Reset(&schemas.Interaction{Answer: "The order of Mia Holt has been delivered by now.", Sources: []schemas.Source{{ID: "1", Text: source}}})
		found := Findings(&doc)
		require.Len(t, found, 1, source)
		g := found[0]
		require.Equal(t, want, [2]string{source[g.KeyStart:g.KeyEnd], source[g.SourceStart:g.SourceEnd]})
	}
}

func FuzzFactsOfCells(f *testing.F) {
	f.Add(orderList, "Order 502 is a gift, second of 13 to 19 October, 4-0 at half past eight.")
	f.Add(orderTable, "The heaviest order is the one of Mia Holt: 1 hour and 5 minutes.")
	f.Add(orderPage, "停车场的位置 A-1 shipped 无线网络很好 2.4 kg un-insured.")
	f.Add("|--|\n|\n||||\n|a|", "a | b")
	f.Add(`{"a":{"b":[1,[2]],"":""},"1h 2m":"1h 2m"}`, "a b 1 2")
	f.Fuzz(func(t *testing.T, record, answer string) {
		var doc detectors.Document
		doc.Reset(&schemas.Interaction{Answer: answer, Sources: []schemas.Source{{ID: "1", Text: record}}})
		for _, g := range Findings(&doc) {
			require.True(t, 0 <= g.Start && g.Start <= g.End && int(g.End) <= len(doc.Answer()))
			if g.Source >= 0 {
				n := int32(len(doc.Source(int(g.Source))))
				require.True(t, 0 <= g.SourceStart && g.SourceStart <= g.SourceEnd && g.SourceEnd <= n)
				require.True(t, 0 <= g.KeyStart && g.KeyStart <= g.KeyEnd && g.KeyEnd <= n)
			}
		}
	})
}
