package samples

import (
	"embed"
	"encoding/json"
	"strings"

	"confab/schemas"
)

// HostileTexts returns texts with mentions, links, formatting, hidden, reversed and overlong text: testdata/payloads.json,
// and invalid UTF-8, which a JSON file cannot hold.
func HostileTexts() []string {
	raw, err := payloadsFS.ReadFile("testdata/payloads.json")
	if err != nil {
		return nil
	}
	var entries []struct {
		Text  string `json:"text"`
		Times int    `json:"times"`
	}
	if err := json.Unmarshal(raw, &entries); err != nil {
		return nil
	}
	out := []string{"\x9b31mraw", "\xff\xfe<!channel>", "\xed\xa0\x80", "<!chan\xffnel>", "https:\xc0\xaf/evil.example"}
	for _, e := range entries {
		out = append(out, strings.Repeat(e.Text, max(1, e.Times)))
	}
	return out
}

//go:embed testdata/payloads.json
var payloadsFS embed.FS

// TextField is a field of an alert that holds untrusted text.
type TextField struct {
	Name string
	Put  func(a *schemas.Alert, text string)
}

// TextFields returns all of them. TestEveryFieldIsListed fails when one is missing.
func TextFields() []TextField {
	out := []TextField{
		{"Tenant", func(a *schemas.Alert, s string) { a.Tenant = s }},
		{"Models", func(a *schemas.Alert, s string) { a.Models = []string{s, "b", s + "c"} }},
		{"Groups.Tenant", func(a *schemas.Alert, s string) { a.Groups[0].Group.Tenant = s }},
		{"Groups.Service", func(a *schemas.Alert, s string) { a.Groups[0].Group.Service = s }},
		{"Groups.Operation", func(a *schemas.Alert, s string) { a.Groups[0].Group.Operation = s }},
		{"Groups.Provider", func(a *schemas.Alert, s string) { a.Groups[0].Group.Provider = s }},
		{"Groups.Model", func(a *schemas.Alert, s string) { a.Groups[0].Group.Model = s }},
		{"Groups.Detectors", func(a *schemas.Alert, s string) { a.Groups[0].Group.Detectors = []string{s} }},
		{"Feedback.User", func(a *schemas.Alert, s string) {
			a.Feedback[len(a.Feedback)-1].User, a.Feedback[len(a.Feedback)-1].Source = s, schemas.FromSlack
		}},
		{"Feedback.User of the command line", func(a *schemas.Alert, s string) {
			a.Feedback[len(a.Feedback)-1].User, a.Feedback[len(a.Feedback)-1].Source = s, schemas.FromCLI
		}},
		{"Feedback.Comment", func(a *schemas.Alert, s string) { a.Feedback[len(a.Feedback)-1].Comment = s }},
		{"Feedback.Verdict", func(a *schemas.Alert, s string) { a.Feedback[len(a.Feedback)-1].Verdict = schemas.HumanVerdict(s) }},
		{"Group", func(a *schemas.Alert, s string) { a.Group = s }},
		{"Message", func(a *schemas.Alert, s string) { a.Message = s }},
		{"Channel", func(a *schemas.Alert, s string) { a.Channel = s }},
		{"Severity", func(a *schemas.Alert, s string) { a.Severity = schemas.Severity(s) }},
		{"Cause", func(a *schemas.Alert, s string) { a.Cause = schemas.DigestCause(s) }},
	}
	for _, f := range FlagTextFields() {
		out = append(out, TextField{"Flag." + f.Name, func(a *schemas.Alert, s string) {
			f.Put(&a.Flag, s)
			for i := range a.Riskiest {
				f.Put(&a.Riskiest[i], s)
			}
		}})
	}
	return out
}

// FlagTextField is a field of a flag that holds untrusted text.
type FlagTextField struct {
	Name string
	Put  func(f *schemas.Flag, text string)
}

