package store

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/qedkit/qed/internal/cursor"
)

// A Header has the data of a thread that a list of threads shows. The runtime sets it on
// the records with which a run begins, is resumed and ends.
type Header struct {
	// User and Tenant are whose thread it is. Each has at most 500 bytes.
	User   string `json:"user,omitempty"`
	Tenant string `json:"tenant,omitempty"`

	// Title is the beginning of the thread's first message. It has at most
	// 1,000 bytes. A [Lister] accepts 2,000 bytes, because the title is longer if
	// package sealed has encrypted it.
	Title string `json:"title,omitempty"`

	// Status is the status of the last run when the header was written. It has
	// at most 32 bytes.
	Status Status `json:"status,omitempty"`

	// Turns is how many runs were begun.
	Turns int `json:"turns,omitempty"`

	// Lease is the time after which a running run that records nothing is
	// treated as crashed.
	Lease time.Duration `json:"lease,omitempty"`
}

const (
	maxOwner  = 500
	maxTitle  = 2000
	maxStatus = 32
)

// CheckHeader returns an error if a text of h is longer than a [Store] has to
// support.
func CheckHeader(h *Header) error {
	for _, field := range []struct {
		name, text string
		limit      int
	}{
		{"user", h.User, maxOwner},
		{"tenant", h.Tenant, maxOwner},
		{"title", h.Title, maxTitle},
		{"status", string(h.Status), maxStatus},
	} {
		if len(field.text) > field.limit {
			return fmt.Errorf("store: the %s of a header has %d bytes; the limit is %d",
				field.name, len(field.text), field.limit)
		}
	}
	return nil
}

// A Lister is a [Store] that lists its threads. The stores of this module are
// Listers.
type Lister interface {
	// Threads returns the threads that f selects, those with the latest Updated
	// first. A thread without a [Header] is not listed. An error ends the
	// sequence.
	//
	// A thread that is updated moves to the beginning of the list. A reader who
	// has passed the beginning does not see it again.
	Threads(ctx context.Context, f ThreadFilter) iter.Seq2[ThreadInfo, error]
}

// A ThreadInfo is an entry of a list of threads.
//
// Its times are by the clock of the store, not of the writers: by the clock of
// the database server, or of the machine if there is no server.
type ThreadInfo struct {
	Thread string `json:"thread"` // the id for the methods of the store; see [ThreadInfo.Conversation]

	// Header is the last header of the thread. Its Status is [StatusCrashed] if
	// the run is running and its last record is older than its lease.
	Header

	Created time.Time `json:"created"` // when the first header was written
	Updated time.Time `json:"updated"` // when the last header was written
	Last    int64     `json:"last"`    // the number of the last record

	// Position is where the entry is in the list, for [ThreadFilter].After.
	Position string `json:"position"`
}

// A ThreadFilter selects threads of a [Lister]. The zero ThreadFilter selects
// all of them. A thread is selected if it meets every condition.
//
// This finds the runs that another process can resume:
//
//	store.ThreadFilter{Statuses: []store.Status{store.StatusCrashed, store.StatusStopped}}
type ThreadFilter struct {
	// User and Tenant are whose threads to select. Nil means anybody's, and a
	// pointer to the empty string means those without a user or a tenant.
	User, Tenant *string

	// Statuses are the statuses to select. Nil means every status, and an empty
	// slice that is not nil means none.
	Statuses []Status

	// From and To select the threads whose Updated is at or after From and
	// before To. Zero times mean no limit.
	From, To time.Time

	// After is the Position of a [ThreadInfo]. It selects the entries after
	// that one, so that a list can be shown in pages: the next page comes after
	// the last entry of the page before. Empty means from the beginning. A text
	// that is no position is an error that matches [ErrInvalidPosition].
	After string

	// Limit is the highest number of threads; 0 means no limit.
	Limit int
}

// ErrInvalidPosition means that [ThreadFilter].After is not the Position of a
// [ThreadInfo].
var ErrInvalidPosition = errors.New("store: invalid position in a list of threads")

// Threads implements [Lister]. It looks at the header of every thread.
func (m *InMemory) Threads(ctx context.Context, f ThreadFilter) iter.Seq2[ThreadInfo, error] {
	return func(yield func(ThreadInfo, error) bool) {
		infos, err := m.list(ctx, f)
		if err != nil {
			yield(ThreadInfo{}, err)
			return
		}
		for _, info := range infos {
			if !yield(info, nil) {
				return
			}
		}
	}
}

func (m *InMemory) list(ctx context.Context, f ThreadFilter) (infos []ThreadInfo, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	after, ok := cursor.Parse(f.After)
	if f.After != "" && !ok {
		return nil, ErrInvalidPosition
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	for _, t := range m.threads {
		if t.header == nil || f.After != "" && !t.position().After(after) {
			continue
		}
		if status := t.header.StatusAt(now, t.written); f.matches(t, status) {
			infos = append(infos, t.info(status))
		}
	}
	slices.SortFunc(infos, func(a, b ThreadInfo) int { return b.Updated.Compare(a.Updated) })
	if f.Limit > 0 && len(infos) > f.Limit {
		infos = infos[:f.Limit]
	}
	return infos, nil
}

// matches reports whether f selects a thread with a status if After and Limit are
// ignored.
func (f *ThreadFilter) matches(t *thread, status Status) bool {
	return (f.User == nil || *f.User == t.header.User) &&
		(f.Tenant == nil || *f.Tenant == t.header.Tenant) &&
		(f.Statuses == nil || slices.Contains(f.Statuses, status)) &&
		!t.updated.Before(f.From) && (f.To.IsZero() || t.updated.Before(f.To))
}

func (t *thread) info(status Status) ThreadInfo {
	info := ThreadInfo{
		Thread: t.id, Header: *t.header, Created: t.created, Updated: t.updated, Last: t.last(),
		Position: t.position().String(),
	}
	info.Status = status
	return info
}

// position returns where a thread that has a header is in the list.
func (t *thread) position() cursor.Position {
	return cursor.Position{Time: t.updated.UnixMicro()}
}
