package qed

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/qedkit/qed/retry"
	"github.com/qedkit/qed/store"
)

// scan reads records, none of which may take the store too long. A record that cannot be read is passed on with its number.
func (j *journal) scan(r store.Range, do func(store.Record) error) (err error) {
	defer recoverInto(&err)
	j.waits.Add(1)
	defer j.waits.Add(1)
	for rec, err := range j.store.Records(j.reading, j.thread, r) {
		if err != nil {
			if rec.Seq != 0 && errors.Is(err, store.ErrCorrupt) {
				do(store.Record{Seq: rec.Seq})
			}
			if j.reading.Err() != nil && j.ctx.Err() == nil {
				err = errStoreSlow
			}
			return err
		}
		if err := do(rec); err != nil {
			return err
		}
	}
	return cancelled(j.ctx)
}

var errStoreSlow = errors.New("qed: the store does not answer")

// patiently reads several times, where the store fails in a way that may pass.
func (j *journal) patiently(read func() error) error {
	wait := storeWait
	for attempt := 1; ; attempt++ {
		err := read()
		if err == nil || errors.Is(err, store.ErrCorrupt) || attempt == storeAttempts || !retry.Sleep(j.reading, wait) {
			return err
		}
		wait *= 2
	}
}

// load reads what the log has of a run.
func (j *journal) load(run int64) error {
	j.run = run
	err := j.patiently(func() error {
		j.known, j.asking, j.replied, j.listed = nil, 0, 0, nil
		return j.scan(store.Range{From: run}, func(rec store.Record) error {
			if rec.Run != run {
				return nil
			}
			return j.learn(rec)
		})
	})
	if err != nil {
		return err
	}
	for address, k := range j.known {
		if k.question != nil && k.asked > k.replied && (j.listed == nil || j.listed[k.question.Question.ID]) {
			j.open = append(j.open, openQuestion{k.question.Question, address, k.question.Path, k.asked, false})
		}
	}
	slices.SortFunc(j.open, func(a, b openQuestion) int { return int(a.asked - b.asked) })
	return nil
}

// learn takes a record into what is known.
func (j *journal) learn(rec store.Record) error {
	switch rec.Kind {
	case store.Began:
		var began beganData
		if err := readBegan(&rec, &began); err != nil {
			return err
		}
		j.turn, j.key, j.floor, j.began, j.turned = began.Turn, began.Key, began.Floor, rec.Time, rec.Time
		j.dropped = j.drops(began.Closed)
		j.understood(began.Closed)
		j.turn.Thread = j.thread // a copy has the name of the thread that it was made of
	case store.Resumed:
		j.listed = nil
		var resumed resumedData
		if err := rec.Decode(&resumed); err != nil {
			return err
		}
		if resumed.Turn != nil {
			j.replied, j.message, j.turned = rec.Seq, *resumed.Turn, rec.Time
			j.message.Thread = j.thread
		}
	case store.Checkpoint:
		k := j.at(rec.Address)
		for _, state := range []*store.Record{k.state, &rec} {
			if state != nil && state.Seq < j.replied && (k.before == nil || k.before.Seq < state.Seq) {
				k.before = state
			}
		}
		if k.state == nil || k.state.Seq < rec.Seq {
			k.state = &rec
		}
	case store.Called:
		k := j.at(rec.Address)
		if err := rec.Decode(&k.call); err != nil {
			return err
		}
		k.called = max(k.called, rec.Seq)
	case store.Returned:
		r := returned{seq: rec.Seq}
		if err := rec.Decode(&r.returnedData); err != nil {
			return err
		}
		k := j.at(rec.Address)
		switch {
		case !r.Stopped:
			k.returns = append(k.returns, r)
		case k.called < rec.Seq:
			k.called = 0
		}
	case store.Question:
		var q questionData
		if err := rec.Decode(&q); err != nil {
			return err
		}
		if k := j.at(rec.Address); k.asked < rec.Seq {
			k.question, k.asked = &q, rec.Seq
		}
		if rec.Run == j.run {
			j.asking++
		}
	case store.Reply:
		var r replyData
		if err := rec.Decode(&r); err != nil {
			return err
		}
		if k := j.at(rec.Address); k.replied < rec.Seq {
			k.reply, k.replied = r.Value, rec.Seq
		}
	case store.Saved:
		j.at(rec.Address).kept = rec.Data
	case store.Ended:
		var end endedData
		if err := rec.Decode(&end); err != nil {
			return err
		}
		if end.Status == StatusFailed {
			j.forgive(end.Call)
		}
		if end.Status == StatusInterrupted && end.Answer != nil {
			j.listed = map[string]bool{}
			for _, q := range end.Answer.Questions {
				j.listed[q.ID] = true
			}
		}
	}
	return nil
}

// forgive forgets the failures of the call that failed the run, and of those within it, so that they are made again; of all calls where
// it is not known which that was. One that must not be repeated is not.
func (j *journal) forgive(call string) {
	for address, k := range j.known {
		if k.called == 0 && (call == "" || store.IsUnder(address, call)) {
			k.returns = slices.DeleteFunc(k.returns, func(r returned) bool { return r.Error != nil })
		}
	}
}

// readScope makes known what the thread has of a Scope, from whatever turn. j.mu is held.
func (j *journal) readScope(scope *place) error {
	if scope == nil || j.run <= 1 || j.lost != nil {
		return nil
	}
	if err, done := j.scopes[scope.address]; done {
		return err
	}
	// From the first record on, whatever else of the thread is not looked at: what must not be done twice is.
	err := j.scan(store.Range{To: j.run - 1, Under: scope.address}, j.learn)
	if err != nil && cancelled(j.ctx) == nil && !errors.Is(err, store.ErrCorrupt) {
		// What was done may be done again without knowing, so only what may be repeated is.
		j.lose(err)
		err = nil
	}
	if j.scopes == nil {
		j.scopes = map[string]error{}
	}
	j.scopes[scope.address] = err
	return err
}

// lastState returns the state that was recorded last at an address, or nil.
func (j *journal) lastState(address string) (*store.Record, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if k := j.known[address]; k != nil && k.state != nil {
		return k.state, nil // of this run, which begins at its first node again
	}
	if j.run <= j.floor+1 || j.lost != nil {
		return nil, nil
	}
	var last *store.Record
	err := j.scan(store.Range{From: j.floor + 1, To: j.run - 1, Kinds: []store.Kind{store.Checkpoint}, Under: address, NewestFirst: true}, func(rec store.Record) error {
		if rec.Address != address {
			return nil // of a graph within
		}
		last = &rec
		return errFound
	})
	switch {
	case err == nil || err == errFound:
		return last, nil
	case cancelled(j.ctx) != nil:
		return nil, err
	}
	j.startFresh(fmt.Errorf("the state of an earlier turn cannot be read: %w", err))
	return nil, nil
}

var errFound = errors.New("found")

func replyRecord(address string, value json.RawMessage) store.Record {
	data, _ := json.Marshal(replyData{value}) // it was checked to be JSON
	return store.Record{Kind: store.Reply, Address: address, Data: data}
}
