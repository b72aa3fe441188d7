// Package thesaurus relates English words: inflected forms, synonyms, opposites and wider terms.
//
// The 40,691 pairs in words.txt.gz are derived from WordNet 3.0, "WordNet 3.0 Copyright 2006 by Princeton University. All
// rights reserved." (LICENSE.wordnet). Both words are single words of SCOWL's small American English list, each sense is
// among a word's three most frequent ones, and a wider term is the direct one of its first sense. A line holds a word and
// its related words, each with a sign: = form, ~ synonym, ! opposite, < wider or narrower term.
package thesaurus
