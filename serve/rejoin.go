package serve

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/retry"
	"github.com/qedkit/qed/store"
)

const (
	// The journal of another process is read this often: less often while
	// nothing happens.
	minPoll = 50 * time.Millisecond
	maxPoll = 500 * time.Millisecond

	// silence is how long a journal may be without news before the reader asks
	// whether the turn still runs.
	silence = 2 * time.Second

	// outage is how long a reader waits for a store that fails.
	outage = 15 * time.Second
)

// rejoin responds with the events of a turn that runs, or that ended while its
// reader was away.
func (h *Handler) rejoin(ctx context.Context, c Caller, w http.ResponseWriter, r *http.Request, f format) error {
	at, resumes := parseCursor(r.Header.Get("Last-Event-ID"))
	turn := qed.Turn{Thread: r.PathValue("id"), User: c.User, Tenant: c.Tenant}
	if err := checkIDs(ctx, turn); err != nil {
		return err
	}
	reader := &reader{h: h, ctx: ctx, turn: turn, key: threadKey{c.Tenant, c.User, turn.Thread}, at: &at}
	if err := reader.load(r.Context()); err != nil {
		return err
	}
	enc, header := f.encoder(turn.Thread, reader.state.name())
	switch s := &reader.state; {
	case s.id == "", resumes && at.id != s.id, !resumes && s.ended, s.ended && count(f, turn.Thread, s) <= at.n:
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	at.id = reader.state.id
	h.respond(w, r, &request{turn: turn, caller: c, encoder: enc, header: header}, &at, reader.events(r.Context()))
	return nil
}

// followAgain responds with the events of a turn that has the client's id of the
// request's, and that runs or was answered. It reports whether there is one. Without a
// store that works there is none: the agent then refuses calls that it may have made.
func (h *Handler) followAgain(ctx context.Context, w http.ResponseWriter, r *http.Request, req *request) (bool, error) {
	turn := req.turn
	if turn.ID == "" {
		return false, nil
	}
	key := threadKey{turn.Tenant, turn.User, turn.Thread}
	reused := failure(failed(ctx, turn, qed.ErrTurnReused), http.StatusUnprocessableEntity)
	if t := h.live(key); t != nil && t.record != nil && t.id == turn.ID && !t.record.resumes {
		if saidBy(t.record.turn) != saidBy(turn) {
			return false, reused
		}
		if !t.record.failed() {
			h.respond(w, r, req, &cursor{id: t.record.id}, t.record.follow(r.Context(), 0))
			return true, nil
		}
	}
	if began, err := journalOf(h.store, key).current(ctx); err != nil || began.Client != turn.ID {
		return false, nil
	} else if began.Said != saidBy(turn) {
		return false, reused
	}
	resuming := qed.Turn{Thread: turn.Thread, User: turn.User, Tenant: turn.Tenant}
	at := &cursor{}
	rd := &reader{h: h, ctx: ctx, turn: resuming, key: key, at: at}
	if err := rd.load(ctx); err != nil || rd.state.client != turn.ID || hasFailed(rd.state.events) {
		return false, nil // the agent resumes a turn that failed
	}
	at.id = rd.state.id
	h.respond(w, r, req, at, rd.events(r.Context()))
	return true, nil
}

// hasFailed reports whether events end with a failure.
func hasFailed(events []qed.Event) bool {
	if len(events) == 0 {
		return false
	}
	_, failed := events[len(events)-1].Data.(qed.Failed)
	return failed
}

// count returns how many frames the events of a turn have.
func count(f format, thread string, s *journalState) int {
	enc, _ := f.encoder(thread, s.name())
	counted := &frames{at: &cursor{}}
	enc.start(counted)
	for _, e := range s.events {
		enc.event(counted, e)
	}
	return counted.n
}

// A reader reads the events of a turn, which may run in any process.
type reader struct {
	h     *Handler
	ctx   context.Context // of the turn, if it has to be resumed
	turn  qed.Turn
	key   threadKey
	state journalState
	sent  int     // how many events were yielded
	at    *cursor // of the frames
}

// load reads what is known of the turn.
func (rd *reader) load(ctx context.Context) error {
	if rec := rd.live(); rec != nil {
		rd.state = rec.state()
		return nil
	}
	return journalOf(rd.h.store, rd.key).read(ctx, &rd.state)
}

// live returns the recording of the turn if it runs in this process.
func (rd *reader) live() *recording {
	t := rd.h.live(rd.key)
	if t == nil || t.record == nil || !t.record.isBegun() || rd.state.id != "" && t.record.id != rd.state.id {
		return nil
	}
	return t.record
}

// events yields the events of the turn until it has ended.
func (rd *reader) events(ctx context.Context) iter.Seq2[qed.Event, bool] {
	return func(yield func(qed.Event, bool) bool) {
		id, wait := rd.state.id, minPoll
		var down time.Time // when the store began to fail; zero while it works
		for ctx.Err() == nil {
			if rec := rd.live(); rec != nil {
				for e, now := range rec.follow(ctx, rd.sent) {
					rd.sent++
					if !yield(e, now) || isLast(e) {
						return
					}
				}
				if ctx.Err() != nil || rd.h.isClosing() {
					return // the reader comes again, and finds another process
				}
			}
			news := false
			for rd.sent < len(rd.state.events) {
				e := rd.state.events[rd.sent]
				rd.sent++
				news = true
				if !yield(e, rd.sent == len(rd.state.events)) || isLast(e) {
					return
				}
			}
			if wait = min(2*wait, maxPoll); news {
				wait = minPoll
			}
			if !retry.Sleep(ctx, wait) {
				return
			}
			err := journalOf(rd.h.store, rd.key).read(ctx, &rd.state)
			if err == nil && !down.IsZero() {
				// The turn's process could not save anything either.
				rd.state.changed = time.Now()
			}
			if err == nil && rd.state.id != id {
				return // another turn has begun
			}
			if err == nil && len(rd.state.events) == rd.sent && (rd.state.left || time.Since(rd.state.changed) > silence) {
				err = rd.revive(ctx)
			}
			if _, failed := errors.AsType[*storeError](err); !failed {
				down = time.Time{}
			} else if down.IsZero() {
				down = time.Now()
			}
			if err != nil && (down.IsZero() || time.Since(down) > outage) && ctx.Err() == nil {
				rd.fail(ctx, err, yield)
				return
			}
		}
	}
}

// fail yields the error of a turn that cannot be read any more. Its frames have no ids,
// so a reader that comes again continues after the last event before it.
func (rd *reader) fail(ctx context.Context, err error, yield func(qed.Event, bool) bool) {
	rd.h.opt.Logger.ErrorContext(ctx, "serve: a turn cannot be read again", "thread", clip(rd.turn.Thread), "error", err)
	*rd.at = cursor{}
	yield(qed.Event{Time: time.Now(), Data: failedRead(ctx, rd.turn, err)}, true)
}

func (h *Handler) isClosing() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.closing
}

