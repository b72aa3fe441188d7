package llmapi

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/schemas"
)

// api is a call of an API: what it looks like, and what is read of it.
type api struct {
	name, form        string
	request, response string
	messages          string // role:content, with | between them
	answer            string // "-" for an answer without text
	sources           string // id,uri,title,text, with | between them
	finish            string
	unread            string
}

func apis() []api {
	return []api{
		{name: "chat", form: "openai.chat", request: `{"model":"m","messages":[{"role":"system","content":"S"},{"role":"user","content":"Q"}]}`, response: `{"id":"r","choices":[{"index":0,"message":{"role":"assistant","content":"A","refusal":null,"annotations":[]},"finish_reason":"length"}]}`, messages: "system:S|user:Q", answer: "A", finish: "length"},
		{name: "chat, parts", form: "openai.chat", request: `{"messages":[{"role":"developer","content":[{"type":"text","text":"S"}]},{"role":"user","content":[{"type":"text","text":"Q1"},{"type":"image_url","image_url":{"url":"u"}},{"type":"text","text":"Q2"}]}]}`, response: `{"choices":[{"message":{"role":"assistant","content":[{"type":"text","text":"A"},{"type":"text","text":" b."}]}}]}`, messages: "developer:S|user:Q1\nQ2", answer: "A b."},
		{name: "chat, tools", form: "openai.chat", request: `{"messages":[{"role":"user","content":"Q"},{"role":"assistant","content":null,"tool_calls":[{"id":"c"}]},{"role":"tool","tool_call_id":"c","content":"[{\"text\":\"P\"}]"}]}`, response: `{"choices":[{"message":{"role":"assistant","content":null,"tool_calls":[{"id":"c"}]},"finish_reason":"tool_calls"}]}`, messages: `user:Q|assistant:|tool:[{"text":"P"}]`, answer: "-", finish: "tool_calls", unread: "tool_calls"},
		{name: "chat, metadata", form: "openai.chat", request: `{"messages":[{"role":"user","content":"Q"}],"metadata":{"grounding.sources":["P1",{"id":"2","text":"P2"}]}}`, response: `{"choices":[{"message":{"content":"A"}}]}`, messages: "user:Q", answer: "A", sources: ",,,P1|2,,,P2"},
		{name: "chat, metadata as text", form: "openai.chat", request: `{"messages":[{"role":"user","content":"Q"}],"metadata":{"grounding.sources":"[\"P1\",{\"id\":\"2\",\"text\":\"P2\"}]"}}`, response: `{"choices":[{"message":{"content":"A"}}]}`, messages: "user:Q", answer: "A", sources: ",,,P1|2,,,P2"},
		{name: "chat, refusal", form: "openai.chat", response: `{"choices":[{"message":{"role":"assistant","content":null,"refusal":"No."}}]}`, answer: "No."},
		{name: "litellm, refusal", form: "openai.chat", response: `{"choices":[{"message":{"role":"assistant","content":null,"provider_specific_fields":{"refusal":"No."}}}]}`, answer: "No."},
		{name: "litellm, citations", form: "openai.chat", response: `{"choices":[{"message":{"content":"A","provider_specific_fields":{"citations":[[{"type":"char_location","cited_text":"P","document_title":"T"}]]}}}]}`, answer: "A", sources: ",,T,P"},
		{name: "chat, speech", form: "openai.chat", response: `{"choices":[{"message":{"role":"assistant","content":null,"audio":{"id":"a","data":"AA","transcript":"A"}}}]}`, answer: "A"},
		{name: "chat, several", form: "openai.chat", response: `{"choices":[{"index":0,"message":{"content":"A"}},{"index":1,"message":{"content":"B"}}]}`, answer: "A"},
		{name: "chat, filtered", form: "openai.chat", response: `{"choices":[{"index":0,"message":{"role":"assistant"},"finish_reason":"content_filter"}]}`, answer: "-", finish: "content_filter"},
		{name: "chat, reasoning", form: "openai.chat", response: `{"choices":[{"message":{"role":"assistant","content":"A","reasoning_content":"hm","thinking_blocks":[{"type":"thinking","thinking":"hm"}]}}]}`, answer: "A", unread: "reasoning"},
		{name: "chat, web search", form: "openai.chat", response: `{"choices":[{"message":{"role":"assistant","content":"A","annotations":[{"type":"url_citation","url_citation":{"url":"https://x","title":"T","content":"P","start_index":0,"end_index":1}}]}}]}`, answer: "A", sources: ",https://x,T,P"},
		{name: "error", form: "error", response: `{"error":{"message":"filtered","code":"content_filter"}}`},
		{name: "text completion", form: "openai.chat", request: `{"prompt":"Q"}`, response: `{"object":"text_completion","choices":[{"text":"A","index":0,"finish_reason":"stop"}]}`, messages: "user:Q", answer: "A", finish: "stop"},
		{name: "azure, own data", form: "openai.chat", response: `{"choices":[{"message":{"role":"assistant","content":"A [doc1].","context":{"citations":[{"content":"P","title":"T","url":"https://x","filepath":"f","chunk_id":"0"}],"intent":"[]"}}}]}`, answer: "A [doc1].", sources: "0,https://x,T,P"},
		{name: "perplexity", form: "openai.chat", response: `{"choices":[{"message":{"content":"A [1]"}}],"citations":["https://x"],"search_results":[{"title":"T","url":"https://x","snippet":"P","date":null}]}`, answer: "A [1]", sources: ",https://x,T,P"},
		{name: "vllm, documents", form: "openai.chat", request: `{"messages":[{"role":"user","content":"Q"}],"documents":[{"title":"T","text":"P"}]}`, response: `{"choices":[{"message":{"content":"A","reasoning":null}}]}`, messages: "user:Q", answer: "A", sources: ",,T,P"},

		{name: "responses", form: "openai.responses", request: `{"instructions":"S","input":"Q"}`, response: `{"id":"r","object":"response","status":"completed","output":[{"type":"reasoning","summary":[{"type":"summary_text","text":"hm"}]},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"A","annotations":[]}]}]}`, messages: "system:S|user:Q", answer: "A", unread: "reasoning"},
		{name: "responses, bare", form: "openai.responses", request: `{"object":"response","instructions":"S","output":[],"text":{"format":{"type":"text"}},"metadata":{}}`, response: `{"object":"response","error":null,"output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"A"}]}]}`, messages: "system:S", answer: "A"},
		{name: "responses, preamble", form: "openai.responses", response: `{"object":"response","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Let me look."}]},{"type":"file_search_call","queries":["q"],"results":[{"file_id":"f","filename":"p.pdf","score":0.9,"text":"P"}]},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"A"}]}]}`, answer: "A", sources: "f,,p.pdf,P", unread: "tool_calls"},
		{name: "responses, two messages", form: "openai.responses", response: `{"object":"response","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"A"}]},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"B?"}]}]}`, answer: "A\n\nB?"},
		{name: "responses, web search", form: "openai.responses", response: `{"object":"response","output":[{"type":"web_search_call","action":{"type":"search","query":"q"}},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"A","annotations":[{"type":"url_citation","start_index":0,"end_index":1,"url":"https://x","title":"T"}]}]}]}`, answer: "A", unread: "tool_calls"},
		{name: "responses, tools", form: "openai.responses", request: `{"input":[{"role":"user","content":[{"type":"input_text","text":"Q"}]},{"type":"reasoning","summary":[]},{"type":"function_call","call_id":"c","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"c","output":"P"}]}`, response: `{"object":"response","output":[{"type":"function_call","name":"f","arguments":"{}"}]}`, messages: "user:Q|assistant:|tool:P", answer: "-", unread: "tool_calls"},
		{name: "responses, refusal", form: "openai.responses", response: `{"object":"response","output":[{"type":"message","role":"assistant","content":[{"type":"refusal","refusal":"No."}]}]}`, answer: "No."},
		{name: "responses, incomplete", form: "openai.responses", response: `{"object":"response","status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[{"type":"reasoning","summary":[]}]}`, answer: "-", finish: "length", unread: "reasoning"},
		{name: "responses, event", form: "openai.responses", response: `{"type":"response.completed","sequence_number":9,"response":{"object":"response","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"A"}]}]}}`, answer: "A"},
		{name: "responses, mcp", form: "openai.responses", response: `{"object":"response","output":[{"type":"mcp_call","name":"f","arguments":"{}","output":"P"},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"A"}]}]}`, answer: "A", sources: ",,,P", unread: "tool_calls"},
		{name: "batch", form: "openai.chat", request: `{"custom_id":"c","method":"POST","url":"/v1/chat/completions","body":{"messages":[{"role":"user","content":"Q"}]}}`, response: `{"status_code":200,"request_id":"q","body":{"id":"r","choices":[{"message":{"content":"A"}}]}}`, messages: "user:Q", answer: "A"},
		{name: "assistants", form: "openai.assistants", response: `{"id":"r","object":"thread.message","role":"assistant","thread_id":"t","content":[{"type":"text","text":{"value":"A【4:0†p.pdf】.","annotations":[{"type":"file_citation","text":"【4:0†p.pdf】","file_citation":{"file_id":"f"}}]}}]}`, answer: "A【4:0†p.pdf】."},

		{name: "anthropic", form: "anthropic", request: `{"system":[{"type":"text","text":"S","cache_control":{"type":"ephemeral"}}],"messages":[{"role":"user","content":"Q"}]}`, response: `{"id":"r","type":"message","role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"x"},{"type":"redacted_thinking","data":"z"},{"type":"text","text":"A"}],"stop_reason":"end_turn"}`, messages: "system:S|user:Q", answer: "A", finish: "end_turn", unread: "reasoning"},
		{name: "anthropic, documents", form: "anthropic", request: `{"system":"S","messages":[{"role":"user","content":[{"type":"document","source":{"type":"text","media_type":"text/plain","data":"P"},"title":"T"},{"type":"search_result","source":"https://x","title":"U","content":[{"type":"text","text":"P2"}]},{"type":"text","text":"Q"}]}]}`, response: `{"type":"message","role":"assistant","content":[{"type":"text","text":"You can "},{"type":"text","text":"return it","citations":[{"type":"char_location","cited_text":"P","document_index":0,"document_title":"T"}]},{"type":"text","text":"."}],"stop_reason":"end_turn"}`, messages: "system:S|user:Q", answer: "You can return it.", sources: ",,T,P|,https://x,U,P2", finish: "end_turn"},
		{name: "anthropic, citations alone", form: "anthropic", response: `{"type":"message","role":"assistant","content":[{"type":"text","text":"A","citations":[{"type":"char_location","cited_text":"P","document_index":0,"document_title":"T"}]}]}`, answer: "A", sources: ",,T,P"},
		{name: "anthropic, tool result", form: "anthropic", request: `{"messages":[{"role":"user","content":"Q"},{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"s","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"text","text":"P"},{"type":"search_result","source":"u","title":"T","content":[{"type":"text","text":"P2"}]}]},{"type":"text","text":"Go on."}]}]}`, response: `{"type":"message","role":"assistant","content":[{"type":"text","text":"A"}],"stop_reason":"end_turn"}`, messages: "user:Q|assistant:|user:Go on.|tool:P\nP2", answer: "A", finish: "end_turn"},
		{name: "anthropic, tool use", form: "anthropic", response: `{"type":"message","role":"assistant","content":[{"type":"tool_use","id":"t","name":"s","input":{}}],"stop_reason":"tool_use"}`, answer: "-", finish: "tool_use", unread: "tool_calls"},
		{name: "anthropic, refusal", form: "anthropic", response: `{"type":"message","role":"assistant","content":[],"stop_reason":"refusal"}`, answer: "-", finish: "content_filter"},
		{name: "anthropic, web search", form: "anthropic", response: `{"type":"message","role":"assistant","content":[{"type":"text","text":"I look."},{"type":"server_tool_use","id":"t","name":"web_search","input":{}},{"type":"web_search_tool_result","tool_use_id":"t","content":[{"type":"web_search_result","url":"https://x","title":"T","encrypted_content":"z"}]},{"type":"text","text":"A","citations":[{"type":"web_search_result_location","url":"https://x","title":"T","cited_text":"P"}]}]}`, answer: "I look.\n\nA", sources: ",https://x,T,P", unread: "tool_calls"},
		{name: "anthropic, tools of the server", form: "anthropic", response: `{"type":"message","role":"assistant","content":[{"type":"mcp_tool_use","id":"t"},{"type":"mcp_tool_result","tool_use_id":"t","content":[{"type":"text","text":"P"}]},{"type":"web_fetch_tool_result","tool_use_id":"u","content":{"type":"web_fetch_result","url":"https://x","content":{"type":"document","source":{"type":"text","data":"P2"},"title":"T"}}},{"type":"text","text":"A"}]}`, answer: "A", sources: ",,,P|,https://x,,P2", unread: "tool_calls"},
		{name: "anthropic, batch", form: "anthropic", response: `{"type":"succeeded","message":{"id":"r","type":"message","role":"assistant","content":[{"type":"text","text":"A"}]}}`, answer: "A"},

		{name: "converse", form: "bedrock.converse", request: `{"modelId":"m","system":[{"text":"S"}],"messages":[{"role":"user","content":[{"document":{"name":"T","format":"txt","source":{"text":"P"}}},{"text":"Q"}]}],"inferenceConfig":{"temperature":0.5}}`, response: `{"output":{"message":{"role":"assistant","content":[{"reasoningContent":{"reasoningText":{"text":"hm"}}},{"text":"A"}]}},"stopReason":"max_tokens","usage":{}}`, messages: "system:S|user:Q", answer: "A", sources: ",,T,P", finish: "max_tokens", unread: "reasoning"},
		{name: "converse, tools", form: "bedrock.converse", request: `{"messages":[{"role":"user","content":[{"text":"Q"}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"t","name":"s","input":{}}}]},{"role":"user","content":[{"toolResult":{"toolUseId":"t","content":[{"text":"P"}],"status":"success"}}]}]}`, response: `{"output":{"message":{"role":"assistant","content":[{"toolUse":{"toolUseId":"t","name":"s","input":{}}}]}},"stopReason":"tool_use"}`, messages: "user:Q|assistant:|tool:P", answer: "-", finish: "tool_use", unread: "tool_calls"},
		{name: "llama", form: "bedrock.invoke", request: `{"prompt":"Q","max_gen_len":9}`, response: `{"generation":"A","prompt_token_count":1,"stop_reason":"stop"}`, messages: "user:Q", answer: "A", finish: "stop"},
		{name: "titan", form: "bedrock.invoke", request: `{"inputText":"Q","textGenerationConfig":{"temperature":0}}`, response: `{"inputTextTokenCount":1,"results":[{"tokenCount":2,"outputText":"A","completionReason":"FINISH"}]}`, messages: "user:Q", answer: "A", finish: "finish"},
		{name: "mistral on bedrock", form: "bedrock.invoke", request: `{"prompt":"Q"}`, response: `{"outputs":[{"text":"A","stop_reason":"stop"}]}`, messages: "user:Q", answer: "A", finish: "stop"},
		{name: "claude 2", form: "bedrock.invoke", response: `{"completion":" A","stop_reason":"stop_sequence"}`, answer: " A", finish: "stop_sequence"},
		{name: "tgi", form: "bedrock.invoke", request: `{"inputs":"Q","parameters":{"temperature":0.1}}`, response: `[{"generated_text":"A"}]`, messages: "user:Q", answer: "A"},
		{name: "watsonx", form: "bedrock.invoke", request: `{"input":"Q"}`, response: `{"model_id":"m","results":[{"generated_text":"A","stop_reason":"max_tokens"}]}`, messages: "user:Q", answer: "A", finish: "max_tokens"},
		{name: "retrieve and generate", form: "bedrock.rag", request: `{"input":{"text":"Q"},"sessionId":"s"}`, response: `{"sessionId":"s","output":{"text":"A"},"citations":[{"generatedResponsePart":{"textResponsePart":{"text":"A"}},"retrievedReferences":[{"content":{"text":"P","type":"TEXT"},"location":{"type":"S3","s3Location":{"uri":"s3://b/p"}},"metadata":{}}]}]}`, messages: "user:Q", answer: "A", sources: ",s3://b/p,,P"},

		{name: "gemini", form: "gemini", request: `{"systemInstruction":{"parts":[{"text":"S"}]},"contents":[{"role":"user","parts":[{"text":"Q"}]}],"generationConfig":{"temperature":0.3}}`, response: `{"candidates":[{"content":{"role":"model","parts":[{"text":"hm","thought":true},{"text":"A"}]},"finishReason":"MAX_TOKENS"}],"modelVersion":"m","responseId":"r"}`, messages: "system:S|user:Q", answer: "A", finish: "max_tokens", unread: "reasoning"},
		{name: "gemini, functions", form: "gemini", request: `{"contents":[{"role":"user","parts":[{"text":"Q"}]},{"role":"model","parts":[{"functionCall":{"name":"s","args":{}}}]},{"role":"user","parts":[{"functionResponse":{"name":"s","response":{"result":"P"}}}]}]}`, response: `{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"s","args":{}}}]},"finishReason":"STOP"}]}`, messages: "user:Q|assistant:|tool:P", answer: "-", finish: "stop", unread: "tool_calls"},
		{name: "gemini, grounding", form: "gemini", request: `{"system_instruction":{"parts":{"text":"S"}},"contents":{"parts":{"text":"Q"}}}`, response: `{"candidates":[{"content":{"parts":[{"text":"A"}]},"groundingMetadata":{"groundingChunks":[{"retrievedContext":{"uri":"gs://p","title":"T","text":"P"}},{"web":{"uri":"https://x","title":"U"}}],"groundingSupports":[{"segment":{"text":"A"},"groundingChunkIndices":[0]}]}}]}`, messages: "system:S|user:Q", answer: "A", sources: ",gs://p,T,P|,https://x,U,"},
		{name: "gemini, blocked", form: "gemini", response: `{"promptFeedback":{"blockReason":"SAFETY"},"responseId":"r"}`, answer: "-", finish: "content_filter"},
		{name: "gemini, filtered", form: "gemini", response: `{"candidates":[{"finishReason":"SAFETY","index":0}]}`, answer: "-", finish: "content_filter"},
		{name: "genai sdk", form: "gemini", request: `{"model":"m","contents":"Q","config":{"system_instruction":"S","temperature":0}}`, response: `{"candidates":[{"content":{"parts":[{"text":"A"}],"role":"model"},"finish_reason":"STOP"}],"model_version":"m"}`, messages: "system:S|user:Q", answer: "A", finish: "stop"},
		{name: "gemini, interactions", form: "openai.responses", request: `{"model":"m","system_instruction":"S","input":"Q"}`, response: `{"id":"r","model":"m","status":"completed","outputs":[{"type":"thought","summary":[{"type":"text","text":"hm"}]},{"type":"google_search_call","arguments":{}},{"type":"text","text":"A","annotations":[]}]}`, messages: "system:S|user:Q", answer: "A", unread: "reasoning,tool_calls"},
		{name: "gemini, steps", form: "openai.responses", response: `{"id":"r","status":"completed","steps":[{"type":"user_input","content":[{"type":"text","text":"Q"}]},{"type":"thought"},{"type":"model_output","content":[{"type":"text","text":"A"}]}]}`, messages: "user:Q", answer: "A", unread: "reasoning"},
		{name: "adk", form: "gemini", request: `{"model":"m","config":{"system_instruction":"S"},"contents":[{"role":"user","parts":[{"text":"Q"}]}]}`, response: `{"content":{"role":"model","parts":[{"text":"A"}]},"finish_reason":"STOP"}`, messages: "system:S|user:Q", answer: "A", finish: "stop"},

		{name: "cohere 1", form: "cohere", request: `{"preamble":"S","chat_history":[{"role":"USER","message":"Q0"},{"role":"CHATBOT","message":"A0"}],"message":"Q","documents":[{"id":"d","title":"T","snippet":"P"}]}`, response: `{"response_id":"r","generation_id":"g","text":"A","finish_reason":"COMPLETE","citations":[{"start":0,"end":1,"text":"A","document_ids":["d"]}],"documents":[{"id":"d","title":"T","snippet":"P"}]}`, messages: "system:S|user:Q0|assistant:A0|user:Q", answer: "A", sources: "d,,T,P", finish: "complete"},
		{name: "cohere 1, response alone", form: "cohere", response: `{"text":"A","generation_id":"g","citations":[{"text":"A","document_ids":["d"]}],"documents":[{"id":"d","title":"T","snippet":"P"}]}`, answer: "A", sources: "d,,T,P"},
		{name: "cohere 2", form: "cohere", request: `{"messages":[{"role":"user","content":"Q"},{"role":"assistant","tool_calls":[{"id":"c"}],"tool_plan":"hm"},{"role":"tool","tool_call_id":"c","content":[{"type":"document","document":{"data":"P"}}]}]}`, response: `{"id":"r","message":{"role":"assistant","content":[{"type":"text","text":"A"}]},"finish_reason":"MAX_TOKENS"}`, messages: "user:Q|assistant:|tool:P", answer: "A", finish: "max_tokens"},
		{name: "cohere 2, documents", form: "cohere", request: `{"messages":[{"role":"user","content":"Q"}],"documents":["P",{"id":"d","data":{"title":"T","snippet":"P2"}}]}`, response: `{"message":{"role":"assistant","content":[{"type":"text","text":"A"}],"citations":[{"start":0,"text":"A","sources":[{"type":"document","id":"d","document":{"id":"d","snippet":"P2"}}]}]},"finish_reason":"COMPLETE"}`, messages: "user:Q", answer: "A", sources: ",,,P|d,,T,P2", finish: "complete"},
		{name: "cohere 2, citations", form: "cohere", response: `{"message":{"role":"assistant","content":[{"type":"text","text":"A"}],"citations":[{"text":"A","sources":[{"type":"document","id":"d","document":{"id":"d","snippet":"P"}}]}]},"finish_reason":"COMPLETE"}`, answer: "A", sources: "d,,,P", finish: "complete"},
		{name: "mistral", form: "openai.chat", request: `{"messages":[{"role":"user","content":"Q"}]}`, response: `{"id":"r","choices":[{"message":{"role":"assistant","content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"A "},{"type":"reference","reference_ids":[1]},{"type":"text","text":"b"}]},"finish_reason":"model_length"}]}`, messages: "user:Q", answer: "A b", finish: "length", unread: "reasoning"},
		{name: "mistral agents", form: "openai.responses", request: `{"inputs":"Q","instructions":"S"}`, response: `{"object":"conversation.response","conversation_id":"c","outputs":[{"type":"tool.execution","name":"web_search"},{"type":"message.output","role":"assistant","content":[{"type":"text","text":"A"},{"type":"tool_reference","tool":"web_search","title":"T","url":"https://x"}]}]}`, messages: "system:S|user:Q", answer: "A", unread: "content_parts"},
		{name: "ollama chat", form: "ollama", request: `{"model":"m","messages":[{"role":"user","content":"Q"}],"options":{"temperature":0}}`, response: `{"model":"m","created_at":"2026-11-21T10:00:00.123456789Z","message":{"role":"assistant","content":"A","thinking":"hm"},"done":true,"done_reason":"length"}`, messages: "user:Q", answer: "A", finish: "length", unread: "reasoning"},
		{name: "ollama generate", form: "ollama", request: `{"model":"m","system":"S","prompt":"Q","response":"A","context":[1,2]}`, response: `{"model":"m","prompt":"Q","response":"A","done":true,"context":[1,2]}`, messages: "system:S|user:Q", answer: "A"},
		{name: "llama.cpp", form: "object", request: `{"prompt":"Q","n_predict":9}`, response: `{"content":"A","stop":true,"model":"m","tokens_predicted":3}`, messages: "user:Q", answer: "A"},

		{name: "langchain, generations", form: "langchain", request: `{"messages":[[{"lc":1,"type":"constructor","id":["langchain","schema","messages","SystemMessage"],"kwargs":{"content":"S","type":"system"}},{"lc":1,"type":"constructor","id":["langchain","schema","messages","HumanMessage"],"kwargs":{"content":"Q","type":"human"}}]]}`, response: `{"generations":[[{"text":"","generation_info":{"finish_reason":"stop"},"message":{"lc":1,"type":"constructor","id":["langchain","schema","messages","AIMessage"],"kwargs":{"content":[{"type":"text","text":"A","index":0}],"type":"ai"}}}]],"llm_output":{"model_name":"m"}}`, messages: "system:S|user:Q", answer: "A", finish: "stop"},
		{name: "langgraph, state", form: "messages", request: `{"messages":[{"type":"human","content":"Q"}]}`, response: `{"messages":[{"type":"human","content":"Q"},{"type":"ai","content":"","tool_calls":[{"name":"s"}]},{"type":"tool","content":"P","tool_call_id":"c"},{"type":"ai","content":"A","tool_calls":[]}]}`, messages: "user:Q", answer: "A", sources: ",,,P"},
		{name: "langgraph, update", form: "messages", response: `{"generate":{"messages":[{"type":"ai","content":"A"}]}}`, answer: "A"},
		{name: "langgraph, one record", form: "messages", request: `{"messages":[{"type":"human","content":"Q"},{"type":"ai","content":"A"}]}`, response: `{"messages":[{"type":"human","content":"Q"},{"type":"ai","content":"A"}]}`, messages: "user:Q", answer: "A"},
		{name: "langchain, dumped messages", form: "messages", response: `{"messages":[{"lc":1,"type":"constructor","id":["x","HumanMessage"],"kwargs":{"content":"Q"}},{"lc":1,"type":"constructor","id":["x","AIMessage"],"kwargs":{"content":"A"}}]}`, messages: "user:Q", answer: "A"},
		{name: "langchain, chain", form: "object", request: `{"question":"Q"}`, response: `{"answer":"A","context":[{"id":null,"metadata":{"source":"p.md"},"page_content":"P","type":"Document"}]}`, messages: "user:Q", answer: "A", sources: ",p.md,,P"},
		{name: "langchain, RetrievalQA", form: "object", request: `{"query":"Q"}`, response: `{"query":"Q","result":"A","source_documents":[{"metadata":{"title":"T"},"page_content":"P"}]}`, messages: "user:Q", answer: "A", sources: ",,T,P"},
		{name: "langchain, agent", form: "object", request: `{"input":"Q","chat_history":[]}`, response: `{"input":"Q","output":"A","intermediate_steps":[]}`, messages: "user:Q", answer: "A"},
		{name: "llamaindex", form: "llamaindex", request: `"Q"`, response: `{"response":"A","source_nodes":[{"node":{"id_":"n","metadata":{"file_name":"p.md"},"text":"P","class_name":"TextNode"},"score":0.8},{"node":{"id_":"o","text_resource":{"text":"P2"}},"score":0.7}],"metadata":{}}`, messages: "user:Q", answer: "A", sources: "n,,p.md,P|o,,,P2"},
		{name: "llamaindex, chat", form: "llamaindex", request: `{"messages":[{"role":"user","blocks":[{"block_type":"text","text":"Q"}]}]}`, response: `{"message":{"role":"assistant","additional_kwargs":{},"blocks":[{"block_type":"text","text":"A"}]},"raw":null}`, messages: "user:Q", answer: "A"},
		{name: "haystack", form: "haystack", request: `{"llm":{"replies":["A"]},"retriever":{"documents":[{"id":"d","content":"P","meta":{},"score":0.7}]},"prompt_builder":{"prompt":"Q"}}`, response: `{"llm":{"replies":["A"],"meta":[{"model":"m","finish_reason":"stop"}]},"retriever":{"documents":[{"id":"d","content":"P","meta":{"name":"T"},"score":0.7}]}}`, messages: "user:Q", answer: "A", sources: "d,,,P", finish: "stop"},
		{name: "haystack, step with an error", form: "haystack", response: `{"cache":{"error":"x"},"llm":{"replies":["A"]}}`, answer: "A"},
		{name: "haystack, messages", form: "haystack", response: `{"llm":{"replies":[{"_role":"assistant","_content":[{"text":"A"}],"_meta":{},"_name":null}]}}`, answer: "A"},
		{name: "haystack, answers", form: "haystack", response: `{"answer_builder":{"answers":[{"data":"A","query":"Q","documents":[{"id":"d","content":"P","meta":{},"score":0.7}],"meta":{}}]}}`, answer: "A", sources: "d,,,P"},
		{name: "vercel", form: "vercel", request: `{"system":"S","messages":[{"role":"user","content":[{"type":"text","text":"Q"}]},{"role":"assistant","content":[{"type":"tool-call","toolCallId":"c","toolName":"s","input":{}}]},{"role":"tool","content":[{"type":"tool-result","toolCallId":"c","output":{"type":"text","value":"P"}}]}]}`, response: `{"text":"A","reasoning":[{"type":"reasoning","text":"hm"}],"sources":[{"type":"source","sourceType":"url","id":"0","url":"https://x","title":"T"}],"finishReason":"stop","steps":[{"text":"A","toolResults":[]}],"response":{"id":"r","modelId":"m","timestamp":"2026-11-21T10:00:00.000Z"}}`, messages: "system:S|user:Q|assistant:|tool:P", answer: "A", finish: "stop"},
		{name: "vercel, steps", form: "vercel", response: `{"text":"A","finishReason":"stop","steps":[{"text":"","toolCalls":[{"toolName":"s"}],"toolResults":[{"type":"tool-result","toolName":"s","output":"P"}]},{"text":"A"}]}`, answer: "A", sources: ",,s,P", finish: "stop"},
		{name: "vercel, model", form: "vercel", response: `{"content":[{"type":"reasoning","text":"hm"},{"type":"text","text":"A"},{"type":"source","sourceType":"url","url":"https://x"}],"finishReason":{"unified":"length","raw":"max"},"usage":{}}`, answer: "A", finish: "length", unread: "reasoning"},
		{name: "semantic kernel", form: "message", request: `[{"Role":{"Label":"user"},"Items":[{"$type":"TextContent","Text":"Q"}]}]`, response: `{"Role":{"Label":"assistant"},"Items":[{"$type":"TextContent","Text":"A"}],"ModelId":"m","Metadata":{"Id":"r"}}`, messages: "user:Q", answer: "A"},
		{name: "extensions.ai", form: "messages", request: `[{"role":"user","contents":[{"$type":"text","text":"Q"}]}]`, response: `{"messages":[{"role":"assistant","contents":[{"$type":"text","text":"A"}]}],"responseId":"r","modelId":"m","finishReason":"stop"}`, messages: "user:Q", answer: "A", finish: "stop"},
		{name: "genai conventions", form: "messages", request: `[{"role":"system","parts":[{"type":"text","content":"S"}]},{"role":"user","parts":[{"type":"text","content":"Q"}]},{"role":"tool","parts":[{"type":"tool_call_response","id":"c","response":"P"}]}]`, response: `[{"role":"assistant","parts":[{"type":"reasoning","content":"hm"},{"type":"text","content":"A"}],"finish_reason":"stop"}]`, messages: "system:S|user:Q|tool:P", answer: "A", finish: "stop", unread: "reasoning"},
		{name: "pydantic ai", form: "messages", request: `[{"kind":"request","parts":[{"part_kind":"system-prompt","content":"S"},{"part_kind":"user-prompt","content":"Q"}]}]`, response: `[{"kind":"request","parts":[{"part_kind":"user-prompt","content":"Q"}]},{"kind":"response","parts":[{"part_kind":"text","content":"A"}],"model_name":"m"}]`, messages: "user:S\nQ", answer: "A"},
		{name: "conversation", form: "messages", request: `{"messages":[{"role":"user","content":"Q"},{"role":"assistant","content":"A"}]}`, response: `{"messages":[{"role":"user","content":"Q"},{"role":"assistant","content":"A"}]}`, messages: "user:Q", answer: "A"},
		{name: "dify", form: "object", request: `{"query":"Q"}`, response: `{"event":"message_end","message_id":"r","conversation_id":"c","answer":"A","metadata":{"retriever_resources":[{"document_name":"T","segment_id":"s","score":0.9,"content":"P"}]}}`, messages: "user:Q", answer: "A", sources: "s,,T,P"},
		{name: "text", form: "text", request: `"Q"`, response: `"A"`, messages: "user:Q", answer: "A"},
		{name: "text like an event", form: "text", response: `"data: see below"`, answer: "data: see below"},
		{name: "JSON as text", form: "openai.chat", request: `"{\"messages\":[{\"role\":\"user\",\"content\":\"Q\"}]}"`, response: `"{\"choices\":[{\"message\":{\"content\":\"A\"}}]}"`, messages: "user:Q", answer: "A"},
		{name: "answer in JSON", form: "text", response: `"{\"days\":90,\"answer\":\"A\"}"`, answer: `{"days":90,"answer":"A"}`},
		{name: "responses, text alone", form: "openai.responses", response: `{"object":"response","output_text":"A","output":[]}`, answer: "A"},
		{name: "parts alone", form: "messages", response: `[{"type":"text","text":"A"},{"type":"text","text":" b."}]`, answer: "A b."},
		{name: "redacted", form: "openai.chat", response: `{"choices":[{"message":{"content":"redacted-by-litellm"}}]}`, answer: "-"},
	}
}

func sourcesText(list []schemas.Source) string {
	texts := []string{}
	for _, s := range list {
		texts = append(texts, strings.Join([]string{s.ID, s.URI, s.Title, s.Text}, ","))
	}
	return strings.Join(texts, "|")
}

func messagesText(list []schemas.Message) string {
	texts := []string{}
	for _, m := range list {
		texts = append(texts, m.Role+":"+m.Content)
	}
	return strings.Join(texts, "|")
}

func TestForms(t *testing.T) {
	for _, c := range apis() {
		t.Run(c.name, func(t *testing.T) {
			in := empty()
			var request []byte
			if c.request != "" {
				request = []byte(c.request)
			}
			r, err := call(request, []byte(c.response), in)
			require.NoError(t, err)
			require.Equal(t, c.form, r.Form)
			require.Equal(t, c.messages, messagesText(in.Messages))
			require.Equal(t, c.answer != "", r.Answered)
			require.Equal(t, strings.TrimPrefix(c.answer, "-"), in.Answer)
			require.Equal(t, c.sources, sourcesText(in.Sources))
			require.Equal(t, c.finish, in.FinishReason)
			require.Equal(t, c.unread, strings.Join(r.Unread, ","))
			require.Empty(t, in.Malformed)
		})
	}
}
