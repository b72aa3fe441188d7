package conversation_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/detectors/conversation"
	"confab/schemas"
)

// dialogue is an interaction of texts of the user and the assistant in turn; the last one is the answer.
func dialogue(texts ...string) *schemas.Interaction {
	in := &schemas.Interaction{Answer: texts[len(texts)-1]}
	for i, s := range texts[:len(texts)-1] {
		in.Messages = append(in.Messages, schemas.Message{Role: []string{"user", "assistant"}[i%2], Content: s})
	}
	return in
}

const (
	question = "What does the Plus plan cost?"
	before   = "The Plus plan costs 19 euros a month."
	after    = "The Plus plan costs 15 euros a month."
)

// Characters that are read in overlapping pairs and words of other scripts are no numbers of parts.
func TestOddTexts(t *testing.T) {
	d, err := conversation.New(conversation.Options{})
	require.NoError(t, err)
	var doc detectors.Document
	doc.Reset(dialogue("a", "مصباحbetween 3 and", "b", "灯价格30欧元。* is not"))
	_, err = d.Detect(t.Context(), &doc)
	require.NoError(t, err)
}

// Each row is a contradiction, and what makes it none.
func TestRules(t *testing.T) {
	for name, row := range map[string]struct{ wrong, right []string }{
		"the user has the value": {[]string{question, before, "Are you sure?", after}, []string{question, before, "The website says 15 euros.", after}},
		"another subject":        {[]string{question, before, "OK?", after}, []string{question, before, "OK?", "The Basic plan costs 15 euros a month."}},
		"another name in the question": {
			[]string{question, before, "What was the price of the plan?", after}, []string{question, before, "What was the price in Norway?", after},
		},
		"an open correction": {[]string{question, before, "Really?", after}, []string{question, before, "Really?", "Sorry, I was wrong. " + after}},
		"both values":        {[]string{question, before, "Really?", after}, []string{question, before, "Really?", after + " It was 19 euros."}},
		"a rounded value": {
			[]string{"How tall is it?", "Ben Nevis is 1,345 metres tall.", "Sure?", "Ben Nevis is 1,435 metres tall."},
			[]string{"How tall is it?", "Ben Nevis is 1,345 metres tall.", "Sure?", "Ben Nevis is about 1,300 metres tall."},
		},
		"a change that is asked for": {
			[]string{"When?", "Your flight to Oslo leaves at 9:40.", "Thanks. When exactly?", "Your flight to Oslo leaves at 11:20."},
			[]string{"When?", "Your flight to Oslo leaves at 9:40.", "Please change it.", "Your flight to Oslo leaves at 11:20."},
		},
		"a remaining amount": {
			[]string{"How many?", "Your plan covers 10 sessions of physiotherapy.", "OK.", "Your plan covers 8 sessions of physiotherapy."},
			[]string{"How many?", "Your plan covers 10 sessions of physiotherapy.", "OK.", "Your plan still covers 8 sessions of physiotherapy."},
		},
		"a decision about another thing": {
			[]string{"Is breakfast included?", "Yes, breakfast is included in the Flex rate.", "Good.", "Breakfast is not included in the Flex rate."},
			[]string{"Is breakfast included?", "Yes, breakfast is included in the Flex rate.", "Good.", "Breakfast is not included in the Saver rate."},
		},
		"a name with a title": {
			[]string{"Who teaches maths?", "Mr. Okonjo teaches year 8 maths.", "Book me in at 6.", "You will see Ms. Farrow about year 8 maths at 6 pm."},
			[]string{"Who teaches maths?", "Mr. Okonjo teaches year 8 maths.", "And year 9?", "Ms. Farrow teaches year 9 maths."},
		},
		"the words of the question": {
			[]string{"When is the daily backup?", "At 02:00 UTC.", "I have heavy jobs.", "Around 04:30 UTC, since the daily backup runs."},
			[]string{"When is the daily backup?", "At 02:00 UTC.", "I have heavy jobs.", "Around 04:30 UTC, since the weekly scan runs."},
		},
		"digits in another order": {
			[]string{"Which number?", "I opened ticket INC-30771.", "Thanks, what was it?", "It is INC-30717."},
			[]string{"Which number?", "I opened ticket INC-30771.", "Another, please.", "It is INC-30772."},
		},
		"a list": {
			[]string{"When?", "Glass Harbour is on at 18:45 and 21:30.", "Good.", "Glass Harbour is on at 18:15."},
			[]string{"When?", "Glass Harbour is on at 18:45 and 21:30.", "Good.", "Glass Harbour is on at 21:30."},
		},
		"a statement that is made again": {
			[]string{"When?", "Your blood test is on 6 May at 8:30.", "And parking?", "There is a car park. Your blood test is on 6 May at 11:30."},
			[]string{"When?", "Your blood test is on 6 May at 8:30.", "And the scan?", "Your scan is on 6 May at 11:30."},
		},
		"several values": {
			[]string{"When?", "The train to Leipzig leaves at 8:12.", "Sure?", "The train to Leipzig leaves at 9:05."},
			[]string{"When?", "The train to Leipzig leaves at 8:12.", "Any other?", "The train to Leipzig leaves at 10:12.", "Sure?", "The train to Leipzig leaves at 9:05."},
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := detect(t, &detectors.Document{}, dialogue(row.wrong...))
			require.Len(t, f.Evidence, 1)
			require.Equal(t, 1, f.Evidence[0].Turn)
			require.Empty(t, detect(t, &detectors.Document{}, dialogue(row.right...)).Evidence)
		})
	}
}

