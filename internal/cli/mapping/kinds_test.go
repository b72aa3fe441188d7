package mapping

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/promptsources"
	"confab/internal/worker/config"
	"confab/internal/worker/records"
	"confab/internal/worker/recordshape"
	"confab/schemas"
	"confab/schemas/json"
)

// walks is a log of words that nobody knows, with one event a record: two calls before their results.
func walks() string {
	var b strings.Builder
	for i := range 4 {
		for _, e := range []string{
			`"w":"zorp","t":"Which tree is ill in plot %d?"`, `"w":"tick","n":%d`,
			`"w":"vlim","gear":"lens","key":"k%da","body":{"side":"north"}`, `"w":"vlim","gear":"map","key":"k%db","body":{"side":"south"}`,
			`"w":"quon","key":"k%da","body":{"tree":"oak"}`, `"w":"quon","key":"k%db","body":{"row":3}`,
			`"w":"brel","t":"In plot %d the oak in row 3 is ill."`,
		} {
			fmt.Fprintf(&b, `{"walk_id":"walk-%d",%s}`+"\n", i, fmt.Sprintf(e, i))
		}
	}
	return b.String()
}

// voyages is a log with the steps of each run in a list.
func voyages() string {
	var b strings.Builder
	for i, place := range []string{"Kiel", "Husum", "Emden", "Wyk"} {
		fmt.Fprintf(&b, `{"voyage":"v%d","trail":[{"sort":"skipper_wrote","line":"How deep is the water at %s today?"},{"sort":"probe_sent","gauge":"depth","with":{"spot":"%[2]s"}},`+
			`{"sort":"probe_heard","gauge":"depth","gave":{"metres":%d}},{"sort":"pilot_wrote","line":"At %[2]s the water is %[3]d metres deep today."}]}`+"\n", i, place, 4+i)
	}
	return b.String()
}

// readBy reads a file by the map that is proposed for it, and what the reader says of its fields.
func readBy(t *testing.T, file string, edit *strings.Replacer) (answers []schemas.Interaction, out, errw, report string) {
	t.Helper()
	var proposed, said strings.Builder
	save := filepath.Join(t.TempDir(), "map.yaml")
	require.NoError(t, Run(strings.NewReader(file), &proposed, &said, Options{Name: "f"}))
	require.NoError(t, os.WriteFile(save, []byte(edit.Replace(proposed.String())), 0o600))
	c := config.Default()
	c.Kafka.Inputs = []config.Input{config.DefaultInput("in")}
	input, err := records.NewMapInput(c, save)
	require.NoError(t, err)
	lines, err := recordshape.NewRecords(strings.NewReader(file), json.MaxLabelledBytes, "f", input.Parts())
	require.NoError(t, err)
	for line, err := lines.Next(); err == nil; line, err = lines.Next() {
		var in schemas.Interaction
		if input.Decode(append([]byte{}, line...), &in) == nil {
			answers = append(answers, in)
		}
	}
	return answers, proposed.String(), said.String(), input.Report()
}

// The place of the run may have any name; a place that parts the records in fewer runs is none.
func TestKindsOfRunsWithAnyName(t *testing.T) {
	file := strings.NewReplacer(`"walk_id":"walk-0`, `"area":"north","walk":"walk-0`, `"walk_id":"walk-1`, `"area":"north","walk":"walk-1`, `"walk_id"`, `"area":"south","walk"`).Replace(walks())
	answers, out, _, _ := readBy(t, file, strings.NewReplacer())
	require.Contains(t, out, "  conversation_id: /walk\n")
	require.Len(t, answers, 4)
	require.Equal(t, "Which tree is ill in plot 0?", answers[0].Messages[0].Content)
}

