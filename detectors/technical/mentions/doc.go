// Package mentions finds links, mail addresses, DOIs, arXiv ids, packages and imported modules in an answer.
package mentions
