package usermemory

import (
	"context"

	"github.com/qedkit/qed/store"
)

// CopyTo copies the memory of a user to another store, such as one that seals it.
// A Memory with that store has the same turns and entities. The original is not
// changed. CopyTo calls [store.CopyThread] and returns its errors.
func (m *Memory) CopyTo(ctx context.Context, user User, to store.Store) error {
	thread, err := m.thread(user)
	if err != nil {
		return err
	}
	return store.CopyThread(ctx, m.Store, to, thread, nil)
}
