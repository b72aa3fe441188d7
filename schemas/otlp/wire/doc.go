// Package wire walks OTLP records, requests to export spans or log records, in protobuf or JSON. It finds each span or log
// record with its ids, times and the attributes that a caller wants, and decodes no value that is not asked for. The tree of
// messages is never built.
package wire
