package mapping

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/schemas/json/scan"
)

const talkOfNames = `ticket;author;said
T-1;Maria Keller;How long do I have to return shoes?
T-1;Ava;You can return shoes within 30 days of delivery.
T-2;Jon Peters;Do you ship to Austria?
T-2;Ava;Yes, delivery takes 3 to 5 working days.
T-1;Maria Keller;And who pays for the shipping?
T-1;Ava;Return shipping is free in Germany.
T-2;Jon Peters;Thanks.
T-2;Ava;You are welcome.
`

// The map of messages that are logged one a record joins them, and says who the model is.
func TestTalk(t *testing.T) {
	for name, file := range map[string]string{
		"names":  talkOfNames,
		"words":  strings.NewReplacer("Maria Keller", "customer", "Jon Peters", "customer", "Ava", "support_bot").Replace(talkOfNames),
		"people": strings.NewReplacer("Maria Keller", "Kunde", "Jon Peters", "Kunde", "T-2;Ava", "T-2;Ben").Replace(talkOfNames),
		"a customer each": strings.NewReplacer("T-1;Maria Keller;And", "T-3;Ann Lee;And", "T-1;Ava;Return", "T-3;Ava;Return",
			"T-2;Jon Peters;Thanks", "T-4;Bo Ek;Thanks", "T-2;Ava;You are", "T-4;Ava;You are").Replace(talkOfNames),
		"a role is known": strings.NewReplacer("Maria Keller", "user", "Jon Peters", "user", "Ava", "assistant", "author", "role", "said", "content").Replace(talkOfNames),
	} {
		t.Run(name, func(t *testing.T) {
			var out, errs bytes.Buffer
			save := filepath.Join(t.TempDir(), "map.yaml")
			require.NoError(t, Run(strings.NewReader(file), &out, &errs, Options{Name: "chat.csv", Save: save}))
			require.Contains(t, out.String(), "  request: /joined\n  conversation_id: /ticket\nwhere:\n")
			require.Contains(t, errs.String(), "This map reads 4 of 8 records as answers; the others are messages before them. The first of them:\n"+
				"   2 answer:   You can return shoes within 30 days of delivery.\n     question: How long do I have to return shoes?\n")
		})
	}
}

// What begins each conversation is not the model's.
func TestTalkWithABeginning(t *testing.T) {
	file := strings.NewReplacer("ticket;author;said\n", "ticket;author;said\nT-1;run.start;You are the assistant of a shop.\nT-2;run.start;You are the assistant of a shop.\n",
		"Maria Keller", "user_input", "Jon Peters", "user_input", "Ava", "final_output").Replace(talkOfNames)
	var out, errs bytes.Buffer
	require.NoError(t, Run(strings.NewReader(file), &out, &errs, Options{Name: "chat.csv"}))
	require.Contains(t, out.String(), "where:\n  /author: [\"final_output\"]")
}

// Steps of an agent are calls of tools with their results, not passages.
func TestCallsAreProposed(t *testing.T) {
	const run = `{"run":"a","task":"Refund order 88213.","steps":[{"tool":"get_order","input":{"id":"88213"},"output":"{\"total\":49.9}"},{"tool":"refund","input":{"id":"88213"},"output":"refund window closed"}],"final":"I have refunded 49.90 euros for the order."}` + "\n"
	var out, errs bytes.Buffer
	require.NoError(t, Run(strings.NewReader(run+run), &out, &errs, Options{Name: "f"}))
	require.Contains(t, out.String(), "  messages: /task\n  tool_calls: /steps\n")
	require.NotContains(t, out.String(), "sources")
	require.Contains(t, errs.String(), "     calls of tools: 2, with results: 2, the first: get_order\n")
}

