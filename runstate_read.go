package qed

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/qedkit/qed/store"
)

// scan calls do with the records of r, without those of replaced turns. A record
// that cannot be read is passed with its number alone. errFound from do ends it.
func (rs *runState) scan(r store.Range, do func(store.Record) error) error {
	if len(rs.gone) == 0 {
		return rs.scanAll(r, do)
	}
	left := r.Limit
	r.Limit = 0 // the replaced records would be counted
	return rs.scanAll(r, func(rec store.Record) error {
		if rs.gone.has(rec.Seq) {
			return nil
		}
		if err := do(rec); err != nil {
			return err
		}
		if left--; left == 0 {
			return errFound
		}
		return nil
	})
}

// scanAll is scan with the records of replaced turns.
func (rs *runState) scanAll(r store.Range, do func(store.Record) error) error {
	if err := rs.log.Read(r, do); err != nil && !errors.Is(err, errFound) {
		return err
	}
	return cancelled(rs.ctx)
}

// A scanner is scan or scanAll.
type scanner func(store.Range, func(store.Record) error) error

// errFound ends a scan.
var errFound = errors.New("qed: the record is found")

// newest returns the one record that r asks for, or a zero one.
func (rs *runState) newest(r store.Range) (store.Record, error) { return rs.first(rs.scan, r) }

// first is newest as scan reads the records.
func (rs *runState) first(scan scanner, r store.Range) (found store.Record, err error) {
	err = rs.log.Retry(func() error {
		found = store.Record{}
		return scan(r, func(rec store.Record) error { found = rec; return nil })
	})
	return found, err
}

// resumeKinds are the records that load reads.
var resumeKinds = []store.Kind{
	store.Began, store.Resumed, store.Called, store.Returned, store.Question, store.Reply, store.Saved, store.Ended,
}

// load reads the records of a run, except the states of graphs: see findState.
func (rs *runState) load(run int64) error { return rs.loadKinds(run, resumeKinds) }

// loadKinds reads the records of a run that have some kinds.
func (rs *runState) loadKinds(run int64, kinds []store.Kind) error {
	rs.run, rs.loaded = run, true
	err := rs.log.Retry(func() error {
		rs.known, rs.asking, rs.replied, rs.listed, rs.spent = nil, 0, 0, nil, spentData{}
		return rs.learnRun(run, kinds)
	})
	if err != nil {
		return err
	}
	for address, k := range rs.known {
		if k.question == nil || k.asked <= k.replied || rs.listed != nil && !rs.listed[k.question.Question.ID] {
			continue
		}
		rs.open = append(rs.open, openQuestion{
			Question: k.question.Question, address: address, path: k.question.Path, asked: k.asked,
		})
	}
	slices.SortFunc(rs.open, func(a, b openQuestion) int { return cmp.Compare(a.asked, b.asked) })
	return nil
}

// learnRun learns the records of a run that have some kinds.
func (rs *runState) learnRun(run int64, kinds []store.Kind) error {
	return rs.scan(store.Range{From: run, Kinds: kinds}, func(rec store.Record) error {
		if rec.Run != run {
			return nil
		}
		return rs.learn(rec)
	})
}

// learn adds a record to what is known.
func (rs *runState) learn(rec store.Record) error {
	switch rec.Kind {
	case store.Began:
		var began beganData
		if err := readBegan(&rec, &began); err != nil {
			return err
		}
		rs.turn, rs.key, rs.floor, rs.began, rs.turned = Turn(began.Turn), began.Key, began.Floor, rec.Time, rec.Time
		rs.turn.Thread = rs.thread // a fork has another name than its original
		rs.closedBy(began.Closed)
		rs.spent.raise(began.Spent)
	case store.Resumed:
		rs.listed = nil
		var resumed resumedData
		if err := rec.Decode(&resumed); err != nil {
			return err
		}
		rs.spent.raise(resumed.Spent)
		if resumed.Turn != nil {
			rs.replied, rs.message, rs.turned = rec.Seq, Turn(*resumed.Turn), rec.Time
			rs.message.Thread = rs.thread
		}
	case store.Checkpoint:
		rs.at(rec.Address).learnState(&rec, rs.replied)
	case store.Called:
		k := rs.at(rec.Address)
		if err := rec.Decode(&k.call); err != nil {
			return err
		}
		k.called = max(k.called, rec.Seq)
	case store.Returned:
		var data returnedData
		if err := rec.Decode(&data); err != nil {
			return err
		}
		rs.learnReturned(&rec, &data)
	case store.Question:
		var q questionData
		if err := rec.Decode(&q); err != nil {
			return err
		}
		if k := rs.at(rec.Address); k.asked < rec.Seq {
			k.question, k.asked = &q, rec.Seq
		}
		if rec.Run == rs.run {
			rs.asking++
		}
	case store.Reply:
		var r replyData
		if err := rec.Decode(&r); err != nil {
			return err
		}
		if k := rs.at(rec.Address); k.replied < rec.Seq {
			k.reply, k.replied = r.Value, rec.Seq
		}
	case store.Saved:
		rs.at(rec.Address).saved = rec.Data
	case store.Ended:
		var end endedData
		if err := rec.Decode(&end); err != nil {
			return err
		}
		rs.spent.raise(end.Spent)
		if end.Status == store.StatusFailed {
			rs.forgive(end.Call)
		}
		if end.Status == store.StatusInterrupted && end.Answer != nil {
			rs.listed = map[string]bool{}
			for _, q := range end.Answer.Questions {
				rs.listed[q.ID] = true
			}
		}
	}
	return nil
}

