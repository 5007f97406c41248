package sqlstore

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// A queue makes appends. An append is made at once, on the goroutine of its
// caller, while fewer are being made than the engine has lanes. Otherwise it
// waits, and then shares a transaction with the other appends that wait.
type queue struct {
	s *Store

	mu      sync.Mutex
	busy    int      // lanes in use
	waiting []*group // empty unless all lanes are in use
	closed  bool
	work    sync.WaitGroup // the goroutines that make groups
}

// A group is the appends that share a transaction.
type group struct {
	ctx    context.Context // done when nobody waits for the group
	cancel context.CancelFunc

	// Guarded by the queue's mu.
	started bool
	appends []*appending // not changed once it started
	records int
	size    int // bytes of data
	callers int // who wait for it

	done chan struct{} // closed when err and made of the appends are set
	err  error
}

// patience is how long an append to a server waits for its group, and how long an append
// or a group keeps its lane. A connection that the server does not answer stops only the
// appends that use it.
const patience = time.Second

// append makes an append. It reports whether the append has to be made again
// without the queue, because an error may be due to another append.
//
// It returns at once when ctx ends. The append is then not made, except that it
// may still be made if its group had started.
func (q *queue) append(ctx context.Context, a *appending) (again bool, err error) {
	e := q.s.engine
	q.mu.Lock()
	if q.closed {
		q.mu.Unlock()
		return false, ErrClosed
	}
	if q.busy < e.lanes() {
		q.busy++
		q.mu.Unlock()
		defer q.lane()()
		return false, q.s.commit(ctx, []*appending{a})
	}
	own := a.clone()
	g := q.join(own)
	q.mu.Unlock()

	var late <-chan time.Time
	if !e.singleWriter() {
		late = time.After(patience)
	}
	select {
	case <-g.done:
		a.made = own.made
		// A lock of SQLite is held against every append, so nothing is gained
		// without the queue.
		passing := e.singleWriter() && !permanent(g.err)
		return g.err != nil && len(g.appends) > 1 && !passing, g.err
	case <-ctx.Done():
		q.leave(g, own)
		return false, ctx.Err()
	case <-late:
		q.leave(g, own)
		return true, nil
	}
}

// join adds an append to the last waiting group, or to a new one. q.mu is held.
func (q *queue) join(a *appending) *group {
	var g *group
	if n := len(q.waiting); n > 0 {
		g = q.waiting[n-1]
	}
	if g == nil || g.records+len(a.records) > q.s.engine.batch() || g.size+a.size > maxBytes {
		g = &group{done: make(chan struct{})}
		g.ctx, g.cancel = context.WithCancel(q.s.open)
		q.waiting = append(q.waiting, g)
	}
	g.appends = append(g.appends, a)
	g.records += len(a.records)
	g.size += a.size
	g.callers++
	return g
}

// leave is called when the caller of an append does not wait for g any more.
func (q *queue) leave(g *group, a *appending) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !g.started {
		g.appends = slices.DeleteFunc(g.appends, func(other *appending) bool { return other == a })
	}
	if g.callers--; g.callers == 0 {
		g.cancel()
	}
}

// lane returns a function that passes on a lane. A lane to a server is passed on after
// patience in any case.
func (q *queue) lane() func() {
	if q.s.engine.singleWriter() {
		return q.next
	}
	next := sync.OnceFunc(q.next)
	late := time.AfterFunc(patience, next)
	return func() {
		late.Stop()
		next()
	}
}

// next passes on a lane to the next group, if one waits.
func (q *queue) next() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if g := q.take(); g != nil {
		q.work.Go(func() { q.run(g) })
	}
}

func (q *queue) run(g *group) {
	defer q.lane()()
	g.err = q.commit(g)
	g.cancel()
	close(g.done)
}

func (q *queue) commit(g *group) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("the driver panicked: %v", v)
		}
	}()
	return q.s.commit(g.ctx, g.appends)
}

// take returns the next group, or gives up the lane if none waits. q.mu is held.
func (q *queue) take() *group {
	for len(q.waiting) > 0 {
		g := q.waiting[0]
		q.waiting = q.waiting[1:]
		if g.callers > 0 {
			g.started = true
			return g
		}
	}
	q.busy--
	return nil
}

// close lets the waiting appends fail with ErrClosed, and waits until those are
// over that are being made on goroutines of the queue. The store's context was
// cancelled before.
func (q *queue) close() {
	q.mu.Lock()
	q.closed = true
	for _, g := range q.waiting {
		g.err = ErrClosed
		g.cancel()
		close(g.done)
	}
	q.waiting = nil
	q.mu.Unlock()
	q.work.Wait()
}
