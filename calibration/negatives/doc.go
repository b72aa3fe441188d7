// Package negatives makes training rows of supported answers: synthetic negatives with one fault whose span is known,
// and label-preserving edits, so that an edit alone does not reveal the label. Sentences of sources count as supported
// answers, which gives rows of both labels without labelled answers. The same seed makes the same rows. Words are
// English. Inserted text never comes from the group of the edited row.
package negatives