// Messages of which many name no speaker cannot be joined, which the proposal says.
func TestTalkWithoutSpeakers(t *testing.T) {
	var file strings.Builder
	for i := range 8 {
		who := [2]string{`"who":"customer",`, `"who":"bot",`}
		if i == 3 {
			who = [2]string{}
		}
		fmt.Fprintf(&file, "{\"room\":\"r%d\",%s\"said\":\"How long can I return goods?\"}\n{\"room\":\"r%d\",%s\"said\":\"You can return goods within %d days of delivery.\"}\n", i, who[0], i, who[1], 30+i)
	}
	propose := func(file string) string {
		var out, errs bytes.Buffer
		require.NoError(t, Run(strings.NewReader(file), &out, &errs, Options{Name: "f"}))
		return errs.String()
	}
	const note = "more than a tenth of the messages name no speaker at /who, so that each is read as an answer of its own: name it in all"
	require.Contains(t, propose(file.String()), note)
	require.NotContains(t, propose(strings.ReplaceAll(file.String(), `"r3",`, `"r3","who":"bot",`)), note)
}

// Questions beside their answers, and answers of several models, are no talk.
func TestNoTalk(t *testing.T) {
	for _, file := range []string{
		"session,model,question,answer\na,m1,How long may I return it?,Thirty days after delivery.\na,m2,Who pays for it?,We pay for it in Germany.\nb,m1,Do you ship to Austria?,Yes we do.\nb,m2,What does it cost?,It costs nine euros.\n",
		"case,kind,text\n1,summary,The tenant asks for a repair.\n2,summary,The landlord refuses to pay.\n3,summary,Both agree on a date in May.\n4,summary,The court has decided.\n",
	} {
		records, _, _, err := readSample(strings.NewReader(file), "f")
		require.NoError(t, err)
		require.Nil(t, Propose(records).Where, file)
	}
}

// Events of an agent's log are joined: who speaks and what is said may be anywhere in them.
func TestEventsAreJoined(t *testing.T) {
	var lines []string
	for _, c := range []string{"a", "b", "c"} {
		for _, e := range []string{
			`"kind":"run.start","data":{"agent":"guide"}`, `"kind":"UserInput","data":{"question":"When does gate %s open?"}`,
			`"kind":"tool.start","data":{"call":1,"tool_name":"gate","input":{"gate":"%s"}}`, `"kind":"tool.start","data":{"call":2,"tool_name":"clock","input":{}}`,
			`"kind":"tool.end","data":{"call":1,"tool_name":"gate","rows":[{"opens":"09:15"}]}`, `"kind":"tool.end","data":{"call":2,"tool_name":"clock","value":"08:00"}`,
			`"kind":"agent.say","data":{"reply":"Gate %s opens at 09:15 in the morning."}`,
		} {
			lines = append(lines, `{"run_id":"`+c+`",`+strings.ReplaceAll(e, "%s", c)+`}`)
		}
	}
	var out, errw strings.Builder
	require.NoError(t, Run(strings.NewReader(strings.Join(lines, "\n")), &out, &errw, Options{Name: "f"}))
	require.Equal(t, "map:\n  answer: /data/reply\n  request: /joined\n  conversation_id: /run_id\nwhere:\n  /kind: [\"agent.say\"]  # who is the model\n", out.String())
	require.Contains(t, errw.String(), "reads 3 of 21 records as answers")
	require.Contains(t, errw.String(), "question: When does gate a open?\n     calls of tools: 2, with results: 2, the first: gate\n")
	require.NotContains(t, errw.String(), "no passages")
	require.Contains(t, Hint([]byte(lines[0]), &scan.Error{Reason: scan.ReasonMissingAnswer}, "f"), "confab map f proposes a map that joins them")
}

// Events are joined by what they say, whatever they are called; the model's own members, and an id, are those of its records.
func TestFunctionEventsAreJoined(t *testing.T) {
	var lines []string
	for i, c := range []string{"a-1", "b-2", "c-3"} {
		for j, e := range []string{
			`"what":"USER_MSG","payload":{"text":"Where is order %s now?"}`, `"what":"FN_CALL","payload":{"fn":"orders.get","args":{"id":"%s"},"call_id":"x%s"}`,
			`"what":"FN_RESULT","payload":{"call_id":"x%s","data":"{\"id\":\"%s\",\"name\":\"Kettle\"}"}`,
			`"what":"BOT_MSG","payload":{"reply":"Order %s is on its way to you.","llm":"small-4","mood":"good"}`,
		} {
			lines = append(lines, fmt.Sprintf(`{"chat":"%s","seq":%d,%s}`, c, 4*i+j, strings.ReplaceAll(e, "%s", c)))
		}
	}
	var out, errw strings.Builder
	require.NoError(t, Run(strings.NewReader(strings.Join(lines, "\n")), &out, &errw, Options{Name: "f"}))
	require.Equal(t, "map:\n  answer: /payload/reply\n  request: /joined\n  conversation_id: /chat\n  model: /payload/llm\n  interaction_id: /seq\nwhere:\n  /what: [\"BOT_MSG\"]  # who is the model\n", out.String())
	require.Contains(t, errw.String(), "question: Where is order a-1 now?\n     calls of tools: 1, with results: 1, the first: orders.get\n")
	require.Contains(t, errw.String(), "not used: /payload/mood\n")
}

