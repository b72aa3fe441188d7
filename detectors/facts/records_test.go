package facts

import (
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/detectors/detectortest"
	"confab/schemas"
)

func TestFactsFields(t *testing.T) {
	cases := []struct{ name, answer, want string }{
		{"a true field", "The cafe offers takeout to its guests.", ""},
		{"a true field denied", "The cafe does not offer takeout to guests.", "contradicted takeout"},
		{"a false field denied", "The cafe has no outdoor seating for guests.", ""},
		{"a false field", "The cafe offers outdoor seating to its guests.", "contradicted outdoor seating"},
		{"a null field", "The cafe takes reservations from its guests.", "missing reservations"},
		{"a null field denied", "The cafe does not take reservations from guests.", "missing reservations"},
		{"said to be unknown", "The cafe does not specify information on reservations.", ""},
		{"free", "There is free Wi-Fi for all guests.", ""},
		{"free denied", "There is no Wi-Fi for the guests.", "contradicted Wi-Fi"},
		{"a list of things", "The cafe offers free WiFi, takeout, and outdoor seating.", "contradicted outdoor seating"},
		{"a list that ends in no", "The cafe offers free WiFi, takeout, and no outdoor seating.", ""},
		{"no reaches over a list", "There is no outdoor seating, valet, garage, or lot parking.", ""},
		{"not reaches over a list", "The cafe does not provide outdoor seating, WiFi or a garage for parking.", "contradicted WiFi"},
		{"not reaches back", "Outdoor seating and valet parking are not available there.", ""},
		{"but turns it around", "The cafe has no outdoor seating, but it offers takeout.", ""},
		{"while turns it around", "While the cafe does not offer outdoor seating, street parking is available.", ""},
		{"a part of a group", "Guests can use the valet parking of the cafe.", "contradicted valet"},
		{"a true part of a group", "Guests can use the street parking near the cafe.", ""},
		{"a street that is no parking", "Guests like the lot of art on the street there.", ""},
		{"the group as such", "There is no parking near the cafe at all.", "contradicted parking"},
		{"an adjective", "The atmosphere of the cafe is casual and trendy.", "contradicted trendy"},
		{"an adjective denied", "The atmosphere of the cafe is casual, not trendy.", ""},
		{"two adjectives", "It has a casual yet trendy ambience and does not offer music.", "contradicted trendy; missing music"},
		{"for groups", "The cafe is a good place for large groups.", ""},
		{"not for groups", "The cafe is not suitable for large groups.", "contradicted groups"},
		{"no field for it", "The cafe offers delivery to all its guests.", "missing delivery"},
		{"denied without a field", "The cafe does not offer delivery to guests.", ""},
		{"a short list item", "Details of the cafe in Ashford follow here.\n* Outdoor seating: Yes\n* WiFi: Free", "contradicted Outdoor seating"},
		{"a label before no", "* Outdoor seating: no seats are available outside\n* WiFi: free for all guests", ""},
		{"state and stars", "Mill Lane Cafe in Ashford, California is rated 4.5 stars out of 5.", ""},
		{"other stars", "Mill Lane Cafe in Ashford, California is rated 3.5 stars out of 5.", "number 3.5 stars"},
	}
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			require.Equal(t, tt.want, findingsOf(&schemas.Interaction{Answer: tt.answer, Sources: []schemas.Source{{ID: "1", Text: detectortest.CafeRecord}}}))
		})
	}
}

