package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/qedkit/qed"
)

// A threadKey is a conversation of a caller. An agent that is not durable may
// answer conversations of different callers that have the same id.
type threadKey struct{ tenant, user, thread string }

// A liveTurn is a turn that runs in this process.
type liveTurn struct {
	key    threadKey
	id     string // the client's; may be empty
	cancel context.CancelCauseFunc
	freed  chan struct{} // closed when the next turn may begin
	record *recording    // nil unless the turn can be read again
}

// A request is what the body of a request asks for.
type request struct {
	turn    qed.Turn
	caller  Caller
	run     string // the client's id of the turn; may be empty
	encoder encoder
	header  http.Header // of the response

	// whole writes the answer as the response. Nil means that the events are
	// streamed.
	whole func(http.ResponseWriter, qed.Answer)
}

type format interface {
	// read reads a request. It sets whose turn it is.
	read(h *Handler, c Caller, body []byte) (*request, error)

	// encoder returns the encoder of a turn that is read again. id is the same
	// for every reader of the turn.
	encoder(thread, id string) (encoder, http.Header)
}

// An encoder writes the events of one turn. What it writes depends on the events
// alone, so that a reader who comes again gets the same frames.
type encoder interface {
	start(f *frames)
	event(f *frames, e qed.Event) // the last one is [qed.Completed] or [qed.Failed]
}

func (h *Handler) post(w http.ResponseWriter, r *http.Request, f format) {
	if err := h.take(w, r, f); err != nil {
		h.refuse(w, r, err)
	}
}

func (h *Handler) take(w http.ResponseWriter, r *http.Request, f format) error {
	ctx, c, err := h.caller(r)
	if err != nil {
		return err
	}
	req, release, err := h.read(w, r, f, c)
	defer release()
	if err != nil {
		return err
	}
	turn := &req.turn
	turn.User, turn.Tenant = req.caller.User, req.caller.Tenant
	if key := r.Header.Get("Idempotency-Key"); key != "" {
		if turn.ID = strings.Trim(key, `"`); turn.ID == "" { // a structured field is in quotes
			return badRequest("the header Idempotency-Key is empty")
		}
	}
	if err := checkIDs(ctx, req.turn); err != nil {
		return err
	}
	mayResume := turn.Text == "" && turn.Thread != "" && h.opt.Store != nil
	if strings.TrimSpace(turn.Text) == "" && len(turn.Replies) == 0 && !mayResume {
		return badRequest("the message is empty")
	}
	if h.opt.Rejoin && h.opt.Store != nil && turn.Thread != "" {
		if followed, err := h.followAgain(ctx, w, r, req); followed || err != nil {
			return err
		}
		t, err := h.record(ctx, req.turn, req.run, nil)
		if err != nil {
			return err
		}
		h.respond(w, r, req, &cursor{id: t.record.id}, t.record.follow(r.Context(), 0))
		return nil
	}
	t, ctx, err := h.begin(ctx, req.turn, nil)
	if err != nil {
		return err
	}
	defer h.end(t)
	defer context.AfterFunc(r.Context(), func() { t.cancel(context.Canceled) })()
	h.respond(w, r, req, &cursor{}, func(yield func(qed.Event, bool) bool) {
		for e := range h.events(ctx, req.turn) {
			if isLast(e) {
				h.free(t)
			}
			if !yield(e, true) {
				return
			}
		}
	})
	return nil
}

// read reads a request and counts it. release is never nil.
func (h *Handler) read(w http.ResponseWriter, r *http.Request, f format, c Caller) (req *request, release func(), err error) {
	release = func() {}
	// A backend is limited for the user whom the body names.
	if !c.Backend {
		if release, err = h.count(r, c); err != nil {
			return nil, release, err
		}
	}
	body, err := h.body(w, r)
	if err != nil {
		return nil, release, err
	}
	if req, err = f.read(h, c, body); err != nil {
		return nil, release, err
	}
	if req.caller.Backend { // the body named nobody
		req.caller = namedBy(r)
	}
	if err := req.caller.check(); err != nil {
		return nil, release, err
	}
	if c.Backend {
		release, err = h.count(r, req.caller)
	}
	return req, release, err
}

// count counts a turn of a caller, which is being answered until release is called.
func (h *Handler) count(r *http.Request, c Caller) (release func(), err error) {
	if release, err = h.limits.answer(r, c); err != nil {
		return func() {}, err
	}
	return release, h.limits.turn(r, c)
}

const maxBody = 1 << 20 // bytes of the body of a request

func (h *Handler) body(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if !isJSON(r.Header.Get("Content-Type")) {
		return nil, &Error{Status: http.StatusUnsupportedMediaType, Code: "invalid_request",
			Message: "the header Content-Type must be application/json"}
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return nil, &Error{Status: http.StatusRequestEntityTooLarge, Code: "too_large",
			Message: fmt.Sprintf("the body is larger than %d bytes", maxBody)}
	}
	if err != nil {
		return nil, badRequest("the body cannot be read")
	}
	// The deadline of ServeHTTP stays if there is more to read: before it sends a
	// response, the server reads a part of the rest.
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	return body, nil
}

// readTimeout is how long a client may take to send a body, also one that nobody
// needs.
const readTimeout = 30 * time.Second

// busyRetry is when a client should look whether a turn of this process has ended.
const busyRetry = time.Second

// grace is how long a turn waits for the one before it, which a page may have stopped
// just now.
const grace = time.Second