// The steps of a run within a record are read with the question beside them; passages win over titles, and none is where no record has it.
func TestStepsInARecord(t *testing.T) {
	const run = `{"run":"r%d","ask":"What may a hotel cost?","trail":[{"kind":"tool_call","cid":"c1","fn":"policy.search","params":{"q":"hotel"}},{"kind":"tool_return","cid":"c1","payload":{"hits":[{"doc":"Travel policy v3","text":"Hotels up to 140 EUR a night in capitals."}]}},{"kind":"say","text":"Up to 140 EUR a night."}]}`
	var out, errw strings.Builder
	require.NoError(t, Run(strings.NewReader(fmt.Sprintf(run+"\n"+run, 1, 2)), &out, &errw, Options{Name: "f"}))
	require.Equal(t, "map:\n  answer: /trail/last:kind=say/text\n  request: /ask + /trail\n  interaction_id: /run\n", out.String())
	require.Contains(t, errw.String(), "question: What may a hotel cost?\n     calls of tools: 1, with results: 1, the first: policy.search\n     passages: 1, the first: ")

	const flat = `{"id":"r%d","q":"What may a hotel cost?","hits":[{"doc":"Travel policy v%d","text":"Hotels up to 140 EUR a night in capitals, 110 EUR elsewhere."}],"a":"Up to 140 EUR a night in capitals."}`
	out.Reset()
	require.NoError(t, Run(strings.NewReader(fmt.Sprintf(flat+"\n"+flat, 1, 1, 2, 2)), &out, &errw, Options{Name: "f"}))
	require.Contains(t, out.String(), "  sources: title=/doc text=/text /hits\n")
}

// Calls in rows of the model, and turns that are given as a list with names of their own, are read; no entry is proposed that no answer has.
func TestCallsAndTurnsOfOtherNames(t *testing.T) {
	run := func(lines string) (proposed, said string) {
		var out, errw strings.Builder
		require.NoError(t, Run(strings.NewReader(lines), &out, &errw, Options{Name: "f"}))
		return out.String(), errw.String()
	}
	proposed, said := run(`{"ticket":"a","sender":"customer","message":"Please raise my limit to 1000 euros."}
{"ticket":"a","sender":"bot","message":null,"tool_calls":[{"id":"c","name":"set_limit","arguments":"{\"limit\":1000}"}]}
{"ticket":"a","sender":"tool","message":"{\"ok\":false,\"error\":\"DENIED\"}","tool_call_id":"c"}
{"ticket":"a","sender":"bot","message":"I could not raise your limit, as it was denied."}`)
	require.Equal(t, "map:\n  answer: /message\n  request: /joined\n  conversation_id: /ticket\nwhere:\n  /sender: [\"bot\"]  # who is the model\n", proposed)
	require.Contains(t, said, "calls of tools: 1, with results: 1, the first: set_limit")

	var lines strings.Builder
	for i := range 4 {
		fmt.Fprintf(&lines, `{"id":"x-%d","ask":"And what does bag %d cost?","say":"Bag number %d costs nine euros.","earlier":[{"who":"customer","said":"May I take %d bags?"},{"who":"bot","said":"You may take two bags."}]}`+"\n", i, i, i, i)
	}
	proposed, said = run(lines.String())
	require.Contains(t, proposed, "  messages: role=/who content=/said /earlier + /ask\n")
	require.NotContains(t, proposed, "sources")
	require.NotContains(t, said, "not used")
}
