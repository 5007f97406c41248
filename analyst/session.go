package analyst

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/qedkit/qed"
)

// A held is a session that this process has: its data, and who uses it.
type held struct {
	*data
	owner   string
	running int // turns
	turns   int // so far
}

// enter returns the data of a session, and the function to call at the end of the
// turn.
func (a *Analyst) enter(ctx context.Context, turn qed.Turn) (*data, func(), error) {
	if h := a.join(turn, nil); h != nil {
		return a.forTurn(h.data), func() { a.leave(turn.Thread, h) }, nil
	}
	d, err := a.load(ctx, turn)
	if err != nil {
		return nil, nil, err
	}
	if turn.Thread == "" {
		return a.forTurn(d), func() { a.close(d) }, nil
	}
	h := a.join(turn, d)
	return a.forTurn(h.data), func() { a.leave(turn.Thread, h) }, nil
}

// forTurn returns the data for a turn. A database that all sessions share may change, so
// its results and its profile are kept for one turn only.
func (a *Analyst) forTurn(d *data) *data {
	if d != a.shared {
		return d
	}
	out := *d
	out.cache, out.profile = newCache(), new(profiled)
	return &out
}

// load returns the data of a session that this process does not have.
func (a *Analyst) load(ctx context.Context, turn qed.Turn) (*data, error) {
	if a.shared != nil {
		return a.shared, nil
	}
	ctx, cancel := context.WithTimeout(ctx, a.opt.Timeout)
	defer cancel()
	loaded, err := a.opt.Load(ctx, turn)
	if err != nil {
		return nil, fmt.Errorf("analyst: the data of the session cannot be loaded: %w", err)
	}
	d, err := newData(loaded, a.opt)
	if err != nil {
		return nil, errors.Join(err, closeData(loaded))
	}
	return d, nil
}

// join counts a turn of a session. If the process does not have the session, it is
// made with d; without d, join returns nil.
func (a *Analyst) join(turn qed.Turn, d *data) *held {
	a.mu.Lock()
	defer a.mu.Unlock()
	h := a.held[turn.Thread]
	if h == nil || h.owner != owner(turn) {
		if d == nil {
			return nil
		}
		if h != nil && h.running == 0 { // of a thread that was deleted
			a.close(h.data)
		}
		h = &held{data: d, owner: owner(turn)}
		a.held[turn.Thread] = h
	} else if d != nil {
		a.close(d) // another turn was faster
	}
	h.running++
	h.turns++
	return h
}

// leave ends the use of a session's data. The turn is not saved yet.
func (a *Analyst) leave(thread string, h *held) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if h.running--; h.running == 0 && a.held[thread] != h {
		a.close(h.data)
	}
}

// rest ends a session after a while in which it has no turn. The caller holds a.mu.
func (a *Analyst) rest(thread string) {
	if h := a.held[thread]; h != nil {
		turns := h.turns
		time.AfterFunc(a.opt.IdleTimeout, func() { a.expire(thread, h, turns) })
	}
}

// expire ends a session that had no turn since.
func (a *Analyst) expire(thread string, h *held, turns int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.held[thread] != h || a.using[thread] > 0 || h.turns != turns {
		return
	}
	delete(a.held, thread)
	a.close(h.data)
	if a.opt.Store == nil {
		_ = a.store.Delete(context.Background(), thread) // the store in memory does not fail
	}
}

// close closes the data of a session. Nobody waits for the error.
func (a *Analyst) close(d *data) {
	if err := a.closed(d); err != nil {
		a.opt.Logger.Error("close", slog.String("error", err.Error()))
	}
}

func (a *Analyst) closed(d *data) error {
	if d == a.shared {
		return nil
	}
	return closeData(d.Data)
}

func closeData(d Data) error {
	if d.Close == nil {
		return nil
	}
	return d.Close()
}

// EndSession deletes a session: its conversation and, with [Options.Load], its data.
// The error matches [qed.ErrBusy] while a turn of the session runs.
func (a *Analyst) EndSession(ctx context.Context, thread string) error {
	h, err := a.drop(thread)
	if err != nil {
		return err
	}
	if h != nil {
		err = a.closed(h.data)
	}
	return errors.Join(err, a.store.Delete(ctx, thread))
}

// drop forgets a session in which no turn runs, and returns it, or nil if there is none.
func (a *Analyst) drop(thread string) (*held, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	h := a.held[thread]
	if a.using[thread] > 0 {
		return nil, fmt.Errorf("analyst: the session cannot end: %w", qed.ErrBusy)
	}
	delete(a.held, thread)
	return h, nil
}

// Close closes the data of all sessions that [Options.Load] returned. Call it after
// the last turn. The sessions of a Store can be continued by another Analyst.
func (a *Analyst) Close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	var all []error
	for thread, h := range a.held {
		if h.running == 0 {
			all = append(all, a.closed(h.data))
		}
		delete(a.held, thread) // a turn that runs closes its data at its end
	}
	return errors.Join(all...)
}
