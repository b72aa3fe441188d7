package otlp

import (
	"strconv"
	"strings"

	"confab/schemas/otlp/wire"
)

// slot is an attribute that is read.
type slot uint8

// The slots, named by convention: ga is GenAI, oi OpenInference, tl OpenLLMetry, post the published design.
const (
	slotNone slot = iota
	gaOperation
	gaProvider
	gaSystem
	gaResponseModel
	gaRequestModel
	gaResponseID
	gaConversation
	gaFinishReasons
	gaFinishReason
	gaTemperature
	gaOutputType
	gaInputTokens
	gaOutputTokens
	gaInput
	gaOutput
	gaInstructions
	gaPrompt
	gaCompletion
	gaDocuments
	gaToolResult
	gaToolName
	gaToolCallID
	gaSchema
	oiKind
	oiModel
	oiRequestModel
	oiResponseModel
	oiProvider
	oiSystem
	oiFinish
	oiParameters
	oiSession
	oiUser
	oiTags
	oiToolName
	oiInput
	oiOutput
	tlKind
	tlInput
	tlOutput
	tlRequestType
	tlStreaming
	tlEntity
	postSources
	postTokens
	postPrompt
	postAnswer
	postModel
	errorType
	eventName
	slots // their number
)

// slotOf returns the slot of a key, slotNone for another one.
//
//nolint:cyclop,funlen // a table as a switch, which the compiler searches by length and value
func slotOf(key string) slot {
	switch key {
	case "gen_ai.operation.name":
		return gaOperation
	case "gen_ai.provider.name":
		return gaProvider
	case "gen_ai.system":
		return gaSystem
	case "gen_ai.response.model":
		return gaResponseModel
	case "gen_ai.request.model":
		return gaRequestModel
	case "gen_ai.response.id":
		return gaResponseID
	case "gen_ai.conversation.id":
		return gaConversation
	case "gen_ai.response.finish_reasons":
		return gaFinishReasons
	case "gen_ai.response.finish_reason":
		return gaFinishReason
	case "gen_ai.request.temperature":
		return gaTemperature
	case "gen_ai.output.type":
		return gaOutputType
	case "gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens":
		return gaInputTokens
	case "gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens":
		return gaOutputTokens
	case "gen_ai.input.messages":
		return gaInput
	case "gen_ai.output.messages":
		return gaOutput
	case "gen_ai.system_instructions":
		return gaInstructions
	case "gen_ai.prompt":
		return gaPrompt
	case "gen_ai.completion":
		return gaCompletion
	case "gen_ai.retrieval.documents":
		return gaDocuments
	case "gen_ai.tool.call.result":
		return gaToolResult
	case "gen_ai.tool.name":
		return gaToolName
	case "gen_ai.tool.call.id":
		return gaToolCallID
	case "gen_ai.request.structured_output_schema":
		return gaSchema
	case "openinference.span.kind":
		return oiKind
	case "llm.model_name":
		return oiModel
	case "llm.request.model_name":
		return oiRequestModel
	case "llm.response.model_name":
		return oiResponseModel
	case "llm.provider":
		return oiProvider
	case "llm.system":
		return oiSystem
	case "llm.finish_reason":
		return oiFinish
	case "llm.invocation_parameters":
		return oiParameters
	case "session.id":
		return oiSession
	case "user.id":
		return oiUser
	case "tag.tags":
		return oiTags
	case "tool.name":
		return oiToolName
	case "input.value":
		return oiInput
	case "output.value":
		return oiOutput
	case "traceloop.span.kind":
		return tlKind
	case "traceloop.entity.input":
		return tlInput
	case "traceloop.entity.output":
		return tlOutput
	case "traceloop.entity.name":
		return tlEntity
	case "llm.request.type":
		return tlRequestType
	case "llm.is_streaming", "gen_ai.is_streaming", "gen_ai.request.stream", "gen_ai.request.is_stream":
		return tlStreaming
	case "rag.sources_json":
		return postSources
	case "llm.response.tokens_json":
		return postTokens
	case "llm.request.prompt":
		return postPrompt
	case "llm.response.text":
		return postAnswer
	case "llm.request.model":
		return postModel
	case "error.type":
		return errorType
	case "event.name":
		return eventName
	default:
		return slotNone
	}
}

// family is a list in flattened names, such as llm.input_messages.0.message.role.
type family uint8

const (
	oiInputMessages family = iota
	oiOutputMessages
	oiPrompts
	oiChoices
	oiRetrieved
	oiReranked
	tlPrompts
	tlCompletions
	families // their number
)

// familyPrefixes are the names before the index.
//
//nolint:gochecknoglobals // a read-only table
var familyPrefixes = [families]string{
	"llm.input_messages.", "llm.output_messages.", "llm.prompts.", "llm.choices.", "retrieval.documents.",
	"reranker.output_documents.", "gen_ai.prompt.", "gen_ai.completion.",
}

// flatItem is a member of an item of a flattened list.
type flatItem struct {
	list  family
	index int
	part  int    // index of a content part
	name  string // of the member
	value *wire.Value
}

// partsPrefix is the name of a message's content parts.
const partsPrefix = "message.contents."

// maxIndex bounds the indexes of flattened lists.
const maxIndex = 1 << 20

// parseFlat splits a flattened name.
func parseFlat(key string) (it flatItem, ok bool) {
	for f, prefix := range familyPrefixes {
		if !strings.HasPrefix(key, prefix) {
			continue
		}
		digits, name, found := strings.Cut(key[len(prefix):], ".")
		n, err := strconv.ParseUint(digits, 10, 32)
		if !found || err != nil || n > maxIndex {
			return it, false
		}
		it = flatItem{list: family(f), index: int(n), name: name}
		if rest, parts := strings.CutPrefix(name, partsPrefix); parts {
			digits, member, _ := strings.Cut(rest, ".")
			if n, err = strconv.ParseUint(digits, 10, 32); err == nil && n <= maxIndex {
				it.part, it.name = int(n), member
			}
		}
		return it, true
	}
	return it, false
}

// association is the prefix of OpenLLMetry's free properties.
const association = "traceloop.association.properties."

// wanted reports whether an attribute may be read, by how its name begins.
func wanted(key string) bool {
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
