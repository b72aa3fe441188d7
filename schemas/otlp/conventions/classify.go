package conventions

import (
	"strings"

	"confab/schemas/otlp/wire"
)

// Role is what a span or log record is for.
type Role uint8

// The roles.
const (
	RoleOther     Role = iota // not about language models
	RoleUnknown               // in a convention that is not known
	RoleAnswer                // an answer of a language model
	RoleRetriever             // it has passages
	RoleReranker              // it has the passages that are left of a retriever's
	RoleTool                  // it has a tool's result
	RoleMessage               // an event with a message of a prompt
	RoleContext               // anything else about language models
)

// Names of events.
const (
	EventDetails    = "gen_ai.client.inference.operation.details"
	EventChoice     = "gen_ai.choice"
	EventPrompt     = "gen_ai.content.prompt"
	EventCompletion = "gen_ai.content.completion"
	EventEvaluation = "gen_ai.evaluation.result" // written by Confab itself, too
)

// marks are the attributes that decide a role.
type marks struct {
	operation, kind, loopKind, requestType, event string
	answer                                        bool // it has an answer
	conventional                                  bool
}

// RoleOf returns the role of a span or log record.
func RoleOf(e *wire.Entry) Role {
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
		case name == EventDetails, name == EventChoice, strings.HasPrefix(name, EventCompletion):
			m.answer = true
		}
	}
	if e.Log {
		return m.ofLog()
	}
	r := m.ofSpan()
	if passages && r != RoleAnswer {
		return RoleRetriever
	}
	return r
}

func (m *marks) add(a *wire.Attribute) {
	text := func() string {
		var scratch []byte
		v, _ := a.Value.Text(&scratch)
		return v
	}
	switch SlotOf(a.Key) {
	case GAOperation:
		m.operation = text()
	case OIKind:
		m.kind = text()
	case TLKind:
		m.loopKind = text()
	case TLRequestType:
		m.requestType = text()
	case EventName:
		if m.event == "" {
			m.event = text()
		}
	case GAOutput, GACompletion, PostAnswer:
		m.answer = true
	case SlotNone:
		m.answer = m.answer || strings.HasPrefix(a.Key, familyPrefixes[TLCompletions])
	default:
	}
	m.conventional = m.conventional || isConventional(a.Key)
}

// ofLog is the role of a log record.
func (m *marks) ofLog() Role {
	switch m.event {
	case EventDetails:
		if r := ofOperation(m.operation); r != RoleUnknown || m.operation != "" {
			return r
		}
		return RoleAnswer
	case EventChoice:
		return RoleAnswer
	case "gen_ai.system.message", "gen_ai.user.message", "gen_ai.assistant.message", "gen_ai.tool.message":
		return RoleMessage
	case EventEvaluation:
		return RoleContext
	}
	if m.conventional || strings.HasPrefix(m.event, "gen_ai.") {
		return RoleUnknown
	}
	return RoleOther
}

// ofSpan is the role of a span: by the operation of GenAI, else by the kinds of OpenInference and OpenLLMetry, else by an
// answer.
func (m *marks) ofSpan() Role {
	for _, r := range []Role{ofOperation(m.operation), ofKind(m.kind), ofRequestType(m.requestType), ofLoopKind(m.loopKind)} {
		if r != RoleUnknown {
			return r
		}
	}
	switch {
	case m.operation+m.kind+m.requestType+m.loopKind != "":
		return RoleUnknown
	case m.answer:
		return RoleAnswer
	case m.conventional:
		return RoleUnknown
	}
	return RoleOther
}

func ofOperation(name string) Role {
	switch name {
	case "chat", "text_completion", "generate_content":
		return RoleAnswer
	case "retrieval", "vector_db_retrieve":
		return RoleRetriever
	case "execute_tool":
		return RoleTool
	case "embeddings", "invoke_agent", "create_agent", "invoke_workflow", "execute_task", "plan":
		return RoleContext
	}
	if strings.HasSuffix(name, "_memory") || strings.HasSuffix(name, "_memory_store") {
		return RoleContext
	}
	return RoleUnknown
}

func ofKind(kind string) Role {
	switch strings.ToUpper(kind) {
	case "LLM":
		return RoleAnswer
	case "RETRIEVER":
		return RoleRetriever
	case "RERANKER":
		return RoleReranker
	case "TOOL":
		return RoleTool
	case "AGENT", "CHAIN", "EMBEDDING", "GUARDRAIL", "EVALUATOR", "PROMPT":
		return RoleContext
	}
	return RoleUnknown
}

func ofRequestType(kind string) Role {
	switch kind {
	case "chat", "completion":
		return RoleAnswer
	case "embedding", "rerank":
		return RoleContext
	}
	return RoleUnknown
}

func ofLoopKind(kind string) Role {
	switch kind {
	case "tool":
		return RoleTool
	case "workflow", "task", "agent":
		return RoleContext
	}
	return RoleUnknown
}

// HasSources reports the role of a span with passages or results.
func (r Role) HasSources() bool { return r == RoleRetriever || r == RoleReranker || r == RoleTool }
