package sqlstore

import (
	"context"
	"fmt"
)

// A row for each version that the tables have had.
const (
	schemaTable   = `CREATE TABLE IF NOT EXISTS qed_schema (version BIGINT NOT NULL PRIMARY KEY)`
	schemaNote    = `INSERT INTO qed_schema (version) VALUES (?)`
	schemaVersion = `SELECT coalesce(max(version), 0) FROM qed_schema`
)

// migrate brings the tables up to date. Where they are, it only looks.
func (s *Store) migrate(ctx context.Context) error {
	const doing = "preparing the tables"
	migrations := s.engine.migrations()
	var version int
	err := s.try(ctx, doing, func() (err error) {
		if version, err = s.version(ctx, s.db); err != nil || version >= len(migrations) {
			return err
		}
		return s.engine.exclusively(ctx, s, func(on querier) error {
			if _, err := on.ExecContext(ctx, s.sent(schemaTable)); err != nil {
				return err
			}
			if version, err = s.version(ctx, on); err != nil {
				return err
			}
			for version < len(migrations) {
				for _, step := range migrations[version] {
					if _, err := on.ExecContext(ctx, s.sent(step)); err != nil {
						return err
					}
				}
				version++
				if _, err := on.ExecContext(ctx, s.sent(schemaNote), version); err != nil {
					return err
				}
			}
			return nil
		})
	})
	if err == nil && version > len(migrations) {
		err = fmt.Errorf("%w: %d, and this program knows %d: it needs a newer version of github.com/qedkit/qed",
			ErrSchema, version, len(migrations))
	}
	return err
}

// version returns the version of the tables, 0 where there are none.
func (s *Store) version(ctx context.Context, on querier) (version int, err error) {
	var tables int
	err = on.QueryRowContext(ctx, s.sent(s.engine.texts().table), s.opt.Prefix+"schema").Scan(&tables)
	if err != nil || tables == 0 {
		return 0, err
	}
	err = on.QueryRowContext(ctx, s.sent(schemaVersion)).Scan(&version)
	return version, err
}
