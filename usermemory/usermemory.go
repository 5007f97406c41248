package usermemory

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/retry"
	"github.com/qedkit/qed/store"
)

// A User is whose memory a [UserMemory] is asked for: the Company and the User of his [Turn]s. The same ID in another company is somebody else.
// An empty Company is one as any other; an empty ID is nobody ([ErrNoUser]).
type User struct{ Tenant, ID string }

// UserMemory is what is remembered of users across their conversations: what was asked and answered, with the queries that ran, and the
// entities that came up. Each user of each company has a memory of his own, which nobody else's calls can reach. Who the user is, the host
// knows: he must have checked it.
//
// It is kept in a [store.Store] as a thread for each user, whose id is made of a hash of the company and the user: they cannot be read from it, but
// who knows both finds it. A store that deletes old threads deletes these too: package sqlstore does after 24 hours without a new turn, unless its
// Options.MaxAge says otherwise, so give it a store of its own.
//
// Everything of a user is read where something is looked for, which suits the few hundred turns that are kept. Any number of processes may use the
// same memory. A UserMemory must not be changed while it is used; then it is safe for concurrent use. The zero value has no Store, and its
// methods return an error, as those of nil do.
//
// A record that cannot be read is an error that matches [store.ErrCorrupt]; [UserMemory.Forget] begins anew.
type Memory struct {
	Store store.Store

	// Embedder makes the vectors by which past turns are found. Nil means that they are found by words. Where it fails, words must do, and
	// [MemoryIncomplete] tells.
	Embedder llm.Embedder

	// EmbedderModel names the Embedder's model. Vectors that were made under another name, or have another number of dimensions, are not
	// compared: their turns are found by words. Change it with the model.
	EmbedderModel string

	// MaxTurns and MaxEntities limit what is remembered of a user: the newest turns, and the entities that came up last. 0 or less means 500.
	MaxTurns, MaxEntities int
}

// A PastTurn is what is remembered of a turn beyond its thread. Long texts are cut.
type PastTurn struct {
	Thread    string    `json:"thread"`         // the conversation
	Turn      int       `json:"turn"`           // of the conversation, from 1
	Plan      string    `json:"plan,omitempty"` // [TodoList].ID: a turn of several agents has several
	Time      time.Time `json:"time"`
	Request   string    `json:"request"`             // the user's words
	Rewritten string    `json:"rewritten,omitempty"` // the question that they were understood as
	Answer    string    `json:"answer,omitempty"`

	// Queries are those that ran. They have no rows: of Rows there are the columns and the Count, and no Handle, as rows stay in their thread,
	// and so does the Proof. A Query and Arguments that are large are left out.
	Queries []qed.QueryMetadata `json:"queries,omitempty"`
}

// A KnownEntity is an [Entity] that a user spoke of, in whatever conversation.
type KnownEntity struct {
	qed.Entity
	Times int       `json:"times"` // in how many turns
	Last  time.Time `json:"last"`  // when it last came up
}

// ErrNoUser says that something was to be remembered of nobody.
var ErrNoUser = errors.New("qed: a memory belongs to a user, and there is none")

const (
	maxRemembered      = 500
	maxPastQueries     = 8
	maxPastText        = 4 << 10 // bytes of a text, or a query
	maxEntityText      = 200
	maxTurnEntities    = 50
	userMemoryAttempts = 12
)

// Note remembers a turn and the entities that came up in it. A turn of the same Thread, number and plan takes the place of an earlier one; the
// zero PastTurn is none. Its Time, where zero, is now.
//
// Where the memory has grown too large, it is compacted; what is too much is then removed from the store. Where that fails, [MemoryIncomplete] tells, and
// a later Note does it.
func (m *Memory) Note(ctx context.Context, user User, turn PastTurn, entities []qed.Entity) error {
	thread, err := m.thread(user)
	if err != nil {
		return err
	}
	if turn.Time.IsZero() {
		turn.Time = qed.Now(ctx)
	}
	rec := userRecord{Entities: mentions(&turn, entities)}
	if turn.Thread != "" || turn.Request != "" || turn.Answer != "" {
		past := userTurn{PastTurn: turn.withoutRows()}
		if err := m.embed(ctx, &past); err != nil {
			return err
		}
		rec.Turns = []userTurn{past}
	}
	if rec.Turns == nil && rec.Entities == nil {
		return nil
	}
	err = m.retry(ctx, func() error {
		head, err := m.head(ctx, thread)
		if err != nil {
			return err
		}
		rec.Trimmed = head.Trimmed || m.trim(ctx, thread) == nil
		rec.Live = head.Live + 1
		data, err := json.Marshal(rec)
		if err != nil {
			return fmt.Errorf("qed: a turn cannot be remembered: %w", err)
		}
		return m.Store.Append(ctx, thread, head.seq, store.Record{Time: qed.Clock(ctx)(), Kind: store.Memory, Data: data})
	})
	if err != nil {
		return err
	}
	if most := m.maxTurns(); rec.Live > most+most/4 {
		if _, err := m.rewrite(ctx, thread, func(*userLog) int { return 1 }); err != nil && ctx.Err() == nil {
			qed.Emit(ctx, qed.MemoryIncomplete{Message: "what is remembered of the user is not compacted yet: " + prompt.Clip(err.Error(), 300)})
		}
	}
	return nil
}

