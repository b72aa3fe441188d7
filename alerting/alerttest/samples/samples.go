package samples

import (
	"strings"
	"time"

	"confab/schemas"
)

// IncidentID is the id of the incident of a sample.
const IncidentID = "3f1c0c8d5f2b4e6a9b7d0e1f2a3b4c5d6e7f8091a2b3c4d5e6f708192a3b4c5d"

// Flag returns a flag on which two detectors fired.
func Flag() schemas.Flag {
	return schemas.Flag{
		IncidentID: IncidentID, Pass: schemas.PassFast,
		InteractionID: "resp-0042", Tenant: "acme", Service: "support-bot", Operation: "answer_with_citations",
		Provider: "openai", Model: "gpt-4o-mini", TraceID: "4bf92f3577b34da6a3ce929d0e0e4736", ConversationID: "chat-7",
		Question:   "When did the bridge open?",
		OccurredAt: time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC),
		Origin:     schemas.Origin{Topic: "llm.interactions", Partition: 3, Offset: 1042},
		Signals: []schemas.Signal{
			{
				Detector: "citation", Outcome: schemas.Fired, Score: 0.91, Threshold: 0.55, Type: schemas.Attribution,
				Reason: "the cited source does not support the sentence",
				Evidence: []schemas.Evidence{
					{Start: 10, End: 58, Excerpt: "The bridge opened in 1937 and is 2.7 km long [2].", Citation: "[2]", SourceID: "doc-7", Similarity: 0.31, Note: "1937", SourceNumber: 2, SourceExcerpt: "Its opening in 1935 was a public holiday.", SourceSays: "1935"},
					{Start: 80, End: 120, Excerpt: "It was painted red [3].", Citation: "[3]", SourceID: "doc-9", Similarity: 0.12},
				},
			},
			{
				Detector: "grounding", Outcome: schemas.Fired, Score: 0.8, Threshold: 0.62, Type: schemas.Factual,
				Reason:   "a claim has no support in the sources",
				Evidence: []schemas.Evidence{{Start: 10, End: 58, Excerpt: "The bridge opened in 1937", SourceID: "doc-7", Similarity: 0.2}},
			},
			{Detector: "confidence", Outcome: schemas.NotCheckable, Reason: "no logprobs"},
			{Detector: "schema", Outcome: schemas.Clear, Threshold: 0.5},
		},
		Fired: []string{"citation", "grounding"}, Alert: true,
		Recommendation: schemas.Block, Action: schemas.ActionFlag,
		Calibration: "2026-11-21-ab12", WorkerVersion: "0.1.0",
	}
}

// SingleAlert returns the first message of a group.
func SingleAlert() schemas.Alert {
	f := Flag()
	return schemas.Alert{
		Kind: schemas.AlertGroup, Message: "00112233445566778899aabbccddeeff", Group: GroupKey, Severity: schemas.SeverityHigh, Tenant: "acme",
		Flag: f, Count: 1, First: f.OccurredAt.Add(2 * time.Second), Last: f.OccurredAt.Add(2 * time.Second), Models: []string{"gpt-4o-mini"},
	}
}

// GroupAlert returns a message of a larger group after a deep evaluation of its first incident.
func GroupAlert() schemas.Alert {
	a := SingleAlert()
	a.Flag.Pass, a.Flag.SampleReason, a.Flag.Risk, a.Flag.SpanID = schemas.PassDeep, "high_stakes", new(0.91), "00f067aa0ba902b7"
	a.Flag.Signals[0].Measures = map[string]float64{"worst": 0.91, "cited": 2}
	a.Riskiest = []schemas.Flag{a.Flag, FlagOf("b7", 0.88, "Dogs of any size are welcome."), FlagOf("c4", 0.86, "The fee is 90 euros.")}
	a.Count, a.Last = 38, a.First.Add(34*time.Minute+8*time.Second)
	a.Models = []string{"gpt-4o", "gpt-4o-mini", "o4-mini"}
	return a
}

// FlagOf returns another incident of the group.
func FlagOf(digits string, risk float64, excerpt string) schemas.Flag {
	f := Flag()
	f.Question = ""
	f.IncidentID, f.Risk = strings.Repeat(digits, 32), &risk
	f.Signals = f.Signals[1:2:2]
	f.Signals[0].Evidence = []schemas.Evidence{{Start: 0, End: len(excerpt), Excerpt: excerpt, SourceID: "doc-2", Similarity: 0.22}}
	return f
}

// AgentAlert returns a message about an answer that hides that a call of a tool has failed.
func AgentAlert() schemas.Alert {
	a := SingleAlert()
	a.Flag.Question, a.Flag.Fired = "Is my refund on its way?", []string{"tools"}
	a.Flag.Signals = []schemas.Signal{
		{
			Detector: "tools", Outcome: schemas.Fired, Score: 0.9, Threshold: 0.5, Type: schemas.ToolUse, Reason: "a call failed and the answer reports success",
			Evidence: []schemas.Evidence{
				{Start: 27, End: 52, Excerpt: "It has been sent to you.", Note: "refund_order: error", CallID: "call_7"},
				{Start: schemas.NoPlace, End: schemas.NoPlace, Note: "cancel_order was not offered", CallID: "call_8"},
			},
		},
	}
	return a
}

