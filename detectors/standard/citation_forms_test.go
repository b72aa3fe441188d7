package standard_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/schemas"
)

// formSources are the sources of the tests of citation forms: the first and the second say different things.
func formSources() []schemas.Source {
	return []schemas.Source{
		{
			ID: "a-7", URI: "https://www.harbour.example/history/", Title: "Lindqvist et al. (2019), Harbours of the North",
			Text: "The harbour of Vellmar was opened by the queen on 14 May 1931. Its lighthouse is 42 metres high and guides ferries to the islands.",
		},
		{
			ID: "b-2", URI: "https://museum.example/visit?page=2", Title: "Okafor 2021: Guide to the ship museum",
			Text: "Adults pay nine euros for the ship museum and children enter free. The museum cafe serves fish soup from noon on every weekday.",
		},
	}
}

// citationForm is one way to cite. # stands for the number of the source, $ for its number counted from 0, @ for its id, U for
// its address, T for its title and Y for author and year.
type citationForm struct {
	name, answer string
	noUnknown    bool // a number of no source is not read as a citation in this form
}

const (
	harbour = "The harbour of Vellmar was opened by the queen on 14 May 1931"
	closing = " Its lighthouse is 42 metres high"
)

func citationForms() []citationForm {
	end := func(name, marker string, noUnknown ...bool) citationForm {
		return citationForm{name, harbour + marker, len(noUnknown) > 0}
	}
	return []citationForm{
		end("bracket", " [#]."), end("after the full stop", ". [#]"), end("glued", "[#]."), end("double brackets", " [[#]]."),
		end("escaped", ` \[#\].`), end("bold", " **[#]**."), end("footnote", ".[^#]"), end("footnote with two carets", " [^#^]."),
		end("wide brackets", "［#］."), end("id", " [@].", true), end("with a page", " [#, p. 12]."), end("with a line", " [#†L3-L5]."),
		end("source in brackets", " [Source #]."), end("sources", " [Sources #]."), end("doc", " [doc#]."), end("doc with a hyphen", " [doc-#]."),
		end("document", " [Document #]."), end("ref", " [Ref. #]."), end("cite", " [cite:#]."), end("cite with a space", " [cite: #]."),
		end("citation", " [citation:#]."), end("doc id", " [doc_id: #]."), end("hash", " [Source ##]."),
		end("see in brackets", " [see source #]."), end("page of a source", " [Source #, p. 4]."),
		end("source with a colon", " (Source: #)."), end("source in parentheses", " (Source #)."), end("see document", " (see Document #)."),
		end("cf. doc", " (cf. doc. #)."), end("source no.", " (source no. #)."), end("source of an id", " (source: @)."),
		end("source after the full stop", ". (Source: #)"), end("id in parentheses", " (@).", true),
		end("parentheses", " (#).", true), end("parentheses after the full stop", ". (#)", true), end("parentheses glued to the stop", ".(#)", true),
		end("braces", " {#}.", true), end("double braces", " {{cite:#}}."), end("LaTeX", ` \cite{#}.`, true),
		end("superscript", ".¹"), end("superscript before the stop", "¹."), end("caret", "^#.", true),
		end("sup", "<sup>#</sup>."), end("sup after the stop", ".<sup>#</sup>"), end("sup of a bracket", "<sup>[#]</sup>."),
		end("cite element", " <cite>#</cite>."), end("citation element", " <citation>#</citation>."), end("ref element", ` <ref id="#"/>.`),
		end("source element", ` <source id="#"></source>.`),
		end("lenticular", "【#†source】."), end("file search", "【4:$†source】."), end("file search by name", "【4:9†T】.", true),
		end("number linked", " [#](U)."), end("number linked in brackets", " [[#](U)]."), end("nested link", " [[#]](U)."),
		end("title linked", " [T](U).", true), end("host linked", " ([harbour.example](U)).", true), end("address", " (U).", true),
		end("address after source", " (source: U).", true),
		{"linked words", strings.Replace(harbour, "the queen", "[the queen](U)", 1) + ".", true},
		end("author", " (Y)."), end("author in brackets", " [Y]."), end("see author", " (see Y, p. 12)."),
		{"according to", "According to document #, t" + harbour[1:] + ".", false},
		{"source says", "Source # says that t" + harbour[1:] + ".", false},
		{"as stated in", harbour + ", as stated in document #.", true},
		{"per source", harbour + ", per source #.", false},
		{"see source", harbour + " — see source #.", false},
	}
}

