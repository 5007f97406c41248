package usermemory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/store"
)

// A userRecord is the data of a record in a user's thread. Each adds to those before it; one that Begins stands for all that was before,
// together with those that were appended with it. So what is forgotten is gone once that record is there, and what is older can be
// trimmed at any time: the next write does it, where a crash prevented it.
type userRecord struct {
	Begins   bool         `json:"begins,omitempty"`
	Turns    []userTurn   `json:"turns,omitempty"`
	Entities []userEntity `json:"entities,omitempty"`

	Live    int  `json:"live"`              // how many turns there are by now, about: when to compact
	Trimmed bool `json:"trimmed,omitempty"` // nothing is left of what was before the last record that Begins
}

type userTurn struct {
	PastTurn
	Vector []byte `json:"vector,omitempty"` // see vectorBytes
	Model  string `json:"model,omitempty"`  // that made it
}

type userEntity struct {
	KnownEntity
	Thread string `json:"thread,omitempty"` // where it last came up
	Turn   int    `json:"turn,omitempty"`
}

// A userLog is what a user's thread comes to.
type userLog struct {
	seq      int64 // of its last record; 0: there is none
	trimmed  bool
	turns    []userTurn   // oldest first
	entities []userEntity // what came up last is last
}

// A userHead is the last record of a user's thread.
type userHead struct {
	seq int64
	userRecord
}

// head reads the last record.
func (m *Memory) head(ctx context.Context, thread string) (userHead, error) {
	head := userHead{userRecord: userRecord{Trimmed: true}}
	for rec, err := range m.Store.Records(ctx, thread, store.Range{Kinds: []store.Kind{store.Memory}, NewestFirst: true, Limit: 1}) {
		if err != nil {
			return head, err
		}
		head.seq, head.userRecord = rec.Seq, userRecord{}
		if err := rec.Decode(&head.userRecord); err != nil {
			return head, err
		}
	}
	return head, nil
}

// loads is how often a memory is read anew that others rewrite while it is read.
const loads = 5

// load reads all that is remembered.
func (m *Memory) load(ctx context.Context, thread string) (*userLog, error) {
	for range loads {
		head, err := m.head(ctx, thread)
		if err != nil {
			return nil, err
		}
		var reader userReader
		if err := reader.read(m.Store.Records(ctx, thread, store.Range{Kinds: []store.Kind{store.Memory}})); err != nil {
			return nil, err
		}
		if log := reader.log(m.maxTurns(), m.maxEntities()); log.seq >= head.seq {
			return log, nil
		}
		// The record that begins was not among those that were read, and what is before it is trimmed already.
	}
	return nil, fmt.Errorf("%w: what is remembered of the user is rewritten all the time", store.ErrConflict)
}

// A userReader folds records, oldest first.
type userReader struct {
	seq      int64
	trimmed  bool
	turns    []userTurn
	entities []userEntity
	order    int                 // counts what is added
	turnAt   map[turnKey]int     // where each turn of a thread is
	entityAt map[string]position // where each entity is, and when it came up
}

type turnKey struct {
	thread string
	turn   int
	plan   string
}

type position struct{ index, order int }

func (r *userReader) read(records func(yield func(store.Record, error) bool)) error {
	r.begin()
	r.trimmed = true
	for rec, err := range records {
		if err != nil {
			return err
		}
		var data userRecord
		if err := rec.Decode(&data); err != nil {
			return err
		}
		if data.Begins {
			r.begin()
		}
		r.seq, r.trimmed = rec.Seq, data.Trimmed
		for _, t := range data.Turns {
			r.addTurn(t)
		}
		for _, e := range data.Entities {
			r.addEntity(e)
		}
	}
	return nil
}

func (r *userReader) begin() {
	r.turns, r.entities = nil, nil
	r.turnAt, r.entityAt = map[turnKey]int{}, map[string]position{}
}

func (r *userReader) addTurn(t userTurn) {
	key := turnKey{t.Thread, t.Turn, t.Plan}
	if i, ok := r.turnAt[key]; ok && t.Thread != "" {
		r.turns[i] = t
		return
	}
	r.turnAt[key] = len(r.turns)
	r.turns = append(r.turns, t)
}

func (r *userReader) addEntity(e userEntity) {
	r.order++
	key := entityKey(e.Entity)
	at, ok := r.entityAt[key]
	if !ok {
		r.entityAt[key] = position{len(r.entities), r.order}
		r.entities = append(r.entities, e)
		return
	}
	before := r.entities[at.index]
	if before.Thread == e.Thread && before.Turn == e.Turn && e.Thread != "" {
		e.Times = before.Times // the turn was noted again
	} else {
		e.Times = max(e.Times, 1) + before.Times
	}
	if e.Last.Before(before.Last) {
		e.Last = before.Last
	}
	if e.Said == "" {
		e.Said = before.Said
	}
	r.entities[at.index] = e
	r.entityAt[key] = position{at.index, r.order}
}

// log returns what was read, as far as the limits go.
func (r *userReader) log(turns, entities int) *userLog {
	slices.SortFunc(r.entities, func(a, b userEntity) int {
		return r.entityAt[entityKey(a.Entity)].order - r.entityAt[entityKey(b.Entity)].order
	})
	return &userLog{
		seq:      r.seq,
		trimmed:  r.trimmed,
		turns:    r.turns[max(0, len(r.turns)-turns):],
		entities: r.entities[max(0, len(r.entities)-entities):],
	}
}

