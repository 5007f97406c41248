package main

import (
	"cmp"
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/qedkit/qed/examples/internal/chat"
	"github.com/qedkit/qed/examples/internal/database"
	"github.com/qedkit/qed/examples/internal/settings"
	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/store/sqlitestore"
	"github.com/qedkit/qed/store/sqlstore"
)

// openStore opens the store of conversations: an SQLite file by its path, or a server
// by its URL. The empty address means the file of the settings. The place is the
// address without a password.
func openStore(
	ctx context.Context, at string, conf *settings.Conversations,
) (st *sqlstore.Store, place string, err error) {
	opt := &sqlstore.Options{
		Retry:         conf.Retry,
		MaxAge:        conf.MaxAge,
		SweepInterval: conf.CleanupInterval,
		OnSweep: func(_ int, err error) {
			if err != nil {
				log.Print("orchestrator: old conversations could not be deleted: ", chat.Visible(err.Error()))
			}
		},
	}
	at = cmp.Or(at, conf.Path)
	if !strings.Contains(at, "://") {
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			return nil, "", err
		}
		st, err = sqlitestore.Open(at, opt)
		return st, at, err
	}
	server, err := database.Parse(at)
	if err != nil {
		return nil, "", err
	}
	pool, err := server.Pool(ctx)
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", server.Name, err)
	}
	dialect := sqlstore.MySQL
	if server.Dialect.Name() == "postgres" {
		dialect = sqlstore.PostgreSQL
	}
	opt.CloseDB = true
	if st, err = sqlstore.New(ctx, pool, dialect, opt); err != nil {
		pool.Close()
		return nil, "", fmt.Errorf("%s: %w", server.Name, err)
	}
	return st, server.Name, nil
}

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
