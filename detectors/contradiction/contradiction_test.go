package contradiction_test

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"confab/detectors"
	"confab/detectors/contradiction"
	"confab/detectors/support"
	"confab/schemas"
)

// findings returns the contradictions in the answer: with the source, and within the answer.
func findings(answer string, sources ...string) (list []contradiction.Finding) {
	in := schemas.Interaction{Answer: answer}
	for _, s := range sources {
		in.Sources = append(in.Sources, schemas.Source{Text: s})
	}
	var d detectors.Document
	d.Reset(&in)
	p := support.NewPass(&d)
	x := contradiction.Of(&d)
	for i := range p.Claims {
		c, ok := p.Measure(i, nil)
		if !ok {
			continue
		}
		if f, ok := x.InClaim(&d, contradiction.Claim{Claim: &p.List[i], Window: &c.Window, Turned: true}); ok {
			list = append(list, f)
		}
	}
	if f, ok := x.WithinAnswer(&d); ok {
		list = append(list, f)
	}
	return list
}

type pairRow struct {
	Interaction struct {
		ID      string   `json:"interaction_id"`
		Answer  string   `json:"answer"`
		Sources []string `json:"sources"`
	} `json:"interaction"`
	Label int    `json:"label"`
	Task  string `json:"task"`
	Meta  struct {
		Split string `json:"split"`
	} `json:"meta"`
}

