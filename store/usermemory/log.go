package usermemory

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/store"
)

// A userRecord is the data of a record in a user's thread. Each record adds to those
// before it. A record with Begins, together with those appended with it, replaces
// all records before it: what they do not hold is forgotten as soon as they are
// written. The replaced records can be trimmed at any time; if a crash prevented it,
// the next reader of the memory does it.
type userRecord struct {
	Begins   bool         `json:"begins,omitempty"`
	Turns    []userTurn   `json:"turns,omitempty"`
	Entities []userEntity `json:"entities,omitempty"`

	Live int `json:"live"` // about the number of turns so far: when to compact
}

type userTurn struct {
	PastTurn
	Vector []byte `json:"vector,omitempty"` // see package vector
	Model  string `json:"model,omitempty"`  // the EmbedderModel that made Vector
}

type userEntity struct {
	KnownEntity
	Thread string `json:"thread,omitempty"` // where it was last mentioned
	Turn   int    `json:"turn,omitempty"`
}

// A userLog is the memory of a user, read from the thread.
type userLog struct {
	seq      int64        // the number of the last record; 0: none
	kept     error        // why records that were replaced are still there; nil: they are not
	turns    []userTurn   // oldest first
	entities []userEntity // the last mentioned is last
}

// A userHead is the last record of a user's thread.
type userHead struct {
	seq int64
	userRecord
}

func (m *Memory) head(ctx context.Context, thread string) (userHead, error) {
	var head userHead
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

// maxLoads limits how often a memory is read again because it was rewritten in the
// meantime.
const maxLoads = 5

func (m *Memory) load(ctx context.Context, thread string) (*userLog, error) {
	for range maxLoads {
		head, err := m.head(ctx, thread)
		if err != nil {
			return nil, err
		}
		var reader userReader
		if err := reader.read(m.Store.Records(ctx, thread, store.Range{Kinds: []store.Kind{store.Memory}})); err != nil {
			return nil, err
		}
		log := reader.log(m.maxTurns(), m.maxEntities())
		if reader.begins > reader.first {
			log.kept = m.Store.Trim(ctx, thread, reader.begins, store.Memory)
		}
		if log.seq >= head.seq {
			return log, nil
		}
		// It was rewritten: the record with Begins was not read, and those before it
		// are already trimmed.
	}
	return nil, fmt.Errorf("%w: the memory of the user is rewritten all the time", store.ErrConflict)
}

// A userReader builds a userLog from records, oldest first.
type userReader struct {
	first    int64 // the number of the first record
	begins   int64 // of the last one with Begins, or 0
	seq      int64 // of the last one
	turns    []userTurn
	entities []userEntity
	order    int                 // the number of entities added
	turnAt   map[turnKey]int     // the index of each turn
	entityAt map[string]position // the index of each entity, and when it was added
}

type turnKey struct {
	thread string
	turn   int
	plan   string
}

type position struct{ index, order int }

func (r *userReader) read(records func(yield func(store.Record, error) bool)) error {
	r.begin()
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
			r.begins = rec.Seq
		}
		r.first, r.seq = cmp.Or(r.first, rec.Seq), rec.Seq
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
	if i, ok := r.turnAt[key]; ok && (t.Thread != "" || t.Plan != "") {
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
		e.Times = before.Times // the same turn was noted again
	} else {
		e.Times = max(e.Times, 1) + before.Times
	}
	if e.Last.Before(before.Last) {
		e.Last = before.Last
	}
	e.Said = cmp.Or(e.Said, before.Said)
	r.entities[at.index] = e
	r.entityAt[key] = position{at.index, r.order}
}

// log returns what was read, up to the limits.
func (r *userReader) log(turns, entities int) *userLog {
	slices.SortFunc(r.entities, func(a, b userEntity) int {
		return r.entityAt[entityKey(a.Entity)].order - r.entityAt[entityKey(b.Entity)].order
	})
	return &userLog{
		seq:      r.seq,
		turns:    r.turns[max(0, len(r.turns)-turns):],
		entities: r.entities[max(0, len(r.entities)-entities):],
	}
}

// recordBytes is about the size of a record of a compacted memory.
const recordBytes = 256 << 10

// records returns the records that replace the log.
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
			return nil, fmt.Errorf("usermemory: the memory of the user cannot be written: %w", err)
		}
		recs[i] = store.Record{Time: now, Kind: store.Memory, Data: data}
	}
	return recs, nil
}

// rewrite changes the memory, and removes the old records from the store. change
// returns the number of its changes; if that is 0, nothing is written. change is
// called again if another write came in between.
func (m *Memory) rewrite(ctx context.Context, thread string, change func(*userLog) int) (changed int, err error) {
	var begins int64 // the number of the record with Begins; 0: nothing was written
	err = m.retry(ctx, func() error {
		log, err := m.load(ctx, thread)
		if err != nil {
			return err
		}
		if changed = change(log); changed == 0 {
			return log.kept
		}
		recs, err := log.records(qed.TurnTime(ctx))
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
