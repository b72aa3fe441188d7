package main

import (
	"archive/zip"
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// kafkaWords are not for people who run check and map on a file. Names of pages do not count.
var kafkaWords = regexp.MustCompile(`(?i)kafka|\btopic|\binputs?\b|dead.letter|partition`)

// confabFile runs a command on files of a folder, and returns what it wrote to both streams.
func confabFile(t *testing.T, args ...string) (code int, said string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = runProgram(stdStreams{strings.NewReader(""), &out, &errs}, args, nil)
	return code, errs.String() + out.String()
}

// answers are two that are read as they are.
const answers = `{"interaction_id":"1","answer":"You can return goods within 90 days.","sources":["Goods can be returned within 30 days."]}` + "\n" +
	`{"interaction_id":"2","answer":"The museum is closed on Mondays.","sources":["The museum is closed on Mondays."]}` + "\n"

// Every hint of check is applied to the file that produced it: by the command that it names, or by what it says. Then all is read.
func TestHintsHelp(t *testing.T) {
	replace := func(pairs ...string) func(string) string { return strings.NewReplacer(pairs...).Replace }
	other := func(string) string { return answers }
	tests := []struct {
		name, file, want string
		apply            func(file string) string // nil: the command that the hint names
	}{
		{"own names", `{"frage":"Wie lange?","antwort":"Innerhalb von 90 Tagen nach der Lieferung.","fundstellen":[{"inhalt":"Innerhalb von 30 Tagen nach der Lieferung."}]}`, "confab map FILE proposes a map for such records", nil},
		{"a list of texts", `{"answer":["You can return goods","within 90 days."],"sources":["Goods can be returned within 30 days."]}`, "confab map FILE proposes a map for such records", nil},
		{"an object", `{"answer":{"html":"You can return goods within 90 days."},"sources":["Goods can be returned within 30 days."]}`, "confab map FILE proposes a map for such records", nil},
		{"passages elsewhere", `{"answer":"You can return goods within 90 days.","belege":["Goods can be returned within 30 days."]}`, "passages may lie at /belege: confab map FILE", nil},
		{"sources of another form", `{"answer":"You can return goods within 90 days.","sources":[{"body":"Goods can be returned within 30 days."}]}`, "passages may lie at text=/body /sources: confab map FILE", nil},
		{"nothing like an answer", `{"id":1,"n":{"b":2}}`, "write it as answer, a text", other},
		{"a list as id", `{"interaction_id":[7],"answer":"Yes."}`, "interaction_id takes a text or a number: write one", replace("[7]", "7")},
		{"no passages", `{"answer":"You can return goods within 90 days."}`, "log the passages as sources", other},
		{"pages of an API", `{"data":[` + strings.ReplaceAll(strings.TrimSpace(answers), "\n", ",") + `],"meta":{}}`, "this is one object with its records in data", nil},
		{"hits of a search", `{"took":3,"hits":{"total":2,"hits":[` + strings.ReplaceAll(strings.TrimSpace(answers), "\n", ",") + `]}}`, "this is one object with its records in hits", nil},
		{"answers by columns", `{"answer":{"0":"Yes.","1":"No."},"contexts":{"0":["a"],"1":["b"]}}`, "this is a table by columns, as pandas writes it by default", other},
		{"a table by columns", `{"reply":{"0":"Yes.","1":"No."},"belege":{"0":"a","1":"b"}}`, "this is a table by columns, as pandas writes it by default", other},
		{"an empty object", `{}`, "write it as answer, a text", other},
		{"null", `null`, "expected one JSON object per line", other},
		{"a Python dict", `{'answer': 'Yes.'}`, "write it with json.dumps", replace("'", `"`)},
		{"a comma", `{"answer":"Yes."},`, "a comma follows the JSON object", nil},
		{"Latin-1", "{\"answer\":\"Der Flu\xdf ist lang.\"}", "the text is not UTF-8: convert it", nil},
		{"prose", "Hello there.", "expected one JSON object per line", other},
		{"other names of members", `{"answer":"Yes, it is.","sources":["Yes, it is."],"event_id":"1"}`, "event_id looks like interaction_id", replace("event_id", "interaction_id")},
		{"no zone", `{"answer":"Yes, it is.","sources":["Yes, it is."],"occurred_at":"2026-01-02T03:04:05"}`, "write the zone", replace("04:05", "04:05Z")},
		{"another form of time", `{"answer":"Yes, it is.","sources":["Yes, it is."],"occurred_at":"6/11/2026"}`, "write 2026-11-21T10:00:00Z", replace("6/11/2026", "2026-11-16T00:00:00Z")},
		{"members of another type", `{"answer":"Yes, it is.","sources":["Yes, it is."],"messages":7}`, "compare the shape of messages", replace("7", `["Is it?"]`)},
		{"messages alone", `{"role":"user","content":"How long?"}`, "confab map FILE finds what joins its messages", other},
		{"a request", `{"messages":[{"role":"user","content":"How long?"}]}`, "log the response in the same record, as response", replace(`]}`, `],"response":"Within 90 days."}`)},
		{"flags", `{"incident_id":"00","signals":[]}`, "name the topic or the file of interactions", other},
		{"events of a stream", `{"type":"message_start","message":{"id":"m","type":"message","model":"c","role":"assistant","content":[]}}` + "\n" + `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Within 90 days."}}` + "\n" + `{"type":"message_stop"}`, "write the events of one answer as one record", func(f string) string { return "[" + strings.ReplaceAll(f, "\n", ",") + "]" }},
		{"a zip archive", zipOf(t, answers), "this is a zip archive", nil},
		{"UTF-16", "\xff\xfe" + strings.Join(strings.Split(answers, ""), "\x00") + "\x00", "this is UTF-16 text", nil},
		{"Parquet", "PAR1\x15\x04", "write its rows as JSON Lines or CSV", other},
		{"an Avro container", "Obj\x01\x04", "write its records as JSON Lines", other},
		{"a page", "<!DOCTYPE html>", "Expected one JSON object per line", other},
		{"binary", "\x7fELF\x00", "this is not text", other},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			require.NoError(t, os.WriteFile("in.jsonl", []byte(tt.file), 0o600))
			_, said := confabFile(t, "check", "in.jsonl")
			hint := regexp.MustCompile(`(?m)^(hint|confab): .*`).FindString(said)
			require.Contains(t, hint, strings.ReplaceAll(tt.want, "FILE", "in.jsonl"), said)
			if at := strings.Index(said, "line 1: "); at >= 0 {
				require.Less(t, strings.Index(said, hint), at, "the hint first")
			}
			if tt.name != "flags" {
				require.NotRegexp(t, kafkaWords, regexp.MustCompile(`docs/\S+|"origin":\{"topic"|"partition"`).ReplaceAllString(said, ""))
			}
			args := []string{"check", "out.jsonl"}
			switch {
			case tt.apply != nil:
				require.NoError(t, os.WriteFile("out.jsonl", []byte(tt.apply(tt.file)+"\n"), 0o600))
			case strings.Contains(hint, "confab map"):
				code, proposed := confabFile(t, "map", "in.jsonl", "--out", "map.yaml")
				require.Zero(t, code, proposed)
				require.NotRegexp(t, kafkaWords, proposed)
				args = []string{"check", "in.jsonl", "--map", "map.yaml"}
			default:
				applyCommand(t, hint)
			}
			code, after := confabFile(t, args...)
			require.Zero(t, code, after)
			require.Contains(t, after, " 0 unreadable", after)
			require.NotContains(t, after, hint, "the hint is gone")
		})
	}
}

