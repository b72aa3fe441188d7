// Package promptsources finds the passages that an application put into the messages of an interaction. A message is split into
// sections (below headers, in XML-like elements, between rules, in JSON, in lists), and each is judged by its header, by what
// its text looks like, and by the words that it shares with the question and the answer. Instructions, examples and the question are
// not passages. Where a message can be read in two ways, nothing
// is found.
//
// The scan is linear in the length of the messages. Texts are substrings of the messages, except strings of JSON that hold
// escapes.
package promptsources
