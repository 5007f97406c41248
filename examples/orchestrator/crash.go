package main

import (
	"context"
	"os"
	"sync/atomic"

	"github.com/qedkit/qed/store"
)

// crashing returns a store that kills the process after n records. 0 means never.
func crashing(st store.Store, n int) store.Store {
	if n == 0 {
		return st
	}
	c := &crashingStore{Store: st}
	c.left.Store(int64(n))
	return c
}

type crashingStore struct {
	store.Store
	left atomic.Int64
}

func (c *crashingStore) Append(ctx context.Context, thread string, after int64, recs ...store.Record) error {
	err := c.Store.Append(ctx, thread, after, recs...)
	if err == nil && c.left.Add(-int64(len(recs))) <= 0 {
		if self, err := os.FindProcess(os.Getpid()); err == nil {
			self.Kill()
			select {} // until the process is gone
		}
	}
	return err
}
