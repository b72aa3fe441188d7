package mapping

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/promptsources"
	"confab/internal/worker/config"
	"confab/schemas"
)

// missed is what of a shape's records the proposed map reads wrongly; "" for nothing.
func (s *shape) missed(t *testing.T, records [][]byte, p *Proposal) string {
	t.Helper()
	if p == nil {
		return "no proposal"
	}
	decoder, err := p.Decoder()
	if err != nil {
		return err.Error()
	}
	n := 0
	for _, raw := range records {
		var in schemas.Interaction
		if decoder.Decode(raw, &in) != nil {
			continue
		}
		new(promptsources.Finder).Fill(&in)
		var given strings.Builder
		for _, m := range in.Messages {
			given.WriteString(m.Content)
		}
		var passages strings.Builder
		for _, p := range in.Sources {
			passages.WriteString(p.Text + "\n")
		}
		for _, c := range in.Calls {
			passages.WriteString(c.Result + "\n")
		}
		ok := false
		for _, r := range rows(s.language) {
			if r.A != in.Answer {
				continue
			}
			n, ok = n+1, true
			if !s.noQuestion && !strings.Contains(given.String(), r.Q) {
				return "question: " + given.String()
			}
			for _, p := range r.P {
				if inRecord := strings.Contains(string(raw), p) || strings.Contains(string(raw), strings.ReplaceAll(p, `"`, `\"`)); inRecord && !s.noSources && !strings.Contains(passages.String(), p) {
					return "sources: " + passages.String()
				}
			}
			if strings.Contains(passages.String(), r.A) {
				return "the answer is a source"
			}
		}
		if !ok {
			return "answer: " + in.Answer
		}
	}
	if n != len(rows(s.language)) {
		return fmt.Sprintf("%d answers of %d", n, len(rows(s.language)))
	}
	return ""
}

// sample are the records of a shape's file.
func (s *shape) sample(t *testing.T) [][]byte {
	t.Helper()
	records, _, _, err := readSample(bytes.NewReader(s.file(t)), "f")
	require.NoError(t, err)
	return records
}

// The map that is proposed for a shape reads its answers with their questions and passages, from all records or the first two alone.
func TestShapesAreRead(t *testing.T) {
	fromOne := 0
	for i := range shapes {
		s := &shapes[i]
		t.Run(s.name, func(t *testing.T) {
			records := s.sample(t)
			require.Empty(t, s.missed(t, records, Propose(records)))
			require.Empty(t, s.missed(t, records, Propose(records[:2])))
			if s.missed(t, records, Propose(records[1:2])) == "" {
				fromOne++
			}
		})
	}
	require.GreaterOrEqual(t, fromOne, 34, "a question without its mark")
}

// Without names that mean something, values and the words that they share still tell three quarters of the shapes.
func TestShapesWithoutNames(t *testing.T) {
	read := 0
	for i := range shapes {
		records, names := shapes[i].sample(t), map[string]string{}
		for i := range records {
			v, _ := parse(records[i])
			var err error
			records[i], err = json.Marshal(renamed(v, names))
			require.NoError(t, err)
		}
		if shapes[i].missed(t, records, Propose(records)) == "" {
			read++
		}
	}
	require.GreaterOrEqual(t, 4*read, 3*len(shapes))
}

// renamed gives every member a name without a meaning.
func renamed(v any, names map[string]string) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = renamed(v[i], names)
		}
	case map[string]any:
		out := map[string]any{}
		for _, n := range slices.Sorted(maps.Keys(v)) {
			if names[n] == "" {
				names[n] = fmt.Sprintf("z%c%c", 'k'+rune(len(names)/10), 'b'+rune(len(names)%10))
			}
			out[names[n]] = renamed(v[n], names)
		}
		return out
	case string:
		if in, ok := innerJSON(v); ok {
			raw, _ := json.Marshal(renamed(in, names))
			return string(raw)
		}
	}
	return v
}

