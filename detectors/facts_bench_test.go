package detectors

import (
	"testing"

	"github.com/stretchr/testify/require"

	"confab/schemas"
)

// BenchmarkFacts is what facts adds to the tokens and sentences that the text detectors share.
func BenchmarkFacts(b *testing.B) {
	record := &schemas.Interaction{Answer: cafeAnswer, Sources: []schemas.Source{{ID: "1", Text: cafeRecord}}}
	for name, events := range map[string][]*schemas.Interaction{"typical": KitEvents(64), "record": {record}} {
		b.Run(name, func(b *testing.B) {
			d, err := newFacts(DefaultFactsOptions())
			require.NoError(b, err)
			docs := make([]Document, len(events))
			for i := range docs {
				docs[i].Reset(events[i])
				_, err := d.Detect(b.Context(), &docs[i])
				require.NoError(b, err)
			}
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				doc := &docs[i%len(docs)]
				doc.Restart()
				if _, err := d.Detect(b.Context(), doc); err != nil {
					b.Fatal(err)
				}
				i++
			}
		})
	}
}

// TestFactsAllocateNothing holds for answers with findings and notes as well.
func TestFactsAllocateNothing(t *testing.T) {
	events := append(KitEvents(4),
		&schemas.Interaction{Answer: cafeAnswer, Sources: []schemas.Source{{ID: "1", Text: cafeRecord}}},
		&schemas.Interaction{
			Answer:  "The bridge is 12 km long and was opened in May 2004 by Anna Bell.",
			Sources: []schemas.Source{{ID: "1", Text: "The bridge, 15 km long, was opened in June 2003 by the mayor."}},
		})
	d, err := newFacts(DefaultFactsOptions())
	require.NoError(t, err)
	var doc Document
	run := func() {
		for _, in := range events {
			doc.Reset(in)
			if _, err := d.Detect(t.Context(), &doc); err != nil {
				t.Error(err)
			}
		}
	}
	run()
	require.Zero(t, testing.AllocsPerRun(20, run))
}

const cafeRecord = `{"name": "Mill Lane Cafe", "address": "12 Mill Lane", "city": "Ashford", "state": "CA",
 "categories": "Cafes, Bakeries",
 "hours": {"Tuesday": "8:0-16:0", "Wednesday": "8:0-16:0", "Thursday": "8:0-16:0", "Friday": "8:0-18:0", "Saturday": "9:0-18:0"},
 "attributes": {
  "BusinessParking": {"garage": false, "street": true, "lot": false, "valet": false},
  "OutdoorSeating": false, "WiFi": "free", "RestaurantsTakeOut": true, "RestaurantsReservations": null,
  "RestaurantsGoodForGroups": true, "Ambience": {"casual": true, "romantic": false, "trendy": false}, "Music": null},
 "business_stars": 4.5,
 "review_info": [{"review_stars": 5.0, "review_date": "2021-03-14 10:00:00", "review_text": "Lovely bread. We paid $14 for two."}]}`

const cafeAnswer = `Mill Lane Cafe in Ashford, California is open from Tuesday to Thursday from 8 am to 4 pm and until 7 pm on Fridays. ` +
	`It offers outdoor seating, free WiFi and takeout, but it does not take reservations. Street parking is available, and there is no valet parking. ` +
	`The atmosphere is casual and romantic. It is rated 4.5 stars, and a reviewer from March 14, 2021 paid $15 for two.`
