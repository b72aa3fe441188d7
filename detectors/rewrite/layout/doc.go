// Package layout cuts whole sentences, list items and table rows out of an answer and keeps the rest well formed: blank lines,
// numbers of ordered lists, introductions, headings, paired marks and sentences that depend on what is gone. It reads Markdown
// and simple HTML. The functions are pure and take time linear in the answer.
package layout
