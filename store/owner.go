package store

import (
	"context"
	"crypto/sha256"
	"fmt"
	"iter"
	"strings"
)

// owned begins the ids of the threads that have the conversations of a user or a
// tenant. It is Reserved, so no caller can choose such an id.
const owned = Reserved + "of/"

// ownerPrefix returns how the ids of an owner's threads begin. The lengths keep
// two owners apart whose ids are equal when they are joined.
func ownerPrefix(tenant, user string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d:%s%d:%s", len(tenant), tenant, len(user), user))
	return fmt.Sprintf("%s%x/", owned, sum[:16])
}

// ForUser returns the conversations of a user in st: a Store in which their ids
// are those that the user chose. So each user can use every id, and none can
// find out which ids others have. qed.Durable saves the turns of a user there.
//
//		thread, err := qed.Inspect(ctx, store.ForUser(st, tenant, user), "report-2026")
//
//	  - A user is identified by both ids. If both are empty, ForUser returns st:
//	    the conversations of callers without an id have the ids of their threads.
//	  - In st itself, the id of a thread is made of a hash of the owner and the id
//	    of the conversation: see [ThreadInfo.Conversation].
//	  - If st is a [Lister], the result is one as well, and lists these
//	    conversations only.
//	  - An id that [CheckConversation] refuses is an error that matches
//	    [ErrInvalidThread].
func ForUser(st Store, tenant, user string) Store {
	if st == nil || tenant == "" && user == "" {
		return st
	}
	o := &ownerStore{store: st, tenant: tenant, user: user, prefix: ownerPrefix(tenant, user)}
	if lister, ok := st.(Lister); ok {
		return &ownerLister{o, lister}
	}
	return o
}

// Conversation returns the id that the owner of the thread chose for the
// conversation: the Thread of its turns. It is empty if the thread is no
// conversation. The turns of a program that resumes the runs of all users have
// this id, and the User and the Tenant of the entry.
func (i ThreadInfo) Conversation() string {
	if i.User != "" || i.Tenant != "" {
		id, _ := strings.CutPrefix(i.Thread, ownerPrefix(i.Tenant, i.User))
		if id == i.Thread {
			return ""
		}
		return id
	}
	if strings.HasPrefix(i.Thread, Reserved) {
		return ""
	}
	return i.Thread
}

// An ownerStore has the conversations of one user.
type ownerStore struct {
	store        Store
	tenant, user string
	prefix       string
}

// Unwrap returns the store that has the conversations of all users.
func (o *ownerStore) Unwrap() Store { return o.store }

func (o *ownerStore) thread(id string) (string, error) {
	if err := CheckConversation(id); err != nil {
		return "", err
	}
	return o.prefix + id, nil
}

// Append implements [Store].
func (o *ownerStore) Append(ctx context.Context, id string, after int64, recs ...Record) error {
	thread, err := o.thread(id)
	if err != nil {
		return err
	}
	return o.store.Append(ctx, thread, after, recs...)
}

// Records implements [Store].
func (o *ownerStore) Records(ctx context.Context, id string, r Range) iter.Seq2[Record, error] {
	thread, err := o.thread(id)
	if err != nil {
		return func(yield func(Record, error) bool) { yield(Record{}, err) }
	}
	return o.store.Records(ctx, thread, r)
}

// Trim implements [Store].
func (o *ownerStore) Trim(ctx context.Context, id string, before int64, kinds ...Kind) error {
	thread, err := o.thread(id)
	if err != nil {
		return err
	}
	return o.store.Trim(ctx, thread, before, kinds...)
}

// Delete implements [Store].
func (o *ownerStore) Delete(ctx context.Context, id string) error {
	thread, err := o.thread(id)
	if err != nil {
		return err
	}
	return o.store.Delete(ctx, thread)
}

// An ownerLister is an ownerStore over a store that lists its threads.
type ownerLister struct {
	*ownerStore
	lister Lister
}

// Threads implements [Lister].
func (o *ownerLister) Threads(ctx context.Context, f ThreadFilter) iter.Seq2[ThreadInfo, error] {
	return func(yield func(ThreadInfo, error) bool) {
		if f.User != nil && *f.User != o.user || f.Tenant != nil && *f.Tenant != o.tenant {
			return
		}
		f.User, f.Tenant = &o.user, &o.tenant
		limit, n := f.Limit, 0
		f.Limit = 0 // threads that are no conversations are left out
		for info, err := range o.lister.Threads(ctx, f) {
			if err == nil {
				if info.Thread = info.Conversation(); info.Thread == "" {
					continue
				}
			}
			if !yield(info, err) {
				return
			}
			if n++; limit > 0 && n == limit {
				return
			}
		}
	}
}
