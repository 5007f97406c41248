// Package usermemory remembers users across their conversations: their past turns,
// with the answers and the queries that ran, and the entities that they mentioned.
//
// Give a [Memory] to an agent (the Options.User of packages [todoagent], [sqlagent] and
// router), which then notes every turn that has a User and recalls similar turns for
// a new request. Or use it directly:
//
//	memory := &usermemory.Memory{Store: st}
//	user := usermemory.User{Tenant: "acme", ID: "ann"}
//	err := memory.Note(ctx, user, usermemory.PastTurn{Request: "ships to Miami"}, nil)
//	turns, err := memory.Recall(ctx, user, "Miami last week", 3)
//
// A recalled query is run again like any query: [github.com/qedkit/qed/query.Source].Run
// checks it by the rights that hold then.
//
// [Memory.Forget] removes the memory of a user, and [Memory.Erase] the user's
// conversations as well.
//
// [sqlagent]: https://pkg.go.dev/github.com/qedkit/qed/sqlagent
// [todoagent]: https://pkg.go.dev/github.com/qedkit/qed/todoagent
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
	"github.com/qedkit/qed/finding"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/retry"
	"github.com/qedkit/qed/store"
)

// A User identifies whose memory is used: the Tenant and the User of the user's
// turns. The same ID in another tenant is another user. An empty Tenant is a tenant
// like any other; an empty ID is an error that matches [ErrNoUser].
type User struct{ Tenant, ID string }

// A Memory is the memory of users across their conversations. Each user of each
// tenant has a separate memory. The caller must have authenticated the user.
//
//   - The memory of a user is a thread of the Store. Its ID is a hash of tenant
//     and user: neither can be read from it, but a program that knows both can
//     compute it.
//   - The thread has no [store.Header]: it is in no list of threads, and package
//     sqlstore does not delete it by age.
//   - Every read loads the whole memory of a user, which suits the few hundred
//     turns of the default limit. Several processes may use the same memory.
//   - A Memory is safe for concurrent use as long as its fields do not change. The
//     methods of nil and of a Memory without a Store return an error.
//   - A record that cannot be read is an error that matches [store.ErrCorrupt].
//     [Memory.Forget] then starts a new memory.
type Memory struct {
	Store store.Store

	// Embedder makes the vectors by which past turns are found. Nil means that they
	// are found by words. If it fails, words are used, and [qed.Warning] is
	// emitted.
	Embedder llm.Embedder

	// EmbedderModel is the name of the Embedder's model. Change it with the model:
	// turns whose vectors were made under another name, or have another number of
	// dimensions, are found by words.
	EmbedderModel string

	// MaxTurns and MaxEntities limit the memory of a user to the newest turns, and to
	// the entities that were mentioned last. 0 or less means 500.
	MaxTurns, MaxEntities int
}

// A PastTurn is a turn in the memory of a user. Long texts are cut.
type PastTurn struct {
	Thread    string    `json:"thread"`         // the conversation
	Turn      int       `json:"turn"`           // the number of the turn in the conversation, from 1; 0 if it is not known
	Plan      string    `json:"plan,omitempty"` // the ID of the [qed.TodoList], or of the turn; a turn of several agents has several
	Time      time.Time `json:"time"`
	Request   string    `json:"request"`             // the user's message
	Rewritten string    `json:"rewritten,omitempty"` // the request, clear in itself
	Answer    string    `json:"answer,omitempty"`

	// Queries are the queries that ran. Rows and the Proof stay in the conversation's
	// thread: of Rows only the columns and the Count are kept. A large Query or
	// Arguments is left out.
	Queries []finding.QueryMetadata `json:"queries,omitempty"`
}

// A KnownEntity is an entity that a user mentioned in any conversation.
type KnownEntity struct {
	finding.Entity
	Times int       `json:"times"` // the number of turns that mention it
	Last  time.Time `json:"last"`  // the last time
}

// ErrNoUser is returned if [User.ID] is empty.
var ErrNoUser = errors.New("usermemory: the user has no ID")

const (
	maxRemembered   = 500
	maxPastQueries  = 8
	maxPastText     = 4 << 10 // bytes of a text, or a query
	maxEntityText   = 200
	maxTurnEntities = 50
	maxAttempts     = 12
)