// The kinds of events are told by what they hold and where they stand, whatever their words are.
func TestKindsOfRecords(t *testing.T) {
	answers, out, said, report := readBy(t, walks(), strings.NewReplacer())
	require.Contains(t, out, "  /w:\n    brel: answer /t\n    quon: result /body /key\n    tick: none\n    vlim: call /gear /body /key\n    zorp: user /t\n")
	require.NotContains(t, out, "where")
	require.Contains(t, out, "  interaction_id: /walk_id\n")
	require.Contains(t, said, "  tick → not known, left out (none), 4 records, such as ")
	require.Contains(t, said, "such as Which tree is ill in plot 0?\n")
	require.Len(t, answers, 4)
	require.Equal(t, "Which tree is ill in plot 1?", answers[1].Messages[0].Content)
	require.Equal(t, []schemas.ToolCall{
		{ID: "k1a", Name: "lens", Arguments: `{"side":"north"}`, Result: `{"tree":"oak"}`}, {ID: "k1b", Name: "map", Arguments: `{"side":"south"}`, Result: `{"row":3}`},
	}, answers[1].Calls)
	require.NotContains(t, report, "kinds of the map")
}

// The same holds for steps in a list.
func TestKindsOfSteps(t *testing.T) {
	answers, out, _, _ := readBy(t, voyages(), strings.NewReplacer())
	require.Contains(t, out, "  answer: /trail/last:sort=pilot_wrote/line\n  request: /trail\n")
	require.Contains(t, out, "  /trail/sort:\n    pilot_wrote: answer /line\n    probe_heard: result /gave\n    probe_sent: call /gauge /with\n    skipper_wrote: user /line\n")
	require.Len(t, answers, 4)
	require.Equal(t, "How deep is the water at Husum today?", answers[1].Messages[0].Content)
	require.Equal(t, []schemas.ToolCall{{Name: "depth", Arguments: `{"spot":"Husum"}`, Result: `{"metres":5}`}}, answers[1].Calls)
}

// A thought that begins the steps asks nothing where the question stands beside them, and a result in a step that says so is an error.
func TestThoughtsAndErrorsOfSteps(t *testing.T) {
	for _, names := range [][2]string{{"PONDER", "OOPS"}, {"thought", "probe_failed"}} {
		file := strings.NewReplacer(`{"sort":"skipper_wrote","line":"How deep`, `{"sort":"`+names[0]+`","line":"I measure at once, how deep`, `"voyage":"v0"`, `"ask":"How deep is it at Kiel?","voyage":"v0"`,
			`"voyage"`, `"ask":"How deep is it here?","voyage"`, `"sort":"probe_heard","gauge":"depth","gave":{"metres":7}`, `"sort":"`+names[1]+`","gauge":"depth","problem":"no echo after 3 s"`).Replace(voyages())
		answers, out, _, _ := readBy(t, file, strings.NewReplacer())
		require.Contains(t, out, "  request: /ask + /trail\n")
		require.Contains(t, out, names[0]+": none\n")
		require.Contains(t, out, names[1]+": error /problem\n")
		require.Len(t, answers, 4)
		require.Equal(t, "How deep is it at Kiel?", answers[0].Messages[0].Content)
		require.Equal(t, []schemas.ToolCall{{Name: "depth", Arguments: `{"spot":"Wyk"}`, Error: "no echo after 3 s"}}, answers[3].Calls)
	}
}

// hikes is a log of runs of steps with a call and its result in each, whose ids begin again in each run.
func hikes(call, result string) string {
	var b strings.Builder
	for i, tool := range []string{"trail.find", "hut.book", "trail.find", "bus.plan"} {
		fmt.Fprintf(&b, `{"hike":"h%d","track":[{"sort":"JOB_IN","saying":"Please do the work of day %[1]d"},{"sort":"TOOL_ASK",`+call+`},`+
			`{"sort":"TOOL_GAVE",`+result+`},{"sort":"REPLY","saying":"The work of day %[1]d is done, in %[3]d minutes."}]}`+"\n", i, tool, 40+i)
	}
	return b.String()
}

