package sqlstore

import (
	"context"
	"fmt"
)

// The schema table has a row for each version that the tables have had.
const (
	createSchema  = `CREATE TABLE IF NOT EXISTS qed_schema (version BIGINT NOT NULL PRIMARY KEY)`
	insertVersion = `INSERT INTO qed_schema (version) VALUES (?)`
	selectVersion = `SELECT coalesce(max(version), 0) FROM qed_schema`
)

// migrate creates and updates the tables. If they are up to date it only reads.
func (s *Store) migrate(ctx context.Context) error {
	migrations := s.engine.migrations()
	var version int
	err := s.try(ctx, "preparing the tables", func() (err error) {
		if version, err = s.version(ctx, s.db); err != nil || version >= len(migrations) {
			return err
		}
		return s.engine.lockedForMigration(ctx, s, func(on querier) error {
			version, err = s.runMigrations(ctx, on, migrations)
			return err
		})
	})
	if err == nil && version > len(migrations) {
		err = fmt.Errorf("%w: %d; this program supports version %d and needs a newer version of github.com/qedkit/qed",
			ErrNewerSchema, version, len(migrations))
	}
	return err
}

// runMigrations runs the missing migrations and returns the resulting version.
// Another process may have run some of them before this one got the lock.
func (s *Store) runMigrations(ctx context.Context, on querier, migrations [][]change) (version int, err error) {
	if _, err := on.ExecContext(ctx, s.render(createSchema)); err != nil {
		return 0, err
	}
	if version, err = s.version(ctx, on); err != nil {
		return 0, err
	}
	for version < len(migrations) {
		for _, c := range migrations[version] {
			if err := s.change(ctx, on, c); err != nil {
				return version, err
			}
		}
		version++
		if _, err := on.ExecContext(ctx, s.render(insertVersion), version); err != nil {
			return version, err
		}
	}
	return version, nil
}

// A change is a statement that changes the tables.
type change struct {
	unless string // a query for a number; the change is made only if it is 0. Empty: it is always made
	do     string
}

func (s *Store) change(ctx context.Context, on querier, c change) error {
	if c.unless != "" {
		var made int
		if err := on.QueryRowContext(ctx, s.render(c.unless)).Scan(&made); err != nil || made > 0 {
			return err
		}
	}
	_, err := on.ExecContext(ctx, s.render(c.do))
	return err
}

// version returns the version of the tables, or 0 if there are none.
func (s *Store) version(ctx context.Context, on querier) (version int, err error) {
	var tables int
	err = on.QueryRowContext(ctx, s.render(s.engine.texts().table), s.opt.TablePrefix+"schema").Scan(&tables)
	if err != nil || tables == 0 {
		return 0, err
	}
	err = on.QueryRowContext(ctx, s.render(selectVersion)).Scan(&version)
	return version, err
}
