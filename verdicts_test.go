package confab_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab"
	"confab/detectors"
	"confab/schemas"
	"confab/schemas/json"
)

const (
	leavePolicy = "Employees get 21 days of annual leave. Part-time staff at 50 % get half of that. Unused days expire on 31 March of the next year."
	planTable   = "| plan | price | storage |\n|---|---|---|\n| Basic | $9 | 100 GB |\n| Pro | $29 | 1 TB |"
	officeHours = "The branch in Porto opens from 9 to 17 on weekdays. It is closed on Sundays."
	salesFigure = "Sales rose from $2.0 million in 2022 to $3.0 million in 2023."
	device      = "The watch is waterproof to 30 m. Swimming with it is not recommended. The warranty lasts 24 months."
	acquisition = "Google acquired DeepMind in 2014. Bob is the manager of Alice."
)

// TestVerdictsOnMessyAnswers has one row for each kind of answer that once got a wrong verdict. A right answer never alerts;
// a wrong one is at least flagged, unless the row names a limit.
func TestVerdictsOnMessyAnswers(t *testing.T) {
	t.Parallel()
	e, err := confab.New(confab.Options{Suite: detectors.Options{Now: time.Now}}, confab.Tuning{})
	require.NoError(t, err)
	for _, c := range []struct {
		name, answer string
		sources      []string
		wrong        bool
		limit        string // why a wrong answer is missed; see "Limits of rules" in docs/errors.md
	}{
		{"derived figures", "At half time you get 10.5 days of annual leave, since full-time staff get 21 days.", []string{leavePolicy}, false, ""},
		{"wrong figure and date", "You get 28 days of annual leave, and unused days expire on 30 June.", []string{leavePolicy}, true, ""},
		{"table, right", "The Pro plan costs $29 and has 1 TB of storage.", []string{planTable}, false, ""},
		{"table, wrong price", "The Pro plan costs $19 a month and has 1 TB of storage.", []string{planTable}, true, "rules"},
		{"table, swapped cells", "The Basic plan costs $29 and the Pro plan costs $9.", []string{planTable}, true, "rules"},
		{"another clock, common knowledge", "The branch in Porto, a city in Portugal, is open from 9 am to 5 pm on weekdays.", []string{officeHours}, false, ""},
		{"another clock, wrong", "The branch in Porto is open from 9 am to 8 pm on weekdays.", []string{officeHours}, true, "rules"},
		{"percent change", "Sales grew by 50 % from 2022 to 2023, to $3.0 million.", []string{salesFigure}, false, ""},
		{"wrong percent change", "Sales grew by 80 % from 2022 to 2023, to $3.0 million.", []string{salesFigure}, true, "rules"},
		{"total", "Over both years, sales came to $5.0 million in total.", []string{salesFigure}, false, ""},
		{"dropped negation", "Swimming with it is recommended.", []string{device}, true, "rules"},
		{"negation kept", "Swimming with it is not recommended.", []string{device}, false, ""},
		{"swapped roles", "DeepMind acquired Google in 2014.", []string{acquisition}, true, "rules"},
		{"roles in the passive voice", "DeepMind was acquired by Google in 2014.", []string{acquisition}, false, ""},
		{"refusal with a polite end", "There is nothing in the documents about parental leave. You may want to contact the HR department for details.", []string{leavePolicy}, false, ""},
		{"refusal that points to people", "I could not find this in the policy. Please reach out to HR, they will be happy to help you.", []string{leavePolicy}, false, ""},
		{"closing offer", "Employees get 21 days of annual leave. Please reach out if you have any questions.", []string{leavePolicy}, false, ""},
		{"reasoning", "<think>The user asks about leave. Maybe 30 days? No, the policy says 21, and 90 would be too many.</think>Employees get 21 days of annual leave.", []string{leavePolicy}, false, ""},
		{"HTML list", "<ul><li>Employees get <b>21 days</b> of annual leave.</li><li>Unused days expire on 31 March.</li></ul>", []string{leavePolicy}, false, ""},
		{"marker in parentheses", "Employees get 21 days of annual leave (1).", []string{leavePolicy, officeHours}, false, ""},
		{"superscript", "Employees get 21 days of annual leave.¹", []string{leavePolicy, officeHours}, false, ""},
		{"cite tag", "Employees get 21 days of annual leave.<cite>1</cite>", []string{leavePolicy, officeHours}, false, ""},
		{"named source", "Employees get 21 days of annual leave [Source 1].", []string{leavePolicy, officeHours}, false, ""},
		{"link as a marker", "Employees get 21 days of annual leave [1](https://example.org/policy).", []string{leavePolicy, officeHours}, false, ""},
		{"lenticular, counted from 0", "Employees get 21 days of annual leave【4:0†policy】. The branch in Porto is closed on Sundays【4:1†hours】.", []string{leavePolicy, officeHours}, false, ""},
		{"wrong source", "Employees get 21 days of annual leave and unused days expire on 31 March of the next year [2].", []string{leavePolicy, officeHours}, true, ""},
		{"German answer", "Vollzeitkräfte erhalten 21 Urlaubstage. Nicht genommene Tage verfallen am 31. März.", []string{"Vollzeitkräfte erhalten 21 Urlaubstage im Jahr. Nicht genommene Tage verfallen am 31. März des Folgejahres."}, false, ""},
		{"German fault", "Vollzeitkräfte erhalten 35 Urlaubstage. Nicht genommene Tage verfallen am 30. Juni.", []string{"Vollzeitkräfte erhalten 21 Urlaubstage im Jahr. Nicht genommene Tage verfallen am 31. März des Folgejahres."}, true, ""},
		{"self-contradiction", "The watch is waterproof to 30 m. Note that the watch is not waterproof.", []string{device}, true, "rules"},
		{"source cut, copied from its end", "The lighthouse keeper of Ottersby retired in 1987 after 41 years.", []string{strings.Repeat("The office keeps older letters in the cellar. ", 4_000) + "The lighthouse keeper of Ottersby retired in 1987 after 41 years."}, false, ""},
		{"added condition", "Members pay nothing even after the trial ends.", []string{"Members pay nothing unless the trial has ended."}, true, "conditions"},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := schemas.Interaction{ID: "i", Answer: c.answer, Temperature: schemas.UnknownTemperature}
			for i, s := range c.sources {
				in.Sources = append(in.Sources, schemas.Source{ID: string(rune('1' + i)), Text: s})
			}
			in.Sources[0].URI = "https://example.org/policy"
			f := e.Evaluate(t.Context(), &in, schemas.Origin{}, time.Unix(0, 0))
			switch {
			case !c.wrong:
				require.False(t, f.Alert, "fired %v", f.Fired)
				require.NotEqual(t, schemas.Block, f.Recommendation)
			case c.limit == "":
				require.NotEqual(t, schemas.Allow, f.Recommendation, "fired %v", f.Fired)
			}
		})
	}
}