// An id that begins again in each run is no name of a tool, and the parts of a call may lie in a member; words that are known are no reason
// to lose texts of other names.
func TestKindsWithIDsOfARun(t *testing.T) {
	known := strings.NewReplacer("JOB_IN", "user", "TOOL_ASK", "tool_call", "TOOL_GAVE", "tool_result", "REPLY", "answer")
	for name, tt := range map[string]struct{ call, result, want string }{
		"flat":    {`"nr":"q1","job":"%[2]s","given":{"day":%[1]d}`, `"nr":"q1","got":{"minutes":%[3]d}`, "call /job /given /nr|result /got /nr"},
		"call_id": {`"call_id":"q1","tool":"%[2]s","given":{"day":%[1]d}`, `"call_id":"q1","got":{"minutes":%[3]d}`, "call /tool /given /call_id|result /got /call_id"},
		"member":  {`"ask":{"ref":"q1","do":"%[2]s","given":{"day":%[1]d}}`, `"gave":{"ref":"q1","got":{"minutes":%[3]d}}`, "call /ask/do /ask/given /ask/ref|result /gave/got /gave/ref"},
		"one":     {`"ask":{"ref":"q1","do":"%[2]s","given":{"day":%[1]d}}`, `"ref":"q1","got":{"minutes":%[3]d}`, "call /ask/do /ask/given /ask/ref|result /got /ref"},
	} {
		t.Run(name, func(t *testing.T) {
			want := strings.Split(tt.want, "|")
			for _, file := range []string{hikes(tt.call, tt.result), known.Replace(hikes(tt.call, tt.result))} {
				answers, out, said, _ := readBy(t, file, strings.NewReplacer())
				require.NotContains(t, out, "sources")
				require.NotContains(t, said, "no record has a question")
				require.Len(t, answers, 4)
				require.Equal(t, "Please do the work of day 1", answers[1].Messages[0].Content)
				require.Equal(t, []schemas.ToolCall{{ID: "q1", Name: "hut.book", Arguments: `{"day":1}`, Result: `{"minutes":41}`}}, answers[1].Calls)
				if strings.Contains(out, "JOB_IN") {
					require.Contains(t, out, "    JOB_IN: user /saying\n    REPLY: answer /saying\n    TOOL_ASK: "+want[0]+"\n    TOOL_GAVE: "+want[1]+"\n")
				}
			}
		})
	}
}

// A log without a question says so.
func TestNoQuestion(t *testing.T) {
	file := strings.NewReplacer(`{"sort":"JOB_IN","saying":"Please do the work of day `, `{"type":"user","nr":"`, "TOOL_ASK", "tool_call", "TOOL_GAVE", "tool_result", "REPLY", "answer", `"sort"`, `"type"`).
		Replace(hikes(`"tool":"%[2]s","args":{"day":%[1]d}`, `"result":{"minutes":%[3]d}`))
	_, out, said, _ := readBy(t, file, strings.NewReplacer())
	require.NotContains(t, out, "sources")
	require.Contains(t, said, "no record has a question: say in kinds of the map")
}

