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
	rolePart                      // a step of a chain: roleOuter at the top of its trace, else roleContext
	roleOuter                     // an agent, workflow or the like: it is read if nothing else in its trace has an answer
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

// isAnswered reports the role of a span that may be an interaction.
func (r spanRole) isAnswered() bool { return r == roleAnswer || r == roleOuter }

// isOpen reports a role in which an answer counts more than passages.
func (r spanRole) isOpen() bool { return r == roleOuter || r == roleUnknown }

// Names of events.
const (
	eventDetails    = "gen_ai.client.inference.operation.details"
	eventChoice     = "gen_ai.choice"
	eventPrompt     = "gen_ai.content.prompt"
	eventCompletion = "gen_ai.content.completion"
)

// keyOperation is GenAI's attribute for the kind of a span.
const keyOperation = "gen_ai.operation.name"

// kindKeys are the attributes that say of what kind a span is, in the order in which they count.
//
//nolint:gochecknoglobals // a read-only table
var kindKeys = [...]string{
	keyOperation, "openinference.span.kind", "llm.request.type", "traceloop.span.kind", "ai.operationId", "mlflow.spanType",
	"langsmith.span.kind", "langfuse.observation.type", "genkit:metadata:subtype", "lmnr.span.type", "haystack.component.type",
}

// kindRoles are the roles by those kinds, in lower case. Others are not known.
//
//nolint:gochecknoglobals // a read-only table
var kindRoles = map[string]spanRole{
	"chat": roleAnswer, "text_completion": roleAnswer, "generate_content": roleAnswer, "completion": roleAnswer, "llm": roleAnswer,
	"chat_model": roleAnswer, "generation": roleAnswer, "model": roleAnswer, "ai.generatetext.dogenerate": roleAnswer, "ai.streamtext.dostream": roleAnswer,
	"ai.generateobject.dogenerate": roleAnswer, "ai.streamobject.dostream": roleAnswer,

	"invoke_agent": roleOuter, "invoke_workflow": roleOuter, "agent": roleOuter, "workflow": roleOuter, "flow": roleOuter, "chain": rolePart, "default": rolePart, "task": rolePart,
	"ai.generatetext": roleOuter, "ai.streamtext": roleOuter, "ai.generateobject": roleOuter, "ai.streamobject": roleOuter,

	"retrieval": roleRetriever, "retriever": roleRetriever, "retrieve": roleRetriever, "vector_db_retrieve": roleRetriever, "reranker": roleReranker,
	"execute_tool": roleTool, "tool": roleTool, "ai.toolcall": roleTool,

	"create_agent": roleContext, "execute_task": roleContext, "plan": roleContext, "embeddings": roleContext, "embedding": roleContext,
	"rerank": roleContext, "guardrail": roleContext, "evaluator": roleContext, "prompt": roleContext, "parser": roleContext,
	"memory": roleContext, "span": roleContext, "event": roleContext, "unknown": roleContext, "ai.embed": roleContext,
	"ai.embed.doembed": roleContext, "ai.embedmany": roleContext, "ai.embedmany.doembed": roleContext,
}

// kindEnds are the roles by the ends of other kinds: those of memories, and the classes of Haystack.
//
//nolint:gochecknoglobals // a read-only table
var kindEnds = map[string]spanRole{
	"_memory": roleContext, "_memory_store": roleContext, "retriever": roleRetriever, "generator": roleAnswer, "builder": roleContext,
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
	return roleOfSpan(e)
}

func roleOfSpan(e *entry) spanRole {
	role, kinds := e.kindRole()
	if role == roleAnswer || role.hasSources() {
		return role
	}
	answer, passages := e.holdsAnswer()
	if passages && (answer == roleOther || !role.isOpen()) {
		return roleRetriever
	}
	switch {
	case role != roleUnknown:
		return role
	case kinds && answer == roleAnswer:
		return roleOuter
	case kinds:
		return roleUnknown
	case answer != roleOther:
		return answer
	case isConventional(e):
		return roleUnknown
	}
	return roleOther
}

// kindRole is the role by the first attribute with a kind that is known. kinds reports any kind.
func (e *entry) kindRole() (role spanRole, kinds bool) {
	role = roleUnknown
	first := len(kindKeys)
	for _, a := range e.attributes {
		k := slices.Index(kindKeys[:], a.GetKey())
		if k < 0 {
			continue
		}
		kind, _ := textOf(a.GetValue())
		kinds = kinds || kind != ""
		if r := roleOfKind(kind); k < first && r != roleUnknown {
			role, first = r, k
		}
	}
	if role != rolePart {
		return role, kinds
	}
	if e.parent == [8]byte{} {
		return roleOuter, kinds
	}
	return roleContext, kinds
}

// roleOfKind is the role by the kind of a span. MLflow writes it as JSON.
func roleOfKind(kind string) spanRole {
	kind = strings.ToLower(strings.Trim(kind, `"`))
	if role, known := kindRoles[kind]; known {
		return role
	}
	for end, role := range kindEnds {
		if strings.HasSuffix(kind, end) {
			return role
		}
	}
	return roleUnknown
}

// holdsAnswer returns the role that the answer of a span without a kind gives it, and whether it has passages.
func (e *entry) holdsAnswer() (role spanRole, passages bool) {
	for _, a := range e.attributes {
		key := a.GetKey()
		role = max(role, responseRole(key))
		passages = passages || hasPassages(key)
	}
	for _, event := range e.events {
		name := event.GetName()
		passages = passages || isStoreResult(name)
		if name == eventDetails || name == eventChoice || strings.HasPrefix(name, eventCompletion) {
			role = roleAnswer
		}
	}
	return role, passages
}

// isStoreResult reports the event of a passage that a vector store returned.
func isStoreResult(name string) bool { return name == "db.query.result" || name == "db.search.result" }

// roleOfLog is the role of a log record.
func roleOfLog(e *entry) spanRole {
	event := eventOf(e)
	if operation := attributeText(e.attributes, keyOperation); event == eventDetails && operation != "" {
		if role := roleOfKind(operation); role != roleOuter && role != rolePart {
			return role
		}
		return roleContext
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