// Entities returns the entities that the user spoke of, those that came up last first.
func (m *Memory) Entities(ctx context.Context, user User) ([]KnownEntity, error) {
	thread, err := m.thread(user)
	if err != nil {
		return nil, err
	}
	log, err := m.load(ctx, thread)
	if err != nil {
		return nil, err
	}
	var known []KnownEntity
	for _, e := range log.entities {
		known = append(known, e.KnownEntity)
	}
	slices.Reverse(known)
	return known, nil
}

// thread returns the id of a user's memory.
func (m *Memory) thread(user User) (string, error) {
	switch {
	case m == nil:
		return "", errors.New("qed: the UserMemory is nil")
	case m.Store == nil:
		return "", errors.New("qed: UserMemory.Store is nil")
	case user.ID == "":
		return "", ErrNoUser
	}
	// The length tells "a" of "bc" from "ab" of "c".
	sum := sha256.Sum256(fmt.Appendf(nil, "qed user memory %d %s %s", len(user.Tenant), user.Tenant, user.ID))
	return fmt.Sprintf("qed/user-memory/%x", sum), nil
}

func (m *Memory) maxTurns() int { return limitOr(m.MaxTurns, maxRemembered) }

func (m *Memory) maxEntities() int { return limitOr(m.MaxEntities, maxRemembered) }

func limitOr(limit, usual int) int {
	if limit <= 0 {
		return usual
	}
	return limit
}

// retry does something again while others change the same memory.
func (m *Memory) retry(ctx context.Context, do func() error) error {
	for attempt := 1; ; attempt++ {
		err := do()
		if !errors.Is(err, store.ErrConflict) || attempt == userMemoryAttempts {
			return err
		}
		if !retry.Sleep(ctx, rand.N(time.Duration(attempt)*2*time.Millisecond)) {
			return ctx.Err()
		}
	}
}

// withoutRows returns what may leave the thread of a turn, with its texts cut.
func (t PastTurn) withoutRows() PastTurn {
	t.Request, t.Rewritten, t.Answer = prompt.Clip(t.Request, maxPastText), prompt.Clip(t.Rewritten, maxPastText), prompt.Clip(t.Answer, maxPastText)
	t.Queries = slices.Clone(t.Queries[max(0, len(t.Queries)-maxPastQueries):])
	for i := range t.Queries {
		q := &t.Queries[i]
		q.Summary, q.HowToRetrieve = prompt.Clip(q.Summary, maxPastText), prompt.Clip(q.HowToRetrieve, maxPastText)
		q.Request = prompt.Clip(q.Request, maxPastText)
		q.Query, q.Arguments, q.Proof = smallJSON(q.Query), smallJSON(q.Arguments), nil
		if q.Rows != nil {
			columns := q.Rows.Sample.Columns
			q.Rows = &qed.RowsRef{
				Count: q.Rows.Count, Truncated: true, Partial: prompt.Clip(q.Rows.Partial, maxPastText),
				Sample: qed.Table{Columns: slices.Clone(columns), Truncated: true},
			}
		}
	}
	return t
}

func smallJSON(raw json.RawMessage) json.RawMessage {
	if len(raw) > maxPastText || !json.Valid(raw) {
		return nil
	}
	return raw
}

// mentions returns the entities of a turn, each once.
func mentions(turn *PastTurn, entities []qed.Entity) []userEntity {
	var all []userEntity
	known := map[string]bool{}
	for _, e := range entities {
		e = qed.Entity{
			Kind: prompt.Clip(e.Kind, maxEntityText),
			Name: prompt.Clip(e.Name, maxEntityText),
			ID:   prompt.Clip(e.ID, maxEntityText),
			Said: prompt.Clip(e.Said, maxEntityText),
		}
		if e.Name == "" && e.ID == "" || known[entityKey(e)] || len(all) == maxTurnEntities {
			continue
		}
		known[entityKey(e)] = true
		all = append(all, userEntity{KnownEntity{e, 1, turn.Time}, turn.Thread, turn.Turn})
	}
	return all
}

// entityKey tells entities apart: by their ids, and where they have none by their names, in whatever case.
func entityKey(e qed.Entity) string {
	if e.ID != "" {
		return e.Kind + "\x00id\x00" + e.ID
	}
	return e.Kind + "\x00name\x00" + strings.ToLower(e.Name)
}
