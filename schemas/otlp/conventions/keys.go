package conventions

import (
	"strconv"
	"strings"

	"confab/schemas/otlp/wire"
)

// Slot is an attribute that is read.
type Slot uint8

// The slots, named by convention: ga is GenAI, oi OpenInference, tl OpenLLMetry, post the published design.
const (
	SlotNone Slot = iota
	GAOperation
	GAProvider
	GASystem
	GAResponseModel
	GARequestModel
	GAResponseID
	GAConversation
	GAFinishReasons
	GAFinishReason
	GATemperature
	GAOutputType
	GAInputTokens
	GAOutputTokens
	GAInput
	GAOutput
	GAInstructions
	GAPrompt
	GACompletion
	GADocuments
	GAToolResult
	GAToolName
	GAToolCallID
	GASchema
	OIKind
	OIModel
	OIRequestModel
	OIResponseModel
	OIProvider
	OISystem
	OIFinish
	OIParameters
	OISession
	OIUser
	OITags
	OIToolName
	OIInput
	OIOutput
	TLKind
	TLInput
	TLOutput
	TLRequestType
	TLStreaming
	TLEntity
	PostSources
	PostTokens
	PostPrompt
	PostAnswer
	PostModel
	ErrorType
	EventName
	slots // their number
)

// SlotOf returns the slot of a key, SlotNone for another one.
//
//nolint:cyclop,funlen // a table as a switch, which the compiler searches by length and value
func SlotOf(key string) Slot {
	switch key {
	case "gen_ai.operation.name":
		return GAOperation
	case "gen_ai.provider.name":
		return GAProvider
	case "gen_ai.system":
		return GASystem
	case "gen_ai.response.model":
		return GAResponseModel
	case "gen_ai.request.model":
		return GARequestModel
	case "gen_ai.response.id":
		return GAResponseID
	case "gen_ai.conversation.id":
		return GAConversation
	case "gen_ai.response.finish_reasons":
		return GAFinishReasons
	case "gen_ai.response.finish_reason":
		return GAFinishReason
	case "gen_ai.request.temperature":
		return GATemperature
	case "gen_ai.output.type":
		return GAOutputType
	case "gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens":
		return GAInputTokens
	case "gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens":
		return GAOutputTokens
	case "gen_ai.input.messages":
		return GAInput
	case "gen_ai.output.messages":
		return GAOutput
	case "gen_ai.system_instructions":
		return GAInstructions
	case "gen_ai.prompt":
		return GAPrompt
	case "gen_ai.completion":
		return GACompletion
	case "gen_ai.retrieval.documents":
		return GADocuments
	case "gen_ai.tool.call.result":
		return GAToolResult
	case "gen_ai.tool.name":
		return GAToolName
	case "gen_ai.tool.call.id":
		return GAToolCallID
	case "gen_ai.request.structured_output_schema":
		return GASchema
	case "openinference.span.kind":
		return OIKind
	case "llm.model_name":
		return OIModel
	case "llm.request.model_name":
		return OIRequestModel
	case "llm.response.model_name":
		return OIResponseModel
	case "llm.provider":
		return OIProvider
	case "llm.system":
		return OISystem
	case "llm.finish_reason":
		return OIFinish
	case "llm.invocation_parameters":
		return OIParameters
	case "session.id":
		return OISession
	case "user.id":
		return OIUser
	case "tag.tags":
		return OITags
	case "tool.name":
		return OIToolName
	case "input.value":
		return OIInput
	case "output.value":
		return OIOutput
	case "traceloop.span.kind":
		return TLKind
	case "traceloop.entity.input":
		return TLInput
	case "traceloop.entity.output":
		return TLOutput
	case "traceloop.entity.name":
		return TLEntity
	case "llm.request.type":
		return TLRequestType
	case "llm.is_streaming", "gen_ai.is_streaming", "gen_ai.request.stream", "gen_ai.request.is_stream":
		return TLStreaming
	case "rag.sources_json":
		return PostSources
	case "llm.response.tokens_json":
		return PostTokens
	case "llm.request.prompt":
		return PostPrompt
	case "llm.response.text":
		return PostAnswer
	case "llm.request.model":
		return PostModel
	case "error.type":
		return ErrorType
	case "event.name":
		return EventName
	default:
		return SlotNone
	}
}

// Family is a list in flattened names, such as llm.input_messages.0.message.role.
type Family uint8

// The families, named by convention as slots are.
const (
	OIInputMessages Family = iota
	OIOutputMessages
	OIPrompts
	OIChoices
	OIRetrieved
	OIReranked
	TLPrompts
	TLCompletions
	families // their number
)

// familyPrefixes are the names before the index.
//
//nolint:gochecknoglobals // a read-only table
var familyPrefixes = [families]string{
	"llm.input_messages.", "llm.output_messages.", "llm.prompts.", "llm.choices.", "retrieval.documents.",
	"reranker.output_documents.", "gen_ai.prompt.", "gen_ai.completion.",
}

// FlatItem is a member of an item of a flattened list.
type FlatItem struct {
	List  Family
	Index int
	Part  int    // index of a content part
	Name  string // of the member
	Value *wire.Value
}

// partsPrefix is the name of a message's content parts.
const partsPrefix = "message.contents."

// maxIndex bounds the indexes of flattened lists.
const maxIndex = 1 << 20

// parseFlat splits a flattened name.
func parseFlat(key string) (it FlatItem, ok bool) {
	for f, prefix := range familyPrefixes {
		if !strings.HasPrefix(key, prefix) {
			continue
		}
		digits, name, found := strings.Cut(key[len(prefix):], ".")
		n, err := strconv.ParseUint(digits, 10, 32)
		if !found || err != nil || n > maxIndex {
			return it, false
		}
		it = FlatItem{List: Family(f), Index: int(n), Name: name}
		if rest, parts := strings.CutPrefix(name, partsPrefix); parts {
			digits, member, _ := strings.Cut(rest, ".")
			if n, err = strconv.ParseUint(digits, 10, 32); err == nil && n <= maxIndex {
				it.Part, it.Name = int(n), member
			}
		}
		return it, true
	}
	return it, false
}

// Association is the prefix of OpenLLMetry's free properties.
const Association = "traceloop.association.properties."

// Wanted reports whether an attribute may be read, by how its name begins.
func Wanted(key string) bool {
	first, _, _ := strings.Cut(key, ".")
	switch first {
	case "gen_ai", "llm", "openinference", "retrieval", "reranker", "traceloop", "input", "output", "session", "user", "tag",
		"rag", "event", "tool", "db", "service", "error":
		return true
	}
	return false
}

// isConventional reports an attribute of a convention for language models.
func isConventional(key string) bool {
	return strings.HasPrefix(key, "gen_ai.") || strings.HasPrefix(key, "llm.") || strings.HasPrefix(key, "openinference.")
}
