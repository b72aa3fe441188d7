// Package numerals reads digits with the separators of several languages: "1,234.56", "1.234,56".
package numerals
