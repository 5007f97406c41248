// Package conversations opens the store of conversations of a program.
package conversations

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/qedkit/qed/internal/command/database"
	_ "github.com/qedkit/qed/internal/command/database/servers"
	"github.com/qedkit/qed/internal/command/settings"
	"github.com/qedkit/qed/store/sqlitestore"
	"github.com/qedkit/qed/store/sqlstore"
)

// Open opens the store of conversations: an SQLite file by its path, or a server
// by its URL. The empty address means the file of the settings. The place is the
// address without a password.
func Open(
	ctx context.Context, at string, conf *settings.Conversations,
) (st *sqlstore.Store, place string, err error) {
	opt := &sqlstore.Options{
		Retry:         conf.Retry,
		MaxAge:        conf.MaxAge,
		SweepInterval: conf.CleanupInterval,
		OnSweep: func(_ int, err error) {
			if err != nil {
				slog.Error("old conversations could not be deleted", "err", err)
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