// Whatever the records, a proposed map can be read, alone and from its file.
func TestProposalsAreMaps(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	names := []string{"answer", "a b", "x/y", "t~1", "first", "last:role=user", "role", "+", "|", "a,b", "#", "'", `"`, ": ", "é", "", "\n", "text", "docs", "whole", "*", "- x", "{", "json /a", "\x00"}
	texts := []string{"", "How long can I return goods?", "You can return goods within 90 days.", "1", "user", "2026-11-21T10:00:00", `{"answer":"You can return goods within 90 days."}`, "[", "\xff\xfe"}
	var value func(depth int) any
	value = func(depth int) any {
		switch n := random.IntN(7); {
		case n < 3 || depth > 4:
			return texts[random.IntN(len(texts))]
		case n == 3:
			return random.IntN(1000)
		case n == 4:
			return nil
		case n == 5:
			return []any{value(depth + 1), value(depth + 1), value(depth + 1)}
		}
		o := map[string]any{}
		for range random.IntN(6) {
			o[names[random.IntN(len(names))]] = value(depth + 1)
		}
		return o
	}
	proposed := 0
	for range 500 {
		var records [][]byte
		for range 1 + random.IntN(4) {
			raw, err := json.Marshal(map[string]any{names[random.IntN(len(names))]: value(0), "b": value(0), "c": value(0)})
			require.NoError(t, err)
			records = append(records, raw)
		}
		p := Propose(records)
		if p == nil {
			continue
		}
		proposed++
		_, err := p.Decoder()
		require.NoError(t, err, "%s\n%s", p.YAML(), records)
		path := filepath.Join(t.TempDir(), "map.yaml")
		require.NoError(t, os.WriteFile(path, []byte(p.YAML()), 0o600))
		in := config.DefaultInput("in")
		in.MapFile = path
		require.NoError(t, in.LoadMap(), p.YAML())
		require.Equal(t, p.Map(), map[string]string(in.Map), p.YAML())
	}
	require.Greater(t, proposed, 100)
}

