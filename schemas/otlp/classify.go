package otlp

import (
	"strings"

	"confab/schemas/otlp/wire"
)

// role is what a span or log record is for.
type role uint8

const (
	roleOther     role = iota // not about language models
	roleUnknown               // in a convention that is not known
	roleAnswer                // an answer of a language model
	roleRetriever             // it has passages
	roleReranker              // it has the passages that are left of a retriever's
	roleTool                  // it has a tool's result
	roleMessage               // an event with a message of a prompt
	roleContext               // anything else about language models
)

// Names of events.
const (
	eventDetails    = "gen_ai.client.inference.operation.details"
	eventChoice     = "gen_ai.choice"
	eventPrompt     = "gen_ai.content.prompt"
	eventCompletion = "gen_ai.content.completion"
)

// classify sets the roles of all entries and prepares the join of their traces.
func (s *state) classify() {
	answers := false
	for i := range s.batch.Entries {
		e := &s.batch.Entries[i]
		r := roleOther
		if e.Err == nil {
			r = s.roleOf(e)
		}
		s.roles = append(s.roles, r)
		answers = answers || r == roleAnswer
	}
	if answers {
		s.join.index(s.batch.Entries, s.roles)
	}
}

// marks are the attributes that decide a role.
type marks struct {
	operation, kind, loopKind, requestType, event string
	answer                                        bool // it has an answer
	conventional                                  bool
}

func (s *state) roleOf(e *wire.Entry) role {
	m := marks{event: e.Name}
	if !e.Log {
		m.event = ""
	}
	for i := range e.Attributes {
		m.add(&e.Attributes[i])
	}
	passages := false
	for i := range e.Events {
		switch name := e.Events[i].Name; {
		case name == "db.query.result", name == "db.search.result":
			passages = true
		case name == eventDetails, name == eventChoice, strings.HasPrefix(name, eventCompletion):
			m.answer = true
		}
	}
	if e.Log {
		return m.ofLog()
	}
	r := m.ofSpan()
	if passages && r != roleAnswer {
		return roleRetriever
	}
	return r
}

func (m *marks) add(a *wire.Attribute) {
	text := func() string {
		var scratch []byte
		v, _ := a.Value.Text(&scratch)
		return v
	}
	switch slotOf(a.Key) {
	case gaOperation:
		m.operation = text()
	case oiKind:
		m.kind = text()
	case tlKind:
		m.loopKind = text()
	case tlRequestType:
		m.requestType = text()
	case eventName:
		if m.event == "" {
			m.event = text()
		}
	case gaOutput, gaCompletion, postAnswer:
		m.answer = true
	case slotNone:
		m.answer = m.answer || strings.HasPrefix(a.Key, familyPrefixes[tlCompletions])
	}
	m.conventional = m.conventional || isConventional(a.Key)
}

// ofLog is the role of a log record.
func (m *marks) ofLog() role {
	switch m.event {
	case eventDetails:
		if r := ofOperation(m.operation); r != roleUnknown || m.operation != "" {
			return r
		}
		return roleAnswer
	case eventChoice:
		return roleAnswer
	case "gen_ai.system.message", "gen_ai.user.message", "gen_ai.assistant.message", "gen_ai.tool.message":
		return roleMessage
	}
	if m.conventional || strings.HasPrefix(m.event, "gen_ai.") {
		return roleUnknown
	}
	return roleOther
}

// ofSpan is the role of a span: by the operation of GenAI, else by the kinds of OpenInference and OpenLLMetry, else by an
// answer.
func (m *marks) ofSpan() role {
	for _, r := range []role{ofOperation(m.operation), ofKind(m.kind), ofRequestType(m.requestType), ofLoopKind(m.loopKind)} {
		if r != roleUnknown {
			return r
		}
	}
	switch {
	case m.operation+m.kind+m.requestType+m.loopKind != "":
		return roleUnknown
	case m.answer:
		return roleAnswer
	case m.conventional:
		return roleUnknown
	}
	return roleOther
}

func ofOperation(name string) role {
	switch name {
	case "chat", "text_completion", "generate_content":
		return roleAnswer
	case "retrieval", "vector_db_retrieve":
		return roleRetriever
	case "execute_tool":
		return roleTool
	case "embeddings", "invoke_agent", "create_agent", "invoke_workflow", "execute_task", "plan":
		return roleContext
	}
	if strings.HasSuffix(name, "_memory") || strings.HasSuffix(name, "_memory_store") {
		return roleContext
	}
	return roleUnknown
}

func ofKind(kind string) role {
	switch strings.ToUpper(kind) {
	case "LLM":
		return roleAnswer
	case "RETRIEVER":
		return roleRetriever
	case "RERANKER":
		return roleReranker
	case "TOOL":
		return roleTool
	case "AGENT", "CHAIN", "EMBEDDING", "GUARDRAIL", "EVALUATOR", "PROMPT":
		return roleContext
	}
	return roleUnknown
}

func ofRequestType(kind string) role {
	switch kind {
	case "chat", "completion":
		return roleAnswer
	case "embedding", "rerank":
		return roleContext
	}
	return roleUnknown
}

func ofLoopKind(kind string) role {
	switch kind {
	case "tool":
		return roleTool
	case "workflow", "task", "agent":
		return roleContext
	}
	return roleUnknown
}