// Note adds a turn and the entities that it mentions to the memory of a user. It
// replaces an earlier turn with the same Thread, Turn and Plan. A zero PastTurn adds
// entities only. A zero Time means now.
//
// If the memory is over its limits, Note removes the oldest part from the store. If
// that fails, Note emits [qed.Warning], and the next reader of the memory removes it.
func (m *Memory) Note(ctx context.Context, user User, turn PastTurn, entities []finding.Entity) error {
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
		rec.Live = head.Live + 1
		data, err := json.Marshal(rec)
		if err != nil {
			return fmt.Errorf("usermemory: the turn cannot be encoded: %w", err)
		}
		note := store.Record{Time: qed.TurnTime(ctx), Kind: store.Memory, Data: data}
		return m.Store.Append(ctx, thread, head.seq, note)
	})
	if err != nil {
		return err
	}
	if most := m.maxTurns(); rec.Live > most+most/4 {
		if _, err := m.rewrite(ctx, thread, func(*userLog) int { return 1 }); err != nil && ctx.Err() == nil {
			qed.Emit(ctx, qed.Warning{Code: "memory_incomplete", Message: "the memory of the user could not be compacted: " + prompt.Clip(err.Error(), 300)})
		}
	}
	return nil
}

// Entities returns the entities that the user mentioned, the last mentioned first.
func (m *Memory) Entities(ctx context.Context, user User) ([]KnownEntity, error) {
	thread, err := m.thread(user)
	if err != nil {
		return nil, err
	}
	log, err := m.load(ctx, thread)
	if err != nil {
		return nil, err
	}
	known := lists.Map(log.entities, func(e userEntity) KnownEntity { return e.KnownEntity })
	slices.Reverse(known)
	return known, nil
}

// thread returns the ID of the thread of a user's memory.
func (m *Memory) thread(user User) (string, error) {
	switch {
	case m == nil:
		return "", errors.New("usermemory: the Memory is nil")
	case m.Store == nil:
		return "", errors.New("usermemory: Memory.Store is nil")
	case user.ID == "":
		return "", ErrNoUser
	}
	// The length keeps user "a" of tenant "bc" apart from user "ab" of tenant "c".
	sum := sha256.Sum256(fmt.Appendf(nil, "qed user memory %d %s %s", len(user.Tenant), user.Tenant, user.ID))
	return fmt.Sprintf("%suser-memory/%x", store.Reserved, sum), nil
}

func (m *Memory) maxTurns() int { return limitOr(m.MaxTurns, maxRemembered) }

func (m *Memory) maxEntities() int { return limitOr(m.MaxEntities, maxRemembered) }

func limitOr(limit, standard int) int {
	if limit <= 0 {
		return standard
	}
	return limit
}

// retry repeats an operation while others change the same memory.
func (m *Memory) retry(ctx context.Context, do func() error) error {
	for attempt := 1; ; attempt++ {
		err := do()
		if !errors.Is(err, store.ErrConflict) || attempt == maxAttempts {
			return err
		}
		if !retry.Sleep(ctx, rand.N(time.Duration(attempt)*2*time.Millisecond)) {
			return ctx.Err()
		}
	}
}

// withoutRows returns the turn without rows, and with its texts cut.
func (t PastTurn) withoutRows() PastTurn {
	t.Request = prompt.Clip(t.Request, maxPastText)
	t.Rewritten = prompt.Clip(t.Rewritten, maxPastText)
	t.Answer = prompt.Clip(t.Answer, maxPastText)
	t.Queries = slices.Clone(t.Queries[max(0, len(t.Queries)-maxPastQueries):])
	for i := range t.Queries {
		q := &t.Queries[i]
		q.Summary, q.HowToRetrieve = prompt.Clip(q.Summary, maxPastText), prompt.Clip(q.HowToRetrieve, maxPastText)
		q.Request = prompt.Clip(q.Request, maxPastText)
		q.Query, q.Arguments, q.Proof = smallJSON(q.Query), smallJSON(q.Arguments), nil
		if q.Rows != nil {
			columns := q.Rows.Sample.Columns
			q.Rows = &finding.RowsRef{
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
func mentions(turn *PastTurn, entities []finding.Entity) []userEntity {
	var all []userEntity
	known := map[string]bool{}
	for _, e := range entities {
		e = finding.Entity{
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

// entityKey returns a key that identifies an entity: by its ID or, without one, by its
// name in lower case.
func entityKey(e finding.Entity) string {
	if e.ID != "" {
		return e.Kind + "\x00id\x00" + e.ID
	}
	return e.Kind + "\x00name\x00" + strings.ToLower(e.Name)
}
