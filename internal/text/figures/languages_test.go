package figures_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"confab/internal/text"
	"confab/internal/text/figures"
)

// TestFiguresOfLanguages reads number words, times of day and units of other languages than English.
func TestFiguresOfLanguages(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ s, want string }{
		{"zwanzig Laibe und zweiundzwanzig Eier", "20 22"},
		{"dreihundert Gäste, zweitausend Euro", "300 2000 Euro"},
		{"einundzwanzig Tage oder drei Wochen", "21 3"},
		{"vingt-deux personnes, trente et un jours", "22 31"},
		{"deux mille arbres", "2000"},
		{"sept jours et neuf heures, vingt-sept arbres, dix-sept, soixante-dix-neuf", "7 9 27 17 79"},
		{"on 5 sept at noon", "5 12:00"},
		{"treinta y cinco minutos y doscientos cincuenta euros", "35 250"},
		{"veintidós personas, dos mil euros", "22 2000"},
		{"餐厅有二十张桌子，能坐一百二十位客人", "20 120"},
		{"约三千五百元", "3500"},
		{"两成，百分之二十", "20% 20%"},
		{"统一安排一些活动", ""},
		{"4 980 arbres et 2 490 buissons", "4980 2490"},
		{"Votes pour : 6 140 tantièmes", "6140"},
		{"3,2 millones de euros", "3.2e+06"},
		{"3,2 M€", "3.2e+06"},
		{"6,60 Euro, 12 Prozent, 5 pour cent, 7 por ciento", "6.6 12% 5% 7%"},
		{"um halb neun, Viertel nach sieben, sechs Uhr abends", "8:30 7:15 18:00"},
		{"von 10 bis 19 Uhr, ab 14 Uhr", "10:00 19:00 14:00"},
		{"a las cinco y cuarto de la tarde", "17:15"},
		{"a las diez de la noche", "22:00"},
		{"à six heures moins vingt du matin", "5:40"},
		{"de 5 h 40 à 23 h 20", "5:40 23:20"},
		{"上午十一点到晚上九点半", "11:00 21:30"},
		{"9点到晚上8点半", "9:00 20:30"},
		{"at half past six in the evening", "18:30"},
		{"quarter to five", "4:45"},
		{"leaves at 10 in the morning and at nine at night", "10:00 21:00"},
		{"two people in the evening", "2"},
		{"half an hour, a quarter of an hour", "0.5 0.25"},
		{"Mo–Fr 9 bis 12 Uhr", "day1 day5 9:00 12:00"},
		{"Sat 10 am", "day6 10:00"},
		{"We sat 10 minutes", "10"},
	} {
		var got []string
		tokens := text.AppendTokens(nil, c.s)
		for _, f := range figures.Append(nil, c.s, tokens) {
			switch {
			case f.Kind == figures.Clock:
				got = append(got, fmt.Sprintf("%d:%02d", int(f.Value)/60, int(f.Value)%60))
			case f.Weekday != 0:
				got = append(got, fmt.Sprintf("day%d", f.Weekday))
			case f.Kind == figures.Percent:
				got = append(got, fmt.Sprintf("%g%%", f.Value))
			default:
				got = append(got, fmt.Sprintf("%g", f.Value))
			}
		}
		assert.Equal(t, strings.ReplaceAll(c.want, " Euro", ""), strings.Join(got, " "), c.s)
	}
}
