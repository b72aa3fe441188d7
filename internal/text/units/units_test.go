package units

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/text"
)

func read(s string, answer bool) (List, []text.Token) {
	sentences, tokens := text.AppendSentences(nil, s), text.AppendTokens(nil, s)
	ranges := text.AppendTokenRanges(nil, sentences, tokens)
	var l List
	if answer {
		l.Answer(s, sentences, ranges, tokens)
	} else {
		l.Source(s, sentences, ranges, tokens)
	}
	return l, tokens
}

func wordsOf(s string, tokens []text.Token) string {
	var words []string
	for _, t := range tokens {
		words = append(words, t.In(s))
	}
	return strings.Join(words, " ")
}

// shown are the units as "form kind: words <head words> ^ context".
func shown(s string, answer bool) (out []string) {
	forms, kinds := strings.Fields("sentence item row record value"), strings.Fields("statement heading courtesy question about lead-in abstention short code citations")
	l, tokens := read(s, answer)
	for i, u := range l.Units {
		line := forms[u.Form] + " " + kinds[u.Kind] + ":"
		for _, r := range l.RunsOf(i) {
			words := wordsOf(s, tokens[r.First:r.Last])
			if r.Head {
				words = "<" + words + ">"
			}
			line += " " + words
		}
		if u.Context.Len() > 0 {
			line += " ^ " + wordsOf(s, tokens[u.Context.First:u.Context.Last])
		}
		out = append(out, line)
	}
	return out
}

// TestVerbatimSentenceIsAStatement puts sentences behind openings and into markup: what is stated stays the same.
func TestVerbatimSentenceIsAStatement(t *testing.T) {
	openings := []string{
		"", "No, ", "No: ", "Yes, ", "Yes — ", "YES! ", "Hi Anna, ", "Dear Ms Weber, ", "Unfortunately, ", "Sure, ", "Of course! ", "In short: ", "According to the documents, ",
		"Based on passage 2, ", "Per [1], ", "Nein, ", "Ja – ", "Hallo Frau Demir, ", "Leider: ", "Laut der Quelle, ", "Non, ", "Bonjour Madame, ", "Bien sûr : ", "Sí, ",
		"Hola Ana, ", "Por supuesto. ", "Según las fuentes, ", "No worries, ", "Good news: ", "Thanks for asking: ", "I'm afraid not: ", "Unfortunately not: ", "As far as I know, ",
	}
	sentences := []string{
		"Dogs are allowed.", "Unused runs expire at the end of the month.", "The deposit is not refundable [1].", "Damage by water isn't covered.", "Pets aren't included in the fee.",
		"Hunde sind erlaubt.", "Der Vertrag endet am 3. Oktober.", "Les chiens sont admis.", "Los perros no se pueden alquilar.", "The fee is 12 euros: it falls due in May.", "E. coli was not found.",
		"The conveyor stays off.", "You pay by card.", "Sources of water are scarce here.",
	}
	frames := []string{"%s", "**%s**", "- %s", "1. %s", "> %s", "Some fees apply:\n\n* %s\n* Members pay 3 euros.", "| A | B |\n|---|---|\n| 5 euros | %s |", `{"answer": "%s"}`, "```json\n{\"a\":{\"note\":\"%s\"}}\n```", "Hi Anna,\n\n%s\n\nKind regards,\nBen"}
	for _, sentence := range sentences {
		want := wordsOf(sentence, text.AppendTokens(nil, sentence))
		for _, opening := range openings {
			for _, frame := range frames {
				s, found := fmt.Sprintf(frame, opening+sentence), 0
				isRow := strings.Contains(frame, "|")
				l, tokens := read(s, true)
				for i, u := range l.Units {
					runs := l.RunsOf(i)
					said := wordsOf(s, tokens[runs[len(runs)-1].First:runs[len(runs)-1].Last])
					if u.Kind == Statement && (said == want || isRow && strings.HasSuffix(said, want)) {
						found++
					}
				}
				require.Equal(t, 1, found, "%q: %q", s, shown(s, true))
			}
		}
	}
}

