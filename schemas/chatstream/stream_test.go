package chatstream

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func delta(content, finish string, more ...string) string {
	end := "null"
	if finish != "" {
		end = `"` + finish + `"`
	}
	return fmt.Sprintf(`{"id":"c-1","object":"chat.completion.chunk","created":1795255201,"model":"m","choices":[{"index":0,"delta":{"content":%q},"finish_reason":%s}]%s}`,
		content, end, strings.Join(more, ""))
}

type completion struct {
	ID      string
	Object  string
	Model   string
	Created int
	Usage   *struct {
		Total int `json:"total_tokens"`
	}
	Request json.RawMessage
	Choices []struct {
		Message struct {
			Role    string
			Content *string
			Refusal string
		}
		Finish   *string `json:"finish_reason"`
		Logprobs *struct{ Content []json.RawMessage }
	}
}

func completionOf(t *testing.T, s *Stream) completion {
	t.Helper()
	text, err := s.Completion()
	require.NoError(t, err)
	var c completion
	require.NoError(t, json.Unmarshal(text, &c))
	require.NotEmpty(t, c.Choices)
	return c
}

func TestStream(t *testing.T) {
	for name, c := range map[string]struct {
		chunks       []string
		text, finish string
	}{
		"three":               {[]string{delta("Par", ""), delta("is", ""), delta("", "stop")}, "Paris", "stop"},
		"cut off":             {[]string{delta("Par", ""), delta("is", "length")}, "Paris", "length"},
		"filtered":            {[]string{delta("", "content_filter")}, "", "content_filter"},
		"without an end":      {[]string{delta("Par", "")}, "Par", Unfinished},
		"usage behind":        {[]string{delta("Paris", "stop"), `{"id":"c-1","object":"chat.completion.chunk","choices":[],"usage":{"total_tokens":7}}`}, "Paris", "stop"},
		"other choices first": {[]string{`{"id":"c-1","object":"chat.completion.chunk","choices":[{"index":1,"delta":{"content":"Rome"},"finish_reason":"stop"},{"index":0,"delta":{"content":"Paris"}}]}`}, "Paris", Unfinished},
		"half characters":     {[]string{delta("caf", ""), `{"id":"c-1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"\u00e9"}}]}`}, "café", Unfinished},
	} {
		t.Run(name, func(t *testing.T) {
			var s Stream
			for _, chunk := range c.chunks {
				require.NoError(t, s.addEvent([]byte(chunk)))
			}
			got := completionOf(t, &s)
			require.Equal(t, "chat.completion", got.Object)
			require.Equal(t, "c-1", got.ID)
			require.Equal(t, c.text, *got.Choices[0].Message.Content)
			require.Equal(t, c.finish, *got.Choices[0].Finish)
		})
	}
}

func TestStreamKeepsMembers(t *testing.T) {
	var s Stream
	require.NoError(t, s.addEvent([]byte(delta("a", "", `,"request":{"messages":[1]},"usage":null,"sources":["x"]`))))
	require.NoError(t, s.addEvent([]byte(`{"id":"c-1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant"},"logprobs":{"content":[{"token":"a"}]}}],"usage":{"total_tokens":3}}`)))
	require.NoError(t, s.addEvent([]byte(`{"id":"c-1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"refusal":"No."},"finish_reason":"stop","logprobs":{"content":[{"token":"b"}]}}]}`)))
	c := completionOf(t, &s)
	require.Equal(t, 3, c.Usage.Total)
	require.JSONEq(t, `{"messages":[1]}`, string(c.Request))
	require.Len(t, c.Choices[0].Logprobs.Content, 2)
	require.Equal(t, "No.", c.Choices[0].Message.Refusal)
	require.Equal(t, "m", c.Model)
}

func TestSeveralChoices(t *testing.T) {
	var s Stream
	for _, c := range []string{
		`{"id":"c-1","object":"chat.completion.chunk","choices":[{"index":1,"delta":{"content":"Ro"}},{"index":0,"delta":{"content":"Par"}}]}`,
		`{"id":"c-1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"is"},"finish_reason":"stop"}]}`,
		`{"id":"c-1","object":"chat.completion.chunk","choices":[{"index":1,"delta":{"content":"me"},"finish_reason":"length"}]}`,
	} {
		require.NoError(t, s.addEvent([]byte(c)))
	}
	c := completionOf(t, &s)
	require.Len(t, c.Choices, 2)
	require.Equal(t, "Paris", *c.Choices[0].Message.Content)
	require.Equal(t, "Rome", *c.Choices[1].Message.Content)
	require.Equal(t, "length", *c.Choices[1].Finish)
	require.ErrorIs(t, s.addEvent([]byte(`{"id":"c-1","object":"chat.completion.chunk","choices":[{"index":1000000}]}`)), ErrLarge)
}

