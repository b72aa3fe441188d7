package encode

import (
	"strconv"

	"confab/internal/recordformat"
	"confab/schemas"
)

func (e *flagEncoder) signals(signals []schemas.Signal) {
	e.name("signals")
	e.Bytes = append(e.Bytes, '[')
	for i := range signals {
		s := recordformat.FiniteSignal(signals[i])
		e.comma()
		e.signal(&s)
	}
	e.Bytes = append(e.Bytes, ']')
}

func (e *flagEncoder) signal(s *schemas.Signal) {
	e.Bytes = append(e.Bytes, '{')
	e.always("detector", s.Detector)
	e.always("outcome", string(s.Outcome))
	e.number("score", s.Score)
	e.number("threshold", s.Threshold)
	writeMap(e, "measures", s.Measures, e.float)
	e.member("type", string(s.Type))
	e.member("reason", s.Reason)
	flagList(e, "evidence", s.Evidence, e.evidence)
	flagList(e, "statements", s.Statements, e.statement)
	e.Bytes = append(e.Bytes, '}')
}

// flagList writes a member with a list of objects, unless it is empty.
func flagList[T any](e *flagEncoder, n string, items []T, write func(*T)) {
	if len(items) > 0 {
		e.name(n)
		writeObjects(e, items, write)
	}
}

func writeObjects[T any](e *flagEncoder, items []T, write func(*T)) {
	e.Bytes = append(e.Bytes, '[')
	for i := range items {
		e.comma()
		e.Bytes = append(e.Bytes, '{')
		write(&items[i])
		e.Bytes = append(e.Bytes, '}')
	}
	e.Bytes = append(e.Bytes, ']')
}

func (e *flagEncoder) evidence(v *schemas.Evidence) {
	e.integer("start", int64(v.Start))
	e.integer("end", int64(v.End))
	e.member("excerpt", v.Excerpt)
	e.member("citation", v.Citation)
	e.member("source_id", v.SourceID)
	if v.SourceStart != 0 {
		e.integer("source_start", int64(v.SourceStart))
	}
	if v.SourceEnd != 0 {
		e.integer("source_end", int64(v.SourceEnd))
	}
	e.number("similarity", v.Similarity)
	e.member("note", v.Note)
	if v.SourceNumber != 0 {
		e.integer("source_number", int64(v.SourceNumber))
	}
	e.member("source_excerpt", v.SourceExcerpt)
	e.member("source_says", v.SourceSays)
}

func (e *flagEncoder) statement(v *schemas.Statement) {
	e.integer("start", int64(v.Start))
	e.integer("end", int64(v.End))
	e.always("text", v.Text)
	e.always("verdict", v.Verdict)
	e.member("reason", v.Reason)
	e.number("confidence", v.Confidence)
}

func (e *flagEncoder) grounding(g *schemas.Grounding) {
	if g == nil {
		return
	}
	e.name("grounding")
	e.Bytes = strconv.AppendBool(append(e.Bytes, `{"grounded":`...), g.Grounded)
	e.number("confidence", g.Confidence)
	e.number("overall_similarity", g.OverallSimilarity)
	e.integer("ungrounded_claim_count", int64(g.UngroundedClaims))
	e.name("ungrounded_claims")
	writeObjects(e, g.UngroundedClaimList, e.claim)
	e.member("source", g.Source)
	e.Bytes = append(e.Bytes, '}')
}

func (e *flagEncoder) claim(c *schemas.Claim) {
	e.integer("start", int64(c.Start))
	e.integer("end", int64(c.End))
	e.always("excerpt", c.Excerpt)
	e.number("similarity", c.Similarity)
}
