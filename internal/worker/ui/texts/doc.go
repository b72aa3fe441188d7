// Package texts looks the text of an incident up in the topic that it was read from.
package texts
