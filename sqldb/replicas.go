package sqldb

import (
	"database/sql"
	"errors"
	"slices"
	"sync"
	"time"
)

// maxBackoff bounds how long a replica is left alone, unless Options.Backoff is
// longer.
const maxBackoff = time.Minute

// replicas spreads readings over pools of one database. A pool that was not
// reached is left alone, twice as long each time, and then tried by one reading.
type replicas struct {
	all     []*replica // never empty, never changed
	backoff time.Duration

	mu      sync.Mutex
	turn    int // where the next choice begins
	closed  bool
	running sync.WaitGroup // what was chosen and not left; added to under mu, while not closed
}

// replica is one of the pools.
type replica struct {
	number int
	pool   *sql.DB

	// slots has room for as many holders of a connection as the pool has
	// connections; nil: it has no limit. Whoever throws a connection away while
	// holding a slot can count on another one.
	slots chan struct{}

	// Under the lock of replicas.
	load  int           // how many chose it and have not left
	wait  time.Duration // how long it is left alone; 0: it is well
	until time.Time     // it is left alone until then
}

// health is what an attempt showed about a replica.
type health int

const (
	unknown health = iota
	well
	lost
)

func newReplicas(backoff time.Duration, pools []*sql.DB) *replicas {
	rs := &replicas{backoff: backoff}
	for i, pool := range pools {
		p := &replica{number: i, pool: pool}
		if n := pool.Stats().MaxOpenConnections; n > 0 {
			p.slots = make(chan struct{}, n)
		}
		rs.all = append(rs.all, p)
	}
	return rs
}

// choose chooses the replica to go to next, and reports whether it is taken to
// be well. It is nil where all were tried, or they are closed. [replicas.leave]
// must follow.
func (rs *replicas) choose(tried []*replica) (p *replica, ok bool) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if rs.closed {
		return nil, false
	}
	now := time.Now()
	rs.turn++
	for i := range rs.all {
		next := rs.all[(rs.turn+i)%len(rs.all)]
		if !slices.Contains(tried, next) && (p == nil || next.rather(p, now)) {
			p = next
		}
	}
	if p == nil {
		return nil, false
	}
	ok = p.due(now)
	if p.wait > 0 {
		if ok {
			p.wait = min(2*p.wait, max(rs.backoff, maxBackoff))
		}
		p.until = now.Add(p.wait) // nobody else tries it meanwhile
	}
	p.load++
	rs.running.Add(1)
	return p, ok
}

// take chooses p, whatever its state; false: they are closed. Otherwise
// [replicas.leave] must follow.
func (rs *replicas) take(p *replica) bool {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if rs.closed {
		return false
	}
	p.load++
	rs.running.Add(1)
	return true
}

func (p *replica) due(now time.Time) bool { return !now.Before(p.until) }

// rather reports whether to go to p rather than to q.
func (p *replica) rather(q *replica, now time.Time) bool {
	due := p.due(now)
	switch {
	case due != q.due(now):
		return due
	case !due:
		return p.until.Before(q.until)
	case p.full() != q.full():
		return q.full()
	}
	return p.load < q.load
}

func (p *replica) full() bool { return p.slots != nil && p.load >= cap(p.slots) }

// leave ends what choose began.
func (rs *replicas) leave(p *replica, h health) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	p.load--
	rs.running.Done()
	switch now := time.Now(); {
	case h == well:
		p.wait, p.until = 0, time.Time{}
	case h == lost && p.due(now):
		p.wait = max(p.wait, rs.backoff)
		p.until = now.Add(p.wait)
	}
}

// close waits for what is running and closes the pools.
func (rs *replicas) close() error {
	rs.mu.Lock()
	rs.closed = true
	rs.mu.Unlock()
	rs.running.Wait()
	var errs []error
	for _, p := range rs.all {
		errs = append(errs, p.pool.Close())
	}
	return errors.Join(errs...)
}