func readPairs(t *testing.T) (rows []pairRow) {
	t.Helper()
	file, err := os.Open("testdata/pairs.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var row pairRow
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
	return rows
}

// TestPairs holds recall on faulty answers, in both splits, and that no good answer is a finding.
func TestPairs(t *testing.T) {
	found, faulty := map[string]int{}, map[string]int{}
	for _, row := range readPairs(t) {
		list := findings(row.Interaction.Answer, row.Interaction.Sources...)
		if row.Label == 0 {
			if len(list) > 0 {
				t.Errorf("%s: good answer %q is a finding of kind %d", row.Interaction.ID, row.Interaction.Answer, list[0].Kind)
			}
			continue
		}
		faulty[row.Meta.Split]++
		if len(list) > 0 {
			found[row.Meta.Split]++
		}
	}
	for split, least := range map[string]int{"dev": 58, "heldout": 53} {
		t.Logf("%s: %d of %d faulty answers", split, found[split], faulty[split])
		if found[split] < least {
			t.Errorf("%s: found %d of %d faulty answers, want at least %d", split, found[split], faulty[split], least)
		}
	}
}

func TestFindings(t *testing.T) {
	for name, c := range map[string]struct {
		source, answer string
		kind           contradiction.Kind
		quote          string
	}{
		"negation dropped":    {"The tool is not recommended for new users.", "The tool is recommended for new users.", contradiction.Negation, "not recommended"},
		"negation added":      {"The tool is recommended for new users.", "The tool is not recommended for new users.", contradiction.Negation, "is recommended"},
		"prefix":              {"The report is unavailable in English today.", "The report is available in English today.", contradiction.Opposite, "is unavailable"},
		"opposite":            {"Prices increased in four regions.", "Prices decreased in four regions.", contradiction.Opposite, "increased"},
		"roles":               {"Ada hired Grace in Boston.", "Grace hired Ada in Boston.", contradiction.Roles, "Ada hired Grace in Boston"},
		"passive":             {"Ada hired Grace in Boston.", "Ada was hired by Grace in Boston.", contradiction.Roles, "Ada hired Grace in Boston"},
		"verb in the present": {"Ada coaches Grace in Boston.", "Grace coaches Ada in Boston.", contradiction.Roles, "Ada coaches Grace in Boston"},
		"verb with to":        {"Ada reports to Grace in Boston.", "Grace reports to Ada in Boston.", contradiction.Roles, "Ada reports to Grace in Boston"},
		"abbreviation":        {"Arden Ltd. sued Birch Bank in Boston.", "Birch Bank sued Arden Ltd. in Boston.", contradiction.Roles, "Arden Ltd. sued Birch Bank in Boston"},
		"only some":           {"All ships carried grain.", "Only some ships carried grain.", contradiction.Quantity, "ships"},
		"only all":            {"Some ships carried grain.", "Only some ships carried grain.", contradiction.None, ""},
		"verb before to":      {"Ada refused to pay Grace.", "Ada refused to pay Grace.", contradiction.None, ""},
		"comparison":          {"Copper is heavier than zinc.", "Zinc is heavier than copper.", contradiction.Roles, "Copper is heavier than zinc"},
		"obligation":          {"Users may rename the file.", "Users must rename the file.", contradiction.Obligation, "may rename"},
		"quantity":            {"Some of the ships carried grain.", "All of the ships carried grain.", contradiction.Quantity, "ships"},
		"bound":               {"At least nine ships carried grain.", "At most nine ships carried grain.", contradiction.Quantity, "nine"},
		"same passive":        {"Ada hired Grace in Boston.", "Grace was hired by Ada in Boston.", contradiction.None, ""},
		"converse verb":       {"Ada sold the boat to Grace.", "Grace bought the boat from Ada.", contradiction.None, ""},
		"double negation":     {"Frost is not uncommon in the valley.", "Frost is common in the valley.", contradiction.None, ""},
		"negation elsewhere":  {"The tool is not recommended for new users.", "The tool isn't recommended for new users.", contradiction.None, ""},
		"denied bound":        {"Nobody may take more than four days in summer.", "You may take at most four days in summer.", contradiction.None, ""},
		"not only":            {"The law not only affects banks, it also affects brokers.", "The law affects banks and also affects brokers.", contradiction.None, ""},
		"other comparison":    {"Copper is heavier than zinc.", "Zinc is lighter than copper.", contradiction.None, ""},
		"list":                {"The shop sells apples, pears and plums.", "The shop sells plums, pears and apples.", contradiction.None, ""},
		"question":            {"Is the tool not recommended for new users?", "The tool is recommended for new users.", contradiction.None, ""},
		"other language":      {"Das Werkzeug ist nicht für neue Nutzer und die Schule empfohlen.", "Das Werkzeug ist für neue Nutzer und die Schule empfohlen.", contradiction.None, ""},
	} {
		t.Run(name, func(t *testing.T) {
			list := findings(c.answer, c.source)
			if c.kind == contradiction.None {
				if len(list) > 0 {
					t.Fatalf("found kind %d, want none", list[0].Kind)
				}
				return
			}
			if len(list) != 1 || list[0].Kind != c.kind {
				t.Fatalf("found %+v, want one of kind %d", list, c.kind)
			}
			f := list[0]
			if quote := c.source[f.QuoteStart:f.QuoteEnd]; quote != c.quote || c.source[f.SourceStart:f.SourceEnd] != c.source {
				t.Errorf("quote %q of %q, want %q", quote, c.source[f.SourceStart:f.SourceEnd], c.quote)
			}
			if c.answer[f.Start:f.End] != c.answer || f.Weight() < 0.5 {
				t.Errorf("claim %q with weight %v", c.answer[f.Start:f.End], f.Weight())
			}
		})
	}
}

// TestHostile reads long and odd texts without a panic and with linear work.
func TestHostile(t *testing.T) {
	for name, s := range map[string]string{
		"negations":  strings.Repeat("not no never without ", 5000),
		"one clause": strings.Repeat("high low more less than before after ", 3000),
		"characters": strings.Repeat("不是漢字です。", 4000),
		"mixed":      strings.Repeat("Un'un un-n't 's' \xff ’s is. ", 4000),
		"sentences":  strings.Repeat("It is not on. ", 9000),
	} {
		t.Run(name, func(t *testing.T) {
			in := schemas.Interaction{Answer: s, Sources: []schemas.Source{{Text: s}}}
			var d detectors.Document
			d.Reset(&in)
			before := d.Work().Spent()
			findings(s, s, "It is off.")
			contradiction.Of(&d).WithinAnswer(&d)
			if spent := d.Work().Spent() - before; spent > int64(20*len(s)) {
				t.Errorf("%d units for %d bytes", spent, len(s))
			}
		})
	}
}
