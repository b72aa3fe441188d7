// Package cellcheck compares the claims of an answer with the cells of records and tables that their words name.
package cellcheck