// begin registers a turn, and returns its context. rec is nil if the turn cannot be
// read again.
func (h *Handler) begin(ctx context.Context, turn qed.Turn, rec *recording) (*liveTurn, context.Context, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	t := &liveTurn{
		key: threadKey{turn.Tenant, turn.User, turn.Thread}, id: turn.ID, freed: make(chan struct{}), record: rec,
	}
	if running := h.threads[t.key]; running != nil && (turn.ID == "" || turn.ID != running.id) {
		h.mu.Unlock()
		select {
		case <-running.freed:
		case <-time.After(grace):
		}
		h.mu.Lock()
	}
	if h.closing {
		return nil, nil, &Error{Status: http.StatusServiceUnavailable, Code: "shutdown",
			Message: "the server is shutting down; try again in a moment", Retry: time.Second}
	}
	if turn.Thread != "" {
		if running := h.threads[t.key]; running != nil {
			return nil, nil, failure(failed(ctx, turn, &qed.BusyError{
				Thread: turn.Thread, RetryAt: time.Now().Add(busyRetry), Repeated: turn.ID != "" && turn.ID == running.id,
			}), http.StatusConflict)
		}
		h.threads[t.key] = t
	}
	ctx, stopTimer := context.WithTimeout(ctx, h.opt.TurnTimeout)
	ctx, cancel := context.WithCancelCause(ctx)
	t.cancel = func(cause error) { cancel(cause); stopTimer() }
	h.turns[t] = true
	return t, ctx, nil
}

func (h *Handler) end(t *liveTurn) {
	t.cancel(context.Canceled)
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.turns, t)
	h.freeLocked(t)
	if h.unsaved[t.key] == t {
		delete(h.unsaved, t.key)
	}
	if h.closing && len(h.turns) == 0 {
		close(h.idle)
	}
}

// free lets the next turn of a conversation begin: who reads the last event of a
// turn can send the next message at once.
func (h *Handler) free(t *liveTurn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.freeLocked(t)
}

func (h *Handler) freeLocked(t *liveTurn) {
	if h.threads[t.key] == t {
		delete(h.threads, t.key)
		close(t.freed)
	}
}

// retire lets the next turn of the conversation begin, like free. If the events of t
// are not saved yet, readers in this process still find them.
func (h *Handler) retire(t *liveTurn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.freeLocked(t)
	switch {
	case !t.record.behind:
	case len(h.unsaved) < h.opt.MaxStreams:
		h.unsaved[t.key] = t
	default:
		t.record.giveUp()
	}
}

// forget gives up the events of the last turn of a conversation that are not saved. No
// attempt to save them is left when forget returns.
func (h *Handler) forget(key threadKey) {
	h.mu.Lock()
	t := h.unsaved[key]
	delete(h.unsaved, key)
	h.mu.Unlock()
	if t != nil {
		t.record.giveUp()
		<-t.record.saved
	}
}

// live returns the turn of a conversation that runs in this process, or that ran in it
// and whose events are not saved yet. It returns nil if there is none.
func (h *Handler) live(key threadKey) *liveTurn {
	h.mu.Lock()
	defer h.mu.Unlock()
	if t := h.threads[key]; t != nil {
		return t
	}
	return h.unsaved[key]
}

// runs reports whether a turn of a conversation runs in this process.
func (h *Handler) runs(key threadKey) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.threads[key] != nil
}

// events returns the events of a turn. The last one is [qed.Completed], or [qed.Failed]
// with the error, whatever the agent does.
func (h *Handler) events(ctx context.Context, turn qed.Turn) iter.Seq2[qed.Event, error] {
	return func(yield func(qed.Event, error) bool) {
		ended, err := h.run(ctx, turn, yield)
		if ended {
			return
		}
		if err == nil {
			err = qed.ErrNoAnswer
		}
		last := failed(ctx, turn, err)
		h.logFailed(ctx, turn, last.Code, err)
		yield(qed.Event{Time: time.Now(), Data: last}, err)
	}
}

// run yields the events of an agent. It reports whether the last one was yielded,
// or the reader has left. The panic of an agent is an error.
func (h *Handler) run(ctx context.Context, turn qed.Turn, yield func(qed.Event, error) bool) (ended bool, err error) {
	yielding := false
	defer func() {
		if yielding { // the panic is the reader's
			return
		}
		if v := recover(); v != nil {
			ended, err = false, fmt.Errorf("serve: the agent panicked: %v\n%s", v, debug.Stack())
		}
	}()
	for e, err := range h.agent.Run(ctx, turn) {
		last := false
		switch d := e.Data.(type) {
		case qed.Completed:
			last, err = true, nil
		case qed.Failed:
			last = true
			h.logFailed(ctx, turn, d.Code, err)
		default:
			if err != nil {
				return false, err
			}
		}
		e = h.public(ctx, turn, e)
		yielding = true
		more := yield(e, err)
		yielding = false
		if last || !more {
			return true, nil
		}
	}
	return false, nil
}

// logFailed logs why a turn failed. A mistake of its client is no error of the server.
func (h *Handler) logFailed(ctx context.Context, turn qed.Turn, code string, err error) {
	if errors.Is(err, context.Canceled) {
		return // the reader left, or the turn was stopped
	}
	level := slog.LevelError
	if statusOf(code) < http.StatusInternalServerError {
		level = slog.LevelInfo
	}
	h.opt.Logger.Log(ctx, level, "serve: a turn failed", "thread", clip(turn.Thread), "error", err)
}
