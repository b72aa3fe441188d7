package chatstream

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every text of an event is read, or the stream is an error: nothing is dropped.
func TestEvents(t *testing.T) {
	const unreadable = "!"
	event := func(choice string) string {
		return `{"id":"c-1","object":"chat.completion.chunk","choices":[` + choice + `]}`
	}
	for name, c := range map[string]struct {
		event, text string
		unread      []string
	}{
		"text":                     {event(`{"index":0,"delta":{"content":"Rome"}}`), "Rome", nil},
		"parts":                    {event(`{"index":0,"delta":{"content":[{"type":"text","text":"Ro"},"me"]}}`), "Rome", nil},
		"parts of other types":     {event(`{"index":0,"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"image_url","image_url":{}},{"type":"text","text":"Rome"}]}}`), "Rome", []string{UnreadParts, UnreadReasoning}},
		"part of a wrong type":     {event(`{"index":0,"delta":{"content":[{"type":"text","text":{"value":"Rome"}}]}}`), unreadable, nil},
		"parts of parts":           {event(`{"index":0,"delta":{"content":[["Rome"]]}}`), unreadable, nil},
		"content as an object":     {event(`{"index":0,"delta":{"content":{"text":"Rome"}}}`), unreadable, nil},
		"content as a number":      {event(`{"index":0,"delta":{"content":7}}`), unreadable, nil},
		"whole message":            {event(`{"index":0,"message":{"content":"Rome"}}`), "Rome", nil},
		"message as text":          {event(`{"index":0,"message":"Rome"}`), unreadable, nil},
		"delta as text":            {event(`{"index":0,"delta":"Rome"}`), unreadable, nil},
		"delta null":               {event(`{"index":0,"delta":null,"text":"Rome"}`), "Rome", nil},
		"text of a choice":         {event(`{"index":0,"text":"Rome"}`), "Rome", nil},
		"text of a wrong type":     {event(`{"index":0,"text":["Rome"]}`), unreadable, nil},
		"refusal false":            {event(`{"index":0,"delta":{"content":"Rome","refusal":false}}`), "Rome", nil},
		"refusal true":             {event(`{"index":0,"delta":{"content":"Rome","refusal":true}}`), unreadable, nil},
		"refusal":                  {event(`{"index":0,"delta":{"refusal":"Rome"}}`), "Rome", nil},
		"speech":                   {event(`{"index":0,"delta":{"audio":{"transcript":"Rome"}}}`), "Rome", nil},
		"sound alone":              {event(`{"index":0,"delta":{"audio":{"data":"UklG"}}}`), "", []string{UnreadParts}},
		"no index":                 {event(`{"delta":{"content":"Rome"}}`), "Rome", nil},
		"index null":               {event(`{"index":null,"delta":{"content":"Rome"}}`), "Rome", nil},
		"index as text":            {event(`{"index":"0","delta":{"content":"Rome"}}`), unreadable, nil},
		"half an index":            {event(`{"index":0.5,"delta":{"content":"Rome"}}`), unreadable, nil},
		"index below zero":         {event(`{"index":-1,"delta":{"content":"Rome"}}`), unreadable, nil},
		"index above the limit":    {event(`{"index":200,"delta":{"content":"Rome"}}`), unreadable, nil},
		"choice as text":           {event(`"Rome"`), unreadable, nil},
		"choice null":              {event(`null`), unreadable, nil},
		"choices as an object":     {`{"choices":{"0":{"delta":{"content":"Rome"}}}}`, unreadable, nil},
		"finish of a wrong type":   {event(`{"delta":{"content":"Rome"},"finish_reason":7}`), "Rome", nil},
		"role of a wrong type":     {event(`{"delta":{"content":"Rome","role":7}}`), "Rome", nil},
		"logprobs, no tokens":      {event(`{"delta":{"content":"Rome"},"logprobs":{"content":{}}}`), "Rome", nil},
		"logprobs as a list":       {event(`{"delta":{"content":"Rome"},"logprobs":[1,2]}`), "Rome", nil},
		"logprob -Infinity":        {event(`{"delta":{"content":"Rome"},"logprobs":{"content":[{"token":"Rome","logprob":-Infinity}]}}`), "Rome", nil},
		"NaN":                      {event(`{"delta":{"content":"Rome NaN \\"Infinity\\""}}`)[:1] + `"x":NaN,` + event(`{"delta":{"content":"Rome"}}`)[1:], "Rome", nil},
		"NaN within a text":        {strings.Replace(event(`{"delta":{"content":"Rome, NaN"}}`), "{", `{"x":Infinity,`, 1), "Rome, NaN", nil},
		"id as a number":           {strings.Replace(event(`{"delta":{"content":"Rome"}}`), `"c-1"`, "7", 1), "Rome", nil},
		"no id":                    {strings.Replace(event(`{"delta":{"content":"Rome"}}`), `"c-1"`, "null", 1), "Rome", nil},
		"comma at the end":         {event(`{"delta":{"content":"Rome"}}`) + ",", unreadable, nil},
		"comment":                  {event(`{"delta":{"content":"Rome"}}/**/`), unreadable, nil},
		"not JSON":                 {"Rome", unreadable, nil},
		"text of JSON":             {`"Rome"`, unreadable, nil},
		"list":                     {"[" + event(`{"delta":{"content":"Rome"}}`) + "]", unreadable, nil},
		"null":                     {"null", unreadable, nil},
		"other case":               {event(`{"delta":{"content":"Rome","Content":"Paris"}}`), "Rome", nil},
		"events of Responses":      {`{"type":"response.output_text.delta","delta":"Rome"}`, unreadable, nil},
		"events of Messages":       {`{"type":"content_block_delta","delta":{"text":"Rome"}}`, unreadable, nil},
		"events of Ollama":         {`{"message":{"content":"Rome"},"done":false}`, unreadable, nil},
		"tool call":                {event(`{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"Rome"}}]}}`), "", []string{UnreadTools}},
		"function call":            {event(`{"delta":{"content":"Rome","function_call":{"arguments":"Rome"}}}`), "Rome", []string{UnreadTools}},
		"reasoning":                {event(`{"delta":{"reasoning_content":"Rome"}}`), "", []string{UnreadReasoning}},
		"content and a legacy one": {event(`{"delta":{"content":"Ro"},"text":"me"}`), "Rome", nil},
	} {
		t.Run(name, func(t *testing.T) {
			first := `{"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}`
			for place, text := range map[string]string{
				"alone":       "data: " + c.event + "\n\ndata: [DONE]\n\n",
				"behind one":  "data: " + first + "\n\ndata: " + c.event + "\n\ndata: [DONE]\n\n",
				"behind DONE": "data: " + first + "\n\ndata: [DONE]\n\ndata: " + c.event + "\n\n",
			} {
				s, err := Assemble([]byte(text))
				if c.text == unreadable {
					require.Error(t, err, place)
					continue
				}
				require.NoError(t, err, place)
				got := onlyChoice(t, s)
				require.Equal(t, c.text, got.Text, place)
				require.Equal(t, c.unread, got.Unread, place)
			}
		})
	}
}

