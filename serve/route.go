package serve

import (
	"context"
	"iter"
	"net/http"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/runlog"
)

// Failure returns the error for a turn that failed. Its Status follows from the Code of
// f.
func Failure(f qed.Failed) *Error { return failure(f, statusOf(f.Code)) }

// A Route answers a request of a caller. Its context comes from [Options].Caller, and is
// done when the client leaves, after TurnTimeout, or when the handler shuts down. An
// [*Error] becomes the response. Any other error becomes status 500, or 503 if it is that
// of the store. Return no error after the response has begun.
type Route func(ctx context.Context, c Caller, w http.ResponseWriter, r *http.Request) error

// Handle adds a route of the host, with a pattern of [http.ServeMux]. Its requests are
// authenticated like those of the handler, and count against all limits: each is a
// stream and a turn of its caller. Add routes before the first request.
func (h *Handler) Handle(pattern string, route Route) {
	h.handle(pattern, func(ctx context.Context, c Caller, w http.ResponseWriter, r *http.Request) error {
		if err := h.limits.turn(r, c); err != nil {
			return err
		}
		t, ctx, err := h.begin(ctx, qed.Turn{User: c.User, Tenant: c.Tenant}, nil)
		if err != nil {
			return err
		}
		defer h.end(t)
		defer context.AfterFunc(r.Context(), func() { t.cancel(context.Canceled) })()
		return route(ctx, c, w, r)
	})
}

// handle adds a route that is not a turn.
func (h *Handler) handle(pattern string, route Route) {
	h.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		ctx, c, err := h.named(r)
		if err == nil {
			err = h.answer(ctx, c, w, r, route)
		}
		if err != nil {
			h.refuse(w, r, err)
		}
	})
}

// quick is a route whose request ends soon, whatever the store does.
func quick(route Route) Route {
	return func(ctx context.Context, c Caller, w http.ResponseWriter, r *http.Request) error {
		ctx, cancel := context.WithTimeoutCause(ctx, quickTimeout, &storeError{runlog.ErrTimeout})
		defer cancel()
		err := route(ctx, c, w, r)
		if err != nil && ctx.Err() != nil && r.Context().Err() == nil {
			err = context.Cause(ctx)
		}
		return err
	}
}

const quickTimeout = 3 * storeTimeout

func (h *Handler) answer(ctx context.Context, c Caller, w http.ResponseWriter, r *http.Request, route Route) error {
	release, err := h.limits.answer(r, c)
	if err != nil {
		return err
	}
	defer release()
	return route(ctx, c, w, r)
}

// ReadJSON decodes the body of a request into a value. A body that is larger than
// 1 MiB, or has a field that the value does not have, is an error. Return the error
// from the [Route].
func (h *Handler) ReadJSON(w http.ResponseWriter, r *http.Request, into any) error {
	body, err := h.body(w, r)
	if err != nil {
		return err
	}
	return decode(body, into)
}

// Events returns the events of a turn of the agent. The Data of the last one is a
// [qed.Completed], or a [qed.Failed] with the error, even if the agent panics.
func (h *Handler) Events(ctx context.Context, turn qed.Turn) iter.Seq2[qed.Event, error] {
	return h.events(ctx, turn)
}

// Stream writes values as server-sent events, each at once and as JSON. It writes
// comments while there is no value. It ends early if the reader has left or is too slow.
func (h *Handler) Stream(w http.ResponseWriter, r *http.Request, values iter.Seq[any]) {
	s := newStream(w, nil, &h.opt)
	defer s.close()
	f := &frames{at: &cursor{}}
	for v := range values {
		f.add(v)
		if f.err != nil {
			h.opt.Logger.ErrorContext(r.Context(), "serve: an event was not sent", "error", f.err)
			f.err = nil
		}
		if s.write(f.buf) != nil {
			return
		}
		f.buf = f.buf[:0]
	}
}
