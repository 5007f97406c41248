package qed

import (
	"sync"
	"time"
)

// An unendedRun is a run that ended without a record of it, if its log is as
// the run left it.
type unendedRun struct {
	run      int64
	head     int64               // the last record that is known to be saved
	possible map[int64]time.Time // the numbers and times of the records that may be the last one instead
	until    time.Time           // when the run's lease is over, and the thread shows that the run is not alive
}

// is reports whether t is the state in which u left its thread.
func (u unendedRun) is(t threadState) bool {
	last, possible := u.possible[t.head]
	return u.run == t.run && (u.head == t.head || possible && last.Equal(t.last))
}

// maxUnended limits how many runs are remembered.
const maxUnended = 10_000

// unendedRuns has, by thread, the runs of this process whose end could not be
// recorded. They are not running. A run is forgotten when its lease is over, or
// if there are many later ones.
type unendedRuns struct {
	mu    sync.Mutex
	runs  map[threadName]unendedRun
	added []added // oldest first
}

// An added is a run that was added to unendedRuns. Its thread may have a later one.
type added struct {
	thread threadName
	until  time.Time
}

// A threadName names a thread among those of all users.
type threadName struct{ tenant, user, thread string }

// add adds the run of a thread.
func (u *unendedRuns) add(thread threadName, rs *runState) {
	now := rs.log.Now()
	head, possible := rs.log.Head()
	run := unendedRun{run: rs.run, head: head, possible: map[int64]time.Time{}, until: now.Add(rs.opt.lease())}
	for _, rec := range possible {
		run.possible[rec.Seq] = rec.Time
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	for len(u.added) > 0 && (len(u.added) >= maxUnended || !u.added[0].until.After(now)) {
		oldest := u.added[0]
		u.added = u.added[1:]
		if u.runs[oldest.thread].until.Equal(oldest.until) {
			delete(u.runs, oldest.thread)
		}
	}
	if u.runs == nil {
		u.runs = map[threadName]unendedRun{}
	}
	u.runs[thread] = run
	u.added = append(u.added, added{thread, run.until})
}

// of returns the run of a thread, or a zero one.
func (u *unendedRuns) of(thread threadName) unendedRun {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.runs[thread]
}
