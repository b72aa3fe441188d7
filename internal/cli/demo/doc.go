// Package demo shows the whole pipeline in one process, with an embedded broker and sample interactions.
package demo
