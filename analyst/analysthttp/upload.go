package analysthttp

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"mime"
	"net/http"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/analyst"
	"github.com/qedkit/qed/analyst/tabular"
	"github.com/qedkit/qed/serve"
)

// readTimeout is how long a client may take to send a file.
const readTimeout = 5 * time.Minute

// uploaded is the response to an upload.
type uploaded struct {
	Session string `json:"session"`
	analyst.Overview
	Load tabular.Report `json:"load"`
}

type reportKey struct{}

// reading returns how a file is to be read, from the parameters of a request.
func reading(r *http.Request) (opt tabular.Options, err error) {
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	opt.Flags(flags)
	for name, values := range r.URL.Query() {
		if flags.Lookup(name) == nil {
			continue
		}
		if err := flags.Set(name, values[0]); err != nil {
			return opt, invalid("the parameter " + name + " has no valid value")
		}
	}
	return opt, nil
}

func (h *Handler) upload(ctx context.Context, c serve.Caller, w http.ResponseWriter, r *http.Request) error {
	opt, err := reading(r)
	if err != nil {
		return err
	}
	rc := http.NewResponseController(w)
	// A writer that has no deadlines returns an error, and the host has its own.
	_ = rc.SetReadDeadline(time.Now().Add(readTimeout))
	limited := *r // the handler reads the rest of the whole body if it refuses the request
	limited.Body = http.MaxBytesReader(w, r.Body, h.opt.MaxUpload)
	file, err := content(&limited)
	if err != nil {
		return err
	}
	session, err := h.files.add(reader{file}, opt, owner{c.Tenant, c.User})
	if err != nil {
		return h.received(err)
	}
	if _, err := io.Copy(io.Discard, reader{limited.Body}); err != nil { // what follows the file in a form
		return errors.Join(h.received(err), h.files.remove(session, owner{c.Tenant, c.User}))
	}
	// The deadline stays if there is more to read: before it sends a response, the
	// server reads a part of the rest.
	_ = rc.SetReadDeadline(time.Time{})
	t := turn(session, c)
	t.Language = r.URL.Query().Get("language")
	var report tabular.Report
	overview, err := h.analyst.Describe(context.WithValue(ctx, reportKey{}, &report), t)
	if err != nil {
		return errors.Join(h.unreadable(err), h.files.remove(session, owner{c.Tenant, c.User}))
	}
	return respond(w, http.StatusCreated, uploaded{session, overview, report})
}

// content returns the file of a request.
func content(r *http.Request) (io.Reader, error) {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if kind != "multipart/form-data" {
		return r.Body, nil
	}
	parts, err := r.MultipartReader()
	if err != nil {
		return nil, invalid("the body is not multipart/form-data")
	}
	for {
		part, err := parts.NextPart()
		if err != nil {
			return nil, invalid(`the body has no field "file"`)
		}
		if part.FormName() == "file" {
			return part, nil
		}
	}
}

// A reader tells an error of the client's body from one of the disk.
type reader struct{ from io.Reader }

type bodyError struct{ error }

func (e bodyError) Unwrap() error { return e.error }

func (r reader) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	if err != nil && err != io.EOF {
		err = bodyError{err}
	}
	return n, err
}

// received returns the error for a file that was not stored.
func (h *Handler) received(err error) error {
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return &serve.Error{Status: http.StatusRequestEntityTooLarge, Code: "too_large",
			Message: fmt.Sprintf("the file is larger than %d bytes", h.opt.MaxUpload)}
	}
	if _, ok := errors.AsType[bodyError](err); ok {
		return invalid("the file was not received completely")
	}
	return failure(err)
}

// unreadable returns the error for a file that cannot be explored.
func (h *Handler) unreadable(err error) error {
	if failed, ok := errors.AsType[*tabular.Error](err); ok && failed.Kind != tabular.ErrStorage {
		return &serve.Error{Status: http.StatusUnprocessableEntity, Code: "file", Message: failed.ForUser(), Err: err}
	}
	if errors.Is(err, ErrFile) {
		return &serve.Error{Status: http.StatusUnprocessableEntity, Code: "file", Message: err.Error()}
	}
	return failure(err)
}

func (h *Handler) end(ctx context.Context, c serve.Caller, w http.ResponseWriter, r *http.Request) error {
	session := r.PathValue("session")
	if _, err := h.files.use(session, owner{c.Tenant, c.User}); err != nil {
		return failure(err)
	}
	end := h.opt.Record("end", qed.AgentFunc(func(ctx context.Context, _ qed.Turn) (qed.Answer, error) {
		return qed.Answer{}, h.endSession(ctx, c, session)
	}))
	if _, err := qed.Ask(ctx, end, turn(session, c)); err != nil {
		return failure(err)
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (h *Handler) endSession(ctx context.Context, c serve.Caller, session string) error {
	if h.opt.Serve.Store != nil { // what Rejoin keeps is not the analyst's
		if err := h.serve.Delete(ctx, c, session); err != nil {
			return err
		}
	}
	if err := h.analyst.EndSession(ctx, session); err != nil {
		return err
	}
	return h.files.remove(session, owner{c.Tenant, c.User})
}

// turn returns a turn of a session.
func turn(session string, c serve.Caller) qed.Turn {
	return qed.Turn{Thread: session, User: c.User, Tenant: c.Tenant}
}
