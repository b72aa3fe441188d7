package facts

import (
	"confab/internal/evidence/records"
	"confab/schemas"
)

const depots = "| Depot | Vans | Drivers | Team | Heated |\n|---|---|---|---|---|\n| Norrby | 14 | 22 | red | yes |\n| Eastfield | 9 | 15 | blue | no |\n| Quay | 11 | 17 | green | yes |"

func recordField() Rule {
	return Rule{
		ID:     "record_field",
		Doc:    "another figure for a field of the record or table row that the statement names, or the figures of two fields exchanged",
		Needs:  "sources with records or tables",
		Values: true,
		Type:   schemas.Factual,
		Weight: .9,
		Check:  func(e *evidence, c *piece) []Verdict { return e.checkRecords(c, records.Figure, records.Crossed) },
		Examples: []Example{
			{Source: depots, Answer: "Eastfield has 18 drivers.", Fires: "18"},
			{Source: `{"event": "Midsummer Night", "doors": "19:00", "begins": "20:00"}`, Answer: "The doors open at 20:00 and it begins at 19:00.", Fires: "20:00"},
			{Source: `[{"city": "Oslo", "temp_c": 4}, {"city": "Bergen", "temp_c": 9}]`, Answer: "It is 14 °C in Oslo.", Fires: "14 °C"},
			{Source: depots, Answer: "Eastfield has 15 drivers and 9 vans."},
			{Source: `{"tvs": {"Vexa 55Q": [{"ports": 4, "tuners": 2}]}}`, Answer: "The Vexa 55Q has 5 ports.", Fires: "5"},
			{Source: depots, Answer: "Eastfield has 6 more drivers than vans."},
		},
	}
}

func recordSwap() Rule {
	return Rule{
		ID:     "record_value",
		Doc:    "a value of another record, or a name that no source has, for the record or table row that the statement names",
		Needs:  "sources with several records or a table",
		Type:   schemas.Factual,
		Weight: .9,
		Check:  func(e *evidence, c *piece) []Verdict { return e.checkRecords(c, records.Swap, records.Other) },
		Examples: []Example{
			{Source: depots, Answer: "Eastfield is served by the green team.", Fires: "green"},
			{Source: "order,total_usd,ships\nA-11,29,2026-03-03\nB-12,19,2026-03-06", Answer: "Order A-11 costs $19.", Fires: "19"},
			{Source: depots, Answer: "Eastfield is served by the blue team, with 9 vans."},
		},
	}
}

func recordFlag() Rule {
	return Rule{
		ID:     "record_flag",
		Doc:    "the opposite of a yes or no, or a value for an empty field, in the record or table row that the statement names",
		Langs:  "English, German, French, Spanish",
		Needs:  "sources with records or tables",
		Values: true,
		Type:   schemas.Factual,
		Weight: .9,
		Check:  func(e *evidence, c *piece) []Verdict { return e.checkRecords(c, records.Flag, records.Null) },
		Examples: []Example{
			{Source: depots, Answer: "The depot Eastfield is heated.", Fires: "heated"},
			{Source: `{"order": "A-11", "isGift": false}`, Answer: "The order is a gift.", Fires: "gift"},
			{Source: `{"item": "Kestrel fridge", "iceMaker": null}`, Answer: "The fridge has an ice maker.", Fires: "maker"},
			{Source: depots, Answer: "The depot Eastfield is not heated."},
			{Source: `{"offer_gbp": 4860.0, "vat_included": false}`, Answer: "The VAT is included in the offer.", Fires: "VAT"},
			{Source: `{"indoor": {"heated": true, "temp_c": 28}, "outdoor": {"heated": false}}`, Answer: "The indoor pool is heated to 28 °C. The outdoor pool is not heated."},
			{Source: `{"offer_gbp": 4860.0, "vat_included": false}`, Answer: "The VAT is paid once you send us the invoice."},
			{Source: `{"order": "A-11", "gift_wrap": false}`, Answer: "A gift wrap costs 3 extra."},
		},
	}
}

// checkRecords accuses what a field surely contradicts.
func (e *evidence) checkRecords(c *piece, kinds ...records.Kind) (found []Verdict) {
	for _, f := range e.doc.Records().Sure(c.Start, c.End, kinds) {
		found = append(found, Verdict{Start: f.Start, End: f.End, Source: f.Source, SourceStart: f.From, SourceEnd: f.To, Says: e.doc.Source(int(f.Source))[f.From:f.To]})
	}
	return found
}
