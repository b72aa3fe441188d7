package files

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func readRecords(t *testing.T, text string) (lines []string, err error) {
	t.Helper()
	l, err := NewRecords(strings.NewReader(text), 1000, nil)
	require.NoError(t, err)
	for {
		line, err := l.Next()
		if errors.Is(err, io.EOF) {
			return lines, nil
		}
		if err != nil {
			return lines, err
		}
		lines = append(lines, string(line))
	}
}

// Whatever holds the records, each is a line.
func TestRecordsOfFiles(t *testing.T) {
	two := []string{`{"a":"1"}`, `{"a":"2","b":"x"}`}
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"JSON Lines":             {"{\"a\":\"1\"}\n{\"a\":\"2\",\"b\":\"x\"}\n", two},
		"an array in one line":   {`[{"a": "1"},{"a":2}]`, []string{`{"a":"1"}`, `{"a":2}`}},
		"an array of many lines": {"[\n  {\n    \"a\": \"1\"\n  },\n  {\"a\":\"2\",\"b\":\"x\"}\n]\n", two},
		"objects of many lines":  {"{\n  \"a\": \"1\"\n}\n{\n  \"a\":\"2\",\"b\":\"x\"}\n", two},
		"CSV":                    {"a,b\n1,\n2,x\n", two},
		"semicolons and quotes":  {"\"a\";\"b\"\n1;\n\"2\";\"x\"\n", two},
		"tabs":                   {"a\tb\n1\n2\tx\n", two},
		"brackets in the header": {"a (local)\tRef #\n1\t2\n", []string{`{"Ref #":"2","a (local)":"1"}`}},
		"columns of Azure":       {"Time [UTC],@b\n1,2\n", []string{`{"@b":"2","Time [UTC]":"1"}`}},
		"bars":                   {"a|b\n1|\n2|x\n", two},
		"a line for Excel":       {"sep=;\r\na;b\n1;\n2;x\n", two},
		"a column of lines":      {"q,a\n\"one\ntwo\",\"say \"\"hi\"\"\"\n", []string{`{"a":"say \"hi\"","q":"one\ntwo"}`}},
		"lines of arrays":        {"[{\"a\":1}]\n[{\"a\":2}]\n", []string{`[{"a":1}]`, `[{"a":2}]`}},
		"a log":                  {"[info] started\n[info] ended\n", []string{"[info] started", "[info] ended"}},
		"streams":                {"data: {\"a\":1}\n\ndata: [DONE]\n\nevent: x\ndata: {\"type\":\"message_stop\"}\n\n", []string{`{"request":null,"response":"data: {\"a\":1}\n\ndata: [DONE]\n"}`, `{"request":null,"response":"\nevent: x\ndata: {\"type\":\"message_stop\"}\n"}`}},
		"prose":                  {"Hello there.\nBye.", []string{"Hello there.", "Bye."}},
	} {
		t.Run(name, func(t *testing.T) {
			lines, err := readRecords(t, c.text)
			require.NoError(t, err)
			require.Equal(t, c.want, lines)
		})
	}
}

// What is missing, broken or too long ends the reading with an error, behind the records before it.
func TestRecordsOfBrokenFiles(t *testing.T) {
	for text, want := range map[string]string{
		"[{\"a\":1},\n{\"a\":":                                        "unexpected EOF",
		"[{\"a\":1},\n{\"a\":2}":                                      "unexpected EOF",
		"[{\"a\":1},\n{\"a\":2}] {\"a\":3}":                           "something follows its end",
		"[{\"a\":1},\n{\"a\" 2}]":                                     "invalid character",
		"[{\"a\":1},\n{\"a\":\"" + strings.Repeat("x", 3<<20) + `"}]`: "too long",
		"a,b\n1,2\n\"" + strings.Repeat("x", 3<<20):                   "too long",
	} {
		lines, err := readRecords(t, text)
		require.ErrorContains(t, err, want)
		require.NotEmpty(t, lines)
	}
}

// A table that would lose cells is an error.
func TestRecordsOfBrokenTables(t *testing.T) {
	for _, c := range [][2]string{
		{"a,b\n1,2\n1,2,3\n", "line 3 has 3 cells, the header 2"},
		{"a,b\n1,2\n\"1,2\n3,4\n", "extraneous or missing"},
		{"a,b\n1,2\n3,\"he said \"yes\" to it\"\n", "the table of the file: line 3, column b: extraneous or missing \" in quoted-field: write a quote within a quoted cell twice"},
		{"a,a\n1,2\n", "two columns have one name"},
		{"a;b\n1;2\n3;Caf\xe9 3 \x80\n", "the table of the file: line 3: it is not UTF-8: convert the file, e.g. iconv -f WINDOWS-1252 -t UTF-8 FILE > NEW"},
	} {
		_, err := readRecords(t, c[0])
		require.ErrorContains(t, err, c[1])
		require.NotContains(t, err.Error(), "read line", "the line of the file is named")
	}
}

// A broken byte in UTF-8 costs its character alone.
func TestRecordsOfTablesWithBrokenBytes(t *testing.T) {
	got, err := readRecords(t, "a,b\nCafé,3 €\nCaf\xc3,4\nwas broken \ufffd\ufffd\ufffd\ufffd,5\n")
	require.NoError(t, err)
	require.Len(t, got, 3)
}
