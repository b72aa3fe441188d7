package serve

import (
	"encoding/binary"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Unary calls of gRPC are requests over HTTP/2 whose body is one message behind a prefix, and whose status is in trailers. They
// are answered here, so that logins, limits and memory are those of every other request.

// callPrefix is the length of the prefix: whether the message is compressed, and its length.
const callPrefix = 5

func (q *webRequest) isCall() bool { return strings.HasPrefix(q.kind, kindGRPC) }

// openMessage makes the message of a call the body, and returns how it is encoded.
func (q *webRequest) openMessage() (encoding string, err error) {
	var prefix [callPrefix]byte
	if _, err := io.ReadFull(q.body, prefix[:]); err != nil {
		return "", readError(err)
	}
	q.message = &io.LimitedReader{R: q.body, N: int64(binary.BigEndian.Uint32(prefix[1:]))}
	q.body = q.message
	if prefix[0] != 0 {
		encoding = q.Header.Get("Grpc-Encoding")
	}
	return encoding, nil
}

// writeCall writes the response of a call, unless one was begun: a message, or the status of a failure. code is the status for
// metrics.
func (r *webReply) writeCall(code int, message []byte, failed *status.Status) {
	if r.status != 0 {
		return
	}
	r.begin(http.StatusOK, kindGRPC)
	r.status = code
	trailer := func(name, value string) { r.header().Set(http.TrailerPrefix+name, value) }
	trailer("Grpc-Status", strconv.Itoa(int(failed.Code())))
	if failed != nil {
		trailer("Grpc-Message", url.PathEscape(failed.Message()))
		return
	}
	prefix := make([]byte, callPrefix, callPrefix+len(message))
	binary.BigEndian.PutUint32(prefix[1:], uint32(len(message)))
	_, _ = r.w.Write(append(prefix, message...)) // the client has gone
}

// call is the refusal as a status of gRPC. Senders repeat what is Unavailable.
func (p *apiProblem) call() *status.Status {
	code := codes.Internal
	switch p.status {
	case http.StatusBadRequest:
		code = codes.InvalidArgument
	case http.StatusUnauthorized:
		code = codes.Unauthenticated
	case http.StatusForbidden:
		code = codes.PermissionDenied
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusUnsupportedMediaType:
		code = codes.Unimplemented
	case http.StatusRequestEntityTooLarge:
		code = codes.ResourceExhausted
	case http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusServiceUnavailable:
		code = codes.Unavailable
	}
	return status.New(code, p.message)
}