func TestKinds(t *testing.T) {
	for kind, list := range map[string][]string{
		"statement": {
			"Dogs are allowed.", "Flood damage isn't covered by the policy.", "Breakfast is not included.", "You have three choices:", "Here are the 3 steps:", "Thanks to a grant of 500 euros it is free.",
			"Have a glass of wine with dinner.", "I think it costs 5 euros.", "Las cápsulas abiertas no se pueden devolver.", "Cats are not.", "Please note that dogs are not allowed.", "Ask Noor Benali at the desk.",
			"Die Gebühr nennen die Unterlagen nicht, nur 8 Euro Ersatz.", "酒店不接待宠物。", "Sehr gern gesehen sind Hunde an der Leine.", "Der Gast meldet sich bei der Rezeption.", "Hunde sind nicht erlaubt.", "Best quality and fastest response: Aufwind.", "Your doctor signs the form.",
			"## Room 12 costs 85 pounds a night in the winter season.", "# The hotel was opened by Clara Jensen in the old town [1]",
		},
		"courtesy": {
			"Hi Anna,", "I hope this helps!", "Let me know if you have further questions.", "Kind regards", "Thank you for your patience.", "Please talk to your doctor.", "This is not legal advice.",
			"I'd recommend asking your pharmacist.", "Guten Tag Frau Dorn,", "Mit freundlichen Grüßen", "Bitte wenden Sie sich direkt an die Bibliothek.", "Bien cordialement,", "N'hésitez pas à nous écrire.",
			"Le mieux est de demander un devis.", "Un cordial saludo,", "Espero que le sea útil.", "Póngase en contacto con la secretaría.", "希望对您有帮助。", "以上内容仅供参考。", "OF COURSE!", "Congratulations on your new role!",
			"Ein Kollege meldet sich in Kürze bei Ihnen.", "Unser Support wird sich in den nächsten Tagen bei Ihnen melden.", "Ich wünsche Ihnen einen schönen Tag!", "Schönes Wochenende!", "Sehr gerne!", "Sehr gern.",
			"Bitte prüfen Sie Ihren Spam-Ordner.", "Ich habe Ihre Anfrage an das Team weitergegeben.", "Schreib mir einfach die Nummer.", "Haben Sie noch Fragen?", "Shall I book it for you?**", "How can I help you today?", "Could you tell me which item you mean?", "In my opinion this tower is the most beautiful building of the country.",
			"Personally, I would visit early in the morning.", "I think it might perhaps be open today.", "To my mind, nobody should miss it.", "It may be that the cafe is closed.", "Perhaps the garden is worth a look.", "It is the best place in town, if you ask me.", "Meiner Meinung nach lohnt es sich.", "Je pense que c'est beau.", "Creo que vale la pena.", "我觉得很好。", "Womit kann ich Ihnen helfen?", "Pourriez-vous me dire la date ?", "¿En qué puedo ayudarle?",
		},
		"question": {"What else?", "Wann fährt er?", "Vous avez une question ?", "¿Algo más?", "还有问题吗？", "Does it cost 5 euros?**"},
		"about":    {"Here's a summary of the article in 78 words:", "Here are the main points.", "I've summarized the article below.", "Hier sind die wichtigsten Angaben:", "Voici l'essentiel :", "Aquí tiene los datos:", "以下是主要内容："},
		"lead-in":  {"The fees are:", "Die Gebühren im Überblick:", "Les tarifs sont :", "Los precios son:", "费用："},
		"abstention": {
			"The passages do not mention it.", "IDK", "NULL", "Not found", "N/A", "No idea, sorry.", "Sunday pool hours aren't listed.", "It doesn't say when it opens.", "I couldn't find that.", "Unable to answer based on given passages.",
			"The information I have only covers weekday hours.", "There is no information about refunds.", "Dazu steht in der Quelle nichts.", "Das ist nicht angegeben.", "Keine Ahnung.", "Le texte ne précise pas le prix.",
			"Aucune information n'est donnée.", "La fuente no menciona el precio.", "No lo sé.", "文中没有提到价格。", "I don't know.",
		},
		"short":   {"Yes.", "No.", "Completely.", "Ja.", "Oui.", "OK."},
		"heading": {"## Fees", "**Opening hours**", "**Fees:**", "### 2. Costs in 2024", "## Terms and conditions of the contract that you sign here", "**Measures** [5]"},
	} {
		for _, s := range list {
			for _, s := range []string{s, strings.ToUpper(s)} {
				require.Contains(t, shown(s, true)[0], " "+kind+":", s)
			}
		}
	}
}

