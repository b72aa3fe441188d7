// Package cells reads the JSON records and tables among the sources as cells, each with a record, a column and a value. It
// answers what the cells say: which words name them, and which figures follow from them.
package cells
