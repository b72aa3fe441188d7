// Package markup blanks what is not prose in the answer of a model: its reasoning, HTML, and the addresses and marks of
// Markdown. A blanked text has the length of the original, so that byte offsets stay valid. The functions are pure, need
// linear time, and return the text itself if there is nothing to blank.
package markup
