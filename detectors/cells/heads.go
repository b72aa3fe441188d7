package cells

import "strings"

// maxTable is how far above a row of a table its head may stand, in bytes.
const maxTable = 4000

// HeadOver returns the bytes of the head of the column that the byte at stands in, if the line is a row of a Markdown table:
// an empty range for none. read is the number of bytes it looked at.
func HeadOver(s string, at int) (start, end, read int) {
	low := max(0, at-maxTable)
	row := low + strings.LastIndexByte(s[low:at], '\n') + 1
	if row == len(s) || s[row] != '|' || row == low && low > 0 {
		return 0, 0, at - row
	}
	start = headOf(s, row)
	read = at - start
	if start == row {
		return 0, 0, read
	}
	head := s[start : start+strings.IndexByte(s[start:row], '\n')]
	for range strings.Count(s[row:at], "|") {
		next := strings.IndexByte(head, '|') + 1
		head, start = head[next:], start+next
	}
	return start, start + max(0, strings.IndexByte(head, '|')), read
}

// headOf returns the start of the table's first line, or row itself if no line of dashes follows that.
func headOf(s string, row int) int {
	top, below := row, row
	for top > 0 && row-top < maxTable {
		line := strings.LastIndexByte(s[:top-1], '\n') + 1
		if s[line] != '|' {
			break
		}
		top, below = line, top
	}
	if below == row || strings.Trim(s[below:below+strings.IndexByte(s[below:], '\n')], "|-: \r") != "" {
		return row
	}
	return top
}
