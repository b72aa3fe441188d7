package text

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSentencesByLanguage splits texts in which a full stop may or may not end a sentence; "¦" stands where it does.
func TestSentencesByLanguage(t *testing.T) {
	for _, marked := range []string{
		// Units and figures before the full stop.
		"The pool is open from 8 to 30 m.¦Swimming is not allowed below the pier.",
		"The parcel weighs 4 kg.¦Larger ones cost more.",
		"Leave a gap of 5 cm.¦Glue the edges.",
		"The tank holds 12 l.¦Water runs off above that.",
		"It draws 40 W.¦Standby mode draws 2 W.¦Both are low.",
		"The route is 12 km.¦Ada runs it daily.",
		"Rain reached 5 in.¦Rivers rose.",
		"The limit is 3.5 t.¦Trucks turn back.",
		"Cook it for 20 min.¦Stir often.",
		"Wait 30 s.¦Press the button.",
		"The deposit is 12 €.¦Members pay half.",
		"The flight takes 3 h.¦Meals are served.",
		"The pump needs 5 V.¦Never use 12 V.",
		"The room is at 21 °C.¦Windows stay shut.",
		"It was founded in 1999.¦Growth came late.",
		"The fee is 12.¦Children pay 6.¦Dogs are free.",
		"The score was 3-0.¦Barcelona won.",
		"Rates rose by 5 %.¦Banks followed.",
		// Initials and names.
		"The award went to J. Smith.¦Others left.",
		"J. R. R. Tolkien wrote it.¦He taught at Oxford.",
		"Vitamin C.¦Zinc helps as well.",
		"Take plan B.¦Plan A has failed.",
		"We met Malcolm X.¦The talk was short.",
		"Parking is in zone C.¦Residents pay nothing.",
		// Titles and abbreviations.
		"Mr. Lee met Mrs. Okoye and Dr. Brandt.¦St. Mary Street was closed.",
		"Prof. Weber spoke.¦Sen. Diaz and Gen. Ito left.",
		"Tools, e.g. Hammers, and parts, i.e. Screws, are there.¦Bring gloves.",
		"It takes approx. 3 days.¦Orders ship from Lyon.",
		"It takes approx. three days.¦Orders ship from Lyon.",
		"See No. 5 and sec. 3, fig. 2.¦The answer was no.¦Nothing changed.",
		"Cats vs. Dogs was the topic.¦Dogs won.",
		"The shop sells paper, pens, etc.¦Cards are accepted.",
		"Paper, pens, etc. are in stock.¦Ask at the desk.",
		"It shuts at 5 p.m.¦The gym stays open.",
		"It shuts at 5 p.m.¦Guests leave by then.",
		"It opens at 9 a.m. and shuts at 5 p.m. on Mondays.¦Call first.",
		"At 5 p.m. Eastern the call begins.",
		"Acme Inc. was sold.¦Beta Ltd. was not.",
		"She moved to Washington D.C. in May.¦He did not.",
		"He lives in the U.S.¦The rest live here.",
		"The U.S. Senate and the U.K. Parliament met.",
		"She was born on Jan. 5, 1999.¦Her brother came in Dec. 2001.",
		"Max. load is 5 kg, min. load is 1 kg.¦Use both hands.",
		"Open Mon. to Fri. only.¦Sundays are free.",
		// Ellipses, quotes, brackets, marks.
		"Wait...¦Nothing happened.",
		"He said … and then left.¦It was over.",
		"She said: \"It works.\"¦Nobody replied.",
		"It works (see below.)¦The rest fails.",
		"“Bring a coat.”¦Nights are cold.",
		"Is it open?¦Yes!¦Come in.",
		"Version 2.0.1 runs.¦Use v2.1. next time.",
		"The file is setup.exe.¦Run it twice.",
		"Pay 1.000,50 EUR.¦Danach ist Schluss.",
		// List numbers.
		"1. Mix it.¦Then wait.",
		"a. Mix it.¦Then wait.",
		// German.
		"Ab dem 4. Mai ist geöffnet.¦Hunde dürfen mit.",
		"Der 1. Preis geht an Ina.¦Der 2. Platz bleibt leer.",
		"Im 3. Stock wohnt Frau Dorn.¦Sie ist Ärztin.",
		"Das gilt z. B. für Hunde, d. h. nicht für Katzen.¦Vögel sind erlaubt.",
		"Das gilt z.B. Hunden, bzw. Katzen.¦Vögel nicht.",
		"Es kostet ca. 12 Euro inkl. MwSt. und Versand.¦Kinder zahlen nichts.",
		"Der Kurs dauert 5 Std.¦Pausen zählen mit.",
		"Die Strecke ist 30 m.¦Wer läuft, braucht Zeit.",
		"Das war 1999.¦Danach kam nichts.",
		"Hr. Weber und Fr. Dorn kommen um 8 Uhr.¦Dr. med. Roth fehlt.",
		// French, Spanish, Italian.
		"M. Dupont arrive à 8 h.¦Mme Roux reste.",
		"Le sac pèse 5 kg.¦Il est vert.¦Élise le porte.",
		"El Sr. Ruiz y la Dra. Vega viven aquí.¦La casa mide 90 m.¦Tiene jardín.",
		"Cuesta aprox. 12 euros.¦¿Quiere uno?¦¡Claro!",
		"Il pacco pesa 3 kg.¦Costa poco.",
		// Chinese, Japanese, and others.
		"游泳池长30米。¦不得潜水！¦可以吗？¦可以。",
		"他说：“可以。”¦然后走了。",
		"「はい。」¦彼は言った。¦終わり。",
		"全长约3.5公里。¦步行需40分钟。",
		"ยินดีต้อนรับ", "यह ठीक है।¦वह नहीं।",
		"Это стоит 5 руб.¦Скидок нет.", "Он родился в 1999 г. в Москве.¦Потом уехал.",
	} {
		want := strings.Split(marked, "¦")
		require.Equal(t, want, sentencesOf(strings.Join(want, " ")), marked)
	}
}