func TestAnswers(t *testing.T) {
	for s, want := range map[string][]string{
		"The fees are:\n- **Adults:** 12 euros [1]\n  1. Children pay half. Groups pay less.\n\nIt opens at 9.": {
			"sentence lead-in: The fees are", "item statement: Adults 12 euros 1 ^ The fees are", "item statement: Children pay half ^ The fees are", "item statement: Groups pay less ^ The fees are",
			"sentence statement: It opens at 9",
		},
		"- Basic plan:\n  - five gigabytes\n- Members join free": {
			"item lead-in: Basic plan", "item statement: five gigabytes ^ Basic plan", "item statement: Members join free",
		},
		"## Prices\n| Name | Price |\n|:--|--:|\n| Flat white | 3.20. Or 4. |\n| Cap | |\nThe bar closes at 5.": {
			"sentence heading: Prices", "row heading: Name Price ^ Prices", "row statement: <Name> Flat white <Price> 3.20 Or 4 ^ Prices", "row statement: <Name> Cap ^ Prices", "sentence statement: The bar closes at 5",
		},
		"#  Name |  Vans \n|  Norrby |  14 ": {"row heading: Name Vans", "row statement: <Name> Norrby <Vans> 14"},
		`{"answer":"Yes, dogs are allowed. Cats are not.","price":12,"confidence":0.9,"open":true,"level":null,"sources":["a b",{"id":3}],"items":[{"name":"Ana","age":3}]}`: {
			"value statement: <answer> dogs are allowed", "value statement: <answer> Cats are not", "value statement: <price> 12", "value short: <confidence> 0.9", "value statement: <open> true",
			"value citations: <sources> a b", "value citations: <id> 3", "value statement: <name> Ana", "value statement: <Ana> <age> 3",
		},
		"It opens at 9.\n\n**Sources:**\n- [1] handbook.pdf\n- https://example.com/a\n\nIt closes at 5.": {
			"sentence statement: It opens at 9", "sentence citations: Sources", "sentence citations: 1 handbook pdf", "sentence citations: https example com a", "sentence statement: It closes at 5",
		},
		"The roof is sound.\n<CITATIONS>\n[{\"quote\":\"The roof\"}]\n</CITATIONS>\nThe wall is not.": {
			"sentence statement: The roof is sound", "sentence citations: CITATIONS", "sentence citations: quote The roof", "sentence citations: CITATIONS", "sentence statement: The wall is not",
		},
		"Run this:\n```go\nx := f(1)\n```\nIt prints a line.":                  {"sentence lead-in: Run this", "sentence code: go", "sentence code: x f 1", "sentence statement: It prints a line"},
		"The memo says nothing on pay; the bonus is 400 euros.":                {"sentence statement: the bonus is 400 euros"},
		"While the report doesn't mention fish, it says that phosphorus fell.": {"sentence statement: it says that phosphorus fell"},
		"Hi Anna,\nDogs are allowed.\nBest,\nLotte Hagen":                      {"sentence courtesy: Hi Anna", "sentence statement: Dogs are allowed", "sentence courtesy: Best", "sentence courtesy: Lotte Hagen"},
		"": nil, "***": nil,
	} {
		require.Equal(t, want, shown(s, true), s)
	}
}