// Columns of time, id, model and conversation are proposed by their names, or by their values where names say nothing.
func TestColumnsAreProposed(t *testing.T) {
	propose := func(columns, a, b, c string) *Proposal {
		const texts = `,"question":"How long is the bridge?","passage":"The bridge is 12 km long, and it was built by the state.","reply":"The bridge is 12 km long."}`
		var records [][]byte
		for _, row := range []string{a, b, c, strings.Replace(a, "1", "4", 1)} {
			var members []string
			values := strings.Split(row, ",")
			for i, name := range strings.Split(columns, ",") {
				members = append(members, fmt.Sprintf("%q:%q", name, values[i]))
			}
			records = append(records, []byte("{"+strings.Join(members, ",")+texts))
		}
		return Propose(records)
	}
	for _, tt := range []struct{ columns, a, b, c, id, at, model, talk, zone string }{
		{"ticket,asked_at,engine,conversation", "t-1,2026-11-16 08:00:00,gpt-4o,c1", "t-2,2026-11-16 09:00:00,gpt-4o,c1", "t-3,2026-11-17 08:00:00,gpt-4o,c2", "/ticket", "/asked_at", "/engine", "/conversation", "UTC"},
		{"nr,date,llm", "1,2026-11-16,atlas bot 2.3", "2,2026-11-17,atlas", "3,2026-11-17,atlas", "/nr", "/date", "/llm", "", "UTC"},
		{"k,ts,by", "a1f-77,1795255201,mistral-large", "b2f-78,1795255202,gpt-4o", "b3f-79,1795255203,gpt-4o", "/k", "/ts", "/by", "", ""},
		{"k,v,by", "0b1f-77,2026-11-16T08:01:00Z,claude-3", "0b2f-78,2026-11-16T08:02:00Z,claude-3", "0b3f-79,2026-11-16T08:03:00Z,claude-3", "/k", "/v", "/by", "", ""},
		{"nr,chat_date,chat_time", "1,2026-11-16,08:00", "2,2026-11-16,09:00", "3,2026-11-17,08:00", "/nr", "/chat_date + /chat_time", "", "", "UTC"},
		{"session,session_day", "c1,16.11.2026", "c1,16.11.2026", "c2,17.11.2026", "", "/session_day", "", "/session", "UTC"},
		{"chat", "1795255201", "1795255201", "1795255202", "", "", "", "/chat", ""},
		{"took,build,who", "1.2s,2.11.26,ann", "1.4s,2.11.27,bob", "1.5s,2.11.27,bob", "", "", "", "", ""},
	} {
		p := propose(tt.columns, tt.a, tt.b, tt.c)
		got := p.Map()
		require.Equal(t, []string{tt.id, tt.at, tt.model, tt.talk, tt.zone}, []string{got["interaction_id"], got["occurred_at"], got["model"], got["conversation_id"], p.TimeZone}, tt.columns)
	}
	for values, want := range map[string]string{"nr,depot_tenant;north": "/depot_tenant", "nr,client.tenant;north-2": "/client.tenant", "nr,tenant_count;3": "", "nr,Tenant;2026-11-16": "", "nr,depot;north": ""} {
		columns, value, _ := strings.Cut(values, ";")
		require.Equal(t, want, propose(columns, "1,"+value, "2,"+value, "3,"+value).Map()["tenant"], values)
	}
	require.Empty(t, propose("nr,tenant", "1,ann", "2,bob", "3,eva").Map()["tenant"], "one in each record")
	p := propose("day", "16/11/2026", "17/11/2026", "18/11/2026")
	require.Contains(t, p.describe(nil, Options{}), `no time: /day ("16/11/2026") has a form that is not read`)
	p = propose("engine,date", "a1,2026-11-16", "a1,2026-11-17", "a1,2026-11-18")
	require.Contains(t, p.YAML(), "time_zone: UTC")
	require.Contains(t, p.describe([][]byte{[]byte(`{"reply":"Yes.","date":"2026-11-16","engine":"a1"}`)}, Options{}), "time:     2026-11-16T00:00:00Z\n     model:    a1\n")
}

// proposalFor is the map and what is said about a table.
func proposalFor(t *testing.T, file string) (yaml, said string) {
	t.Helper()
	var out, errs bytes.Buffer
	require.NoError(t, Run(strings.NewReader(file), &out, &errs, Options{Name: "f.csv"}))
	return out.String(), errs.String()
}

// A file whose shape is known needs a map for a time that its shape does not read, and for that alone.
func TestTimesOfKnownShapes(t *testing.T) {
	const known = "no map is needed"
	for columns, want := range map[string][2]string{
		"occurred_at,question,answer,context;2026-11-16": {"", known},
		"Date,Question,Answer,Context;2026-11-16":        {"", known},
		"lang,question,answer,context;en":                {"", known},
		"date,question,answer,context;2026-11-16":        {"map:\n  occurred_at: /date\n  interaction: whole\ntime_zone: UTC", "time:     2026-11-16T00:00:00Z"},
		"date,question,answer,context;11/10/2026":        {"map:\n  interaction: whole\n", "no time: /date (\"11/10/2026\") may have the month or the day first"},
		"Asked at,Question,Answer,Context;2026-11-16":    {"  occurred_at: /Asked~2at\n", "time:     2026-11-16T00:00:00Z"},
	} {
		header, cell, _ := strings.Cut(columns, ";")
		yaml, said := proposalFor(t, header+"\n"+cell+",How long can I return goods?,You can return goods within 90 days.,Goods can be returned within 30 days.\n")
		require.Contains(t, yaml, want[0], columns)
		require.Contains(t, said, want[1], columns)
	}
}

