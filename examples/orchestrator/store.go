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

	"github.com/qedkit/qed/examples/internal/database"
	"github.com/qedkit/qed/examples/internal/settings"
	"github.com/qedkit/qed/examples/internal/terminal"
	"github.com/qedkit/qed/retry"
	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/store/sqlitestore"
	"github.com/qedkit/qed/store/sqlstore"
)

// openStore opens where conversations are kept: the path of an SQLite file, or the
// URL of a server. Empty means the file of the settings. It returns the place as it
// can be shown, too.
func openStore(ctx context.Context, at string, conf *settings.Conversations) (st *sqlstore.Store, place string, err error) {
	opt := &sqlstore.Options{
		Retry:         retry.Policy{Wait: conf.RetryDelay},
		MaxAge:        conf.MaxAge,
		SweepInterval: conf.CleanupInterval,
		OnSweep: func(_ int, err error) {
			if err != nil {
				log.Print("orchestrator: old conversations could not be deleted: ", terminal.Visible(err.Error()))
			}
		},
	}
	switch {
	case conf.RetryAttempts < 0:
		opt.Retry.Attempts = 1
	case conf.RetryAttempts > 0:
		opt.Retry.Attempts = 1 + conf.RetryAttempts
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

// crashing returns store, after whose nth record the process is killed. With n of 0
// it lives.
func crashing(st store.Store, n int) store.Store {
	if n == 0 {
		return st
	}
	c := &mortal{Store: st}
	c.left.Store(int64(n))
	return c
}

type mortal struct {
	store.Store
	left atomic.Int64
}

func (m *mortal) Append(ctx context.Context, thread string, after int64, recs ...store.Record) error {
	err := m.Store.Append(ctx, thread, after, recs...)
	if err == nil && m.left.Add(-int64(len(recs))) <= 0 {
		if self, err := os.FindProcess(os.Getpid()); err == nil {
			self.Kill()
			select {} // until it has happened
		}
	}
	return err
}