func TestFactsHours(t *testing.T) {
	cases := []struct{ name, answer, want string }{
		{"days and times", "It is open from Tuesday to Thursday from 8 am to 4 pm.", ""},
		{"times and days", "It operates from 8:00 AM to 4:00 PM on Tuesdays and Wednesdays.", ""},
		{"other times", "It is open from Tuesday to Thursday from 8 am to 5 pm.", "contradicted 8 am to 5 pm"},
		{"times of another day", "It is open from 8 am to 4 pm on Saturday.", "contradicted 8 am to 4 pm"},
		{"each day its times", "It is open on Thursday from 8 am to 4 pm, and on Saturday from 9 am to 6 pm.", ""},
		{"a day without hours", "The cafe is open from Monday to Thursday.", "contradicted Monday to Thursday"},
		{"every day", "The cafe is open seven days a week for all.", "contradicted seven days"},
		{"closed", "The cafe is closed on Sundays and Mondays.", ""},
		{"closed on a day with hours", "The cafe is closed on Fridays and Sundays.", "contradicted closed"},
		{"until", "The cafe is open until 6 pm on Fridays.", ""},
		{"until another time", "The cafe is open until 4 pm on Fridays.", "contradicted 4 pm"},
		{"longer", "The cafe is open in the week, with extended hours on Fridays.", ""},
		{"not longer", "The cafe is open in the week, with extended hours on Tuesdays.", "contradicted Tuesdays"},
		{"varying", "Hours of operation vary, such as 9 am to 6 pm.", ""},
		{"no hours at all", "A reviewer came on Friday at 4 pm in March.", ""},
		{"days of their own", "It is open on weekdays from 8 am to 4 pm, while on Saturdays it is open from 9 am to 6 pm.", "contradicted weekdays"},
		{"except", "It is open Tuesday to Friday from 8 am to 4 pm, except on Friday, when it is open until 6 pm.", ""},
		{"weekdays are strict", "It is open from 9 am to 4 pm on Tuesdays, with extended hours on Fridays.", "contradicted 9 am to 4 pm"},
		{"all day", "The cafe is open 24 hours on Fridays for all.", "contradicted 24 hours"},
		{"around the clock", "The cafe is open 24/7 for all its guests.", "contradicted 24"},
		{"days of a week", "The cafe is open five days a week for all.", ""},
		{"too many days of a week", "The cafe is open six days a week for all.", "contradicted six days"},
		{"without days", "The opening hours are from 8 am to 4 pm.", ""},
		{"without days, wrong", "The opening hours are from 9 am to 4 pm.", "contradicted 9 am to 4 pm"},
	}
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			require.Equal(t, tt.want, findingsOf(&schemas.Interaction{Answer: tt.answer, Sources: []schemas.Source{{ID: "1", Text: detectortest.CafeRecord}}}))
		})
	}
}

// The rules do not depend on a schema.
func TestFactsOfOtherRecords(t *testing.T) {
	runFactCases(t, []factCase{
		{"snake case", `[{"model": "X2", "is_waterproof": false, "battery_hours": 12}]`, "The model X2 is waterproof and lasts for 12 hours.", "contradicted waterproof"},
		{"denied", `[{"model": "X2", "is_waterproof": false, "battery_hours": 12}]`, "The model X2 is not waterproof and lasts 12 hours.", ""},
		{"camel case", `{"freeShipping": true, "giftWrapping": null}`, "The order comes with free shipping and with gift wrapping.", "missing gift wrapping"},
		{"a list's length", `{"reviews": ["good", "bad", "dear"]}`, "The rating is based on three reviews by guests.", ""},
		{"another length", `{"reviews": ["good", "bad", "dear"]}`, "The rating is based on four reviews by guests.", "number four"},
		{"cut off", `{"freeShipping": false, "other": {"a": [1, 2`, "The order comes with free shipping for everybody.", "contradicted free shipping"},
		{"no record", `{"freeShipping"`, "The order comes with free shipping for everybody.", ""},
		{"prose", `The order has no free shipping.`, "The order comes with free shipping for everybody.", ""},
	})
}

func FuzzFactsOfRecords(f *testing.F) {
	f.Add(detectortest.CafeRecord, detectortest.CafeAnswer)
	f.Add(`[{"a":{"Monday":"9:0-17:0","b":null}},`, "It is open on Monday, not b.")
	f.Add("{\"\\", "x: y, no z but not")
	f.Add(detectortest.CafeRecord, "The café has no parking 停车场的位置, but it offers free Wi-Fi 无线网络很好 and outdoor seating 户外座位不错.")
	f.Fuzz(func(t *testing.T, record, answer string) {
		var doc detectors.Document
		doc.Reset(&schemas.Interaction{Answer: answer, Sources: []schemas.Source{{ID: "1", Text: record}}})
		for _, g := range Findings(&doc) {
			require.True(t, 0 <= g.Start && g.Start <= g.End && int(g.End) <= len(doc.Answer()))
			require.Less(t, int(g.Claim), len(doc.Statements()))
			require.True(t, g.Weight >= 0 && g.Weight <= 1)
			if g.Source >= 0 {
				require.True(t, 0 <= g.SourceStart && g.SourceStart <= g.SourceEnd && int(g.SourceEnd) <= len(doc.Source(int(g.Source))))
			}
		}
	})
}
