// Package deep makes deep evaluations: language models asked within a budget, one session for each interaction.
package deep