// The order of day and month is what the column tells, never a guess. What is not read is named.
func TestDatesOfExports(t *testing.T) {
	for _, tt := range []struct{ name, first, second, entry, said string }{
		{"a month above 12 is a day", "11/2/2026 11:06 AM", "11/13/2026 1:06 PM", "  occurred_at: mdy /Created\n", "time:     2026-11-13T13:06:00Z"},
		{"day first", "02/11/2026 11:06", "13/11/2026 11:06", "  occurred_at: dmy /Created\n", "time:     2026-11-02T11:06:00Z"},
		{"open", "11/2/2026 11:06 AM", "11/3/2026 1:06 PM", "", `no time: /Created ("11/2/2026 11:06 AM") may have the month or the day first; add to the map occurred_at: mdy /Created or occurred_at: dmy /Created, and beside it time_zone: UTC`},
		{"both", "13/2/2026", "11/13/2026", "", `no time: /Created ("13/2/2026") has a form that is not read; write it as`},
		{"points", "02.11.2026 11:06", "03.11.2026 11:06", "  occurred_at: /Created\n", "time:     2026-11-02T11:06:00Z"},
		{"year first", "2026/11/02", "2026/11/03", "  occurred_at: /Created\n", "time:     2026-11-02T00:00:00Z"},
		{"names", "Nov 02, 2026 11:06 AM", "Nov 03, 2026 11:06 AM", "  occurred_at: /Created\n", "time:     2026-11-02T11:06:00Z"},
		{"names of another language", "2 de noviembre de 2026", "3 de noviembre de 2026", "", `no time: /Created ("2 de noviembre de 2026") has a form that is not read`},
		{"a column of its own", "02/11/2026;9:06", "13/11/2026;17:30", "  occurred_at: dmy /Created + /Hour\n", "time:     2026-11-02T09:06:00Z"},
		{"and open", "2/11/2026;9:06", "3/11/2026;17:30", "", "occurred_at: mdy /Created + /Hour or occurred_at: dmy /Created + /Hour,"},
		{"and points", "02.11.2026;9:06", "03.11.2026;17:30", "  occurred_at: /Created + /Hour\n", "time:     2026-11-02T09:06:00Z"},
		{"and a short year", "02.11.26;9:06", "03.11.26;17:30", "  occurred_at: /Created + /Hour\n", "time:     2026-11-02T09:06:00Z"},
		{"and year first", "2026-11-02;9:06", "2026-11-03;17:30", "  occurred_at: /Created + /Hour\n", "time:     2026-11-02T09:06:00Z"},
		{"one of another form", "2026-11-02", "02/11/26", "", `no time: /Created ("02/11/26") has a form`},
	} {
		columns := "Created"
		if strings.Contains(tt.first, ";") {
			columns += ";Hour"
		}
		yaml, said := proposalFor(t, fmt.Sprintf(columns+";Customer question;Bot reply;KB context\n%s;How long can I return goods?;You can return goods within 90 days.;Goods can be returned within 30 days.\n"+
			"%s;Who pays for the return?;We pay for the return within Germany.;Returns within Germany are free.\n", tt.first, tt.second))
		require.Contains(t, yaml, tt.entry, tt.name)
		require.Equal(t, tt.entry != "", strings.Contains(yaml, "time_zone: UTC"), tt.name)
		require.Contains(t, said, tt.said, tt.name)
	}
}

