package text

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// contentKeys returns the keys of the content words of s.
func contentKeys(r MatchMode, s string) (all []uint64) {
	tokens := AppendTokens(nil, s)
	for i := range tokens {
		if r.IsContent(&tokens[i]) {
			all = append(all, r.Key(&tokens[i], s))
		}
	}
	return all
}

func TestForeignEqualWords(t *testing.T) {
	for _, same := range []string{
		"Artikel|Artikels|Artikeln", "Preis|Preise|Preises|Preisen", "Schiff|Schiffe|Schiffen|Schiffs", "älteste|ältesten|ältestes", "höhere|höherer|höheren",
		"artículo|artículos", "pueblo|pueblos", "garantía|garantías", "construido|construida|construidos", "nombró|nombrado|nombrada",
		"livraison|livraisons|l’livraison", "l’eau|d'eau|eau", "qu’entreprise|entreprises|l'entreprise", "nouvelle|nouvelles",
		"таблетка|таблетки|таблеткой|таблетками", "врач|врача|врачу", "бывший|бывшем|бывшего",
		"84.000|84,000|84000", "4,90|4.90|4.9", "1.250.000,50|1,250,000.5", "1937|1937",
	} {
		words := strings.Split(same, "|")
		want := contentKeys(Foreign, words[0])
		require.Len(t, want, 1, words[0])
		for _, word := range words[1:] {
			require.Equal(t, want, contentKeys(Foreign, word), "%s and %s", words[0], word)
		}
	}
}

func TestForeignDifferentWords(t *testing.T) {
	for _, differ := range []string{
		"Haus|Hase", "Preis|Pries", "Filter|Film", "Kompressor|Kompresse", "84.000|84", "84.000|48.000", "4,90|490", "2019|2018", "Lang|Land",
		"médico|medida", "precio|premio", "арх|архив", "день|дело", "дом|дым",
	} {
		a, b, _ := strings.Cut(differ, "|")
		require.NotEqual(t, contentKeys(Foreign, a), contentKeys(Foreign, b), differ)
	}
}

func TestForeignContentWords(t *testing.T) {
	for s, want := range map[string]int{
		"Das Haus ist nicht so alt wie der Turm":     3, // Haus alt Turm
		"La casa de los niños y sus amigos":          3, // casa niños amigos
		"Les enfants sont dans la maison avec nous":  2, // enfants maison
		"Он был в больнице и не мог говорить с нами": 4, // больнице мог говорить нами
		"the 24 of them": 1,
	} {
		require.Len(t, contentKeys(Foreign, s), want, s)
	}
}

// English is compared by stem.
func TestMatchModeEnglish(t *testing.T) {
	var english MatchMode
	s := "Die Katze, l'eau 84.000 running dogs: " + prose
	tokens := AppendTokens(nil, s)
	for i := range tokens {
		require.Equal(t, !tokens[i].Stop(), english.IsContent(&tokens[i]))
		require.Equal(t, tokens[i].Stem, english.Key(&tokens[i], s))
	}
}

// Words and figures that are too long are compared unchanged.
func TestForeignLongWords(t *testing.T) {
	for _, s := range []string{strings.Repeat("ä", 200), strings.Repeat("1.000", 50), strings.Repeat("x", 200)} {
		token := onlyToken(t, s)
		require.Equal(t, token.Stem, Foreign.Key(&token, s), s)
	}
	require.NotEqual(t, contentKeys(Foreign, strings.Repeat("ä", 200)), contentKeys(Foreign, strings.Repeat("ä", 199)))
}

func TestStopPairs(t *testing.T) {
	s := "博物馆的船はしました館が"
	tokens := AppendTokens(nil, s)
	var carry []string
	for i := range tokens {
		if !tokens[i].Stop() {
			carry = append(carry, tokens[i].In(s))
		}
	}
	require.Equal(t, []string{"博物", "物馆", "船は", "た館", "館が"}, carry)
}

func TestSourceLabel(t *testing.T) {
	for s, want := range map[string]int{
		"source: a": 7, "Sources:a": 8, "SOURCE : a": 8, "Quelle: a": 7, "quellen: a": 8, "Fuente: a": 7, "fuentes\u00a0: a": 10,
		"来源：a": 9, "出典: a": 7, "출처: a": 7, "Источник: a": 17, "المصدر: a": 13,
		"": 0, "source": 0, "source a": 0, "sourcery: a": 0, "quell: a": 0, "see source: a": 0, "Источники a": 0,
	} {
		require.Equal(t, want, SourceLabel(s), s)
	}
}
