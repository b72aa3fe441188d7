// Package faithfulness is the deep detector that asks a language model which statements of an answer its sources
// support.
package faithfulness
