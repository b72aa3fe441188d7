// Package faithfulness asks a language model which statements of an answer its sources support.
package faithfulness