func TestSourcesAndToolsExplain(t *testing.T) {
	in := dialogue(question, before, "Sure?", after)
	in.Sources = []schemas.Source{{Text: "From 1 May: Plus plan, 15 euros a month."}}
	require.Empty(t, detect(t, &detectors.Document{}, in).Evidence)
	in.Sources, in.Calls = nil, []schemas.ToolCall{{Name: "price", Result: `{"plan":"plus","eur":15}`}}
	require.Empty(t, detect(t, &detectors.Document{}, in).Evidence)
}

func TestNotCheckable(t *testing.T) {
	require.Equal(t, "first answer", detect(t, &detectors.Document{}, dialogue(question, before)).NotCheckable)
	require.Equal(t, "no facts", detect(t, &detectors.Document{}, dialogue(question, before, "Thanks", "You are welcome!")).NotCheckable)
}

// The latest answers are read, and their numbers count all of them.
func TestLongHistory(t *testing.T) {
	texts := []string{question, before}
	for range 15 {
		texts = append(texts, "Hm.", "You are welcome.")
	}
	f := detect(t, &detectors.Document{}, dialogue(append(texts, "Sure?", after)...))
	require.Equal(t, 1, f.Evidence[0].Turn)
	texts = append([]string{"Hi.", "Hello."}, texts...)
	f = detect(t, &detectors.Document{}, dialogue(append(texts, "Sure?", after)...))
	require.Equal(t, 2, f.Evidence[0].Turn)
	f = detect(t, &detectors.Document{}, dialogue(append(texts, "Hm.", "You are welcome.", "Sure?", after)...))
	require.Empty(t, f.Evidence, "the answer is too far back")
}

// A figure that was redacted when it was kept is not known well enough to contradict.
func TestRedactedFigure(t *testing.T) {
	doc := &detectors.Document{}
	first := dialogue("When?", "Your flight to Oslo leaves at 9:40.")
	detect(t, doc, first)
	turn := conversation.Turn(doc)
	turn.Number = 1
	next := dialogue("Sure?", "Your flight to Oslo leaves at 11:20.")
	next.Earlier = []schemas.EarlierTurn{turn}
	require.Len(t, detect(t, &detectors.Document{}, next).Evidence, 1)
	for i := range turn.Facts {
		turn.Facts[i].Text = strings.ReplaceAll(turn.Facts[i].Text, "9:40", "[secret]")
	}
	require.Empty(t, detect(t, &detectors.Document{}, next).Evidence)
}

// The cost of a turn: with six answers in the messages, with six that were read before, and of reading it for the next ones.
func BenchmarkTurn(b *testing.B) {
	rows := readCorpus(b, "train")
	d, err := conversation.New(conversation.Options{})
	require.NoError(b, err)
	run := func(whole bool) func(b *testing.B) {
		return func(b *testing.B) {
			doc, list := &detectors.Document{}, []*schemas.Interaction{}
			for i := range rows {
				n := len(rows[i].Turns) - 1
				in := rows[i].interaction(n, whole)
				for k := range n {
					doc.Reset(rows[i].interaction(k, whole))
					in.Earlier = append(in.Earlier, conversation.Turn(doc))
				}
				list = append(list, in)
			}
			b.ResetTimer()
			for i := range b.N {
				doc.Reset(list[i%len(list)])
				if _, err := d.Detect(b.Context(), doc); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
	b.Run("messages", run(true))
	b.Run("earlier", run(false))
}
