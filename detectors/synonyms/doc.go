// Package synonyms reads the table of words that records, and answers about them, use for the same thing.
package synonyms
