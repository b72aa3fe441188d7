// Package promptsources finds the passages that an application put into the messages of an interaction: blocks after a
// header such as "Context:", XML-like tags, numbered passages, results of tools, and the stock prompts of LangChain and
// LlamaIndex. Instructions, examples and the question are not passages. Where a message can be read in two ways, nothing is
// found.
//
// The scan is linear in the length of the messages, and allocates nothing when nothing is found. Texts are substrings of the
// messages, except strings of JSON that hold escapes.
package promptsources