// FlagTextFields returns all of them.
func FlagTextFields() []FlagTextField {
	out := []FlagTextField{
		{"IncidentID", func(f *schemas.Flag, s string) { f.IncidentID = s }},
		{"Tenant", func(f *schemas.Flag, s string) { f.Tenant = s }},
		{"InteractionID", func(f *schemas.Flag, s string) { f.InteractionID = s }},
		{"Service", func(f *schemas.Flag, s string) { f.Service = s }},
		{"Operation", func(f *schemas.Flag, s string) { f.Operation = s }},
		{"Provider", func(f *schemas.Flag, s string) { f.Provider = s }},
		{"Model", func(f *schemas.Flag, s string) { f.Model = s }},
		{"TraceID", func(f *schemas.Flag, s string) { f.TraceID = s }},
		{"SpanID", func(f *schemas.Flag, s string) { f.SpanID = s }},
		{"ConversationID", func(f *schemas.Flag, s string) { f.ConversationID = s }},
		{"Tags", func(f *schemas.Flag, s string) { f.Tags = []string{s} }},
		{"Origin.Topic", func(f *schemas.Flag, s string) { f.Origin.Topic = s }},
		{"Recommendation", func(f *schemas.Flag, s string) { f.Recommendation = schemas.Recommendation(s) }},
		{"Action", func(f *schemas.Flag, s string) { f.Action = schemas.Action(s) }},
		{"Pass", func(f *schemas.Flag, s string) { f.Pass = schemas.Pass(s) }},
		{"SampleReason", func(f *schemas.Flag, s string) { f.SampleReason = s }},
		{"Calibration", func(f *schemas.Flag, s string) { f.Calibration = s }},
		{"WorkerVersion", func(f *schemas.Flag, s string) { f.WorkerVersion = s }},
		{"IDSource", func(f *schemas.Flag, s string) { f.IDSource = s }},
		{"Attributes", func(f *schemas.Flag, s string) { f.Attributes = map[string]string{s: s} }},
		{"Fired", func(f *schemas.Flag, s string) { f.Fired = []string{s, "citation"} }},
		{"AnomalousRates", func(f *schemas.Flag, s string) { f.AnomalousRates = map[string]float64{s: 0.9} }},
		{"Question", func(f *schemas.Flag, s string) { f.Question = s }},
		{"SourcesFrom", func(f *schemas.Flag, s string) { f.SourcesFrom = s }},
		{"Unchecked", func(f *schemas.Flag, s string) { f.Checked, f.Unchecked = schemas.Checked(s), []string{s} }},
		{"Grounding.Source", func(f *schemas.Flag, s string) {
			f.Grounding = &schemas.Grounding{Source: s, UngroundedClaimList: []schemas.Claim{{Excerpt: s}}}
		}},
	}
	signal := func(name string, put func(*schemas.Signal, string)) {
		out = append(out, FlagTextField{"Signals." + name, func(f *schemas.Flag, s string) {
			for i := range f.Signals {
				put(&f.Signals[i], s)
			}
		}})
	}
	signal("Detector", func(g *schemas.Signal, s string) { g.Detector = s })
	signal("Type", func(g *schemas.Signal, s string) { g.Type = schemas.SignalType(s) })
	signal("Reason", func(g *schemas.Signal, s string) { g.Reason = s })
	signal("Outcome", func(g *schemas.Signal, s string) {
		if g.Outcome != schemas.Fired {
			g.Outcome = schemas.Outcome(s)
		}
	})
	signal("Measures", func(g *schemas.Signal, s string) { g.Measures = map[string]float64{s: 1, "b": 2} })
	piece := func(name string, put func(*schemas.Evidence, string)) {
		signal("Evidence."+name, func(g *schemas.Signal, s string) {
			for i := range g.Evidence {
				put(&g.Evidence[i], s)
			}
		})
	}
	piece("Excerpt", func(e *schemas.Evidence, s string) { e.Excerpt = s })
	piece("Citation", func(e *schemas.Evidence, s string) { e.Citation = s })
	piece("SourceID", func(e *schemas.Evidence, s string) { e.SourceID = s })
	piece("SourceExcerpt", func(e *schemas.Evidence, s string) { e.SourceExcerpt = s })
	piece("SourceSays", func(e *schemas.Evidence, s string) { e.SourceSays = s })
	piece("Note", func(e *schemas.Evidence, s string) { e.Note = s })
	return out
}

// CloneAlert returns a copy of an alert that TextFields can modify.
func CloneAlert(a schemas.Alert) schemas.Alert {
	a.Flag = cloneFlag(a.Flag)
	a.Riskiest = append([]schemas.Flag(nil), a.Riskiest...)
	for i := range a.Riskiest {
		a.Riskiest[i] = cloneFlag(a.Riskiest[i])
	}
	a.Groups = append([]schemas.GroupCount(nil), a.Groups...)
	a.Feedback = append([]schemas.Feedback(nil), a.Feedback...)
	return a
}

func cloneFlag(f schemas.Flag) schemas.Flag {
	f.Signals = append([]schemas.Signal(nil), f.Signals...)
	for i := range f.Signals {
		f.Signals[i].Evidence = append([]schemas.Evidence(nil), f.Signals[i].Evidence...)
	}
	return f
}

// HostileFlag returns a flag with the payload in every text except its id.
func HostileFlag(p string) schemas.Flag {
	f := cloneFlag(Flag())
	for _, s := range FlagTextFields() {
		if s.Name != "IncidentID" {
			s.Put(&f, p)
		}
	}
	for len(f.Signals) < 7 {
		f.Signals = append(f.Signals, f.Signals[0])
	}
	return f
}
