package mapping

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/schemas"
)

// logOf writes a log: for each of some trains the lines of one talk.
func logOf(lines ...string) string {
	var b strings.Builder
	for i := range 6 {
		for _, line := range lines {
			fmt.Fprintln(&b, strings.NewReplacer("RX 4", fmt.Sprintf("RX %d", 40+i), "17", fmt.Sprint(17+i), "ride-0", fmt.Sprintf("ride-%d", i)).Replace(line))
		}
	}
	return b.String()
}

// A call and what came of it may be one step: an event, or in a list, under any names.
func TestStepsThatHoldCallAndResult(t *testing.T) {
	for want, file := range map[string]string{
		"    hand_move: tool /blob/gizmo /blob/in /blob/out\n": logOf(`{"ride":"ride-0","phase":"rider_said","blob":{"txt":"How many seats are left on train RX 4?"}}`,
			`{"ride":"ride-0","phase":"brain_note","blob":{"txt":"I look up the seats of RX 4."}}`,
			`{"ride":"ride-0","phase":"hand_move","blob":{"gizmo":"seats","in":{"train":"RX 4"},"out":{"free":17},"fine":true}}`,
			`{"ride":"ride-0","phase":"brain_said","blob":{"txt":"There are 17 seats left."}}`),
		"    step.tool: tool /data/call/name /data/call/args /data/return\n": logOf(`{"ride":"ride-0","name":"run.opened","data":{"input":"How many seats are left on train RX 4?"}}`,
			`{"ride":"ride-0","name":"step.tool","data":{"call":{"name":"seats","args":{"train":"RX 4"}},"return":{"free":17}}}`,
			`{"ride":"ride-0","name":"run.closed","data":{"output":"There are 17 seats left."}}`),
		"  tool_calls: name=/tool arguments=/arg result=/obs /hops\n": logOf(`{"ride":"ride-0","ask":"How many seats are left on train RX 4?","hops":[` +
			`{"idea":"look up seats","tool":"seats","arg":{"train":"RX 4"},"obs":{"free":17}},{"idea":"answer now","tool":null,"arg":null,"obs":null}],"final":"There are 17 seats left."}`),
		"  messages: role=/who content=/line /history\n  tool_calls: name=/fn arguments=/with result=/gave /acts\n": logOf(`{"ride":"ride-0","history":[{"who":"caller","line":"Good day"},` +
			`{"who":"desk","line":"How can I help you?"},{"who":"caller","line":"How many seats are left on train RX 4?"}],"acts":[{"fn":"seats","with":"{\"train\":\"RX 4\"}","gave":"There are 17 free seats"}],` +
			`"desk_reply":"There are 17 seats left."}`),
	} {
		answers, out, _, _ := readBy(t, file, strings.NewReplacer())
		require.Contains(t, out, want)
		require.NotContains(t, out, "sources")
		require.Len(t, answers, 6)
		require.Equal(t, "There are 18 seats left.", answers[1].Answer)
		require.Equal(t, "How many seats are left on train RX 41?", answers[1].UserQuestion())
		require.Len(t, answers[1].Calls, 1)
		require.Equal(t, schemas.ToolCall{Name: "seats", Arguments: `{"train":"RX 41"}`}, schemas.ToolCall{Name: answers[1].Calls[0].Name, Arguments: answers[1].Calls[0].Arguments})
		require.Contains(t, answers[1].Calls[0].Result, "18")
	}
}

// Calls are offered also where the answer is read without a map.
func TestStepsBesideAKnownAnswer(t *testing.T) {
	const call = `{"name":"seats","arguments":{"train":"RX 4"},"result":{"free":17}}`
	for want, line := range map[string]string{
		"  request: /question + /rounds\n":                                           `{"question":"How many seats are left on train RX 4?","rounds":[{"idea":"I look it up.","tool_calls":[` + call + `]},{"idea":"Done.","tool_calls":[]}],"answer":"There are 17 seats left."}`,
		"  answer: /steps/last:type=final/text\n  request: /question + /steps\n":     `{"question":"How many seats are left on train RX 4?","steps":[{"type":"tool","tool":` + call + `},{"type":"final","text":"There are 17 seats left."}]}`,
		"  tool_calls: name=/tool arguments=/request result=/response /tools_used\n": `{"question":"How many seats are left on train RX 4?","tools_used":[{"tool":"seats","request":{"train":"RX 4"},"response":{"free":17}}],"answer":"There are 17 seats left."}`,
		"  response: /end\n  request: /goal + /rounds\n":                             `{"goal":"How many seats are left on train RX 4?","rounds":[{"no":1,"tool_calls":[` + call + `]}],"end":{"status":"success","message":"There are 17 seats left."}}`,
	} {
		answers, out, _, _ := readBy(t, logOf(line), strings.NewReplacer())
		require.Contains(t, out, want)
		require.Len(t, answers, 6)
		require.Equal(t, "There are 18 seats left.", answers[1].Answer)
		require.Len(t, answers[1].Calls, 1)
		require.Contains(t, answers[1].Calls[0].Result, "18")
		require.Contains(t, UncheckedHint([]byte(line), "f"), "confab map f proposes")
	}
	require.Empty(t, UncheckedHint([]byte(`{"question":"How many?","answer":"There are 17 seats left.","tool_calls":[`+call+`]}`), "f"))
}

