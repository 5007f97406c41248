package usermemory

import (
	"context"
	"fmt"

	"github.com/qedkit/qed/store"
)

// Erase removes everything about a user: the conversations, with
// [store.EraseUser], and then the memory. It returns the ids of the threads that
// it deleted; the thread of the memory is the last of them, if there was one.
//
//   - conversations is the [store.Lister] that has the user's conversations. It
//     may be the Store of the Memory.
//   - After an error, the returned threads are deleted. Call Erase again for the
//     others.
//   - A turn that is active meanwhile may begin a new memory. So end the user's
//     access first, and call Erase again when all turns that began before have
//     ended. For a user who stays, [Memory.Forget] removes the memory alone.
//   - It needs no keys: data that a store cannot decrypt any more are removed as
//     well.
func (m *Memory) Erase(ctx context.Context, user User, conversations store.Store) (threads []string, err error) {
	own, err := m.thread(user)
	if err != nil {
		return nil, err
	}
	if threads, err = store.EraseUser(ctx, conversations, user.Tenant, user.ID); err != nil {
		return threads, err
	}
	seq, err := m.newest(ctx, own)
	if err != nil || seq == 0 {
		return threads, err
	}
	if err := m.Store.Delete(ctx, own); err != nil {
		return threads, fmt.Errorf("usermemory: the memory is not deleted: %w", err)
	}
	return append(threads, own), nil
}
