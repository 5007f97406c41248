package serve

import (
	"context"
	"crypto/rand"
	"errors"
	"iter"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/retry"
	"github.com/qedkit/qed/store"
)

const (
	// pace is the shortest time between two appends of a turn.
	pace = 50 * time.Millisecond

	// beat is the time after which a journal to which nothing was appended gets a
	// heartbeat. A journal without one for deadAfter is that of a process that
	// has died.
	beat      = 5 * time.Second
	deadAfter = 3 * beat

	// maxPending is how many events may wait to be saved. The agent waits then.
	maxPending = 512

	// saveAgain limits each further attempt to save events after the store has
	// failed, so that readers do not wait for it. saveLate is how long attempts are
	// made after the end of the turn.
	saveAgain = time.Second
	saveLate  = 10 * time.Minute
)

// A recording is a turn whose events are saved before they are sent. It continues
// without readers. While the store fails, events are sent at once. They are saved when
// the store works again, also after the end of the turn.
type recording struct {
	h    *Handler
	live *liveTurn
	id   string
	run  string // the name of the turn in its events; may be empty
	turn qed.Turn

	client string // the client's id of the turn; may be empty

	// These are used by the goroutine of save alone.
	journal *journal
	unsaved []store.Record // not in the journal yet
	behind  bool           // the last attempt to save has failed
	taken   bool           // another process continues the turn

	late   context.Context // of the attempts to save after the end of the turn
	giveUp func()          // ends these attempts

	saved chan struct{} // closed when save has returned
	more  chan struct{} // has an element if there is something to save
	space chan struct{} // has an element if something was saved

	// repeat are the texts that readers have of a run that is resumed, all but the
	// last of which were discarded. again is how much of the first of them the
	// resumed run has written.
	repeat  []string
	again   int
	resumes bool

	mu      sync.Mutex
	pending []qed.Event
	ended   bool          // nothing follows pending
	left    bool          // the turn can be resumed elsewhere
	events  []qed.Event   // what readers may see
	changed chan struct{} // closed when any of these change
	begun   bool          // the turn was not refused
	done    bool          // nothing follows events
}

// record begins a turn that is recorded. run is the client's id of it. from is nil, or
// what was recorded of the turn in a process that has died or shut down.
func (h *Handler) record(ctx context.Context, turn qed.Turn, run string, from *journalState) (*liveTurn, error) {
	rec := &recording{
		h: h, id: rand.Text(), run: run, client: turn.ID, turn: turn,
		more: make(chan struct{}, 1), space: make(chan struct{}, 1),
		saved: make(chan struct{}), changed: make(chan struct{}),
	}
	if from != nil {
		rec.client = from.client // turn resumes it
	}
	t, ctx, err := h.begin(context.WithoutCancel(ctx), turn, rec)
	if err != nil {
		return nil, err
	}
	rec.live = t
	rec.late, rec.giveUp = context.WithCancel(context.WithoutCancel(ctx))
	if from == nil {
		rec.journal = journalOf(h.store, t.key)
		rec.journal.fresh = true
	} else {
		rec.journal = journalAt(h.store, t.key, from.head)
		rec.id, rec.run, rec.events, rec.resumes = from.id, from.run, from.events, true
		rec.repeat = []string{""}
		for _, e := range from.events {
			if token, ok := e.Data.(qed.Token); ok && token.Channel == qed.ChannelFinal {
				if token.Discard {
					rec.repeat = append(rec.repeat, "")
				}
				rec.repeat[len(rec.repeat)-1] += token.Content
			}
		}
	}
	go func() {
		defer h.end(t)
		defer rec.giveUp()
		go func() {
			defer close(rec.saved)
			rec.save(context.WithoutCancel(ctx))
		}()
		for e := range h.events(ctx, turn) {
			rec.add(ctx, e)
		}
		<-rec.saved
	}()
	return t, nil
}

