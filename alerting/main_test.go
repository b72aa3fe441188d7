package alerting

import (
	"testing"
	"time"

	"go.uber.org/goleak"

	"confab/schemas"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// incident is the id of the incident of a sample.
const incident = "3f1c0c8d5f2b4e6a9b7d0e1f2a3b4c5d6e7f8091a2b3c4d5e6f708192a3b4c5d"

// sample is a flag on which two detectors agree.
func sample() schemas.Flag {
	return schemas.Flag{
		IncidentID: incident, Pass: schemas.PassFast,
		InteractionID: "resp-0042", Tenant: "acme", Service: "support-bot", Operation: "answer_with_citations",
		Provider: "openai", Model: "gpt-4o-mini", TraceID: "4bf92f3577b34da6a3ce929d0e0e4736", ConversationID: "chat-7",
		OccurredAt: time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC),
		Origin:     schemas.Origin{Topic: "llm.interactions", Partition: 3, Offset: 1042},
		Signals: []schemas.Signal{
			{
				Detector: "citation", Outcome: schemas.Fired, Score: 0.91, Threshold: 0.55, Type: schemas.Attribution,
				Reason: "the cited source does not bear out the sentence",
				Evidence: []schemas.Evidence{
					{Start: 10, End: 58, Excerpt: "The bridge opened in 1937 and is 2.7 km long [2].", Citation: "[2]", SourceID: "doc-7", Similarity: 0.31, Note: "1937"},
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
