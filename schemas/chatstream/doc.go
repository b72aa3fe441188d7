// Package chatstream assembles the chunks of a streamed chat completion, in the shape of OpenAI's API, into the completion
// that the API returns without streaming.
package chatstream
