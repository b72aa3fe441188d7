package recordshape

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/files"
)

// joinedLines are the lines of a file, with their numbers.
func joinedLines(t *testing.T, file string, maxBytes int) (lines []string, numbers []int) {
	t.Helper()
	in, err := NewRecords(strings.NewReader(file), maxBytes, "f", nil)
	require.NoError(t, err)
	for {
		line, err := in.Next()
		if errors.Is(err, io.EOF) {
			return lines, numbers
		}
		if errors.Is(err, files.ErrTooLong) {
			line = []byte("too long")
		} else {
			require.NoError(t, err)
		}
		lines, numbers = append(lines, string(line)), append(numbers, in.Number())
	}
}

// Records of one group get those before it by time, whatever their order in the file; others are as they were.
func TestJoin(t *testing.T) {
	const user, reply = `{"thread_id":1,"role":"user","content":"q","ts":12}`, `{"thread_id":1,"role":"assistant","content":"a","ts":30 }`
	lines, numbers := joinedLines(t, reply+"\n\n"+user+"\n[1]\n{\"role\":\"user\"}\n"+strings.Repeat("x", 300), 200)
	require.Equal(t, []string{
		`{"thread_id":1,"role":"assistant","content":"a","ts":30,"joined":[` + user + `]}`,
		strings.TrimSuffix(user, "}") + `,"joined":[]}`, "[1]", `{"role":"user"}`, "too long",
	}, lines)
	require.Equal(t, []int{1, 3, 4, 5, 6}, numbers)
	lines, _ = joinedLines(t, `{"answer":"a"}`+"\n"+user, 200)
	require.Equal(t, []string{`{"answer":"a"}`, user}, lines, "the first record decides")
	own := strings.TrimSuffix(reply, "}") + `,"joined":[1]}`
	lines, _ = joinedLines(t, user+"\n"+own, 200)
	require.Equal(t, own, lines[1], "its own member stays")
}

// Messages within records are joined by the id beside them, also behind records of another kind.
func TestJoinInner(t *testing.T) {
	const asked, said = `{"sessionId":"s","message":{"role":"user","content":"q"}}`, `{"sessionId":"s","message":{"role":"assistant","content":"a"}}`
	for _, head := range []string{"", `{"type":"mode","mode":"plan"}` + "\n", `{"type":"summary","summary":"Prices","leafUuid":"u"}` + "\n"} {
		lines, _ := joinedLines(t, head+asked+"\n"+said, 1<<20)
		require.Equal(t, strings.TrimSuffix(said, "}")+`,"joined":[`+asked+`]}`, lines[len(lines)-1])
	}
}

// A long conversation costs no more than its last messages for each.
func TestJoinIsBounded(t *testing.T) {
	record := `{"chat_id":"c","role":"user","content":"` + strings.Repeat("x", 1000) + `"}` + "\n"
	in, err := NewRecords(strings.NewReader(strings.Repeat(record, 3000)), 1<<20, "f", nil)
	require.NoError(t, err)
	n, longest := 0, 0
	for {
		line, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		n, longest = n+1, max(longest, len(line))
	}
	require.Equal(t, 3000, n)
	require.Less(t, longest, (maxEarlier+2)*len(record))
}

// An array in one line holds records, unless it is the transcript of a stream.
func TestJoinOfAnArray(t *testing.T) {
	lines, _ := joinedLines(t, `[{"chat_id":"c","role":"user","content":"q"},{"chat_id":"c","role":"assistant","content":"a"}]`, 1<<20)
	require.Contains(t, lines[1], `"joined":[{"chat_id":"c","role":"user","content":"q"}]`)
	const stream = `[{"type":"message_start","message":{"id":"m"}},{"type":"message_stop"}]`
	lines, _ = joinedLines(t, stream, 1<<20)
	require.Equal(t, []string{stream}, lines)
}

// The output of a retriever is a list, a list in an object, JSON in a text, or a text.
func TestItems(t *testing.T) {
	for raw, want := range map[string]string{
		`["a",{"text":"b"}]`: `"a" {"text":"b"}`, `{"documents":["a"]}`: `"a"`, `"[\"a\"]"`: `"a"`, `"a"`: `"a"`, `{"text":"a"}`: `{"text":"a"}`, ``: ``,
	} {
		var parts [][]byte
		for _, item := range items([]byte(raw)) {
			parts = append(parts, item)
		}
		require.Equal(t, want, string(bytes.Join(parts, []byte(" "))), raw)
	}
}

// Records whose conversation is null belong to none.
func TestJoinNothingByNull(t *testing.T) {
	lines, _ := joinedLines(t, `{"id":"m1","thread_id":null,"role":"user","content":"When is it open?","created_at":1}
{"id":"m2","thread_id":null,"role":"assistant","content":"At nine.","created_at":2}
`, 1<<20)
	require.Len(t, lines, 2)
	require.NotContains(t, lines[1], "open")
}

// Times are compared as times, in whatever zone they are written; where one has none, the order of the file counts.
func TestJoinByTime(t *testing.T) {
	message := func(role, at string) string {
		return `{"chat_id":"c","role":"` + role + `","content":"` + role + `","created_at":` + at + `}` + "\n"
	}
	lines, _ := joinedLines(t, message("assistant", `"2026-03-01T09:30:00Z"`)+message("user", `"2026-03-01T10:15:00+01:00"`), 1<<20)
	require.Contains(t, lines[0], `"joined":[{"chat_id":"c","role":"user"`)
	lines, _ = joinedLines(t, message("user", `"2 March"`)+message("assistant", `"1 March"`), 1<<20)
	require.Contains(t, lines[1], `"joined":[{"chat_id":"c","role":"user"`)
}
