package serve

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/semaphore"

	"confab/internal/worker/access"
	"confab/internal/worker/config"
)

// Headers of requests.
const (
	tenantHeader   = "X-Confab-Tenant"
	deadlineHeader = "X-Confab-Deadline-Ms"
)

// writeWait is the longest time that a client may take to read what was written.
const writeWait = 30 * time.Second

// webRequest is a request with its reply.
type webRequest struct {
	*http.Request

	route     *apiRoute     // nil: there is none
	kind      string        // of the body
	input     *config.Input // that reads what is published, and says which tenant is the default
	published bool
	message   *io.LimitedReader // of a call
	reply     *webReply
	principal access.Principal
	began     time.Time
	tenant    string    // that the sender may ask for
	body      io.Reader // decompressed
	limit     int       // bytes of the body, after decompression
	bodies    *semaphore.Weighted
	counted   int64 // taken off the budget
	lines     bool  // the body is JSON Lines
}

// openBody checks how the body is encoded. The error is a refusal.
func (q *webRequest) openBody(c *config.Serve) (err error) {
	if !slices.Contains(q.route.kinds, q.kind) {
		return &apiProblem{http.StatusUnsupportedMediaType, "content_type", "set Content-Type to one of: " + strings.Join(q.route.kinds, ", "), 0}
	}
	q.lines = q.kind != kindJSON && q.route.kinds[0] == kindJSON
	_ = http.NewResponseController(q.reply.w).SetReadDeadline(time.Now().Add(c.ReadTimeout)) // a recorder has no connection
	encoding := q.Header.Get("Content-Encoding")
	q.body = q.Body
	if q.isCall() {
		if encoding, err = q.openMessage(); err != nil {
			return err
		}
	}
	switch strings.ToLower(encoding) {
	case "", "identity":
	case "gzip":
		if q.body, err = gzip.NewReader(q.body); err != nil {
			return readError(err)
		}
	default:
		return errContentEncoding
	}
	return nil
}

// firstRead is the room for the beginning of a body. It doubles as the body comes.
const firstRead = 16 << 10

// readAll reads the whole body, up to its limit. Its memory is counted before it is used.
func (q *webRequest) readAll() ([]byte, error) {
	most := q.limit + 1 // the first byte that is too many
	text := make([]byte, 0, min(firstRead, most))
	for {
		n, err := q.body.Read(text[len(text):cap(text)])
		text = text[:len(text)+n]
		switch {
		case len(text) >= most:
			return nil, errBodyTooLarge
		case err == io.EOF && q.message != nil && q.message.N > 0:
			return nil, errTruncatedBody
		case err == io.EOF && len(bytes.TrimSpace(text)) == 0:
			return nil, errEmptyBody
		case err == io.EOF:
			_ = http.NewResponseController(q.reply.w).SetReadDeadline(time.Time{}) // checks may take longer
			return text, nil
		case err != nil:
			return nil, readError(err)
		case len(text) == cap(text):
			more := min(cap(text), most-cap(text))
			if err := q.take(int64(more)); err != nil {
				return nil, err
			}
			text = append(make([]byte, 0, cap(text)+more), text...)
		}
	}
}

// take takes n bytes off the budget.
func (q *webRequest) take(n int64) error {
	if !q.bodies.TryAcquire(n) {
		return errBodies
	}
	q.counted += n
	return nil
}

// deadline is the time for one check: the configured one, or less if the request says so.
func (q *webRequest) deadline(configured time.Duration) (time.Duration, error) {
	text := q.Header.Get(deadlineHeader)
	if text == "" {
		return configured, nil
	}
	ms, err := strconv.ParseUint(text, 10, 31)
	if err != nil || ms == 0 {
		return 0, errDeadlineHeader
	}
	return min(configured, time.Duration(ms)*time.Millisecond), nil
}

// readError is the refusal of a body that cannot be read.
func readError(err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return errSlowBody
	}
	return errTruncatedBody
}

// webReply is the response of a request. Its status is known once something was written.
type webReply struct {
	w      http.ResponseWriter
	status int
}

func (r *webReply) header() http.Header { return r.w.Header() }

// write writes the whole response, unless one was begun.
func (r *webReply) write(status int, contentType string, body []byte) {
	if r.status != 0 {
		return
	}
	r.begin(status, contentType)
	_, _ = r.w.Write(body) // the client has gone
}

// begin writes the header of the response.
func (r *webReply) begin(status int, contentType string) {
	r.status = status
	r.w.Header().Set("Content-Type", contentType)
	r.w.Header().Set("Cache-Control", "no-store")
	r.extendWrite()
	r.w.WriteHeader(status)
}

// writeLine writes one line of a response that was begun, at once.
func (r *webReply) writeLine(line []byte) error {
	r.extendWrite()
	if _, err := r.w.Write(append(line, '\n')); err != nil {
		return err
	}
	return http.NewResponseController(r.w).Flush()
}

func (r *webReply) extendWrite() {
	_ = http.NewResponseController(r.w).SetWriteDeadline(time.Now().Add(writeWait)) // a recorder has no connection
}
