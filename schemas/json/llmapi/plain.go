package llmapi

import "confab/schemas"

// Reader reads calls one after another, as the functions of the package do, with less memory. It is not safe for concurrent use.
// Strings point into Scratch of the interaction, too.
type Reader struct{ doc *doc }

// Request is the function Request.
func (r *Reader) Request(raw []byte, in *schemas.Interaction) error {
	v, err := r.open(raw, in)
	if err != nil {
		return err
	}
	defer r.close(in)
	return readRequest(v, in)
}

// Response is the function Response.
func (r *Reader) Response(raw []byte, in *schemas.Interaction) (Reading, error) {
	if IsTranscript(raw) {
		return Response(raw, in)
	}
	v, err := r.open(raw, in)
	if err != nil {
		return Reading{}, err
	}
	defer r.close(in)
	a := &Answers{}
	if err := a.readWhole(v); err != nil {
		return Reading{}, err
	}
	return a.Fill(0, nil, in)
}

// open opens a JSON text, whose resolved escapes follow those of the interaction.
func (r *Reader) open(raw []byte, in *schemas.Interaction) (value, error) {
	if r.doc == nil {
		r.doc = newDoc()
	}
	r.doc.err = nil
	v, err := r.doc.open(raw)
	if err != nil {
		r.doc.Release()
		return value{}, err
	}
	r.doc.Scratch = in.Scratch
	return v, nil
}

// close lets go of the text.
func (r *Reader) close(in *schemas.Interaction) {
	in.Scratch = r.doc.Scratch
	r.doc.Release()
}

// plain reads a message of the most frequent kind: it has a role, a text or parts that are texts, and nothing else that says something.
// It is only faster. It returns false for another message, of which it has read nothing.
func (t *turn) plain(v value) bool {
	role, content := "", value{}
	for name, member := range v.members() {
		switch name {
		case "role":
			role = member.text()
		case "content", "parts":
			if content.doc != nil {
				return false
			}
			content = member
		case "finish_reason", "name", "id":
		default:
			if len(member.raw()) > len("[]") {
				return false
			}
		}
	}
	if role != roleUser && role != roleAssistant && role != roleSystem || content.kind() == 0 {
		return false
	}
	read := *t
	for part := range content.items() {
		text := part.plainText()
		if text == "" {
			return false
		}
		read.add(text)
	}
	*t, t.role = read, role
	return true
}

// plainText is the text of a part that has nothing else, "" for another one.
func (v value) plainText() (text string) {
	if v.kind() == '"' {
		return v.text()
	}
	for name, member := range v.members() {
		switch {
		case name == "type" && member.text() == "text":
		case (name == "text" || name == "content") && text == "" && member.kind() == '"':
			text = member.text()
		default:
			return ""
		}
	}
	return text
}
