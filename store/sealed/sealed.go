// Package sealed encrypts what a store.Store saves. [New] returns a store that
// seals the data of every record before another store saves them, and opens
// them again when they are read.
//
//	keys, err := sealed.StaticKeys("2026-11", map[string][]byte{"2026-11": key})
//	st, err := sealed.New(inner, keys)
//	agent := qed.Durable(planner, st, nil)
//
// The data of records are the messages, the states, inputs and results of
// calls, questions, replies, saved rows and the memory of users. The titles of
// threads, see [store.Header], are sealed as well.
//
// # What is protected
//
// Somebody who can read the database, its backups or its disk, but has no key,
// cannot read the data. Somebody who can also write to the database cannot
// change a record: a record opens only in its own thread, with its own number,
// kind, run, address and time. For a record that was changed, moved or copied,
// reading returns an error that matches [store.ErrCorrupt]. If the id of its key
// or the form of its data was changed, the error is a [*KeyError] or matches
// [ErrNotSealed].
//
// # What is not protected
//
//   - The ids of threads, their headers without the titles, and the times, kinds,
//     addresses, runs and sizes of records stay readable, because stores select
//     by them. So users and tenants are readable.
//   - An address consists of names that the program chooses, such as those of
//     graphs, nodes, tools, steps, namespaces and the keys of items, of the names
//     that a planning model gives to its tasks, of numbers, and of hashes. The
//     hash of a remembered entry or of a draft confirms a guess of it.
//   - Somebody who can write to the database can remove records at the end of a
//     thread or between others, and can put a thread or a record back to where
//     it was before. They can make a thread unreadable, and can change headers:
//     the users, tenants and statuses in a list of threads are not
//     authenticated.
//   - The process has the data and the keys in its memory. Logs, traces, the
//     provider of the model and the databases that tools query get data before
//     they are sealed.
//
// # Cryptography
//
// Each record is sealed with AES-256-GCM, with a key of its own and a random
// nonce. The key of a record is derived with HKDF-SHA256 from the host's key and
// 16 random bytes. These bytes and the nonce are saved with the record, keys are
// not. So the limit of AES-GCM, 2^32 records with random nonces, is not that of
// the host's key: after 2^80 records, the probability that two of them have the
// same key and nonce is less than 2^-64. The other fields of the record and the
// id of its thread are the associated data.
//
// The sealed data are a JSON object, such as {"key":"2026-11","sealed":"..."}.
// It is a third larger than the data, plus about 100 bytes.
//
// # Rotation
//
// New records are sealed with the current key. Records are never changed, so
// the keys of older records have to be kept as long as there are such records.
// A key that is itself encrypted by a key of a key management service can stay
// the same when the service's key is rotated. If a key was disclosed,
// [store.CopyThread] copies a thread to another store, and so seals its records
// with the current key.
//
// If a key is destroyed, every record that was sealed with it becomes
// unreadable, in backups too. To erase a tenant in this way, give each tenant a
// key of its own, see [Keys].
//
// # Records that are not sealed
//
// A thread that was written before its store was sealed is not read: the error
// matches [ErrNotSealed]. Copy such threads with [store.CopyThread] to a sealed store
// that has other tables, and drop the old ones.
package sealed

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/qedkit/qed/store"
)

// ErrNotSealed means that a record is not sealed. It does not match [store.ErrCorrupt], so
// the runtime does not start such a thread again.
var ErrNotSealed = errors.New("sealed: the record is not sealed")

// New returns a store that seals the data of the records that it saves in st.
// The caller closes st.
//
//   - Append and Records call keys. If a key cannot be used, the error is a
//     [*KeyError]. If CurrentKey fails, Append wraps its error. Trim and Delete
//     need no key.
//   - A record without data is sealed as well, so that nobody else can add one.
//   - If st is a [store.Lister], the returned store is one too: a type assertion
//     converts it. It seals the titles of threads. A title that cannot be opened
//     is listed as empty, so that threads without a key can be found and
//     deleted.
//   - It is safe for concurrent use if keys are.
func New(st store.Store, keys Keys) (store.Store, error) {
	if st == nil || keys == nil {
		return nil, errors.New("sealed: New needs a store and the keys")
	}
	s := &sealedStore{Store: st, keys: keys}
	if lister, ok := st.(store.Lister); ok {
		return &sealedLister{s, lister}, nil
	}
	return s, nil
}

// A sealedStore is a store whose Trim and Delete are those of the store in it.
type sealedStore struct {
	store.Store
	keys Keys
}

// Append implements [store.Store].
func (s *sealedStore) Append(ctx context.Context, thread string, after int64, recs ...store.Record) error {
	if len(recs) == 0 {
		return s.Store.Append(ctx, thread, after)
	}
	if err := store.CheckThread(thread); err != nil {
		return err
	}
	id, err := s.keys.CurrentKey(ctx, thread)
	if err != nil {
		return fmt.Errorf("sealed: the current key is not known: %w", ofKeys(err))
	}
	k, err := lookUp(ctx, s.keys, id)
	if err != nil {
		return err
	}
	own := make([]store.Record, len(recs)) // the caller may append its records again
	for i, rec := range recs {
		rec.Seq = after + 1 + int64(i)
		rec.Time = rec.Time.UTC().Truncate(time.Microsecond) // as it will be read
		if rec.Data, err = k.seal(rec.Data, recordBinding(thread, &rec)); err != nil {
			return err
		}
		if rec.Header, err = k.sealTitle(thread, rec.Header); err != nil {
			return err
		}
		own[i] = rec
	}
	return s.Store.Append(ctx, thread, after, own...)
}

// Records implements [store.Store].
func (s *sealedStore) Records(ctx context.Context, thread string, r store.Range) iter.Seq2[store.Record, error] {
	return func(yield func(store.Record, error) bool) {
		o := opener{keys: s.keys}
		for rec, err := range s.Store.Records(ctx, thread, r) {
			if err == nil {
				rec.Data, err = s.open(ctx, &o, thread, &rec)
			}
			if err != nil {
				yield(store.Record{Seq: rec.Seq}, err)
				return
			}
			if !yield(rec, nil) {
				return
			}
		}
	}
}

func (s *sealedStore) open(ctx context.Context, o *opener, thread string, rec *store.Record) ([]byte, error) {
	id, text, ok := parse(rec.Data)
	if !ok {
		return nil, fmt.Errorf("%w: number %d, %s; copy the thread to another sealed store", ErrNotSealed, rec.Seq, rec.Kind)
	}
	data, err := o.open(ctx, string(id), text, recordBinding(thread, rec))
	switch {
	case errors.Is(err, errTampered):
		return nil, fmt.Errorf("%w: number %d, %s: %w", store.ErrCorrupt, rec.Seq, rec.Kind, err)
	case err != nil:
		return nil, fmt.Errorf("sealed: record %d of the thread cannot be opened: %w", rec.Seq, err)
	}
	return data, nil
}

// An opener opens what was sealed with the keys of a store. It keeps the last
// key, because most records of a thread have the same one.
type opener struct {
	keys Keys
	last key
}

func (o *opener) open(ctx context.Context, id string, text []byte, b binding) ([]byte, error) {
	if o.last.id != id || id == "" { // before the first record, the last id is empty
		k, err := lookUp(ctx, o.keys, id)
		if err != nil {
			return nil, err
		}
		o.last = k
	}
	return o.last.open(text, b)
}
