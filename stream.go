package qed

import (
	"context"
	"iter"
	"sync"
	"time"
)

// stream runs f on a goroutine of its own and yields what it tells on the caller's.
//
// So a listener's panic is the listener's, and no node's recover swallows it; and what several goroutines tell at the
// same time is yielded one by one. That goroutine never outlives the range, however the range is left.
func stream(ctx context.Context, turn Turn, f AgentFunc) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		ctx, cancel := context.WithCancelCause(ctx)
		q := newQueue()
		defer func() {
			cancel(ErrReaderStopped)
			q.leave()
		}()
		start := time.Now()
		go func() {
			a, err := Answer{}, errGoexit
			defer func() { q.finish(a, err) }()
			roomy(0)
			a, err = answer(agentScope(ctx, "", turn, q, false), f)
		}()
		for {
			events, more := q.take()
			for _, event := range events {
				if !yield(event, nil) {
					return
				}
			}
			if !more {
				break
			}
		}
		if q.err != nil {
			yield(Event{Data: Failed{q.err.Error(), codeOf(q.err)}}, q.err)
			return
		}
		usage := q.answer.Usage
		yield(Event{Data: Completed{q.answer, TurnStats{
			Tokens: usage.InputTokens + usage.OutputTokens,
			Millis: time.Since(start).Milliseconds(),
		}}}, nil)
	}
}

// roomy makes the stack of a fresh goroutine grow at once, while there is next to nothing on it to move.
// Later, in the middle of a graph, that takes a third of a short run's time.
//
//go:noinline
func roomy(i int) byte {
	var room [3 << 10]byte
	return room[i]
}

// A queue holds the events of a run that its reader has not yet seen. It is bounded: see [Emit].
type queue struct {
	mu    sync.Mutex
	ready sync.Cond // the reader waits for events, or for the end
	space sync.Cond // emitters wait for the reader

	events, spare []Event // spare is the batch that the reader is done with, to be filled again
	left          bool    // the reader has gone
	done          bool    // the run has ended, with answer and err
	answer        Answer
	err           error
}

const maxUnread = 64

func newQueue() *queue {
	q := &queue{events: make([]Event, 0, maxUnread*3/8)}
	q.ready.L, q.space.L = &q.mu, &q.mu
	return q
}

func (q *queue) add(event Event) {
	q.mu.Lock()
	for len(q.events) >= maxUnread && !q.left {
		q.space.Wait()
	}
	if !q.left && !q.done {
		q.events = append(q.events, event)
		if len(q.events) == 1 {
			q.ready.Signal()
		}
	}
	q.mu.Unlock()
}

// take waits for events and returns all there are; they are the caller's until the next take.
// The last batch, which may be empty, comes with false.
func (q *queue) take() (events []Event, more bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.events) == 0 && !q.done {
		q.ready.Wait()
	}
	events, q.events = q.events, q.spare[:0]
	q.spare = events
	if len(events) >= maxUnread {
		q.space.Broadcast()
	}
	return events, !q.done
}

// finish ends the run. It must be the last that the run's goroutine does.
func (q *queue) finish(answer Answer, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.done, q.answer, q.err = true, answer, err
	q.ready.Signal()
}

// leave drops the events from now on, so that nobody waits for the reader, and waits for the end of the run.
func (q *queue) leave() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.left = true
	q.space.Broadcast()
	for !q.done {
		q.ready.Wait()
	}
}