// DigestAlert returns a digest of twelve groups.
func DigestAlert(cause schemas.DigestCause) schemas.Alert {
	a := GroupAlert()
	a.Kind, a.Cause, a.Severity, a.Group = schemas.AlertDigest, cause, schemas.SeverityNormal, ""
	a.Count, a.MoreGroups = 412, 9
	a.Groups = []schemas.GroupCount{
		{
			Group: schemas.AlertGroupLabels{Tenant: "acme", Service: "support-bot", Model: "gpt-4o-mini", Problem: "9f86d081884c7d65"}, Count: 301,
			Incident: IncidentID, Said: "“The bridge opened in 1937 and is 2.7 km long [2].”, source says: 1935", Found: "facts (factual): the sources contradict the answer",
		},
		{Group: schemas.AlertGroupLabels{Tenant: "acme", Service: "contracts", Model: "gpt-4o", Detectors: []string{"facts", "grounding"}}, Count: 57},
		{Group: schemas.AlertGroupLabels{Tenant: "acme"}, Count: 20},
	}
	return a
}

// Feedback returns labels of the incident.
func Feedback() []schemas.Feedback {
	at := time.Date(2026, 11, 21, 12, 3, 20, 0, time.UTC)
	return []schemas.Feedback{
		{IncidentID: IncidentID, Verdict: schemas.Fine, User: "U012AB3CD", Source: schemas.FromSlack, At: at.Add(-time.Minute)},
		{IncidentID: IncidentID, Verdict: schemas.Wrong, User: "U012AB3CD", Source: schemas.FromSlack, At: at},
		{IncidentID: IncidentID, Verdict: schemas.Fine, User: "jane", Source: schemas.FromCLI, At: at.Add(time.Hour), Comment: "the source was updated"},
	}
}

// Alerts returns messages of every kind with all fields set.
func Alerts() []schemas.Alert {
	digest, group := DigestAlert(schemas.DigestThrottled), GroupAlert()
	group.EarlierCount, group.PossiblyDuplicated, group.Models = 12, true, nil // without models the model is shown
	for _, a := range []*schemas.Alert{&digest, &group} {
		a.Feedback, a.Groups = Feedback(), digest.Groups
	}
	return []schemas.Alert{CloneAlert(group), CloneAlert(digest)}
}

// GroupKey is the key of a group.
const GroupKey = "0123456789abcdef0123456789abcdef"

// MessageID is the id of a message.
const MessageID = "0123456789abcdef0123456789abcdef"

// Noon returns the current time of tests.
func Noon() time.Time { return time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC) }

// RunningAlert returns a message of a group after some time.
func RunningAlert() schemas.Alert {
	return schemas.Alert{
		Kind: schemas.AlertGroup, Message: MessageID, Severity: schemas.SeverityHigh, Tenant: "acme", Flag: Flag(), Count: 38, EarlierCount: 4,
		First: Noon().Add(-10 * time.Minute), Last: Noon().Add(-time.Minute), Models: []string{"gpt-4o", "gpt-4o-mini"},
		Groups: []schemas.GroupCount{{
			Group: schemas.AlertGroupLabels{Tenant: "acme", Service: "support-bot", Detectors: []string{"grounding", "citation"}}, Count: 38,
		}},
	}
}

// StaleDigest returns a digest of old incidents.
func StaleDigest() schemas.Alert {
	return schemas.Alert{
		Kind: schemas.AlertDigest, Cause: schemas.DigestStale, Message: MessageID, Severity: schemas.SeverityNormal, Tenant: "acme",
		Flag: Flag(), Count: 120, First: Noon().Add(-7 * time.Hour), Last: Noon().Add(-2 * time.Hour), MoreGroups: 3,
		Groups: []schemas.GroupCount{
			{Group: schemas.AlertGroupLabels{Tenant: "acme", Service: "support-bot"}, Count: 100},
			{Group: schemas.AlertGroupLabels{Tenant: "acme", Service: "search"}, Count: 17},
		},
	}
}

// Notice returns a notice with a hostile name in it.
func Notice() schemas.Alert {
	return schemas.Alert{
		Kind: schemas.AlertNotice, Message: "tuning 2026-11-23-1a2b3c4d", Severity: schemas.SeverityNormal, First: Noon(), Last: Noon(),
		Notice: []string{
			"Confab has tuned itself: calibration 2026-11-23-1a2b3c4d is in force",
			"threshold of facts, tenant \"<!channel>\": 0.55, was 0.60", "Nothing, if you agree. To go back: confab tune --rollback",
		},
	}
}

// MinimalAlert returns an alert with only the fields that every sink needs.
func MinimalAlert() schemas.Alert {
	return schemas.Alert{Kind: schemas.AlertGroup, Flag: Flag(), Message: MessageID, Tenant: "acme", Channel: "C042", Count: 1}
}

// LookalikeTenants returns names that resemble the tenant bank.
func LookalikeTenants() []string {
	return []string{
		"", "Bank", "BANK", "bAnK", " bank", "bank ", "bank\n", "\tbank", "bank\x00", "\x00bank", "bank\r", "bank\x1b[0m", "bank\x7f",
		"bank\u200b", "\ufeffbank", "ba\u00adnk", "b\u0430nk", "b\u0061\u0301nk", "\uff42\uff41\uff4e\uff4b", "ban\u212a", "bank\u202e",
		"\u202eknab", "bank/", "bank#1", "bank,shop", "bank\",\"tenant\":\"bank", "tenants.bank", "../bank", "bank%00", "bank;", "*",
		".*", "bank|", "$bank", "default", "unknown", "bank\xff", "\xffbank",
	}
}
