// Package promptshapes puts the sources of an interaction into its messages as applications do: the stock prompts of
// LangChain and LlamaIndex, tags, numbered passages, results of tools. Tests measure what is found again.
package promptshapes