// write writes the form for the n-th source, counted from 0; one beyond the sources is unknown.
func (f citationForm) write(n int) string {
	ids, years, names := []string{"a-7", "b-2", "z-9"}, []string{"Lindqvist et al., 2019", "Okafor, 2021", "Ferreira, 2017"}, []string{"Lindqvist et al. (2019)", "Okafor (2021)", "Ferreira (2017)"}
	uris := []string{"https://harbour.example/history", "https://museum.example/visit?page=2", "https://other.example/"}
	titles := []string{"Lindqvist et al. (2019), Harbours of the North", "Okafor 2021: Guide to the ship museum", "Ferreira"}
	digit := string(rune('1' + n))
	if n == 2 {
		digit = "9"
	}
	return strings.NewReplacer("##", "#"+digit, "#", digit, "$", string(digit[0]-1), "@", ids[n], "Y", years[n], "Z", names[n], "U", uris[n], "T]", titles[n]+"]",
		"†T", "†"+titles[n], "¹", []string{"¹", "²", "⁹"}[n]).Replace(f.answer)
}

func TestCitationFormsAreCitations(t *testing.T) {
	t.Parallel()
	suite := newShippedSuite(t)
	for _, form := range citationForms() {
		t.Run(form.name, func(t *testing.T) {
			t.Parallel()
			right := &schemas.Interaction{Answer: form.write(0), Sources: formSources()}
			e := suite.Evaluate(t.Context(), right)
			require.Empty(t, e.Fired(), right.Answer)
			require.Equal(t, schemas.Clear, outcomeOf(e, "citation"), right.Answer)
			e.Release()
			wrong := &schemas.Interaction{Answer: form.write(1), Sources: formSources()}
			e = suite.Evaluate(t.Context(), wrong)
			require.Contains(t, e.Fired(), "citation", wrong.Answer)
			e.Release()
			if form.noUnknown {
				return
			}
			unknown := &schemas.Interaction{Answer: form.write(2), Sources: formSources()}
			e = suite.Evaluate(t.Context(), unknown)
			require.Contains(t, e.Fired(), "citation", unknown.Answer)
			e.Release()
		})
	}
}

