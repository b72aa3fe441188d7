package integration

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// slackChannel is the part of Slack's Web API for posts and edits. It fails a tenth of the requests, loses the response to
// another tenth, and its history may not be read. A request whose body ends early, as of a killed worker, is not a message.
type slackChannel struct {
	mu       sync.Mutex
	requests int
	posts    []slackMessage
	calls    []string // for the message of a failed audit
}

type slackMessage struct {
	id   string // the worker's id of the message, from the metadata
	text string // as last edited
	mark bool   // says that it may be a repeat
}

// ServeHTTP implements http.Handler.
func (s *slackChannel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests++
	s.calls = append(s.calls, fmt.Sprintf("%s %d %s %s %.60s", time.Now().UTC().Format("15:04:05.000"), s.requests, r.URL.Path, r.PostFormValue("ts"), r.PostFormValue("text")))
	if s.requests%10 == 3 {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	reply := map[string]any{"ok": true, "channel": "C0LEDGER", "ts": r.PostFormValue("ts")}
	switch strings.TrimPrefix(r.URL.Path, "/api/") {
	case "chat.postMessage":
		s.posts = append(s.posts, readMessage(r))
		reply["ts"] = fmt.Sprintf("1700000000.%06d", len(s.posts))
	case "chat.update":
		_, number, _ := strings.Cut(r.PostFormValue("ts"), ".")
		if n, err := strconv.Atoi(number); err == nil && n > 0 && n <= len(s.posts) {
			s.posts[n-1].text = r.PostFormValue("text")
		}
	default:
		reply = map[string]any{"ok": false, "error": "missing_scope"}
	}
	if s.requests%10 == 7 {
		if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
			conn.Close()
		}
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(reply) // the worker may have ended
}

func readMessage(r *http.Request) slackMessage {
	var meta struct {
		Payload struct {
			Message string `json:"message"`
		} `json:"event_payload"`
	}
	_ = json.Unmarshal([]byte(r.PostFormValue("metadata")), &meta) // without an id the audit fails
	text := r.PostFormValue("text")
	return slackMessage{meta.Payload.Message, text, strings.Contains(strings.ToLower(text+r.PostFormValue("blocks")), "possible duplicate")}
}

var incidentCount = regexp.MustCompile(`^(?:Possible hallucination(?: ×(\d+))?(?: in .*)? \(\w+\), incident |(\d+) possible hallucination)`)

// slackAudit is the content of the channel.
type slackAudit struct {
	Incidents int // the sum of the counts of all messages; a repeated message counts once
	Messages  int
	Posts     int
	Marked    int // posts marked as possible repeats
	Unmarked  int // further posts of a message without the mark
}

func (s *slackChannel) audit() (a slackAudit, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	count, plain := map[string]int{}, map[string]int{}
	for _, p := range s.posts {
		found := incidentCount.FindStringSubmatch(p.text)
		if found == nil || p.id == "" {
			return a, fmt.Errorf("message %q of an unknown form: %s", p.id, p.text)
		}
		n, err := strconv.Atoi(found[1] + found[2])
		if err != nil {
			n = 1
		}
		count[p.id] = max(count[p.id], n)
		if p.mark {
			a.Marked++
		} else if plain[p.id]++; plain[p.id] > 1 {
			a.Unmarked++
		}
	}
	for _, n := range count {
		a.Incidents += n
	}
	a.Messages, a.Posts = len(count), len(s.posts)
	return a, nil
}
