package qed

import (
	"context"
	"iter"
	"time"
)

// stream runs f on a goroutine of its own and yields its events on the caller's
// goroutine. So a panic of the reader is not recovered by a node, and events of
// several goroutines are yielded one by one. The goroutine ends before the range
// does.
func stream(ctx context.Context, turn Turn, f AgentFunc) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		run, cancel := context.WithCancelCause(ctx)
		q := &queue{events: make(chan Event, maxUnread), left: make(chan struct{}), done: make(chan struct{})}
		defer func() {
			cancel(errReaderStopped)
			close(q.left)
			<-q.done
		}()
		began := time.Now()
		a, err := Answer{}, errGoexit
		go func() {
			defer close(q.done)
			outside := &scope{frame: &frame{}, place: scopeOf(ctx).place}
			a, err = answer(outside.agentScope(run, turn, q), f)
		}()
		for event, ok := q.next(); ok; event, ok = q.next() {
			if !yield(event, nil) {
				return
			}
		}
		now := clock(ctx)()
		if err != nil {
			yield(Event{Time: now, Data: textsOf(ctx, languageOf(turn)).failed(err, ctx.Err(), now)}, err)
			return
		}
		millis := time.Since(began).Milliseconds()
		yield(Event{Time: now, Data: Completed{Answer: a, Millis: millis}}, nil)
	}
}

// A queue passes the events of a run to their reader. It is bounded: see [Emit].
type queue struct {
	events chan Event
	left   chan struct{} // closed when the reader has left
	done   chan struct{} // closed when the run has ended
}

const maxUnread = 64

// add waits until the reader can take the event, has left, or the run has ended.
func (q *queue) add(event Event) {
	select {
	case <-q.left:
		return
	case <-q.done:
		return
	default:
	}
	select {
	case q.events <- event:
	case <-q.left:
	case <-q.done:
	}
}

// next waits for an event. It reports false when the run has ended and all its
// events were returned.
func (q *queue) next() (Event, bool) {
	select {
	case event := <-q.events:
		return event, true
	case <-q.done:
	}
	select {
	case event := <-q.events:
		return event, true
	default:
		return Event{}, false
	}
}