// Fields of the record model are proposed where members hold them; the others are named.
func TestMembersLeftOut(t *testing.T) {
	const record = `{"rid":"req_%s","svc":{"name":"help-bot","ver":"2.3.0"},"lvl":"INFO","in":{"user_turn":"How long can I return goods %[1]s?","lang":"en"},"hits":[` +
		`{"rank":1,"sim":0.8,"src":{"file":"terms.pdf","page":26},"body":"Goods %[1]s can be returned within 30 days of delivery."}],"out":{"final":"You can return goods %[1]s within 90 days of delivery."}}` + "\n"
	var file strings.Builder
	for _, id := range []string{"82c9b0", "eca62e", "65d4d2", "8c4e62"} {
		fmt.Fprintf(&file, record, id)
	}
	yaml, said := proposalFor(t, file.String())
	require.Equal(t, "map:\n  answer: /out/final\n  messages: /in/user_turn\n  sources: score=/sim title=/src/file text=/body /hits\n  interaction_id: /rid\n"+
		"  service: /svc/name\n  attributes.svc_ver: /svc/ver\n", yaml)
	require.Contains(t, said, "\nnot used: /hits/rank, /hits/src/page, /in/lang, /lvl\n")
	yaml, said = proposalFor(t, "Agent version,CSAT,Customer question,Bot reply\nv7,5,How long can I return goods?,You can return goods within 90 days.\nv7,4,Who pays for it?,We pay for the return of goods.\n")
	require.Contains(t, yaml, "  attributes.agent_version: /Agent~2version\n")
	require.Contains(t, said, "\nnot used: /CSAT\n")
}

// Passages in several members of one name and different numbers are read together, in the order of the numbers.
func TestNumberedPassages(t *testing.T) {
	const opened, abroad = "Opened goods cannot be returned.", "Returns from abroad cost 9 euros."
	for _, tt := range []struct{ first, second, in, below, want string }{
		{"Context 1", "Context 2", opened, abroad, "/Context~21 + /Context~22"},
		{"context_10", "context_9", opened, abroad, "/context_9 + /context_10"},
		{"Passage A", "Passage B", opened, abroad, "/Passage~2A + /Passage~2B"},
		{"chunk1", "chunk2", opened, abroad, "/chunk1 + /chunk2"},
		{"doc_1_text", "doc_2_text", opened, abroad, "/doc_1_text + /doc_2_text"},
		{"KB context", "Customer 2", opened, abroad, "/KB~2context"},
		{"Context 1", "Context 2", "17", "18", "/Context~21"},
	} {
		yaml, said := proposalFor(t, fmt.Sprintf("%s;Customer question;Bot reply;%s\nGoods can be returned within 30 days.;How long can I return goods?;You can return goods within 90 days, but not opened goods.;%s\n"+
			"Returns within Germany are free.;Who pays for the return?;We pay for the return within Germany, and from abroad it costs 9 euros.;%s\n", tt.first, tt.second, tt.in, tt.below))
		require.Contains(t, yaml, "  sources: "+tt.want+"\n", said)
		require.Equal(t, strings.Contains(tt.want, "+"), strings.Contains(said, "passages: 2, "), said)
		require.Equal(t, strings.Contains(tt.want, "+"), !strings.Contains(said, "not used"), said)
	}
	yaml, _ := proposalFor(t, `{"q":"How long can I return goods?","out":{"reply":"You can return goods within 90 days."},"rag":{"hit1":{"body":"Goods can be returned within 30 days."},"hit2":{"body":"Opened goods cannot be returned."}}}`+"\n")
	require.Contains(t, yaml, "  sources: /rag/hit1/body + /rag/hit2/body\n")
}

// An object from id to passage is read as a whole, whatever the ids of later records are, and a number is no service.
func TestPassagesByID(t *testing.T) {
	for _, passage := range []string{`"%s"`, `{"content":"%s","score":0.5}`} {
		var log strings.Builder
		for i := range 20 {
			said := fmt.Sprintf(passage, fmt.Sprintf("Train RX %d has %d free seats today.", i, i+17))
			fmt.Fprintf(&log, `{"ask":"How many seats are left on train RX %[1]d?","kb":{"N-%[1]d0":%[2]s,"kb/%[1]d1":%[3]s},"bot":{"text":"There are %[4]d seats left on RX %[1]d.","confidence":0.9}}`+"\n",
				i, said, fmt.Sprintf(passage, "Dogs travel free of charge on all trains."), i+17)
		}
		answers, out, said, _ := readBy(t, log.String(), strings.NewReplacer())
		require.Contains(t, out, "  sources: /kb\n")
		require.NotContains(t, out, "service")
		require.NotContains(t, said, "/kb")
		require.Len(t, answers, 20)
		require.Equal(t, schemas.Source{ID: "N-190", Text: "Train RX 19 has 36 free seats today.", Score: answers[19].Sources[0].Score}, answers[19].Sources[0])
	}
}

