// Package deep runs deep evaluations: it asks language models within a budget, with one session per interaction.
package deep
