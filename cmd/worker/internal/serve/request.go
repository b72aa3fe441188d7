package serve

import (
	"bufio"
	"compress/gzip"
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"confab/cmd/worker/internal/access"
	"confab/cmd/worker/internal/config/serving"
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

	reply     *webReply
	principal access.Principal
	began     time.Time
	wait      time.Duration // for the next part of the body
	body      io.Reader     // decompressed
	left      int64         // bytes up to the first one that is too many, after decompression
	lines     bool          // the body is JSON Lines
}

// openBody checks how the body is encoded. The error is a refusal.
func (q *webRequest) openBody(c *serving.Settings) error {
	kind, _, err := mime.ParseMediaType(q.Header.Get("Content-Type"))
	switch {
	case err != nil:
		return errContentType
	case kind == "application/x-ndjson" || kind == "application/jsonl" || kind == "application/jsonlines":
		q.lines = true
	case kind != "application/json":
		return errContentType
	}
	q.left, q.wait = int64(c.MaxBodySize)+1, c.ReadTimeout
	q.extendRead()
	switch encoding := strings.ToLower(q.Header.Get("Content-Encoding")); encoding {
	case "", "identity":
		q.body = q.Body
	case "gzip":
		unpacked, err := gzip.NewReader(q.Body)
		if err != nil {
			return readError(err)
		}
		q.body = unpacked
	default:
		return errContentEncoding
	}
	return nil
}

// Read implements io.Reader over the body, up to its limit.
func (q *webRequest) Read(p []byte) (int, error) {
	if q.left < 1 {
		return 0, errBodyTooLarge
	}
	if int64(len(p)) > q.left {
		p = p[:q.left]
	}
	n, err := q.body.Read(p)
	if q.left -= int64(n); q.left < 1 {
		return n, errBodyTooLarge
	}
	if err != nil && err != io.EOF { //nolint:errorlint // readers return io.EOF itself
		err = readError(err)
	}
	return n, err
}

// extendRead gives the client time for the next part of the body.
func (q *webRequest) extendRead() {
	_ = http.NewResponseController(q.reply.w).SetReadDeadline(time.Now().Add(q.wait)) // a recorder has no connection
}

// readAll reads the whole body.
func (q *webRequest) readAll() ([]byte, error) {
	text, err := io.ReadAll(q)
	if err == nil && len(strings.TrimSpace(string(text))) == 0 {
		err = errEmptyBody
	}
	return text, err
}

// lineReader reads lines of the body.
func (q *webRequest) lineReader() *bufio.Reader { return bufio.NewReaderSize(q, 64<<10) }

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
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return errSlowBody
	case errors.Is(err, errBodyTooLarge):
		return errBodyTooLarge
	}
	return errTruncatedBody
}

// webReply is the response of a request. Its status is known once something was written.
type webReply struct {
	w      http.ResponseWriter
	status int
}

func newReply(w http.ResponseWriter) *webReply { return &webReply{w: w} }

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