// recordBytes is about how large a record of a compacted memory gets.
const recordBytes = 256 << 10

// records returns what stands for all of the log.
func (l *userLog) records(now time.Time) ([]store.Record, error) {
	all := []userRecord{{Begins: true, Entities: l.entities}}
	size := 0
	for _, t := range l.turns {
		last := &all[len(all)-1]
		if size > recordBytes {
			all = append(all, userRecord{})
			last, size = &all[len(all)-1], 0
		}
		last.Turns = append(last.Turns, t)
		size += len(t.Request) + len(t.Rewritten) + len(t.Answer) + 2*len(t.Vector)
		for _, q := range t.Queries {
			size += len(q.Query) + len(q.Arguments) + len(q.Summary) + len(q.HowToRetrieve) + len(q.Request)
		}
	}
	recs := make([]store.Record, len(all))
	for i := range all {
		all[i].Live = len(l.turns)
		data, err := json.Marshal(&all[i])
		if err != nil {
			return nil, fmt.Errorf("qed: what is remembered of the user cannot be written: %w", err)
		}
		recs[i] = store.Record{Time: now, Kind: store.Memory, Data: data}
	}
	return recs, nil
}

// rewrite changes what is remembered, and removes from the store what was. change returns how many things it changed; where that is 0, nothing
// is written. It is called again where somebody else's write came in between.
func (m *Memory) rewrite(ctx context.Context, thread string, change func(*userLog) int) (changed int, err error) {
	var begins int64 // the number of the record that begins; 0: nothing was written
	err = m.retry(ctx, func() error {
		log, err := m.load(ctx, thread)
		if err != nil {
			return err
		}
		if changed = change(log); changed == 0 {
			if !log.trimmed {
				return m.trim(ctx, thread)
			}
			return nil
		}
		recs, err := log.records(qed.Clock(ctx)())
		if err != nil {
			return err
		}
		if err := m.Store.Append(ctx, thread, log.seq, recs...); err != nil {
			return err
		}
		begins = log.seq + 1
		return nil
	})
	if err == nil && begins > 0 {
		err = m.Store.Trim(ctx, thread, begins, store.Memory)
	}
	return changed, err
}

// trim removes what is before the last record that Begins.
func (m *Memory) trim(ctx context.Context, thread string) error {
	for rec, err := range m.Store.Records(ctx, thread, store.Range{Kinds: []store.Kind{store.Memory}, NewestFirst: true}) {
		if err != nil {
			return err
		}
		var data struct {
			Begins bool `json:"begins"`
		}
		if err := rec.Decode(&data); err != nil {
			return err
		}
		if data.Begins {
			return m.Store.Trim(ctx, thread, rec.Seq, store.Memory)
		}
	}
	return nil
}

var errNoWhich = errors.New("qed: which to forget is nil: UserMemory.Forget removes all that is remembered of a user")

// ForgetEntities removes the entities for which which returns true, and returns how many these were. What past turns say of them stays: see
// [UserMemory.ForgetTurns].
//
// It is gone from the store when it returns. Where the error says that it could not be removed there, nobody is told it any more all the same, and
// the next write removes it. which may be called several times for one entity.
func (m *Memory) ForgetEntities(ctx context.Context, user User, which func(qed.Entity) bool) (int, error) {
	if which == nil {
		return 0, errNoWhich
	}
	return m.forget(ctx, user, func(l *userLog) int {
		before := len(l.entities)
		l.entities = slices.DeleteFunc(l.entities, func(e userEntity) bool { return which(e.Entity) })
		return before - len(l.entities)
	})
}

// ForgetTurns removes the past turns for which which returns true, like [UserMemory.ForgetEntities]. The entities that came up in them stay.
func (m *Memory) ForgetTurns(ctx context.Context, user User, which func(PastTurn) bool) (int, error) {
	if which == nil {
		return 0, errNoWhich
	}
	return m.forget(ctx, user, func(l *userLog) int {
		before := len(l.turns)
		l.turns = slices.DeleteFunc(l.turns, func(t userTurn) bool { return which(t.PastTurn) })
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

// Forget removes all that is remembered of a user beyond his conversations. These have their own threads, whose messages, memory entries and
// rows stay where they are: the Delete of their [store.Store] removes them. What a TODO agent recalled for a request is in the records of the thread
// that it was recalled in, and goes with that.
func (m *Memory) Forget(ctx context.Context, user User) error {
	thread, err := m.thread(user)
	if err != nil {
		return err
	}
	// Not by deleting the thread: its numbers would begin anew, and a rewrite that is being made would bring back what it read before.
	var begins int64
	err = m.retry(ctx, func() error {
		seq, err := m.newest(ctx, thread)
		if err != nil || seq == 0 {
			return err
		}
		recs, err := (&userLog{}).records(qed.Clock(ctx)())
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

// newest returns the number of the last record, also of one that cannot be read; 0: there is none.
func (m *Memory) newest(ctx context.Context, thread string) (seq int64, err error) {
	for rec, err := range m.Store.Records(ctx, thread, store.Range{NewestFirst: true, Limit: 1}) {
		if err != nil && (!errors.Is(err, store.ErrCorrupt) || rec.Seq == 0) {
			return 0, err
		}
		seq = rec.Seq
	}
	return seq, nil
}
