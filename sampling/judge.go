package sampling

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"confab/internal/text"
	"confab/schemas"
)

// Judge calls the judge endpoint. It implements deep.Judge and is safe for concurrent use. Against prompt injection,
// untrusted text is fenced by marks that are random for every call, template sequences are removed, replies must follow
// a strict schema, statements are named by index, and a canary statement that no source supports is added: if the judge
// calls it faithful, all its verdicts are discarded.
type Judge struct{ gatedClient }

// NewJudge returns a judge.
func NewJudge(o EndpointOptions) *Judge { return &Judge{newEndpoint(o)} }

// Statements requests the statements of the answer. The caller must compare them with the answer.
func (j *Judge) Statements(ctx context.Context, question, answer string) (list []string, used schemas.Usage, err error) {
	used, err = j.judge(ctx, statementsForm(), statementsSystem, func(b *strings.Builder, mark string) {
		if strings.TrimSpace(question) != "" {
			writeFenced(b, mark, "Question", question)
		}
		writeFenced(b, mark, "Answer", answer)
	}, func(body []byte) (err error) {
		list, err = readStatements(body)
		return err
	})
	return list, used, err
}

// Verdicts requests a verdict for each statement and for a canary statement.
func (j *Judge) Verdicts(ctx context.Context, statements, sources []string) ([]schemas.Verdict, schemas.Usage, error) {
	canary, at, err := newCanary(j.random, sources, len(statements))
	if err != nil {
		return nil, schemas.Usage{}, err
	}
	list := slices.Insert(slices.Clone(statements), at, canary)
	var verdicts []schemas.Verdict
	used, err := j.judge(ctx, verdictsForm(), verdictsSystem, func(b *strings.Builder, mark string) {
		writeFencedList(b, mark, "Source", sources)
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

// canaryTemplates are plausible statements with a random number.
//
//nolint:gochecknoglobals // a read-only table
var canaryTemplates = [...]string{
	"A total of %d people were counted.",
	"The reference number is %d.",
	"It took %d days altogether.",
	"The price was raised to %d dollars.",
	"The building has %d rooms.",
	"In all, %d copies were printed.",
}

const canaryTries = 8

// newCanary draws a statement that no source supports, and its position among n others.
func newCanary(random io.Reader, sources []string, n int) (statement string, at int, err error) {
	for range canaryTries {
		var b [16]byte
		if _, err := io.ReadFull(random, b[:]); err != nil {
			return "", 0, fmt.Errorf("draw canary statement: %w", err)
		}
		number := 10_000 + binary.LittleEndian.Uint32(b[:4])%90_000
		statement = fmt.Sprintf(canaryTemplates[binary.LittleEndian.Uint32(b[4:8])%uint32(len(canaryTemplates))], number)
		at = int(binary.LittleEndian.Uint64(b[8:]) % uint64(n+1))
		if !containsNumber(sources, strconv.FormatUint(uint64(number), 10)) {
			break
		}
	}
	return statement, at, nil
}

func containsNumber(sources []string, number string) bool {
	want := text.Hash(number)
	for _, s := range sources {
		tokens := text.AppendTokens(nil, s)
		for i := range tokens {
			if tokens[i].Hash == want {
				return true
			}
		}
	}
	return false
}
