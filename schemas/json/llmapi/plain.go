package llmapi

// plain reads a message of the most frequent kind: it has a role, a text or parts that are texts, and nothing else that says something.
// It is only faster. It returns false for another message, of which it has read nothing.
func (t *turn) plain(v value) bool {
	role, content := "", value{}
	for name, member := range v.members() {
		switch name {
		case "role":
			role = roles[member.text()]
		case "content", "parts":
			if content.doc != nil {
				return false
			}
			content = member
		case "finish_reason", "name", "id":
		default:
			if saysSomething(member) {
				return false
			}
		}
	}
	if role == "" || role == roleTool || content.kind() == 0 {
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
	if v.isText() {
		return v.text()
	}
	for name, member := range v.members() {
		switch {
		case name == "type" && kinds[member.text()] == partText:
		case (name == "text" || name == "content") && text == "" && member.isText():
			text = member.text()
		default:
			return ""
		}
	}
	return text
}
