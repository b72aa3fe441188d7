// Package cells reads the JSON records and tables among the sources as cells, each with a record, a column and a value, and
// compares claims with the cells that their words name.
package cells
