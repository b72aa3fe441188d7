package sampling

import (
	"context"
	"slices"
	"strings"

	"confab/schemas"
)

// Judge calls the judge endpoint. It implements deep.FaultFinder and deep.StatementJudge and is safe for concurrent use. Against
// prompt injection, untrusted text is fenced by marks that are random for every call, template sequences are removed, replies
// must follow a strict schema, and a canary statement that no source supports is added: if the judge lets it pass, all its
// verdicts are discarded.
type Judge struct {
	gatedClient
	rules func(tenant, operation string) string
}

// NewJudge returns a judge. rules are those of the operator for an answer, "" for none.
func NewJudge(o EndpointOptions, rules func(tenant, operation string) string) *Judge {
	return &Judge{newEndpoint(o), rules}
}

// fromProbability is the least probability with which a working judge lists the canary statement.
const fromProbability = 0.5

// Faults requests the faults of the answer, to which a canary statement is added. The caller must find the quotes in the answer.
func (j *Judge) Faults(ctx context.Context, r *schemas.JudgeRequest) ([]schemas.Fault, schemas.Usage, error) {
	known, err := newCanary(j.random, r)
	if err != nil {
		return nil, schemas.Usage{}, err
	}
	var faults []schemas.Fault
	used, err := j.judge(ctx, judgePrompt{faultsForm(), faultsPrompt(r), j.rules(r.Tenant, r.Operation)}, func(b *strings.Builder, mark string) {
		writeCase(b, mark, r)
		writeFenced(b, mark, "Answer", known.addTo(r.Answer))
	}, func(body []byte) (err error) {
		faults, err = readFaults(body)
		return err
	})
	if err != nil {
		return nil, used, err
	}
	found, kept, sent := false, faults[:0], known.addTo(r.Answer)
	for _, f := range faults {
		rest, quoted := known.cut(f.Quote, sent)
		if quoted && rest == "" {
			found = found || f.Probability >= fromProbability
			continue
		}
		f.Quote = rest
		kept = append(kept, f)
	}
	if !found {
		return nil, used, schemas.JudgeCompromised
	}
	return kept, used, nil
}

// Statements requests the statements of the answer. The caller must compare them with the answer.
func (j *Judge) Statements(ctx context.Context, r *schemas.JudgeRequest) (list []string, used schemas.Usage, err error) {
	used, err = j.judge(ctx, judgePrompt{statementsForm(), statementsSystem, ""}, func(b *strings.Builder, mark string) {
		writeCase(b, mark, &schemas.JudgeRequest{Conversation: r.Conversation, Date: r.Date})
		writeFenced(b, mark, "Answer", r.Answer)
	}, func(body []byte) (err error) {
		list, err = readStatements(body)
		return err
	})
	return list, used, err
}

// Verdicts requests a verdict for each statement and for a canary statement.
func (j *Judge) Verdicts(ctx context.Context, r *schemas.JudgeRequest, statements []string) ([]schemas.Verdict, schemas.Usage, error) {
	known, err := newCanary(j.random, r)
	if err != nil {
		return nil, schemas.Usage{}, err
	}
	at := int(known.draw % uint64(len(statements)+1))
	list := slices.Insert(slices.Clone(statements), at, known.statement)
	var verdicts []schemas.Verdict
	used, err := j.judge(ctx, judgePrompt{verdictsForm(), verdictsSystem, j.rules(r.Tenant, r.Operation)}, func(b *strings.Builder, mark string) {
		writeCase(b, mark, r)
		writeFencedList(b, mark, "Statement", list)
	}, func(body []byte) (err error) {
		verdicts, err = readVerdicts(body, len(list))
		return err
	})
	switch {
	case err != nil:
		return nil, used, err
	case verdicts[at].Ruling == schemas.Faithful:
		return nil, used, schemas.JudgeCompromised
	}
	return slices.Delete(verdicts, at, at+1), used, nil
}
