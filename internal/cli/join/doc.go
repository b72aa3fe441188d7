// Package join makes labelled rows of interactions and of scores that people or other tools gave them.
package join
