package ui

import (
	"errors"
	"io/fs"
	"net/http"

	"confab/internal/worker/access"
)

// pageRequest is one request, with who sent it.
type pageRequest struct {
	*http.Request

	w      http.ResponseWriter
	person access.Principal
	status int
}

// pageError is an error that a page explains.
type pageError struct {
	status      int
	title, text string
}

func (e *pageError) Error() string { return e.title }

func errNotFound() error {
	return &pageError{http.StatusNotFound, "Not found", "There is no such page or incident. Incidents that are too old are removed."}
}

// policy lets a page load its own style sheet, script and icon, and send forms to itself. Nothing else runs or loads.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// serve answers one request.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, to *pageRoute) {
	for name, value := range map[string]string{
		"Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY",
		"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin", "Cache-Control": "no-store",
	} {
		w.Header().Set(name, value)
	}
	q := &pageRequest{Request: r, w: w, status: http.StatusOK}
	if err := s.answer(q, to); err != nil {
		s.explain(q, err)
	}
}

func (s *Server) answer(q *pageRequest, to *pageRoute) (err error) {
	if q.person, err = s.gate.Authenticate(q.Request); err != nil {
		return &pageError{s.gate.Refuse(q.w.Header(), q.Request, s.Logger), "Log in", "This page needs a login."}
	}
	return to.handle(s, q)
}

// explain shows an error. Unexpected ones are logged and not shown.
func (s *Server) explain(q *pageRequest, err error) {
	known, ok := errors.AsType[*pageError](err)
	if !ok {
		s.Logger.WarnContext(q.Context(), "show page failed", "error", err)
		known = &pageError{http.StatusInternalServerError, "Error", "The page cannot be shown. The log of confab says why."}
		if errors.Is(err, errCursor) {
			known = &pageError{http.StatusBadRequest, "Not valid", "This address was not made by the page. Go back to the list."}
		}
	}
	q.status = known.status
	m := &messagePage{Frame: s.frame(q, known.title, ""), Text: known.text}
	if err := s.write(q, m); err != nil {
		s.Logger.WarnContext(q.Context(), "show page failed", "error", err)
	}
}

// frame is what every page shows.
func (s *Server) frame(q *pageRequest, title, current string) Frame {
	st := s.feed.getStatus()
	return Frame{Title: title, Current: current, Person: q.person.Name, Problem: st.Problem, AsOf: st.AsOf, Behind: !st.CaughtUp}
}

// write renders and sends a page.
func (s *Server) write(q *pageRequest, page any) error {
	body, err := render(s.templates, page)
	if err != nil {
		return err
	}
	q.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	q.w.WriteHeader(q.status)
	_, _ = q.w.Write(body) // the client has gone
	return nil
}

func (s *Server) showHome(q *pageRequest) error { return s.redirect(q, "/incidents") }

func (s *Server) redirect(q *pageRequest, to string) error {
	q.status = http.StatusSeeOther
	q.w.Header().Set("Location", to)
	q.w.WriteHeader(q.status)
	return nil
}

func (s *Server) showNothing(q *pageRequest) error { return errNotFound() }

// showAsset sends a style sheet, a script or an icon.
func (s *Server) showAsset(q *pageRequest) error {
	file := "assets/" + q.PathValue("name")
	if _, err := fs.Stat(assetFiles, file); err != nil {
		return errNotFound()
	}
	q.w.Header().Set("Cache-Control", "private, max-age=300")
	http.ServeFileFS(q.w, q.Request, assetFiles, file)
	return nil
}