func onlyChoice(t *testing.T, s *Stream) Choice {
	t.Helper()
	text, err := s.Completion()
	require.NoError(t, err)
	c, err := ReadCompletion(text)
	require.NoError(t, err)
	require.Equal(t, 1, c.Len())
	choice, err := c.Choice(0)
	require.NoError(t, err)
	return choice
}

// Unreadable log-probabilities cost those of the answer, not its text.
func TestLogprobsAreSideValues(t *testing.T) {
	chunk := func(text, logprobs string) string {
		return `data: {"id":"c-1","choices":[{"delta":{"content":"` + text + `"},"logprobs":` + logprobs + `}]}` + "\n\n"
	}
	good := `{"content":[{"token":"a","logprob":-1}]}`
	for logprobs, want := range map[string]string{good: `{"content":[{"logprob":-1,"token":"a"},{"logprob":-1,"token":"a"}]}`, `{"content":7}`: "", `"x"`: ""} {
		s, err := Assemble([]byte(chunk("a", good) + chunk("b", logprobs)))
		require.NoError(t, err)
		got := onlyChoice(t, s)
		require.Equal(t, "ab", got.Text)
		if want == "" {
			require.Empty(t, got.Logprobs)
		} else {
			require.JSONEq(t, want, string(got.Logprobs))
		}
	}
}

// A server that ends with the whole message does not double the answer.
func TestWholeMessageAtTheEnd(t *testing.T) {
	s, err := Assemble([]byte(`data: {"choices":[{"delta":{"content":"Ro"}}]}` + "\n\n" + `data: {"choices":[{"delta":{"content":"me"}}]}` + "\n\n" +
		`data: {"choices":[{"message":{"content":"Rome"}}]}` + "\n\n"))
	require.NoError(t, err)
	require.Equal(t, "Rome", onlyChoice(t, s).Text)
}

func TestReadCompletion(t *testing.T) {
	for _, text := range []string{"", "null", "{}", "[]", `{"Choices":[]}`, `{"choices":{}}`, `{"choices":"x"}`} {
		_, err := ReadCompletion([]byte(text))
		require.ErrorIs(t, err, ErrNoChunk, text)
	}
	_, err := ReadCompletion([]byte(`{"choices":[` + strings.TrimSuffix(strings.Repeat("{},", MaxChoices+1), ",") + `]}`))
	require.ErrorIs(t, err, ErrLarge)
	c, err := ReadCompletion([]byte(`{"id":"c","choices":[{"message":{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}],"refusal":"c","audio":{"transcript":"d"}},"text":"d"},{},{"message":7}]}`))
	require.NoError(t, err)
	require.Equal(t, 3, c.Len())
	first, err := c.Choice(0)
	require.NoError(t, err)
	require.Equal(t, "a\nb\n\nc\n\nd", first.Text)
	second, err := c.Choice(1)
	require.NoError(t, err)
	require.Equal(t, Choice{}, second)
	_, err = c.Choice(2)
	require.ErrorIs(t, err, ErrNoChunk)
}
