// Package tablefile reads and writes tables of named columns as CSV or JSON Lines. A reader also takes a JSON list, and
// an object with the list in its member data, as interfaces of other tools return them.
package tablefile
