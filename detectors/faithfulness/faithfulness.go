package faithfulness

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"confab/detectors"
	"confab/detectors/deep"
	"confab/internal/text/units"
	"confab/schemas"
)

// Options configure the faithfulness detector.
type Options struct {
	// ExcludeOutOfScope counts statements that the sources do not cover as faithful, in llm.judge.mode statements. They always
	// are if text of a source was not read.
	ExcludeOutOfScope bool `yaml:"exclude_out_of_scope_statements"`
}

// DefaultOptions judge without statements out of scope.
func DefaultOptions() Options { return Options{ExcludeOutOfScope: true} }

// faithfulness asks a language model for the faults of the answer, or, in the published form, which statements of the answer
// its sources support. The judge is not trusted: what it quotes or states must come from the answer, and a judge that lets a
// canary statement pass makes the outcome an error.
type faithfulness struct{ opts Options }

// New returns the detector.
func New(o Options) (detectors.Detector, error) { return &faithfulness{opts: o}, nil }

const reasonNoJudge = "no judge"

// ownPrompt is the version of a prompt that is not known.
const ownPrompt = "own"

// Detect measures against_samples (1 if compared with sampled responses), the usage, and what [faithfulness.findFaults] or
// [faithfulness.judgeStatements] do.
func (f *faithfulness) Detect(ctx context.Context, doc *detectors.Document) (detectors.Finding, error) {
	models := deep.ModelsOf(doc)
	if models.Faults == nil && models.Judge == nil {
		return detectors.Finding{NotCheckable: reasonNoJudge}, nil
	}
	why := deep.Uncomparable
	if models.Faults != nil {
		why = nothingToRead
	}
	references, err := deep.ReferencesOf(ctx, doc, why(doc), models.Faults != nil)
	if err != nil || references.NotCheckable != "" {
		return references.Finding(doc, schemas.Usage{}, references.NotCheckable), err
	}
	request := requestOf(doc, &references)
	var out detectors.Finding
	if models.Faults != nil {
		out, err = f.findFaults(ctx, doc, &references, request)
	} else {
		out, err = f.judgeStatements(ctx, doc, &references, request)
	}
	out.Asked = schemas.Asked{Model: models.Asked.Model, Prompt: cmp.Or(models.Asked.Prompt, ownPrompt)}
	return out, err
}

// nothingToRead is why a judge of whole answers has nothing to read: a refusal, or courtesies and questions alone. Code, and a
// claim that the sources do not know, may be wrong.
func nothingToRead(doc *detectors.Document) string {
	claims := len(doc.Claims())
	switch {
	case claims <= 1 && deep.Declines(doc.Answer()):
		return deep.ReasonRefusal
	case claims == 0 && !doc.Units().Has(units.Abstention) && !strings.Contains(doc.Answer(), "```"):
		return detectors.ReasonNoClaims
	default:
		return ""
	}
}

// requestOf is what the judge reads.
func requestOf(doc *detectors.Document, references *deep.References) *schemas.JudgeRequest {
	in := doc.Interaction()
	r := &schemas.JudgeRequest{Tenant: in.Tenant, Operation: in.Operation, Date: in.OccurredAt, Answer: doc.Answer()}
	for i := range in.Messages {
		m := &in.Messages[i]
		before, after := m.Instructions()
		r.Conversation = append(r.Conversation, schemas.Message{Role: m.Role, Content: before + after})
	}
	for i, text := range references.Texts {
		s := schemas.JudgeSource{Label: strconv.Itoa(i + 1), Text: text}
		if references.At != nil {
			s.Label, s.ID = sourceName(references.At[i], in.Sources[references.At[i]].ID)
		}
		r.Sources = append(r.Sources, s)
	}
	return r
}

var safeID = regexp.MustCompile(`^[A-Za-z0-9._-]{1,40}$`)

// sourceName is the number by which markers cite the source, and its id if that is another: a marker is an id, else a position.
func sourceName(at int, id string) (label, other string) {
	label = strconv.Itoa(at + 1)
	switch _, err := strconv.ParseUint(id, 10, 32); {
	case id == label || !safeID.MatchString(id):
		return label, ""
	case err == nil:
		return id, ""
	default:
		return label, id
	}
}

// sourceAt is the index of the source that the judge names, -1 for none.
func sourceAt(r *schemas.JudgeRequest, references *deep.References, name string) int {
	at := slices.IndexFunc(r.Sources, func(s schemas.JudgeSource) bool { return name != "" && (s.Label == name || s.ID == name) })
	if at < 0 || references.At == nil {
		return -1
	}
	return references.At[at]
}
