package tablefile

import (
	"fmt"
	"path/filepath"
	"strings"
)

// Format is how a table is written.
type Format string

// The formats.
const (
	CSV       Format = "csv"
	JSONLines Format = "jsonl"
)

// FormatOf is the format that the file's extension names.
func FormatOf(path string) (Format, error) {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".csv":
		return CSV, nil
	case ".jsonl", ".ndjson":
		return JSONLines, nil
	}
	return "", fmt.Errorf("%s: the extension names no format: end it in .csv or .jsonl", path)
}

// formulaSigns begin a cell that a spreadsheet would run.
const formulaSigns = "=+-@\t\r"

// guardCell makes a spreadsheet show the cell instead of running it.
func guardCell(cell string) string {
	if cell != "" && strings.ContainsRune(formulaSigns, rune(cell[0])) {
		return "'" + cell
	}
	return cell
}

// unguardCell undoes guardCell.
func unguardCell(cell string) string {
	if len(cell) > 1 && cell[0] == '\'' && strings.ContainsRune(formulaSigns, rune(cell[1])) {
		return cell[1:]
	}
	return cell
}
