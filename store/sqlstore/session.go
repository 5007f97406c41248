package sqlstore

import (
	"context"
	"database/sql"
	"strings"
)

// A session runs statements, in a transaction if tx is not nil.
type session struct {
	s  *Store
	tx *sql.Tx
}

// A statement is a text in the form that the server gets.
type statement struct {
	text     string
	prepared *sql.Stmt // nil if it is not prepared
}

// exec runs a statement and returns the number of rows that it changed.
func (on session) exec(ctx context.Context, text string, args ...any) (int64, error) {
	result, err := on.result(ctx, text, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

func (on session) result(ctx context.Context, text string, args ...any) (sql.Result, error) {
	st, err := on.statement(ctx, text)
	switch {
	case err != nil:
		return nil, err
	case st.prepared != nil && on.tx != nil:
		return on.tx.StmtContext(ctx, st.prepared).ExecContext(ctx, args...)
	case st.prepared != nil:
		return st.prepared.ExecContext(ctx, args...)
	case on.tx != nil:
		return on.tx.ExecContext(ctx, st.text, args...)
	}
	return on.s.db.ExecContext(ctx, st.text, args...)
}

// query runs a statement outside of a transaction and calls do with its rows.
func (s *Store) query(ctx context.Context, text string, args []any, do func(*sql.Rows) error) error {
	return session{s: s}.query(ctx, text, args, do)
}

// query runs a statement and calls do with its rows.
func (on session) query(ctx context.Context, text string, args []any, do func(*sql.Rows) error) error {
	st, err := on.statement(ctx, text)
	if err != nil {
		return err
	}
	var rows *sql.Rows
	switch {
	case st.prepared != nil && on.tx != nil:
		rows, err = on.tx.StmtContext(ctx, st.prepared).QueryContext(ctx, args...)
	case st.prepared != nil:
		rows, err = st.prepared.QueryContext(ctx, args...)
	case on.tx != nil:
		rows, err = on.tx.QueryContext(ctx, st.text, args...)
	default:
		rows, err = on.s.db.QueryContext(ctx, st.text, args...)
	}
	if err != nil {
		return err
	}
	defer rows.Close()
	return do(rows)
}

// statement returns the statement with a text of this package. It prepares a new
// statement, except in a transaction: preparing needs a second connection, and
// the pool may have only one.
func (on session) statement(ctx context.Context, text string) (*statement, error) {
	s := on.s
	s.mu.Lock()
	known, full := s.statements[text], len(s.statements) >= maxStatements
	s.mu.Unlock()
	if known != nil {
		return known, nil
	}
	st := &statement{text: s.render(text)}
	if on.tx != nil || full {
		return st, nil
	}
	if s.engine.prepares() {
		var err error
		if st.prepared, err = s.db.PrepareContext(ctx, st.text); err != nil {
			return nil, err
		}
	}
	return s.keep(text, st)
}

// keep stores a new statement, unless another goroutine stored it before or the
// store was closed meanwhile. It returns the stored statement.
func (s *Store) keep(text string, st *statement) (*statement, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	other, closed := s.statements[text], s.statements == nil
	if !closed && other == nil {
		s.statements[text] = st
		return st, nil
	}
	if st.prepared != nil {
		st.prepared.Close()
	}
	if closed {
		return nil, ErrClosed
	}
	return other, nil
}

// maxStatements limits the kept statements. There are fewer, except that appends
// of different lengths have different statements.
const maxStatements = 200

// render returns a text in the form that the server gets: with the table prefix
// of the options and the placeholders of the engine.
func (s *Store) render(text string) string {
	if s.opt.TablePrefix != defaultPrefix {
		text = strings.ReplaceAll(text, defaultPrefix, s.opt.TablePrefix)
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

// transaction calls do in a transaction. It commits if do returns true.
func (s *Store) transaction(ctx context.Context, do func(session) (bool, error)) (bool, error) {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return false, err
	}
	defer tx.Rollback()
	if ok, err := do(session{s: s, tx: tx}); !ok || err != nil {
		return false, err
	}
	if s.engine.singleWriter() {
		return true, tx.Commit()
	}
	// Not every driver ends a commit with the context.
	done := make(chan error, 1)
	go func() { done <- tx.Commit() }()
	select {
	case err := <-done:
		return true, err
	case <-ctx.Done():
		return false, ctx.Err()
	}
}
