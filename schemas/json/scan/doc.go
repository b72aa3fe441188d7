// Package scan reads JSON strictly, as package jsontext lists its values. It refuses ambiguous values (duplicate keys, bytes
// that are not UTF-8) and values over the limits of nesting and length, each with a reason from a closed set. Its errors hold
// no text of the value.
package scan