// revive ends or resumes a turn that is silent, if its process has died or has
// shut down.
func (rd *reader) revive(ctx context.Context) error {
	of := rd.h.storeOf(rd.key)
	thread, err := qed.Inspect(ctx, of, rd.key.thread)
	if err != nil {
		return err
	}
	switch thread.Status {
	case store.StatusRunning:
		return nil
	case "": // the agent is not durable
		if !rd.state.left && time.Since(rd.state.changed) < deadAfter {
			return nil
		}
		return rd.close(ctx, failed(ctx, rd.turn, errors.New("serve: the process of the turn has ended")))
	case store.StatusAnswered, store.StatusInterrupted:
		last, err := qed.History(ctx, of, rd.key.thread, 1)
		if err != nil {
			return err
		}
		if len(last) == 0 || last[0].Answer == nil {
			return fmt.Errorf("serve: the answer of thread %s is missing", rd.key.thread)
		}
		return rd.close(ctx, qed.Completed{Answer: *last[0].Answer})
	case store.StatusFailed:
		return rd.close(ctx, failed(ctx, rd.turn, errors.New(thread.Error)))
	}
	if rd.state.stopped || thread.Status == store.StatusStopped && !rd.state.left {
		return rd.close(ctx, failed(ctx, rd.turn, context.Canceled))
	}
	if rd.h.runs(rd.key) {
		return nil
	}
	t, err := rd.h.record(rd.ctx, rd.turn, "", &rd.state)
	if err != nil {
		return err
	}
	// Another process may have been first: the turn is refused then.
	for range t.record.follow(ctx, len(rd.state.events)) {
		break
	}
	rd.state.changed = time.Now()
	return nil
}

// close appends the last event of a turn to its journal. Another process may do the
// same, and has the same event.
func (rd *reader) close(ctx context.Context, last qed.EventData) error {
	record, err := eventsRecord([]qed.Event{{Time: time.Now(), Data: last}})
	if err != nil {
		return err
	}
	j := journalAt(rd.h.store, rd.key, rd.state.head)
	if _, err := j.append(ctx, record); err != nil && !errors.Is(err, errTaken) {
		return err
	}
	return j.read(ctx, &rd.state)
}

// stop stops a turn, in this process or another one.
func (h *Handler) stop(ctx context.Context, c Caller, w http.ResponseWriter, r *http.Request) error {
	key := threadKey{c.Tenant, c.User, r.PathValue("id")}
	if err := checkIDs(ctx, qed.Turn{Thread: key.thread}); err != nil {
		return err
	}
	if t := h.live(key); t != nil {
		t.cancel(errStopped)
	} else if err := h.stopElsewhere(ctx, key); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (h *Handler) stopElsewhere(ctx context.Context, key threadKey) error {
	var s journalState
	for {
		if err := journalOf(h.store, key).read(ctx, &s); err != nil {
			return err
		}
		if s.id == "" || s.ended || s.stopped {
			return nil
		}
		_, err := journalAt(h.store, key, s.head).append(ctx, store.Record{Kind: recordStop})
		if !errors.Is(err, errTaken) {
			return err
		}
	}
}