// learnReturned adds a record of how a call ended, and its data.
func (rs *runState) learnReturned(rec *store.Record, data *returnedData) {
	if rec.Run == rs.run {
		rs.spent.raise(data.Spent)
	}
	k := rs.at(rec.Address)
	switch {
	case !data.Stopped:
		k.returns = append(k.returns, returned{rec.Seq, *data})
	case k.called < rec.Seq:
		k.called = 0
	}
}

// learnState adds a state's record. replied is the number of the record with
// which the run was replied to last. Records do not come in the order of their
// numbers where a namespace is read late.
func (k *known) learnState(rec *store.Record, replied int64) {
	for _, state := range []*store.Record{k.state, rec} {
		if state != nil && state.Seq < replied && (k.before == nil || k.before.Seq < state.Seq) {
			k.before = state
		}
	}
	if k.state == nil || k.state.Seq < rec.Seq {
		k.state = rec
	}
}

// forgive removes the recorded failures of the call that failed the run, and of
// the calls within it, so that a resumed run makes them again. With an empty
// address it removes those of all calls. A failed at-most-once call stays
// failed.
func (rs *runState) forgive(call string) {
	for address, k := range rs.known {
		if k.called == 0 && (call == "" || store.IsUnder(address, call)) {
			k.returns = slices.DeleteFunc(k.returns, func(r returned) bool { return r.Error != nil })
		}
	}
}

// readNamespace reads what earlier runs of the thread recorded in a namespace.
// rs.mu is held.
func (rs *runState) readNamespace(namespace *place) error {
	if namespace == nil || rs.run <= 1 || rs.log.Err() != nil {
		return nil
	}
	if err, done := rs.namespaces[namespace.address]; done {
		return err
	}
	// The floor is ignored here: at-most-once calls count however old they are, also
	// those of replaced turns.
	err := rs.scanAll(store.Range{To: rs.run - 1, Under: namespace.address}, func(rec store.Record) error {
		if rs.gone.has(rec.Seq) && rec.Kind != store.Called && rec.Kind != store.Returned {
			return nil
		}
		return rs.learn(rec)
	})
	if err != nil && cancelled(rs.ctx) == nil && !errors.Is(err, store.ErrCorrupt) {
		// The run does not know which calls were made, so it must not make
		// at-most-once calls.
		rs.log.Lose(err)
		err = nil
	}
	if rs.namespaces == nil {
		rs.namespaces = map[string]error{}
	}
	rs.namespaces[namespace.address] = err
	return err
}

// find returns what is known of the address of p, or nil. rs.mu is held.
func (rs *runState) find(p *place) (*known, error) {
	if err := rs.readNamespace(p.scope); err != nil {
		return nil, err
	}
	return rs.known[p.address], nil
}

// findState reads the last state that a resumed run recorded at an address,
// unless it is known. rs.mu is held.
//
// States are not read with the other records of the run: only the last one of a
// graph is needed, and all of them together can be very large.
func (rs *runState) findState(address string) error {
	if k := rs.known[address]; !rs.loaded || k != nil && k.searched {
		return nil
	}
	last, err := rs.newestState(rs.run, 0, address)
	if err != nil {
		return err
	}
	k := rs.at(address)
	k.searched = true
	if last != nil {
		k.learnState(last, rs.replied)
	}
	return nil
}

// findStateBefore reads the last state that was recorded at an address before
// the run was replied to. rs.mu is held.
func (rs *runState) findStateBefore(address string) error {
	k := rs.known[address]
	if !rs.loaded || rs.replied <= rs.run || k == nil || k.before != nil {
		return nil
	}
	before, err := rs.newestState(rs.run, rs.replied-1, address)
	if before != nil {
		k.learnState(before, rs.replied)
	}
	return err
}

// newestState returns the newest state with an address and a number in a range,
// or nil.
func (rs *runState) newestState(from, to int64, address string) (*store.Record, error) {
	last, err := rs.newest(store.Range{
		From: from, To: to, Kinds: []store.Kind{store.Checkpoint}, Address: address, NewestFirst: true, Limit: 1,
	})
	if err != nil || last.Seq == 0 {
		return nil, err
	}
	return &last, nil
}

// lastState returns the state that was recorded last at an address, or nil.
func (rs *runState) lastState(address string) (*store.Record, error) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if err := rs.findState(address); err != nil {
		return nil, err
	}
	if k := rs.known[address]; k != nil && k.state != nil {
		return k.state, nil // of this run, whose graph begins at its first node again
	}
	if rs.run <= rs.floor+1 || rs.log.Err() != nil {
		return nil, nil
	}
	last, err := rs.newestState(rs.floor+1, rs.run-1, address)
	switch {
	case err == nil:
		return last, nil
	case cancelled(rs.ctx) != nil:
		return nil, err
	case errors.Is(err, store.ErrCorrupt):
		rs.stateDiscarded(fmt.Errorf("the state of an earlier turn cannot be read: %w", err))
	default:
		// A state of this run would replace the one that cannot be read now.
		rs.log.Abandon(fmt.Errorf("the state of an earlier turn cannot be read: %w", err))
	}
	return nil, nil
}

// abortedBetween reports whether a run that began after one record and before
// another one began with an abort of open questions.
func (rs *runState) abortedBetween(after, before int64) (aborted bool, err error) {
	r := store.Range{From: after + 1, To: before - 1, Kinds: []store.Kind{store.Began}}
	err = rs.scan(r, func(rec store.Record) error {
		var began beganData
		aborted = aborted || readBegan(&rec, &began) == nil && began.Closed.aborts()
		return nil
	})
	return aborted, err
}
