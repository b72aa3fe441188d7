package schemas

import (
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// Thumb is what an end user says of an answer; "" for nothing.
type Thumb string

// The thumbs.
const (
	ThumbUp   Thumb = "up"
	ThumbDown Thumb = "down"
)

// Vote is the record of llm.feedback.users: what an end user says of an answer, which the first of its ids names. Of several votes of a user
// on an answer the last counts.
type Vote struct {
	InteractionID string    `json:"interaction_id,omitempty"`
	MessageID     string    `json:"message_id,omitempty"` // of a chat, where it is not the interaction's id
	TraceID       string    `json:"trace_id,omitempty"`
	Vote          Thumb     `json:"vote"`
	User          string    `json:"user,omitempty"` // who voted
	At            time.Time `json:"at,omitzero"`
	Tenant        string    `json:"tenant,omitempty"`
}

// IDs are the ids of the vote, the narrowest first.
func (v *Vote) IDs() (ids []string) {
	for _, id := range []string{v.InteractionID, v.MessageID, v.TraceID} {
		if id != "" {
			ids = append(ids, id)
		}
	}
	return ids
}

// Key is the key of the vote's record: a user's later vote on an answer has the same.
func (v *Vote) Key() string {
	sum := hashParts("vo1", v.Tenant, v.InteractionID, v.MessageID, v.TraceID, v.User)
	return hex.EncodeToString(sum[:])
}

// Voter stands for an end user of a tenant in flags, where names of people have no place; "" for an unknown one.
func Voter(tenant, user string) string {
	if user == "" {
		return ""
	}
	sum := hashParts("us1", tenant, user)
	return hex.EncodeToString(sum[:8])
}

// UnmarshalJSON reads a vote as logs have it: a text, a number or a boolean. Any other value is none.
func (t *Thumb) UnmarshalJSON(raw []byte) error {
	text := string(raw)
	_ = json.Unmarshal(raw, &text) // a number, true or false stays as it is written
	*t, _ = ParseThumb(text)
	return nil
}

// ParseThumb reads a vote. Numbers are 1 for up, 0 and -1 for down: others are of a scale whose middle nobody knows. An empty text is
// no vote.
func ParseThumb(text string) (t Thumb, ok bool) {
	text = strings.ToLower(strings.TrimSpace(text))
	if n, err := strconv.ParseFloat(text, 64); err == nil {
		switch n {
		case 1:
			return ThumbUp, true
		case 0, -1:
			return ThumbDown, true
		}
		return "", false
	}
	text = strings.NewReplacer("_", "", "-", "", " ", "").Replace(text)
	switch strings.TrimPrefix(strings.TrimPrefix(text, "thumbs"), "thumb") {
	case "":
		return "", text == ""
	case "up", "true", "like", "liked", "good", "positive", "helpful", "upvote", "👍":
		return ThumbUp, true
	case "down", "false", "dislike", "disliked", "bad", "negative", "unhelpful", "nothelpful", "downvote", "👎":
		return ThumbDown, true
	}
	return "", false
}