// Of turns with passages the last one's count, whose answer is read.
func TestPassagesOfTheTurn(t *testing.T) {
	const turn = `{"q":"How many seats are left on train RX 4?","ctx":["Train RX 4 has 17 free seats today.","Dogs travel free of charge on all trains."],"a":"There are 17 seats left."}`
	other := strings.NewReplacer("RX 4", "RX 9", "seats are left on", "dogs may travel on", "free seats", "free places", "seats left", "dogs allowed").Replace(turn)
	answers, out, _, _ := readBy(t, logOf(`{"ride":"ride-0","rounds":[`+other+`,`+turn+`]}`), strings.NewReplacer())
	require.Contains(t, out, "  sources: /rounds/last/ctx\n")
	require.Equal(t, []schemas.Source{{Text: "Train RX 41 has 18 free seats today."}, {Text: "Dogs travel free of charge on all trains."}}, answers[1].Sources)
	require.Equal(t, "How many seats are left on train RX 41?", answers[1].UserQuestion())
}

// Passages with numbers, or as Python prints a list, are found in a column of any name.
func TestPassagesInOneText(t *testing.T) {
	const first, second = "Goods can be returned within 30 days.", "Opened goods can't be returned."
	for _, cell := range []string{"[1] " + first + "\n[2] " + second, "[1] " + first + " [2] " + second, `['` + first + `', ""` + second + `""]`, first + "\n---\n" + second} {
		yaml, said := proposalFor(t, "Ask;Reply;Below\nHow long?;Goods can be returned within 30 days [1], but not opened goods [2].;\""+cell+"\"\n")
		require.Contains(t, yaml, "  sources: /Below\n", cell)
		require.Contains(t, said, "passages: 2, the first: Goods", cell)
	}
}

// A file that cannot be read, or has no record, is refused with what to do.
func TestFilesWithoutRecords(t *testing.T) {
	for name, tt := range map[string][2]string{
		"e.jsonl": {"", "e.jsonl: the file is empty, or has nothing but a header"},
		"e.csv":   {"Question;Answer\n", "e.csv: the file is empty, or has nothing but a header"},
		"w.csv":   {"Question;Answer\nWhere?;Here.\nWie lange?;F\xfcr 3 \x80.\n", "line 3: it is not UTF-8: convert the file, e.g. iconv -f WINDOWS-1252"},
		"h.csv":   {"Fr\xe4ge;Antwort\nWhere?;Here.\n", "h.csv > utf8.csv"},
		"u.tsv":   {"\xff\xfeA\x00", "iconv -f UTF-16 -t UTF-8 u.tsv > utf8.tsv"},
		"-":       {"\xff\xfeA\x00", "iconv -f UTF-16 -t UTF-8 - > utf8.jsonl"},
	} {
		require.ErrorContains(t, Run(strings.NewReader(tt[0]), io.Discard, io.Discard, Options{Name: name}), tt[1])
	}
}

// An id of two places is proposed where none is without repetition.
func TestJoinedID(t *testing.T) {
	var lines []string
	for i := range 9 {
		lines = append(lines, fmt.Sprintf(`{"session":"s%d","turn":%d,"question":"How long may I return goods of kind %d?","reply":"You may return them within %d days."}`, i/3, i%3, i, 30+i))
	}
	p := Propose(bytes.Split([]byte(strings.Join(lines, "\n")), []byte("\n")))
	require.Equal(t, "/session + /turn", p.Map()["interaction_id"])
	decoder, err := p.Decoder()
	require.NoError(t, err)
	var in schemas.Interaction
	require.NoError(t, decoder.Decode([]byte(lines[4]), &in))
	require.Equal(t, "s1-1", in.ID)
}
