package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/qedkit/qed/secureview"
)

// A Finding is something that is wrong with an account or a server, as
// [DB.Check] found it.
type Finding struct {
	Kind    FindingKind `json:"kind"`
	Object  string      `json:"object,omitempty"` // the table, view, function or setting, as the server names it
	Column  string      `json:"column,omitempty"` // the column, for MissingColumn
	Message string      `json:"message"`          // one sentence

	// Candidates are names that may have been meant, best first, for
	// MissingTable and MissingColumn.
	Candidates []string `json:"candidates,omitempty"`

	// Fix is the statement with which an administrator fixes it, without a
	// semicolon. It is empty if no single statement does; Message then says
	// what to do.
	Fix string `json:"fix,omitempty"`
}

// A FindingKind is a kind of [Finding].
type FindingKind string

const (
	CanWrite           FindingKind = "can_write"             // the account may change rows, tables, grants or settings
	CanReadBaseTable   FindingKind = "can_read_base_table"   // it may read a table that the policy replaces by a view
	CanReadUnlisted    FindingKind = "can_read_unlisted"     // it may read something that the policy does not list
	CanCallKeyFunction FindingKind = "can_call_key_function" // it may call a function that returns the session's key
	CanReadFiles       FindingKind = "can_read_files"        // it may read files of the server, or run programs there
	CanBypassPolicy    FindingKind = "can_bypass_policy"     // row-level security does not apply, or it is a superuser
	CannotRead         FindingKind = "cannot_read"           // it may not read something that the policy lists
	MissingTable       FindingKind = "missing_table"         // the policy lists a table or view that does not exist
	MissingColumn      FindingKind = "missing_column"        // the policy lists a column that does not exist
	WrongSetting       FindingKind = "wrong_setting"         // a setting of the pool or an option must be changed
)

// Check reports whether the database can be read safely. It returns an error of
// kind
//
//   - [ErrEmpty] if there is no table and no view,
//   - [ErrWritable] if the database could be written through this DB,
//   - [ErrAccount] if, on a server with accounts, the account may do more or less
//     than the policy needs, or if the policy lists a table or a column that the
//     database does not have.
//
// With a nil policy it checks the account alone. All pools are checked; one
// that cannot be reached is an error only if none can.
//
// Check is cheap. A program calls it at its start and exits if it fails. The
// findings say what to fix:
//
//	if err := db.Check(ctx, policy); err != nil {
//		var failed *sqldb.Error
//		if errors.As(err, &failed) {
//			for _, f := range failed.Findings {
//				log.Printf("%s: %s; to fix it: %s", f.Kind, f.Message, f.Fix)
//			}
//		}
//		return err
//	}
//
// A program that accepts certain findings compares their Kind. The definitions
// of MySQL's views are not checked, because the account of a secure view may
// not see them: run the script of provision.SQL again whenever the policy
// changes.
//
// The error is an [*Error].
func (db *DB) Check(ctx context.Context, p *secureview.Policy) error {
	if p != nil && p.Dialect != "" && p.Dialect != db.Dialect() {
		return errorf(ErrArgument, "the policy is for %s, the database speaks %s", p.Dialect, db.Dialect())
	}
	ctx, cancel := context.WithTimeoutCause(ctx, db.opt.Timeout, errTimeLimit)
	defer cancel()
	findings := db.missingSession(p)
	var down error
	reached := false
	for _, r := range db.replicas.all {
		found, err := db.checkReplica(ctx, r, p)
		switch {
		case errors.Is(err, ErrUnavailable):
			down = err
			continue
		case err != nil:
			return err
		}
		reached = true
		for _, f := range found {
			if !slices.ContainsFunc(findings, f.same) {
				findings = append(findings, f)
			}
		}
	}
	if !reached {
		return down
	}
	if len(findings) > 0 {
		return &Error{Kind: ErrAccount, Message: summary(findings), Findings: findings}
	}
	return nil
}

// same reports whether two pools have the same finding.
func (f Finding) same(other Finding) bool {
	return f.Kind == other.Kind && f.Object == other.Object && f.Message == other.Message && f.Fix == other.Fix
}

// missingSession returns a finding if the policy needs settings of a session and there
// is no Options.Session.
func (db *DB) missingSession(p *secureview.Policy) []Finding {
	if p == nil || db.opt.Session != nil {
		return nil
	}
	settings := p.Settings()
	if len(settings) == 0 {
		return nil
	}
	message := "Options.Session is nil, and the policy needs the session's " + strings.Join(settings, ", ")
	return []Finding{{Kind: WrongSetting, Object: "Options.Session", Message: message}}
}

// checkReplica checks one pool through a new connection: on an older one, a
// server may still apply the grants of the time when it was opened.
func (db *DB) checkReplica(ctx context.Context, r *replica, p *secureview.Policy) (findings []Finding, err error) {
	if !db.replicas.acquire(r) {
		return nil, newError(ErrClosed, "the DB was closed")
	}
	var connectLimit time.Duration
	if end, ok := ctx.Deadline(); ok && len(db.replicas.all) > 1 {
		connectLimit = min(time.Until(end)/2, connectTime)
	}
	for range r.pool.Stats().Idle {
		conn, err := r.conn(ctx, connectLimit)
		if err != nil {
			break
		}
		discard(conn)
	}
	check := func(ctx context.Context, _ *replica, conn *sql.Conn) (retry bool, err error) {
		withConn(conn, func() (keep bool) {
			found, e := db.engine.Check(ctx, conn, p)
			if findings = found; e != nil {
				err = db.failure(ctx, e)
			}
			return ctx.Err() == nil
		})
		return true, err
	}
	_, err = db.onReplica(ctx, r, connectLimit, check)
	return findings, err
}

// summary returns the messages of the first findings and their number.
func summary(findings []Finding) string {
	const maxListed = 3
	listed := make([]string, 0, maxListed+1)
	for _, f := range findings[:min(len(findings), maxListed)] {
		listed = append(listed, strings.TrimSuffix(f.Message, "."))
	}
	if more := len(findings) - maxListed; more > 0 {
		listed = append(listed, fmt.Sprintf("and %d more", more))
	}
	noun := "findings"
	if len(findings) == 1 {
		noun = "finding"
	}
	return fmt.Sprintf("%d %s: %s", len(findings), noun, strings.Join(listed, "; "))
}
