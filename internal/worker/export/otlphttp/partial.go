package otlphttp

import "google.golang.org/protobuf/encoding/protowire"

// Fields of ExportLogsServiceResponse and ExportTraceServiceResponse, which agree. Their generated types would add gRPC to
// the program.
const (
	fieldPartial  protowire.Number = 1
	fieldRejected protowire.Number = 1
	fieldMessage  protowire.Number = 2
)

// parsePartial reads the partial_success of a reply. A reply that cannot be read has none.
func parsePartial(reply []byte) (p Partial) {
	eachField(reply, func(n protowire.Number, _ uint64, inner []byte) {
		if n != fieldPartial {
			return
		}
		eachField(inner, func(n protowire.Number, number uint64, text []byte) {
			switch n {
			case fieldRejected:
				p.Rejected = max(0, int64(number))
			case fieldMessage:
				p.Message = string(text)
			default:
			}
		})
	})
	return p
}

// eachField calls f for the varints and the bytes of a message, up to the first that cannot be read.
func eachField(raw []byte, f func(n protowire.Number, number uint64, text []byte)) {
	for len(raw) > 0 {
		n, kind, size := protowire.ConsumeTag(raw)
		if size < 0 {
			return
		}
		raw = raw[size:]
		var number uint64
		var text []byte
		switch kind {
		case protowire.VarintType:
			number, size = protowire.ConsumeVarint(raw)
		case protowire.BytesType:
			text, size = protowire.ConsumeBytes(raw)
		default:
			size = protowire.ConsumeFieldValue(n, kind, raw)
		}
		if size < 0 {
			return
		}
		f(n, number, text)
		raw = raw[size:]
	}
}
