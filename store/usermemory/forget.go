package usermemory

import (
	"context"
	"errors"
	"slices"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/finding"
	"github.com/qedkit/qed/store"
)

var errNoMatch = errors.New("usermemory: match is nil; Forget removes everything")

// ForgetEntities removes the entities for which match returns true, and returns
// their number. Past turns that mention them stay: see [Memory.ForgetTurns].
//
// When ForgetEntities returns, the entities are removed from the store. If they
// could not be removed there, it returns an error; they are no longer returned by
// any method even so, and the next call that reads the memory removes them. match may be
// called several times for one entity.
func (m *Memory) ForgetEntities(ctx context.Context, user User, match func(finding.Entity) bool) (int, error) {
	if match == nil {
		return 0, errNoMatch
	}
	return m.forget(ctx, user, func(l *userLog) int {
		before := len(l.entities)
		l.entities = slices.DeleteFunc(l.entities, func(e userEntity) bool { return match(e.Entity) })
		return before - len(l.entities)
	})
}

// ForgetTurns removes the past turns for which match returns true, like
// [Memory.ForgetEntities]. The entities that they mention stay.
func (m *Memory) ForgetTurns(ctx context.Context, user User, match func(PastTurn) bool) (int, error) {
	if match == nil {
		return 0, errNoMatch
	}
	return m.forget(ctx, user, func(l *userLog) int {
		before := len(l.turns)
		l.turns = slices.DeleteFunc(l.turns, func(t userTurn) bool { return match(t.PastTurn) })
		return before - len(l.turns)
	})
}

func (m *Memory) forget(ctx context.Context, user User, change func(*userLog) int) (int, error) {
	thread, err := m.thread(user)
	if err != nil {
		return 0, err
	}
	return m.rewrite(ctx, thread, change)
}

// Forget removes the whole memory of a user, also one that cannot be read.
// Conversations have their own threads: their messages, memory entries and rows
// stay until [Memory.Erase] or the Delete method of their [store.Store] removes
// them. What an agent recalled for a request is in the records of that
// conversation, and is deleted with it.
func (m *Memory) Forget(ctx context.Context, user User) error {
	thread, err := m.thread(user)
	if err != nil {
		return err
	}
	// Deleting the thread would restart its numbers, and a concurrent rewrite would
	// then restore what it has read before.
	var begins int64
	err = m.retry(ctx, func() error {
		seq, err := m.newest(ctx, thread)
		if err != nil || seq == 0 {
			return err
		}
		recs, err := (&userLog{}).records(qed.TurnTime(ctx))
		if err != nil {
			return err
		}
		begins = seq + 1
		return m.Store.Append(ctx, thread, seq, recs...)
	})
	if err == nil && begins > 0 {
		err = m.Store.Trim(ctx, thread, begins, store.Memory)
	}
	return err
}

// newest returns the number of the last record, even if that cannot be read; 0 means
// that there is none.
func (m *Memory) newest(ctx context.Context, thread string) (seq int64, err error) {
	for rec, err := range m.Store.Records(ctx, thread, store.Range{NewestFirst: true, Limit: 1}) {
		if err != nil && rec.Seq == 0 {
			return 0, err
		}
		seq = rec.Seq
	}
	return seq, nil
}
