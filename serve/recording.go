package serve

import (
	"context"
	"crypto/rand"
	"errors"
	"iter"
	"strings"
	"sync"
	"time"

	"github.com/qedkit/qed"
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
)

// A recording is a turn whose events are saved before they are sent. It continues
// without readers.
type recording struct {
	id      string
	run     string // the client's id of the turn; may be empty
	turn    qed.Turn
	journal *journal
	log     func(msg string, err error)
	cancel  context.CancelCauseFunc
	free    func() // lets the next turn of the conversation begin

	more  chan struct{} // has an element if there is something to save
	space chan struct{} // has an element if something was saved

	// repeat is the text that readers have of a run that is resumed, and again
	// what the resumed run has written of it.
	repeat, again string
	resumes       bool

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
		id: rand.Text(), run: run, turn: turn, more: make(chan struct{}, 1), space: make(chan struct{}, 1),
		changed: make(chan struct{}),
	}
	t, ctx, err := h.begin(context.WithoutCancel(ctx), turn, rec)
	if err != nil {
		return nil, err
	}
	rec.journal, rec.cancel = journalOf(h.opt.Store, t.key), t.cancel
	rec.free = func() { h.free(t) }
	rec.log = func(msg string, err error) {
		h.opt.Logger.ErrorContext(ctx, msg, "thread", turn.Thread, "error", err)
	}
	if from != nil {
		rec.id, rec.run, rec.events, rec.journal.head, rec.resumes = from.id, from.run, from.events, from.head, true
		for _, e := range from.events {
			if token, ok := e.Data.(qed.Token); ok && token.Channel == qed.ChannelFinal {
				rec.repeat += token.Content
			}
		}
	}
	go func() {
		defer h.end(t)
		saved := make(chan struct{})
		go func() {
			defer close(saved)
			rec.save(context.WithoutCancel(ctx))
		}()
		for e := range h.events(ctx, turn) {
			rec.add(ctx, e)
		}
		<-saved
	}()
	return t, nil
}

// add adds an event of the agent.
func (rec *recording) add(ctx context.Context, e qed.Event) {
	if token, ok := e.Data.(qed.Token); ok && token.Channel == qed.ChannelFinal && rec.repeat != "" {
		if token.Content = rec.unread(token.Content); token.Content == "" {
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

// unread returns what readers do not have of the text that a resumed run writes.
func (rec *recording) unread(content string) string {
	rec.again += content
	if strings.HasPrefix(rec.repeat, rec.again) && rec.again != rec.repeat {
		return ""
	}
	rest, same := strings.CutPrefix(rec.again, rec.repeat)
	if rec.repeat = ""; !same {
		return "\n\n" + rec.again // the model has written something else
	}
	return rest
}

// save saves what the agent emits until the turn has ended.
func (rec *recording) save(ctx context.Context) {
	idle := time.NewTimer(beat)
	defer idle.Stop()
	for {
		select {
		case <-rec.more:
		case <-idle.C:
			if rec.isBegun() {
				rec.keep(ctx, store.Record{Kind: store.Heartbeat})
			}
			idle.Reset(beat)
			continue
		}
		at := time.Now()
		if rec.saveBatch(ctx) {
			return
		}
		idle.Reset(beat)
		time.Sleep(pace - time.Since(at))
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
		if _, refused := rejection(batch[0]); refused {
			rec.free()
			rec.show(batch, false, true)
			return true
		}
	}
	taken := false
	if rec.journal != nil && len(batch) > 0 {
		record, err := eventsRecord(batch)
		if err == nil {
			err = rec.write(ctx, begun, record)
		}
		taken = rec.handle(err)
		if err != nil && !taken {
			batch = append([]qed.Event{{Time: time.Now(), Data: qed.Warning{
				Code: "not_saved", Message: "the events of the turn cannot be saved: another process cannot show them",
			}}}, batch...)
		}
	}
	if taken {
		rec.cancel(errTaken)
		batch, ended = nil, true
		go rec.drain()
	}
	if left && rec.isBegun() && !taken {
		rec.keep(ctx, store.Record{Kind: recordLeft})
	}
	if ended && !taken {
		rec.free()
	}
	rec.show(batch, begun || len(batch) > 0, ended)
	return ended
}

// write writes the first batch of a turn, or a further one.
func (rec *recording) write(ctx context.Context, begun bool, record store.Record) error {
	switch {
	case begun:
		return rec.append(ctx, record)
	case rec.resumes:
		return rec.append(ctx, store.Record{Kind: store.Resumed}, record)
	}
	return rec.journal.begin(ctx, rec.id, rec.run, rec.turn, record)
}

// append appends records. A request to stop that comes between cancels the turn.
func (rec *recording) append(ctx context.Context, recs ...store.Record) error {
	j := rec.journal
	for {
		err := j.append(ctx, recs...)
		if !errors.Is(err, store.ErrConflict) {
			return err
		}
		other := journalState{head: j.head}
		if failed := j.read(ctx, &other); failed != nil {
			return failed
		}
		if !other.stopped || other.head != j.head+1 {
			return errTaken
		}
		j.head = other.head
		rec.cancel(errStopped)
	}
}

// keep appends a record that no reader sees.
func (rec *recording) keep(ctx context.Context, record store.Record) {
	if rec.journal == nil {
		return
	}
	if rec.handle(rec.append(ctx, record)) {
		rec.cancel(errTaken)
	}
}

// handle gives the journal up after an error. It reports whether another process
// has taken the turn.
func (rec *recording) handle(err error) (taken bool) {
	if err == nil {
		return false
	}
	rec.log("serve: the events of a turn are not saved", err)
	rec.journal = nil
	return errors.Is(err, errTaken) || errors.Is(err, store.ErrConflict)
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

// show shows events to the readers.
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
	return journalState{id: rec.id, run: rec.run, events: rec.events[:n:n], ended: rec.done && n > 0 && isLast(rec.events[n-1])}
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
			if before, ok := merged[n].Data.(qed.Token); ok && before.Channel == token.Channel {
				before.Content += token.Content
				merged[n].Data = before
				continue
			}
		}
		merged = append(merged, e)
	}
	return merged
}
