package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"github.com/qedkit/qed/store"
)

// ErrTooLarge means that a record is larger than the database accepts. Nothing
// was appended. Later appends are not affected.
var ErrTooLarge = errors.New("sqlstore: the record is too large for the database")

const (
	// largeRecord is the size in bytes from which the limit is asked for. Every
	// server accepts smaller records with its usual settings.
	largeRecord = 256 << 10

	// besidesData is more than a statement has besides the data of a record.
	besidesData = 4 << 10
)

// checkSize returns an error that matches [ErrTooLarge] if a record is larger
// than the server accepts. MySQL closes the connection instead of returning an
// error, which looks like a lost connection.
func (s *Store) checkSize(ctx context.Context, op string, recs []store.Record) error {
	text := s.engine.texts().limit
	if text == "" {
		return nil
	}
	largest := slices.MaxFunc(recs, func(a, b store.Record) int { return cmp.Compare(len(a.Data), len(b.Data)) })
	if len(largest.Data) < largeRecord {
		return nil
	}
	var limit int
	err := s.try(ctx, op, func() error {
		return s.query(ctx, text, nil, func(rows *sql.Rows) error {
			if !rows.Next() {
				return rows.Err()
			}
			return rows.Scan(&limit)
		})
	})
	if err != nil || len(largest.Data)+besidesData <= limit {
		return err
	}
	return fmt.Errorf("%w: a record of kind %q at %q has %d bytes, and max_allowed_packet of the server is %d; "+
		"raise it, or keep less in the state", ErrTooLarge, largest.Kind, largest.Address, len(largest.Data), limit)
}
