// Package scan reads JSON strictly, in one pass and without reflection. It refuses what two readers could understand
// differently (duplicate keys, bytes that are not UTF-8) and what is too deep or too long, each with a reason from a
// closed set. Its errors never hold text of the value.
package scan