func TestStreamRefuses(t *testing.T) {
	var s Stream
	require.NoError(t, s.addEvent([]byte(delta("a", ""))))
	for text, want := range map[string]error{
		"":                        ErrNoChunk,
		`"chat.completion.chunk"`: ErrNoChunk,
		strings.Replace(delta("b", ""), `"id":"c-1"`, `"id":7`, 1):      ErrOther,
		strings.Replace(delta("b", ""), "c-1", "c-2", 1):                ErrOther,
		delta(strings.Repeat("b", 2*MaxBytes), ""):                      ErrLarge,
		`{"id":"c-1","object":"chat.completion.chunk","choices":"all"}`: ErrNoChunk,
	} {
		require.ErrorIs(t, s.addEvent([]byte(text)), want)
	}
	require.Equal(t, "a", *completionOf(t, &s).Choices[0].Message.Content, "a refused chunk changes nothing")
}

func TestAssemble(t *testing.T) {
	a, b, end := delta("Par", ""), delta("is", ""), delta("", "stop")
	for name, text := range map[string]string{
		"events":              "data: " + a + "\n\ndata: " + b + "\n\ndata: " + end + "\n\ndata: [DONE]\n\n",
		"carriage returns":    "data: " + a + "\r\n\r\ndata: " + b + "\r\n\r\ndata: " + end + "\r\n\r\ndata: [DONE]\r\n\r\n",
		"comments and fields": ": ping\n\nevent: x\nid: 3\nretry: 10\ndata: " + a + "\n\n: ping\n\ndata:" + b + "\n\ndata: " + end + "\n\n",
		"data over lines":     "data: " + strings.Replace(a, `,"model"`, ",\ndata: \"model\"", 1) + "\n\ndata: " + b + "\n\ndata: " + end + "\n\n",
		"no empty line":       "data: " + a + "\n\ndata: " + b + "\n\ndata: " + end,
		"byte order mark":     "\ufeffdata: " + a + "\n\ndata: " + b + "\n\ndata: " + end + "\n\n",
		"id first":            "id: 1\ndata: " + a + "\n\nretry: 5\ndata: " + b + "\n\ndata: " + end + "\n\n",
		"pings and filters":   "event: ping\ndata: {}\n\ndata: {\"id\":\"\",\"object\":\"\",\"choices\":[],\"prompt_filter_results\":[]}\n\ndata: \n\ndata: {\"type\":\"ping\"}\n\ndata: " + a + "\n\ndata: " + b + "\n\ndata: " + end + "\n\ndata: {\"error\":{}}\n\n",
		"without a type":      strings.ReplaceAll("data: "+a+"\n\ndata: "+b+"\n\ndata: "+end+"\n\n", `,"object":"chat.completion.chunk"`, ""),
		"list":                "[" + a + "," + b + "," + end + "]",
		"behind DONE":         "data: " + a + "\n\ndata: " + b + "\n\ndata: " + end + "\n\ndata: [DONE]\n\ndata: {\"usage\":{}}\n\ndata: [DONE]\n\n",
	} {
		t.Run(name, func(t *testing.T) {
			require.True(t, IsTranscript([]byte(text)))
			s, err := Assemble([]byte(text))
			require.NoError(t, err)
			c := completionOf(t, s)
			require.Equal(t, "Paris", *c.Choices[0].Message.Content)
			require.Equal(t, "stop", *c.Choices[0].Finish)
		})
	}
	for _, text := range []string{"", "[]", "data: [DONE]\n\n", "data: nonsense\n\n", "[1]", "data: {}\n\n", "data: " + a + "\n\ndata: " + strings.Replace(b, "c-1", "c-2", 1) + "\n\n"} {
		_, err := Assemble([]byte(text))
		require.Error(t, err, text)
	}
	require.False(t, IsTranscript([]byte(`{"answer": "data: x"}`)))
}

func FuzzAssemble(f *testing.F) {
	f.Add("data: " + delta("a", "stop") + "\n\ndata: [DONE]\n\n")
	f.Add("[" + delta("a", "stop") + "]")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Assemble([]byte(text))
		if err != nil {
			return
		}
		out, err := s.Completion()
		require.NoError(t, err)
		require.True(t, json.Valid(out))
		c, err := ReadCompletion(out)
		require.NoError(t, err)
		for i := range c.Len() {
			_, err := c.Choice(i)
			require.NoError(t, err)
		}
	})
}