// Other lists of objects are no steps: passages with metadata are passages.
func TestPassagesAreNoSteps(t *testing.T) {
	_, out, _, _ := readBy(t, logOf(`{"ride":"ride-0","ask":"How many seats are left on train RX 4?","hits":[{"name":"seats.md","meta":{"page":4},"text":"Train RX 4 has 17 free seats today."}],"final":"There are 17 seats left."}`), strings.NewReplacer())
	require.NotContains(t, out, "tool_calls")
	require.Contains(t, out, "/hits")
}

// What failed lies in a member of its own.
func TestErrorsOfStepsInLists(t *testing.T) {
	answers, out, _, _ := readBy(t, logOf(`{"ride":"ride-0","ask":"How many seats are left on train RX 4?","trail":[{"did":{"fn":"find_seats","with":{"train":"RX 4"}},"failed":"timeout of the depot","got":null},`+
		`{"did":{"fn":"find_seats","with":{"train":"RX 4"}},"got":{"free":17}}, {"did":{"fn":"find_seats","with":{"train":"RX 4"}},"got":{"class":2}},{"did":{"fn":"find_seats","with":{"train":"RX 4"}},"got":{"car":3}},`+
		`{"did":{"fn":"find_seats","with":{"train":"RX 4"}},"got":{"side":"left"}}],"said":"There are 17 seats left."}`), strings.NewReplacer())
	require.Contains(t, out, "  tool_calls: name=/did/fn arguments=/did/with result=/got error=/failed /trail\n")
	require.Equal(t, "timeout of the depot", answers[0].Calls[0].Error)
}

// A member that each result has is none that failed, whatever its name.
func TestProblemsAreNoErrors(t *testing.T) {
	_, out, _, _ := readBy(t, logOf(`{"ride":"ride-0","ask":"What is wrong with train RX 4?","trail":[{"did":"read_ticket","with":{"train":"RX 4"},"got":{"coach":17},"problem":"A door of RX 4 is stuck."}],"said":"A door of coach 17 is stuck."}`), strings.NewReplacer())
	require.Contains(t, out, "result=/got")
	require.NotContains(t, out, "error=")
	_, out, _, _ = readBy(t, strings.NewReplacer(`"gave":{`, `"problem":{`).Replace(voyages()), strings.NewReplacer())
	require.Contains(t, out, "probe_heard: result /problem\n")
}

// What a call was given asks nothing, though it is like the question.
func TestArgumentsAreNoQuestion(t *testing.T) {
	answers, out, _, _ := readBy(t, logOf(`{"ride":"ride-0","traveller_says":"How many seats are left on train RX 4?","trail":[{"thinking":"Look it up.",`+
		`"action":{"fn":"seats","params":{"q":"How many seats are left on train RX 4?"}},"observation":{"free":17}}],"closing_message":"There are 17 seats left."}`), strings.NewReplacer())
	require.Contains(t, out, "  messages: /traveller_says\n")
	require.Len(t, answers[0].Calls, 1)
}

// Of columns of passages with numbers all are read, also where the first ones tell all.
func TestAllColumnsOfPassages(t *testing.T) {
	_, out, _, _ := readBy(t, logOf(`{"ride":"ride-0","frage":"How many seats are left on train RX 4?","textstelle_1":"There are 17 seats left on train RX 4 today, of which a few are reserved for people who travel with small children or a wheelchair.",`+
		`"textstelle_2":"Bicycles travel free of charge after nine o'clock on train RX 4.","antwort_bot":"There are 17 seats left."}`), strings.NewReplacer())
	require.Contains(t, out, "  sources: /textstelle_1 + /textstelle_2\n")
}

// A response has what no member beside it says: where it lacks id, model and time, these are read from the record.
func TestFieldsThatTheResponseLacks(t *testing.T) {
	answers, out, _, _ := readBy(t, logOf(`{"traceRef":"rq-17a","emittedAt":"2026-11-16T07:28:24Z","input":{"question":"How many seats are left on train RX 4?"},`+
		`"retrieval":{"chunks":[{"id":"kb/4","body":"Train RX 4 has 17 free seats today."}]},"output":{"reply":"There are 17 seats left.","finish":"stop","usage":{"in":1383,"out":29}},"engine":{"deployment":"seats-eu-1"}}`), strings.NewReplacer())
	require.Contains(t, out, "  response: /output\n")
	require.Equal(t, []string{"rq-18a", "seats-eu-1"}, []string{answers[1].ID, answers[1].Model})
	require.False(t, answers[1].OccurredAt.IsZero())
}
