// Package patterns redacts texts by an operator's own regular expressions and by the built-in patterns of package redact. It
// also says which parts of a text it replaces, so that recall can be measured.
package patterns