// What is not told is to be filled in, and is named where it is left out; so is a log without results of calls.
func TestKindsThatAreNotKnown(t *testing.T) {
	unlinked := strings.NewReplacer(`"key":`, `"no":`).Replace(strings.ReplaceAll(walks(), `"w":"quon","key"`, `"w":"quon","other"`))
	fill := strings.NewReplacer(`quon: "?"`, "quon: result", `vlim: "?"`, "vlim: call /gear /body", `    tick: "?"`+"\n", "")
	answers, out, said, report := readBy(t, unlinked, fill)
	require.Contains(t, out, "    brel: answer /t\n    quon: \"?\"\n")
	require.Contains(t, said, "quon → not known: say it in the map")
	require.Contains(t, said, "Fill in each \"?\" of the map first: user /text, answer /text, call /name /arguments /id, result /text /id, tool /name /arguments /result, or none")
	require.Contains(t, report, "no kind is known by the words tick: say in kinds of the map what each is")
	require.Len(t, answers[0].Calls, 2)
	_, _, _, report = readBy(t, unlinked, strings.NewReplacer(`quon: "?"`, "quon: none", `vlim: "?"`, "vlim: call /gear /body", `"?"`, "none"))
	require.Contains(t, report, "the result of no call of a tool is read")
	_, _, _, report = readBy(t, unlinked, strings.NewReplacer(`quon: "?"`, "quon: result", `vlim: "?"`, "vlim: call /nowhere", `"?"`, "none"))
	require.Contains(t, report, "no call of a tool is read: say in kinds of the map where name, arguments and id of a call lie")
	c := config.Default()
	c.Kafka.Inputs = []config.Input{config.DefaultInput("in")}
	save := filepath.Join(t.TempDir(), "map.yaml")
	require.NoError(t, os.WriteFile(save, []byte(out), 0o600))
	_, err := records.NewMapInput(c, save)
	require.ErrorContains(t, err, `quon is "?": say user, answer, system, call, result, error, tool or none`)
}

// What says the kind may be a few words, and results and answers may lie in one place.
func TestKindsInAFewWords(t *testing.T) {
	answers, out, _, _ := readBy(t, logOf(`{"lvl":"I","ride":"ride-0","msg":"question taken","input":"How many seats are left on train RX 4?"}`,
		`{"lvl":"I","ride":"ride-0","msg":"using a tool","tool":"seats","input":{"train":"RX 4"}}`,
		`{"lvl":"D","ride":"ride-0","msg":"tool came back","tool":"seats","output":"{\"free\":17}","took":0.2}`,
		`{"lvl":"I","ride":"ride-0","msg":"last words","output":"There are 17 seats left."}`), strings.NewReplacer())
	require.Contains(t, out, "  /msg:\n    last words: answer /output\n    question taken: user /input\n    tool came back: result /output\n    using a tool: call /tool /input\n")
	require.Len(t, answers, 6)
	require.Equal(t, "There are 18 seats left.", answers[1].Answer)
	require.Equal(t, "How many seats are left on train RX 41?", answers[1].UserQuestion())
	require.Equal(t, []schemas.ToolCall{{Name: "seats", Arguments: `{"train":"RX 41"}`, Result: `{"free":18}`}}, answers[1].Calls)
}

// Passages may lie in records of their own, or beside the question, and what was asked in one record and the answer in another.
func TestKindsWithPassages(t *testing.T) {
	const given = `"hits":[{"text":"Train RX 4 has 17 free seats today."},{"text":"Dogs travel free of charge on all trains."}]`
	const asked, said = `{"ride":"ride-0","phase":"in","query":"How many seats are left on train RX 4?"}`, `{"ride":"ride-0","phase":"out","text":"There are 17 seats left."}`
	for want, lines := range map[string][]string{
		"    in: user /query\n    lookup: result /hits\n    out: answer /text\n": {asked, `{"ride":"ride-0","phase":"lookup",` + given + `}`, said},
		"    in: user /query /hits\n    out: answer /text\n":                     {strings.TrimSuffix(asked, "}") + "," + given + "}", said},
		"    in: user /query\n    out: answer /text\n":                           {asked, said},
	} {
		answers, out, _, _ := readBy(t, logOf(lines...), strings.NewReplacer())
		require.Contains(t, out, want)
		require.Len(t, answers, 6)
		require.Equal(t, "How many seats are left on train RX 41?", answers[1].UserQuestion())
		new(promptsources.Finder).Fill(&answers[1])
		require.Len(t, answers[1].Sources, 2*strings.Count(strings.Join(lines, ""), `"hits":`))
		for _, s := range answers[1].Sources[:min(1, len(answers[1].Sources))] {
			require.Equal(t, "Train RX 41 has 18 free seats today.", s.Text)
		}
	}
}
