package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/qedkit/qed/internal/cursor"
	"github.com/qedkit/qed/store"
)

var _ store.Lister = (*Store)(nil)

const listing = "listing threads"

// Threads implements [store.Lister]. It reads the list in pages, each of them
// with an index, and holds neither a connection nor a transaction while it
// yields an entry.
//
// Times are by the clock of the database server, and for SQLite by that of the
// machine. With SQLite the age of a record without a header is by its Time.
func (s *Store) Threads(ctx context.Context, f store.ThreadFilter) iter.Seq2[store.ThreadInfo, error] {
	return func(yield func(store.ThreadInfo, error) bool) {
		n := 0
		for e, err := range s.entries(ctx, listing, f) {
			if !yield(e.ThreadInfo, err) || err != nil {
				return
			}
			if n++; n == f.Limit {
				return
			}
		}
		if n == 0 { // the filter may exclude every thread
			if err := cancelled(ctx, listing); err != nil {
				yield(store.ThreadInfo{}, err)
			}
		}
	}
}

type entry struct {
	store.ThreadInfo
	at      cursor.Position // its key is that of the thread
	written time.Time       // when the last record was written
}

// entries returns the threads that f selects if its Limit is ignored.
//
// There is a statement for each status, so that each of them reads one range of
// an index. Their results are merged. A thread that gets another status while the
// statements are made is a result of two of them; its newer entry counts.
func (s *Store) entries(ctx context.Context, op string, f store.ThreadFilter) iter.Seq2[entry, error] {
	return func(yield func(entry, error) bool) {
		lists, err := s.lists(ctx, op, f)
		if err != nil {
			yield(entry{}, err)
			return
		}
		seen := map[int64]bool{} // by the keys of the threads, if there are several lists
		for {
			var first *list
			for _, l := range lists {
				if err := l.fill(ctx); err != nil {
					yield(entry{}, err)
					return
				}
				if len(l.entries) > 0 && (first == nil || first.entries[0].at.After(l.entries[0].at)) {
					first = l
				}
			}
			if first == nil {
				return
			}
			e := first.entries[0]
			first.entries = first.entries[1:]
			if len(lists) > 1 {
				if seen[e.at.Key] {
					continue
				}
				seen[e.at.Key] = true
			}
			if f.Statuses != nil && !slices.Contains(f.Statuses, e.Status) {
				continue // a running thread that has crashed, or one that has not
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}

// A list reads the entries that one statement selects.
type list struct {
	s       *Store
	op      string
	text    string // of the statement
	filter  []any  // parameters of the statement after the position
	after   cursor.Position
	now     time.Time
	size    int // of a page
	entries []entry
	ended   bool
}

// lists returns the lists whose entries together are those that f selects.
func (s *Store) lists(ctx context.Context, op string, f store.ThreadFilter) ([]*list, error) {
	after := cursor.Position{Time: 1<<63 - 1, Key: 1<<63 - 1}
	if f.After != "" {
		var ok bool
		if after, ok = cursor.Parse(f.After); !ok {
			return nil, store.ErrInvalidPosition
		}
	}
	if f.Statuses != nil && len(f.Statuses) == 0 {
		return nil, nil
	}
	now, err := s.now(ctx, op)
	if err != nil {
		return nil, err
	}
	one := list{s: s, op: op, text: s.engine.texts().list, after: after, now: now, size: 100}
	if f.Limit > 0 {
		one.size = min(f.Limit, one.size)
	}
	where := func(condition string, value any) {
		one.text += " AND " + condition
		one.filter = append(one.filter, value)
	}
	if f.User != nil {
		where("h.user_name = ?", s.engine.text(*f.User))
	}
	if f.Tenant != nil {
		where("h.tenant = ?", s.engine.text(*f.Tenant))
	}
	if !f.From.IsZero() {
		where("h.updated >= ?", microsUp(f.From))
	}
	if !f.To.IsZero() {
		where("h.updated < ?", microsUp(f.To))
	}
	const order = " ORDER BY h.updated DESC, h.thread DESC LIMIT ?"
	if f.Statuses == nil {
		one.text += order
		return []*list{&one}, nil
	}
	one.text += " AND h.status = ?" + order
	var all []*list
	for _, status := range stored(f.Statuses) {
		l := one
		l.filter = append(slices.Clone(one.filter), s.engine.text(string(status)))
		all = append(all, &l)
	}
	return all, nil
}

// microsUp returns the first microsecond that is not before t.
func microsUp(t time.Time) int64 { return t.Add(time.Microsecond - 1).UnixMicro() }

// stored returns the statuses that headers have: a thread that crashed has the
// header of a running one, or one that says so, such as the header of a copy.
func stored(statuses []store.Status) []store.Status {
	statuses = slices.Clone(statuses)
	if slices.Contains(statuses, store.StatusCrashed) {
		statuses = append(statuses, store.StatusRunning)
	}
	slices.Sort(statuses)
	return slices.Compact(statuses)
}

// fill reads the next page if the list has no entry and has not ended.
func (l *list) fill(ctx context.Context) error {
	if len(l.entries) > 0 || l.ended {
		return nil
	}
	args := append([]any{l.after.Time, l.after.Time, l.after.Key}, l.filter...)
	err := l.s.try(ctx, l.op, func() error {
		l.entries = nil
		return l.s.query(ctx, l.text, append(args, l.size), l.scan)
	})
	if err != nil {
		return err
	}
	if l.ended = len(l.entries) < l.size; len(l.entries) > 0 {
		l.after = l.entries[len(l.entries)-1].at
	}
	return nil
}

func (l *list) scan(rows *sql.Rows) error {
	for rows.Next() {
		var e entry
		var name, user, tenant, title, status any
		var written, created, lease int64
		err := rows.Scan(&e.at.Key, &name, &e.Last, &written,
			&user, &tenant, &title, &status, &e.Turns, &lease, &created, &e.at.Time)
		if err != nil {
			return err
		}
		for _, field := range []struct {
			value any
			text  *string
		}{{name, &e.Thread}, {user, &e.User}, {tenant, &e.Tenant}, {title, &e.Title}, {status, (*string)(&e.Status)}} {
			b, ok := text(field.value)
			if !ok {
				return errors.New("a text of a header is not a text")
			}
			*field.text = string(b)
		}
		e.Lease = time.Duration(lease)
		e.Created, e.Updated = time.UnixMicro(created).UTC(), time.UnixMicro(e.at.Time).UTC()
		e.written = time.UnixMicro(max(written, e.at.Time))
		e.Status = e.StatusAt(l.now, e.written)
		e.Position = e.at.String()
		l.entries = append(l.entries, e)
	}
	return rows.Err()
}

// now returns the time by the clock that sets the times of headers.
func (s *Store) now(ctx context.Context, op string) (time.Time, error) {
	clock := s.engine.texts().clock
	if clock == "" {
		return time.Now(), nil
	}
	var micros int64
	err := s.try(ctx, op, func() error {
		return s.query(ctx, "SELECT "+clock, nil, func(rows *sql.Rows) error {
			if !rows.Next() {
				return errors.Join(rows.Err(), fmt.Errorf("the server returned no time"))
			}
			return rows.Scan(&micros)
		})
	})
	return time.UnixMicro(micros), err
}

// header returns the last header of the records, or nil.
func (a *appending) header() *store.Header {
	for i := range a.records {
		if h := a.records[len(a.records)-1-i].Header; h != nil {
			return h
		}
	}
	return nil
}

// headerColumns are the columns of a header after the key of its thread.
const headerColumns = `user_name, tenant, title, status, turns, lease`

func headerRow(e engine, h *store.Header) []any {
	return []any{
		e.text(h.User), e.text(h.Tenant), e.text(h.Title), e.text(string(h.Status)), int64(h.Turns), int64(h.Lease),
	}
}