// The default alert rule on our own rows: hardly any right answer alerts. Two methods agree on few faults of prose and on none
// of records.
func TestAlertsOnOwnRows(t *testing.T) {
	t.Parallel()
	e, err := confab.New(confab.Options{Suite: detectors.Options{Now: time.Now}}, confab.Tuning{})
	require.NoError(t, err)
	for pattern, bounds := range map[string]struct{ right, wrong float64 }{
		"detectors/standard/testdata/records/*.jsonl":  {0.01, 0},
		"detectors/standard/testdata/everyday/*.jsonl": {0.01, 0.08},
	} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		var rows, alerts [2]float64
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			for line := range strings.Lines(string(text)) {
				var row schemas.Labelled
				require.NoError(t, json.DecodeLabelled([]byte(line), &row))
				f := e.Evaluate(t.Context(), &row.Interaction, schemas.Origin{}, time.Unix(0, 0))
				rows[row.Label]++
				if f.Alert {
					alerts[row.Label]++
				}
			}
		}
		require.LessOrEqual(t, alerts[0]/rows[0], bounds.right, "%s: %v of %v right answers alert", pattern, alerts[0], rows[0])
		require.GreaterOrEqual(t, alerts[1]/rows[1], bounds.wrong, "%s: %v of %v wrong answers alert", pattern, alerts[1], rows[1])
	}
}