// A date above 12 tells the order of day and month of all others of the file, whatever reads its lines; two orders tell nothing.
func TestFileTellsTimes(t *testing.T) {
	record := func(date string) string {
		return `{"answer":"Yes, it is.","reply":"Yes, it is.","sources":["Yes, it is."],"occurred_at":"` + date + ` 10:00"}` + "\n"
	}
	for file, want := range map[string]string{
		record("4/5/2026") + record("13/5/2026"):                       `"occurred_at":"2026-05-04T10:00:00Z"`,
		record("4/5/2026") + record("5/13/2026"):                       `"occurred_at":"2026-04-05T10:00:00Z"`,
		record("4/5/2026") + record("5/6/2026"):                        "occurred_at cannot be read as a time",
		record("4/5/2026") + record("13/5/2026") + record("5/14/2026"): "occurred_at cannot be read as a time",
	} {
		t.Chdir(t.TempDir())
		require.NoError(t, os.WriteFile("in.jsonl", []byte(file), 0o600))
		require.NoError(t, os.WriteFile("map.yaml", []byte("map: {answer: /reply, occurred_at: /occurred_at}\n"), 0o600))
		for _, args := range [][]string{{"check", "in.jsonl", "--json"}, {"check", "in.jsonl", "--json", "--map", "map.yaml"}} {
			code, said := confabFile(t, args...)
			require.Zero(t, code, said)
			require.Contains(t, said, want)
		}
	}
}

// applyCommand runs the command that a hint names, whose output becomes out.jsonl.
func applyCommand(t *testing.T, hint string) {
	t.Helper()
	_, command, found := strings.Cut(hint, "e.g. ")
	require.True(t, found, hint)
	command, _, _ = strings.Cut(command, " > ")
	command, _, _ = strings.Cut(command, " | confab")
	if _, err := exec.LookPath(strings.Fields(command)[0]); err != nil {
		t.Skip("there is no " + strings.Fields(command)[0])
	}
	out, err := exec.CommandContext(t.Context(), "sh", "-c", command).Output()
	require.NoError(t, err, command)
	require.NoError(t, os.WriteFile("out.jsonl", out, 0o600))
}

func zipOf(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	f, err := w.Create("in.jsonl")
	require.NoError(t, err)
	_, err = f.Write([]byte(text))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.String()
}
