package sqlstore

import (
	"context"
	"database/sql"
	"strings"
)

// A session runs statements: in a transaction, or each by itself.
type session struct {
	s  *Store
	tx *sql.Tx // nil: each by itself
}

// A statement is a text as the server is sent it.
type statement struct {
	text     string
	prepared *sql.Stmt // nil: not prepared
}

// exec runs a statement and returns how many rows it changed.
func (on session) exec(ctx context.Context, text string, args ...any) (int64, error) {
	result, err := on.result(ctx, text, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

func (on session) result(ctx context.Context, text string, args ...any) (sql.Result, error) {
	known, err := on.statement(ctx, text)
	switch {
	case err != nil:
		return nil, err
	case known.prepared != nil && on.tx != nil:
		return on.tx.StmtContext(ctx, known.prepared).ExecContext(ctx, args...)
	case known.prepared != nil:
		return known.prepared.ExecContext(ctx, args...)
	case on.tx != nil:
		return on.tx.ExecContext(ctx, known.text, args...)
	}
	return on.s.db.ExecContext(ctx, known.text, args...)
}

// query runs a statement, outside of any transaction, and calls do with its rows.
func (s *Store) query(ctx context.Context, text string, args []any, do func(*sql.Rows) error) error {
	known, err := session{s, nil}.statement(ctx, text)
	if err != nil {
		return err
	}
	var rows *sql.Rows
	if known.prepared != nil {
		rows, err = known.prepared.QueryContext(ctx, args...)
	} else {
		rows, err = s.db.QueryContext(ctx, known.text, args...)
	}
	if err != nil {
		return err
	}
	defer rows.Close()
	return do(rows)
}

// statement finds a statement by the text that is written in this package. A new one is
// prepared, but not in a transaction: that would take a second connection, which the pool
// may not have.
func (on session) statement(ctx context.Context, text string) (*statement, error) {
	s := on.s
	s.mu.Lock()
	known, many := s.statements[text], len(s.statements) >= maxStatements
	s.mu.Unlock()
	if known != nil {
		return known, nil
	}
	known = &statement{text: s.sent(text)}
	if on.tx != nil || many {
		return known, nil
	}
	if s.engine.prepares() {
		var err error
		if known.prepared, err = s.db.PrepareContext(ctx, known.text); err != nil {
			return nil, err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	other, closed := s.statements[text], s.statements == nil
	if known.prepared != nil && (closed || other != nil) {
		known.prepared.Close()
	}
	switch {
	case closed:
		return nil, ErrClosed
	case other != nil:
		return other, nil // another was faster
	}
	s.statements[text] = known
	return known, nil
}

// maxStatements is more than there are but for the odd long append.
const maxStatements = 200

// sent is a text as the server is sent it.
func (s *Store) sent(text string) string {
	if s.opt.Prefix != "qed_" {
		text = strings.ReplaceAll(text, "qed_", s.opt.Prefix)
	}
	if s.engine.placeholder(1) == "" {
		return text
	}
	var b strings.Builder
	for n := 1; ; n++ {
		before, after, found := strings.Cut(text, "?")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		b.WriteString(s.engine.placeholder(n))
		text = after
	}
}

// transaction commits what do does, unless that fails or is for nothing.
func (s *Store) transaction(ctx context.Context, do func(session) (bool, error)) (bool, error) {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return false, err
	}
	defer tx.Rollback()
	if ok, err := do(session{s, tx}); !ok || err != nil {
		return false, err
	}
	return true, tx.Commit()
}