func TestSources(t *testing.T) {
	long := strings.TrimSpace(strings.Repeat("word ", 260))
	for s, want := range map[string][]string{
		"Dogs are allowed. Thank you!\n- Cats, too":      {"sentence statement: Dogs are allowed", "sentence statement: Thank you", "sentence statement: Cats too"},
		"name,count,state\nmug,12,open\n\"pan, big\",7,": {"row statement: <name> mug <count> 12 <state> open", "row statement: <name> pan big <count> 7"},
		"a b;c d;e f\n1;2;3":                             {"row statement: <a b> 1 <c d> 2 <e f> 3"},
		"The official results of the marathon in Port Maren, 2026\nrace|place|name\nmen|1|Ana\nwomen|2|Eva": {
			"sentence statement: The official results of the marathon in Port Maren 2026", "row statement: <race> men <place> 1 <name> Ana ^ The official results of the marathon in Port Maren 2026",
			"row statement: <race> women <place> 2 <name> Eva ^ The official results of the marathon in Port Maren 2026",
		},
		"x\ty\n1\t2\nIt rains.":                 {"row statement: <x> 1 <y> 2", "sentence statement: It rains"},
		"|A|B|\n|-|-|\n|q|5|\n|all|9|x|\n|r|6|": {"row statement: <A> q <B> 5", "row statement: all 9 x", "row statement: <A> r <B> 6"},
		"Small, green, loud.\nIt is":            {"sentence statement: Small green loud", "sentence statement: It is"},
		`{"name":"Uno","tags":["a b","c"],"hours":{"Monday":"9-17"},"menu":[{"dish":"soup","price":4},{"dish":"pie"}]}`: {
			"record statement: <hours> <Uno> <Monday> 9 17", "record statement: <menu> <Uno> <dish> soup <price> 4", "record statement: <menu> <Uno> <dish> pie",
			"record statement: <name> Uno <tags> a b c",
		},
		"{\"id\":7,\"x\":1}\n{\"id\":8}\nAnd then prose.": {"record statement: <id> 7 <x> 1", "record statement: <id> 8", "sentence statement: And then prose"},
		`{"name":"Uno","review":"The soup was cold and nobody came. We liked the garden, though, and the view of the lake and the green hills at night in May."}`: {
			"value statement: <Uno> <review> The soup was cold and nobody came", "value statement: <Uno> <review> We liked the garden though and the view of the lake and the green hills at night in May", "record statement: <name> Uno",
		},
		`["one two", 3]`:                {"value statement: one two", "value statement: 3"},
		"[1] is a marker. {X} is text.": {"sentence statement: 1 is a marker", "sentence statement: X is text"},
		`[{"a":1},{"a":`:                {"record statement: <a> 1"},
		long:                            {"sentence statement: " + long[:499], "sentence statement: " + long[:499], "sentence statement: " + long[:299]},
	} {
		require.Equal(t, want, shown(s, false), s)
	}
}

func TestOnlyAbstains(t *testing.T) {
	require.True(t, OnlyAbstains("I'm sorry. The passages do not say."))
	require.True(t, OnlyAbstains("Darüber sagt der Text nichts."))
	require.False(t, OnlyAbstains("The passages do not say. Dogs are allowed."))
	require.False(t, OnlyAbstains("Hello!"))
	require.False(t, OnlyAbstains(""))
}

// TestReadingAllocatesNothing reads a second answer and source into the storage of the first.
func TestReadingAllocatesNothing(t *testing.T) {
	for _, s := range []string{"Hi Anna,\n\nDogs are allowed. The memo says nothing on cats; it names 2 fees:\n- a: 1\n\n|A|B|\n|-|-|\n|q|5|", `{"name":"Uno","tags":["a b"],"menu":[{"dish":"soup"}]}`} {
		sentences, tokens := text.AppendSentences(nil, s), text.AppendTokens(nil, s)
		ranges := text.AppendTokenRanges(nil, sentences, tokens)
		var l List
		require.Zero(t, testing.AllocsPerRun(10, func() {
			l.Reset()
			l.Answer(s, sentences, ranges, tokens)
			l.Source(s, sentences, ranges, tokens)
		}), s)
	}
}

// TestTabCells: the cells of CSV tables are apart, other commas stay.
func TestTabCells(t *testing.T) {
	for text, want := range map[string]string{
		"day,rain,wind\nMonday,4,12\n":                                  "day\train\twind\nMonday\t4\t12\n",
		"Costs:\nname,eur,note\nLamp,1,\"red, blue\"\nDone, all of it.": "Costs:\nname\teur\tnote\nLamp\t1\t\"red, blue\"\nDone, all of it.",
		"a,b\n1,2": "a,b\n1,2", "1,200,300\n4,500,600": "1,200,300\n4,500,600", "red, green, blue": "red, green, blue", "": "",
	} {
		require.Equal(t, want, TabCells(text))
	}
}
