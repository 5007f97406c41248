package store

import (
	"context"
	"errors"
	"fmt"
)

// maxErasures is how often EraseUser looks for threads.
const maxErasures = 10

// EraseUser deletes every thread of a user, and returns the ids of the deleted
// threads. A user is identified by both ids: the same user of another tenant is
// somebody else. An empty tenant is a tenant like any other.
//
//   - The threads are those whose [Header] has the user and the tenant, forks
//     included. All data of a conversation are in its thread: messages, states,
//     calls with their results, questions, replies, and the rows and values
//     that it saved or remembered. The memory of a user across conversations is
//     erased by the method Erase of package usermemory, which calls EraseUser.
//   - A thread without a header is not found: one that [CopyThread] did not
//     complete, or one that was last used before stores had headers. Complete or
//     delete the first before.
//   - st must be a [Lister], and user must not be empty. Otherwise EraseUser
//     returns an error.
//   - After an error, some threads are deleted: those that are returned. Call
//     EraseUser again for the others.
//   - A run that is active ends with [ErrConflict] when it appends its next
//     record, and nothing more of it is saved. A turn that begins meanwhile may
//     begin a new thread. So end the user's access first, and call EraseUser
//     again when all turns that began before have ended.
//
// Files, logs and backups of a database keep deleted data for some time. Data
// that are sealed by package sealed are unreadable there without their key.
func EraseUser(ctx context.Context, st Store, tenant, user string) (threads []string, err error) {
	lister, ok := st.(Lister)
	switch {
	case !ok:
		return nil, errors.New("store: EraseUser needs a store that is a Lister")
	case user == "":
		return nil, errors.New("store: EraseUser needs the id of a user; an empty one belongs to all who have none")
	}
	for range maxErasures {
		var found []string
		for info, err := range lister.Threads(ctx, ThreadFilter{Tenant: &tenant, User: &user}) {
			if err != nil {
				return threads, err
			}
			found = append(found, info.Thread)
		}
		if len(found) == 0 {
			return threads, nil
		}
		for _, thread := range found {
			if err := st.Delete(ctx, thread); err != nil {
				return threads, fmt.Errorf("store: thread %s is not deleted: %w", thread, err)
			}
			threads = append(threads, thread)
		}
	}
	return threads, errors.New("store: the user begins new threads all the time; end the user's access first")
}
