package sqldb

import (
	"database/sql"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/qedkit/qed/internal/lists"
)

// The time for which a replica is not used after its first failure, and the longest.
const (
	minBackoff = time.Second
	maxBackoff = time.Minute
)

// replicas spreads statements over the pools of one database. A pool that could
// not be reached is not used for a while, which doubles with each failure. Then
// a single statement tries it again.
type replicas struct {
	all []*replica // never empty, never changed

	mu      sync.Mutex
	next    int // where the search for the next replica begins
	closed  bool
	running sync.WaitGroup // chosen or acquired and not released; added to under mu, while not closed
}

// A replica is one of the pools.
type replica struct {
	number int
	pool   *sql.DB

	// slots has as many elements as the pool has connections. It is nil if the
	// pool has no limit. Code that holds a slot and closes a connection can
	// open another one without waiting.
	slots chan struct{}

	// Protected by replicas.mu.
	load int           // how many statements use it
	wait time.Duration // how long it is not used; 0 means that it is healthy
	due  time.Time     // when it may be used again
}

// health is what an attempt showed about a replica.
type health int

const (
	unknown health = iota
	healthy
	down
)

func newReplicas(pools []*sql.DB) *replicas {
	rs := &replicas{}
	for i, pool := range pools {
		r := &replica{number: i, pool: pool}
		if n := pool.Stats().MaxOpenConnections; n > 0 {
			r.slots = make(chan struct{}, n)
		}
		rs.all = append(rs.all, r)
	}
	return rs
}

// choose returns the replica to use next, and reports whether it is believed to
// be healthy. It returns nil if all were tried or the DB was closed. The caller
// must call [replicas.release].
func (rs *replicas) choose(tried []*replica) (r *replica, healthy bool) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if rs.closed {
		return nil, false
	}
	now := time.Now()
	rs.next++
	for i := range rs.all {
		other := rs.all[(rs.next+i)%len(rs.all)]
		if !slices.Contains(tried, other) && (r == nil || other.better(r, now)) {
			r = other
		}
	}
	if r == nil {
		return nil, false
	}
	healthy = r.isDue(now)
	if r.wait > 0 {
		if healthy {
			r.wait = min(2*r.wait, maxBackoff)
		}
		r.due = now.Add(r.wait) // only this attempt uses it until its result is known
	}
	r.load++
	rs.running.Add(1)
	return r, healthy
}

// acquire chooses r whatever its state is. It reports false if the DB was
// closed. Otherwise the caller must call [replicas.release].
func (rs *replicas) acquire(r *replica) bool {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if rs.closed {
		return false
	}
	r.load++
	rs.running.Add(1)
	return true
}

func (r *replica) isDue(now time.Time) bool { return !now.Before(r.due) }

// better reports whether to use r rather than other.
func (r *replica) better(other *replica, now time.Time) bool {
	due := r.isDue(now)
	switch {
	case due != other.isDue(now):
		return due
	case !due:
		return r.due.Before(other.due)
	case r.full() != other.full():
		return other.full()
	}
	return r.load < other.load
}

func (r *replica) full() bool { return r.slots != nil && r.load >= cap(r.slots) }

// release ends what choose or acquire began.
func (rs *replicas) release(r *replica, state health) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	r.load--
	rs.running.Done()
	switch now := time.Now(); {
	case state == healthy:
		r.wait, r.due = 0, time.Time{}
	case state == down && r.isDue(now):
		r.wait = max(r.wait, minBackoff)
		r.due = now.Add(r.wait)
	}
}

// close waits for what is running and closes the pools.
func (rs *replicas) close() error {
	rs.mu.Lock()
	rs.closed = true
	rs.mu.Unlock()
	rs.running.Wait()
	return errors.Join(lists.Map(rs.all, func(r *replica) error { return r.pool.Close() })...)
}