func (rec *recording) add(ctx context.Context, e qed.Event) {
	if token, ok := e.Data.(qed.Token); ok && token.Channel == qed.ChannelFinal && len(rec.repeat) > 0 {
		if token, ok = rec.unread(token); !ok {
			return
		}
		e.Data = token
	}
	rec.mu.Lock()
	rec.ended = isLast(e)
	if _, failed := e.Data.(qed.Failed); failed && errors.Is(context.Cause(ctx), errShutdown) {
		rec.left = true
	} else {
		rec.pending = append(rec.pending, e)
	}
	full := len(rec.pending) >= maxPending
	rec.mu.Unlock()
	notify(rec.more)
	for full {
		<-rec.space
		rec.mu.Lock()
		full = len(rec.pending) >= maxPending
		rec.mu.Unlock()
	}
}

func notify(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// unread returns what readers do not have of a piece of the text that a resumed run
// writes. It reports false if they have all of it.
func (rec *recording) unread(token qed.Token) (qed.Token, bool) {
	has, discarded := rec.repeat[0], len(rec.repeat) > 1
	switch {
	case token.Discard && discarded:
		rec.repeat, rec.again = rec.repeat[1:], 0
		return token, false
	case token.Discard:
		rec.repeat = nil
		return token, true
	}
	written, missing := has[:rec.again], has[rec.again:]
	if strings.HasPrefix(missing, token.Content) && (discarded || token.Content != missing) {
		rec.again += len(token.Content)
		return token, false
	}
	rec.repeat = nil
	rest, same := strings.CutPrefix(token.Content, missing)
	if !same || discarded {
		rest = "\n\n" + written + token.Content // the model has written something else
	}
	token.Content = rest
	return token, rest != ""
}

// save saves what the agent emits until the turn has ended and is saved.
func (rec *recording) save(ctx context.Context) {
	idle := time.NewTimer(beat)
	defer idle.Stop()
	for {
		select {
		case <-rec.more:
		case <-idle.C:
			rec.keepAlive(ctx)
			idle.Reset(beat)
			continue
		}
		at := time.Now()
		if rec.saveBatch(ctx) {
			break
		}
		if !rec.behind { // otherwise the next attempt is due
			idle.Reset(beat)
		}
		time.Sleep(pace - time.Since(at))
	}
	until := time.Now().Add(saveLate)
	for rec.behind && time.Now().Before(until) && retry.Sleep(rec.late, beat) {
		rec.flush(rec.late, storeTimeout)
		if rec.h.isClosing() {
			break
		}
	}
}

// keepAlive appends a heartbeat, or the records that are not saved.
func (rec *recording) keepAlive(ctx context.Context) {
	switch {
	case !rec.isBegun() || rec.taken:
	case rec.behind:
		rec.flush(ctx, saveAgain)
	default:
		rec.unsaved = append(rec.unsaved, store.Record{Kind: store.Heartbeat})
		rec.flush(ctx, storeTimeout)
	}
}

// saveBatch saves the events that wait, and shows them to the readers. It reports
// whether nothing follows.
func (rec *recording) saveBatch(ctx context.Context) (done bool) {
	rec.mu.Lock()
	batch, ended, left := merge(rec.pending), rec.ended, rec.left
	rec.pending = nil
	begun := rec.begun
	rec.mu.Unlock()
	notify(rec.space)
	if !begun && len(batch) > 0 {
		if _, refused := rejection(batch[0]); refused || isRepeat(batch[0]) {
			rec.h.free(rec.live)
			rec.show(batch, false, true)
			return true
		}
		rec.h.forget(rec.live.key)
	}
	if !rec.taken {
		rec.keep(begun, batch)
		if left && (begun || len(batch) > 0) {
			rec.unsaved = append(rec.unsaved, store.Record{Kind: recordLeft})
		}
		switch {
		case len(rec.unsaved) == 0:
		case !rec.behind:
			limit := storeTimeout
			if slices.ContainsFunc(batch, isUnsaved) {
				limit = saveAgain // the agent has waited for the store
			}
			rec.flush(ctx, limit)
			if rec.behind && !ended {
				warning := []qed.Event{{Time: time.Now(), Data: qed.Warning{
					Code: "not_saved", Message: warnings["not_saved"],
				}}}
				rec.keep(true, warning)
				batch = append(batch, warning...)
			}
		case ended:
			rec.flush(ctx, saveAgain)
		}
	}
	if rec.taken {
		batch, ended = nil, true
		go rec.drain()
	}
	if ended && !rec.taken {
		rec.h.retire(rec.live)
	}
	rec.show(batch, begun || len(batch) > 0, ended)
	return ended
}

// isUnsaved reports whether an event says that the agent cannot save the turn.
func isUnsaved(e qed.Event) bool {
	w, ok := e.Data.(qed.Warning)
	return ok && w.Code == "not_saved"
}

// keep adds events to the records that are not saved.
func (rec *recording) keep(begun bool, events []qed.Event) {
	if len(events) == 0 {
		return
	}
	record, err := eventsRecord(events)
	if err == nil && !begun {
		first := store.Record{Kind: store.Resumed}
		if !rec.resumes {
			first, err = beganRecord(rec.id, rec.run, rec.turn)
		}
		rec.unsaved = append(rec.unsaved, first)
	}
	if err != nil { // not reached: an event without JSON was replaced
		rec.log("serve: events cannot be saved", err)
		return
	}
	rec.unsaved = append(rec.unsaved, record)
}

// flush appends the records that are not saved, within a time limit.
func (rec *recording) flush(ctx context.Context, limit time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	n, err := rec.journal.append(ctx, rec.unsaved...)
	rec.unsaved = rec.unsaved[n:]
	if rec.journal.stopped {
		rec.live.cancel(errStopped)
	}
	if err != nil && !rec.behind && rec.late.Err() == nil {
		rec.log("serve: the events of a turn are not saved", err)
	}
	rec.taken = errors.Is(err, errTaken)
	rec.behind = err != nil && !rec.taken
	if rec.taken {
		rec.unsaved = nil
		rec.live.cancel(errTaken)
	}
	if err == nil {
		if err := rec.journal.trim(ctx); err != nil {
			rec.log("serve: the events of an earlier turn are not removed", err)
		}
	}
}

func (rec *recording) log(msg string, err error) {
	rec.h.opt.Logger.ErrorContext(rec.late, msg, "thread", clip(rec.turn.Thread), "error", err)
}

// drain drops what the agent emits until it has returned.
func (rec *recording) drain() {
	for {
		rec.mu.Lock()
		rec.pending = nil
		ended := rec.ended
		rec.mu.Unlock()
		notify(rec.space)
		if ended {
			return
		}
		<-rec.more
	}
}

func (rec *recording) show(events []qed.Event, begun, done bool) {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	rec.events, rec.begun, rec.done = append(rec.events, events...), begun, done
	close(rec.changed)
	rec.changed = make(chan struct{})
}

func (rec *recording) isBegun() bool {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	return rec.begun
}

// state returns what readers may see.
func (rec *recording) state() journalState {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	n := len(rec.events)
	return journalState{
		id: rec.id, run: rec.run, client: rec.client, events: rec.events[:n:n],
		ended: rec.done && n > 0 && isLast(rec.events[n-1]),
	}
}

func (rec *recording) failed() bool {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	return rec.done && hasFailed(rec.events)
}

// follow yields the events from a position on. Without a last event, another
// process continues the turn.
func (rec *recording) follow(ctx context.Context, from int) iter.Seq2[qed.Event, bool] {
	return func(yield func(qed.Event, bool) bool) {
		for {
			rec.mu.Lock()
			events, done, changed := rec.events[from:], rec.done, rec.changed
			rec.mu.Unlock()
			for i, e := range events {
				if !yield(e, i == len(events)-1) {
					return
				}
			}
			if from += len(events); done {
				return
			}
			select {
			case <-changed:
			case <-ctx.Done():
				return
			}
		}
	}
}

// merge joins the tokens of a text that follow each other.
func merge(events []qed.Event) []qed.Event {
	merged := events[:0]
	for _, e := range events {
		token, ok := e.Data.(qed.Token)
		if n := len(merged) - 1; ok && n >= 0 && merged[n].Path == e.Path {
			before, ok := merged[n].Data.(qed.Token)
			if ok && before.Channel == token.Channel && !before.Discard && !token.Discard {
				before.Content += token.Content
				merged[n].Data = before
				continue
			}
		}
		merged = append(merged, e)
	}
	return merged
}