// The same in other languages: the sources say it in the language of the answer.
func TestCitationFormsInOtherLanguages(t *testing.T) {
	t.Parallel()
	suite := newShippedSuite(t)
	type language struct{ first, second, claim string }
	german := language{
		"Der Hafen von Vellmar wurde am 14. Mai 1931 von der Königin eröffnet. Der Leuchtturm ist 42 Meter hoch.",
		"Erwachsene zahlen neun Euro für das Schiffsmuseum, und Kinder haben freien Eintritt.",
		"Der Hafen von Vellmar wurde 1931 von der Königin eröffnet",
	}
	spanish := language{
		"El puerto de Vellmar fue inaugurado por la reina el 14 de mayo de 1931. El faro mide 42 metros.",
		"Los adultos pagan nueve euros por el museo de barcos y los niños entran gratis.",
		"El puerto de Vellmar fue inaugurado por la reina en 1931",
	}
	french := language{
		"Le port de Vellmar a été inauguré par la reine le 14 mai 1931. Le phare mesure 42 mètres.",
		"Les adultes paient neuf euros pour le musée des bateaux et les enfants entrent gratuitement.",
		"Le port de Vellmar a été inauguré par la reine en 1931",
	}
	chinese := language{"维尔马港由女王于1931年5月14日开放。灯塔高42米。", "成人参观船舶博物馆需付九欧元，儿童免费入场。", "维尔马港由女王于1931年5月14日开放"}
	for _, tc := range []struct {
		language
		answer string
	}{
		{german, "X (Quelle #)."},
		{german, "X [Quelle #]."},
		{german, "X (Quelle: #)."},
		{german, "X (siehe Dokument #)."},
		{german, "X [#]."},
		{german, "X (vgl. Quelle #)."},
		{german, "Laut Quelle # wurde der Hafen von Vellmar 1931 von der Königin eröffnet."},
		{german, "X (Dokument Nr. #)."},
		{german, "X (#)."},
		{spanish, "X (fuente #)."},
		{spanish, "X [Fuente #]."},
		{spanish, "Según la fuente #, el puerto de Vellmar fue inaugurado por la reina en 1931."},
		{spanish, "X (véase documento #)."},
		{spanish, "X (fuente: #)."},
		{french, "X (source n° #)."},
		{french, "X [source #]."},
		{french, "Selon la source #, le port de Vellmar a été inauguré par la reine en 1931."},
		{french, "X (voir document #)."},
		{french, "X (source : #)."},
		{chinese, "X（来源#）。"},
		{chinese, "X（来源：#）。"},
		{chinese, "X[来源#]。"},
		{chinese, "X【来源#】。"},
		{chinese, "X（参见文档#）。"},
		{chinese, "X（#）。"},
		{chinese, "根据来源#，X。"},
		{chinese, "X[#]。"},
		{chinese, "X。[#]"},
	} {
		t.Run(tc.answer+" "+tc.claim[:2], func(t *testing.T) {
			t.Parallel()
			for number, wantFired := range map[string]bool{"1": false, "2": true} {
				in := &schemas.Interaction{
					Answer:  strings.NewReplacer("#", number, "X", tc.claim).Replace(tc.answer),
					Sources: []schemas.Source{{Text: tc.first}, {Text: tc.second}},
				}
				e := suite.Evaluate(t.Context(), in)
				if wantFired {
					require.Contains(t, e.Fired(), "citation", in.Answer)
				} else {
					require.Empty(t, e.Fired(), in.Answer)
					require.Equal(t, schemas.Clear, outcomeOf(e, "citation"), in.Answer)
				}
				e.Release()
			}
		})
	}
}

// Text that looks like a citation and is none.
func TestLookAlikesAreNoCitations(t *testing.T) {
	t.Parallel()
	suite := newShippedSuite(t)
	for _, answer := range []string{
		"(1) " + harbour + ".", "1) " + harbour + ".", "There were two steps: (1) open the gate and (2) wait.",
		"Press the key as in f(1).", "Use `f(1)` and `a[2]` for it.", "The area is 12 km².", "The area is 12 m².", "It is 10² metres wide.", "It holds 30 cm³.",
		"The formula is x² + y².", "It emits CO{2} daily.", "The value x_{1} is small.", "The isotope ²³⁵U decays.", "The ion is Ca²⁺.", "The value is 10⁻².",
		"The harbour was old (2020).", "The harbour (1931) was old.", "See equation (2).", "There are two (2).", "Follow step (1).", "He lives in room (2).",
		"It was the 2nd document.", "There is document 2.5 in use.", "It cost 2 sources of income.", "Figure 1 and table 2 show it.", "See section 2.", "Article 1 applies.",
		"10<sup>2</sup> metres.", "x^2 is y.", "The [manual](https://other.example/a) has it.", "Read https://other.example/1 first.", "(Paris, May 2019).",
		"He said it (June 2021).", "She was tired (see below).", "He won (2-1).", "The ratio is (1/2).", "Use the array {1, 2, 3} here", "The set {2} ∪ {1}.",
		"1. " + harbour + ".\n2. It is old.", "The 1<sup>st</sup> of May.", "<b>1</b> is bold.", "Chapter (1).",
	} {
		t.Run(answer, func(t *testing.T) {
			t.Parallel()
			e := suite.Evaluate(t.Context(), &schemas.Interaction{Answer: answer, Sources: formSources()})
			defer e.Release()
			require.Equal(t, schemas.NotCheckable, outcomeOf(e, "citation"))
		})
	}
}

func outcomeOf(e *detectors.Evaluation, detector string) schemas.Outcome {
	for _, r := range e.Readings() {
		if r.Detector == detector {
			return r.Outcome
		}
	}
	return ""
}
