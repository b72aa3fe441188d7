package alerting

import (
	"strings"
	"time"

	"confab/schemas"
)

// everything is what an operator can ask for.
func everything() RenderOptions {
	return RenderOptions{
		Buttons: true, TraceURL: "https://traces.example/t/{trace_id}?view=spans", RunbookURL: "https://wiki.example/on-call#confab",
	}
}

// sampleOne is the first message about a problem.
func sampleOne() schemas.Alert {
	f := sample()
	return schemas.Alert{
		Kind: schemas.AlertGroup, Message: "00112233445566778899aabbccddeeff", Group: groupKey, Lane: schemas.LaneHigh, Tenant: "acme",
		Flag: f, Count: 1, First: f.OccurredAt.Add(2 * time.Second), Last: f.OccurredAt.Add(2 * time.Second), Models: []string{"gpt-4o-mini"},
	}
}

// sampleGroup is a problem that goes on, after a deep look at its first incident.
func sampleGroup() schemas.Alert {
	a := sampleOne()
	a.Flag.Pass, a.Flag.SampleReason, a.Flag.Risk, a.Flag.SpanID = schemas.PassDeep, "high_stakes", new(0.91), "00f067aa0ba902b7"
	a.Flag.Signals[0].Measures = map[string]float64{"worst": 0.91, "cited": 2}
	a.Riskiest = []schemas.Flag{a.Flag, member("b7", 0.88, "Dogs of any size are welcome."), member("c4", 0.86, "The fee is 90 euros.")}
	a.Count, a.Last = 38, a.First.Add(34*time.Minute+8*time.Second)
	a.Models = []string{"gpt-4o", "gpt-4o-mini", "o4-mini"}
	return a
}

// member is another incident of the group.
func member(digits string, risk float64, excerpt string) schemas.Flag {
	f := sample()
	f.IncidentID, f.Risk = strings.Repeat(digits, 32), &risk
	f.Signals = f.Signals[1:2:2]
	f.Signals[0].Evidence = []schemas.Evidence{{Start: 0, End: len(excerpt), Excerpt: excerpt, SourceID: "doc-2", Similarity: 0.22}}
	return f
}

// sampleDigest tells of twelve groups.
func sampleDigest(cause schemas.DigestCause) schemas.Alert {
	a := sampleGroup()
	a.Kind, a.Cause, a.Lane, a.Group = schemas.AlertDigest, cause, schemas.LaneNormal, ""
	a.Count, a.More = 412, 9
	a.Groups = []schemas.GroupCount{
		{Group: schemas.AlertGroupLabels{Tenant: "acme", Service: "support-bot", Model: "gpt-4o-mini", Detectors: []string{"citation", "grounding"}}, Count: 301},
		{Group: schemas.AlertGroupLabels{Tenant: "acme", Service: "contract-desk", Model: "gpt-4o", Detectors: []string{"facts", "grounding"}}, Count: 57},
		{Group: schemas.AlertGroupLabels{Tenant: "acme"}, Count: 20},
	}
	return a
}

// sampleBroken is an alert about a detector.
func sampleBroken() schemas.Alert {
	a := sampleGroup()
	a.Kind, a.Detector, a.Share, a.Lane = schemas.AlertBroken, "technical", 0.834, schemas.LaneNormal
	return a
}

// labels are what people said about the incident.
func labels() []schemas.Feedback {
	at := time.Date(2026, 11, 21, 12, 3, 20, 0, time.UTC)
	return []schemas.Feedback{
		{IncidentID: incident, Verdict: schemas.FalsePositive, User: "U012AB3CD", Source: schemas.FromSlack, At: at.Add(-time.Minute)},
		{IncidentID: incident, Verdict: schemas.Confirmed, User: "U012AB3CD", Source: schemas.FromSlack, At: at},
		{IncidentID: incident, Verdict: schemas.FalsePositive, User: "jane", Source: schemas.FromCLI, At: at.Add(time.Hour), Comment: "the source was updated"},
	}
}

// kinds are messages of every kind in which every part is filled.
func kinds() []schemas.Alert {
	digest, broken, group := sampleDigest(schemas.DigestThrottled), sampleBroken(), sampleGroup()
	group.Earlier, group.MayRepeat, group.Models = 12, true, nil // the model is shown where the models are not
	for _, a := range []*schemas.Alert{&digest, &broken, &group} {
		a.Feedback, a.Groups = labels(), digest.Groups
	}
	return []schemas.Alert{cloned(group), cloned(digest), cloned(broken)}
}
