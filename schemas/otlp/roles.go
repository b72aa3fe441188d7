package otlp

import (
	"slices"
	"strings"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
)

// spanRole is what a span or log record is for.
type spanRole uint8

// The roles.
const (
	roleOther     spanRole = iota // not about language models
	roleUnknown                   // in a convention that is not known
	roleAnswer                    // an answer of a language model
	roleRetriever                 // it has passages
	roleReranker                  // it has the passages that are left of a retriever's
	roleTool                      // it has a tool's result
	roleMessage                   // an event with a message of a prompt
	roleContext                   // anything else about language models
)

// hasSources reports the role of a span with passages or results.
func (r spanRole) hasSources() bool {
	return r == roleRetriever || r == roleReranker || r == roleTool
}

// Names of events.
const (
	eventDetails    = "gen_ai.client.inference.operation.details"
	eventChoice     = "gen_ai.choice"
	eventPrompt     = "gen_ai.content.prompt"
	eventCompletion = "gen_ai.content.completion"
)

// Attributes that decide a role, in the order in which they count, with the roles of their values. Others are not known.
const (
	keyOperation   = "gen_ai.operation.name"
	keyKind        = "openinference.span.kind"
	keyRequestType = "llm.request.type"
	keyLoopKind    = "traceloop.span.kind"
)

//nolint:gochecknoglobals // a read-only table
var rolesOf = []struct {
	key   string
	roles map[string]spanRole
}{
	{keyOperation, map[string]spanRole{
		"chat": roleAnswer, "text_completion": roleAnswer, "generate_content": roleAnswer, "retrieval": roleRetriever,
		"vector_db_retrieve": roleRetriever, "execute_tool": roleTool, "embeddings": roleContext, "invoke_agent": roleContext,
		"create_agent": roleContext, "invoke_workflow": roleContext, "execute_task": roleContext, "plan": roleContext,
	}},
	{keyKind, map[string]spanRole{
		"llm": roleAnswer, "retriever": roleRetriever, "reranker": roleReranker, "tool": roleTool, "agent": roleContext,
		"chain": roleContext, "embedding": roleContext, "guardrail": roleContext, "evaluator": roleContext, "prompt": roleContext,
	}},
	{keyRequestType, map[string]spanRole{
		"chat": roleAnswer, "completion": roleAnswer, "embedding": roleContext, "rerank": roleContext,
	}},
	{keyLoopKind, map[string]spanRole{
		"tool": roleTool, "workflow": roleContext, "task": roleContext, "agent": roleContext,
	}},
}

// eventRoles are the roles of log records by the names of their events.
//
//nolint:gochecknoglobals // a read-only table
var eventRoles = map[string]spanRole{
	eventDetails: roleAnswer, eventChoice: roleAnswer, "gen_ai.system.message": roleMessage, "gen_ai.user.message": roleMessage,
	"gen_ai.assistant.message": roleMessage, "gen_ai.tool.message": roleMessage,
	"gen_ai.evaluation.result": roleContext, // written by Confab itself, too
}

// roleOf returns the role of a span or log record: of a log record by its event, of a span by its kinds, else by an answer.
func roleOf(e *entry) spanRole {
	if e.log {
		return roleOfLog(e)
	}
	role, kinds := roleUnknown, false
	for i := range rolesOf {
		kind := attributeText(e.attributes, rolesOf[i].key)
		kinds = kinds || kind != ""
		if role == roleUnknown {
			role = roleOfKind(i, kind)
		}
	}
	answer, passages := e.holdsAnswer()
	switch {
	case role != roleUnknown || kinds:
	case answer:
		role = roleAnswer
	case !isConventional(e):
		role = roleOther
	}
	if passages && role != roleAnswer {
		return roleRetriever
	}
	return role
}

// roleOfKind is the role by the value of a key.
func roleOfKind(key int, kind string) spanRole {
	if rolesOf[key].key == keyOperation && (strings.HasSuffix(kind, "_memory") || strings.HasSuffix(kind, "_memory_store")) {
		return roleContext
	}
	if rolesOf[key].key == keyKind {
		kind = strings.ToLower(kind)
	}
	if role, known := rolesOf[key].roles[kind]; known {
		return role
	}
	return roleUnknown
}

// holdsAnswer reports whether a span has an answer, and whether it has passages of a vector store.
func (e *entry) holdsAnswer() (answer, passages bool) {
	for _, a := range e.attributes {
		switch a.GetKey() {
		case "gen_ai.output.messages", "gen_ai.completion", "llm.response.text":
			answer = true
		default:
			answer = answer || strings.HasPrefix(a.GetKey(), flatCompletions)
		}
	}
	for _, event := range e.events {
		name := event.GetName()
		passages = passages || isStoreResult(name)
		answer = answer || name == eventDetails || name == eventChoice || strings.HasPrefix(name, eventCompletion)
	}
	return answer, passages
}

// isStoreResult reports the event of a passage that a vector store returned.
func isStoreResult(name string) bool { return name == "db.query.result" || name == "db.search.result" }

// roleOfLog is the role of a log record.
func roleOfLog(e *entry) spanRole {
	event := eventOf(e)
	if operation := attributeText(e.attributes, keyOperation); event == eventDetails && operation != "" {
		return roleOfKind(0, operation)
	}
	if role, known := eventRoles[event]; known {
		return role
	}
	if strings.HasPrefix(event, "gen_ai.") || isConventional(e) {
		return roleUnknown
	}
	return roleOther
}

// isConventional reports an attribute of a convention for language models.
func isConventional(e *entry) bool {
	return slices.ContainsFunc(e.attributes, func(a *commonpb.KeyValue) bool {
		key := a.GetKey()
		return strings.HasPrefix(key, "gen_ai.") || strings.HasPrefix(key, "llm.") || strings.HasPrefix(key, "openinference.")
	})
}
