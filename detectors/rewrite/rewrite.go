package rewrite

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"confab/detectors"
	"confab/schemas"
)

// MaxRounds is the maximum of rounds of cutting and measuring.
const MaxRounds = 3

// maxAnswer is the largest answer that is rewritten, in bytes.
const maxAnswer = 1 << 20

// EmptyAnswer is the default sentence for an answer of which nothing is left.
const EmptyAnswer = "No verified answer is available."

// Evaluate measures an interaction as the flag was measured. It does not change the interaction.
type Evaluate func(ctx context.Context, in *schemas.Interaction) (schemas.Flag, error)

// Options configure a rewriting.
type Options struct {
	Mode        Mode
	EmptyAnswer string // replaces an answer of which nothing is left; [EmptyAnswer] when empty
	Evaluate    Evaluate
}

// ParseMode returns the mode of that name.
func ParseMode(name string) (Mode, error) {
	if m := Mode(name); slices.Contains(Modes(), m) {
		return m, nil
	}
	return "", fmt.Errorf("%q: expected remove, hedge or annotate", name)
}

// ReviseAnswer rewrites the answer of an interaction with its flag. Neither is changed. The result shares the text of the
// answer with the interaction.
func ReviseAnswer(ctx context.Context, in *schemas.Interaction, flag *schemas.Flag, o Options) Result {
	if o.EmptyAnswer == "" {
		o.EmptyAnswer = EmptyAnswer
	}
	v := revision{in: in, opts: o, result: Result{Mode: o.Mode, Original: in.Answer, Edits: []Edit{}}}
	if len(flag.Fired) == 0 {
		v.result.Status, v.result.Answer = StatusUnchanged, in.Answer
		v.result.After = outcomeOf(flag, MeasuredAnswer)
		return v.result
	}
	if reason := refusal(in, flag); reason != "" {
		return v.fail(reason)
	}
	v.read()
	return v.revise(ctx, flag)
}

// revision is one rewriting.
type revision struct {
	in     *schemas.Interaction
	opts   Options
	doc    detectors.Document
	answer *answerLayout
	found  []*place // by unit; nil for none
	result Result
}

// read divides the answer.
func (v *revision) read() {
	v.doc.SetLimits(detectors.Limits{TextBytes: 2*len(v.in.Answer) + detectors.MaxTextBytes})
	v.doc.Reset(v.in)
	v.answer = readLayout(v.in.Answer, v.doc.Sentences(), v.doc.Language())
	v.found = make([]*place, len(v.answer.Units))
}

func (v *revision) fail(reason string) Result {
	v.result.Status, v.result.Reason, v.result.Answer, v.result.Edits = StatusFailed, reason, "", []Edit{}
	return v.result
}

// revise cuts flagged places and measures the rest until nothing fires.
func (v *revision) revise(ctx context.Context, flag *schemas.Flag) Result {
	before := firedSet(flag)
	rest := applySplices(v.in.Answer, nil)
	for v.result.Rounds < MaxRounds {
		if reason := v.addPlaces(flag, &rest); reason != "" {
			return v.fail(reason)
		}
		v.result.Rounds++
		cut, next := v.cut()
		empty := v.opts.Mode == ModeRemove && isEmpty(v.answer, cut)
		switch {
		case empty:
			next = rewrittenText{Text: v.opts.EmptyAnswer}
		case v.opts.Mode == ModeRemove && hasBrokenTags(v.in.Answer, next.Text):
			return v.fail(ReasonMarkup)
		}
		measured, err := v.opts.Evaluate(ctx, v.interactionWith(&next))
		if err != nil || isUnmeasured(&measured, before) {
			return v.fail(ReasonMeasured)
		}
		v.result.After = outcomeOf(&measured, v.measured())
		switch {
		case len(measured.Fired) == 0:
			v.finish(cut, &next, empty)
			return v.result
		case empty:
			return v.fail(ReasonEmptyFires)
		}
		flag, rest = &measured, next
	}
	return v.fail(ReasonStillFires)
}

func (v *revision) measured() string {
	if v.opts.Mode == ModeRemove {
		return MeasuredAnswer
	}
	return MeasuredUnmarked
}

// cut removes the units with a place and, in mode remove, what cannot stay without them.
func (v *revision) cut() (*cutSet, rewrittenText) {
	cut := v.answer.newCut()
	for i, p := range v.found {
		if p != nil {
			cut.Causes[i] = flaggedUnit
		}
	}
	if v.opts.Mode == ModeRemove {
		cut.close()
	}
	return cut, applySplices(v.in.Answer, cut.splices())
}

// finish writes the rewritten answer and its edits.
func (v *revision) finish(cut *cutSet, rest *rewrittenText, empty bool) {
	v.result.Status = StatusRewritten
	switch v.opts.Mode {
	case ModeHedge:
		v.result.Answer = v.hedge()
	case ModeAnnotate:
		v.result.Answer = v.annotate()
	case ModeRemove:
		v.result.Answer = rest.Text
		v.listCuts(cut, empty)
	}
}

// listCuts lists what was removed.
func (v *revision) listCuts(cut *cutSet, empty bool) {
	for i, why := range cut.Causes {
		if why == keptUnit {
			continue
		}
		u := &v.answer.Units[i]
		e := Edit{Start: u.Start, End: u.End, Action: "removed", Because: why.String()}
		if v.found[i] != nil {
			e.Detectors = v.found[i].detectors
		}
		v.result.Edits = append(v.result.Edits, e)
	}
	if empty {
		v.result.Edits = append(v.result.Edits, Edit{End: len(v.in.Answer), Action: "replaced"})
	}
	slices.SortStableFunc(v.result.Edits, func(a, b Edit) int { return a.Start - b.Start })
}

// isEmpty reports that nothing is left but introductions, questions and courtesies.
func isEmpty(a *answerLayout, cut *cutSet) bool {
	for i := range a.Units {
		u := &a.Units[i]
		if cut.Causes[i] == keptUnit && (u.Code || !isFiller(a.Text[u.Start:u.End])) {
			return false
		}
	}
	return true
}

// fillers are the first words of sentences that say nothing without an answer.
const fillers = "sure|certainly|of course|absolutely|great question|i hope|hope this|let me know|feel free|please let me know|if you have any|if you need"

// isFiller reports a sentence that says nothing by itself.
func isFiller(s string) bool {
	s = strings.TrimRight(s, "*_ \t")
	if !strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		return true
	}
	for _, end := range []string{":", "：", "?", "？"} {
		if strings.HasSuffix(s, end) {
			return true
		}
	}
	lower := strings.ToLower(s[:min(len(s), 40)])
	for f := range strings.SplitSeq(fillers, "|") {
		if strings.HasPrefix(lower, f) {
			return true
		}
	}
	return false
}
