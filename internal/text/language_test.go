package text

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLanguageOf(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Language{
		"The cat sat on the mat and it was happy there":             EnglishLanguage,
		"Die Katze saß auf der Matte und freute sich sehr darüber":  GermanLanguage,
		"Le chat était assis sur le tapis et il était très heureux": FrenchLanguage,
		"Acme Berlin": UnknownLanguage,
		"El presidente de la compañía anunció ayer que no habrá más despidos este año, según los medios":              SpanishLanguage,
		"De voorzitter van het bedrijf heeft gisteren aangekondigd dat er dit jaar geen ontslagen meer zullen vallen": OtherLatin,
		"Il presidente della società ha annunciato ieri che non ci saranno più licenziamenti quest'anno":              OtherLatin,
		"name Lure Fish House city Santa Barbara stars 4.0 parking garage wifi free noise average":                    UnknownLanguage,
		"Abfahrt in Oslo ist um 21.35 Uhr, Ankunft in Turin am Morgen um 7.10 Uhr. An Samstagen gibt es keinen Zug.":  GermanLanguage,
		"El tren sale de Oslo a las 21:35 y llega a Turin a las 7:10 de la mañana siguiente.":                         SpanishLanguage,
		"Rien ne change pour vous":                     UnknownLanguage,
		"La ligne reliera la gare au port dans un an.": FrenchLanguage,
		"The river Saale is in the south of the Land and was in the news for a week, so we are in the dark.": EnglishLanguage,
		"图书馆周一闭馆。":                                                           otherScript + Language(Ideographic),
		"Ann Auf der Heide was born in Oslo in the spring of 1970.":          EnglishLanguage,
		"Ann Auf der Heide was born in Oslo, Quebec, Canada 1.":              UnknownLanguage,
		"PoolLift 700: suction height max. 6 m, 2,400 l/h, 700 W, 99,00 €.":  UnknownLanguage,
		"Die Versammlung findet am 21. Mai 2026 in Bremen statt.":            UnknownLanguage,
		"Plazo a 12 meses: mínimo 3.000 €. Plazo a 6 meses: mínimo 1.000 €.": UnknownLanguage,
		"Parking is free for guests; dogs pay 12 euros per night.":           EnglishLanguage,
		"12:30": UnknownLanguage,
	} {
		require.Equal(t, want, LanguageOf(ScriptOf(text), AppendTokens(nil, text)), text)
	}
}

func TestLanguagesDiffer(t *testing.T) {
	t.Parallel()
	chinese, cyrillic := otherScript+Language(Ideographic), otherScript+Language(Cyrillic)
	for _, c := range []struct {
		a, b Language
		want bool
	}{
		{EnglishLanguage, EnglishLanguage, false},
		{EnglishLanguage, GermanLanguage, true},
		{EnglishLanguage, OtherLatin, true},
		{GermanLanguage, FrenchLanguage, true},
		{GermanLanguage, OtherLatin, false},
		{chinese, OtherLatin, true},
		{chinese, cyrillic, true},
		{chinese, chinese, false},
		{UnknownLanguage, chinese, false},
		{GermanLanguage, UnknownLanguage, false},
	} {
		require.Equal(t, c.want, c.a.Differs(c.b), "%d and %d", c.a, c.b)
		require.Equal(t, c.want, c.b.Differs(c.a), "%d and %d", c.b, c.a)
	}
}
