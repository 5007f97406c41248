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

// Check reports whether the database can be read, has a table or view at all
// ([ErrEmpty]), cannot be written through this DB ([ErrWritable]), and, on a
// server with accounts, whether this one may do what the policy needs and no
// more ([ErrAccount]). With a nil policy it looks at the account alone. It looks at
// every replica: one that cannot be reached is an error only where none can.
//
// It is cheap. A program calls it when it starts, and does not start where it
// fails; an administrator finds the cures in the findings:
//
//	if err := db.Check(ctx, policy); err != nil {
//		var failed *sqldb.Error
//		if errors.As(err, &failed) {
//			for _, f := range failed.Findings {
//				log.Printf("%s: %s; to cure it: %s", f.Problem, f.Message, f.Cure)
//			}
//		}
//		return err
//	}
//
// How MySQL's views are written is not looked at, as an account such as
// provision.SQL makes may not see it: run the script again whenever the policy
// changes.
//
// A host that accepts some of the findings looks at their Problem.
//
// The error is an [*Error].
func (db *DB) Check(ctx context.Context, p *secureview.Policy) error {
	if p != nil && p.Dialect != "" && p.Dialect != db.Dialect() {
		return &Error{Kind: ErrArgument, Message: fmt.Sprintf("the policy is for %s, the database speaks %s", p.Dialect, db.Dialect())}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, db.opt.Timeout, errTimeLimit)
	defer cancel()
	findings := db.silence(p)
	var lost error
	reached := false
	for _, r := range db.replicas.all {
		found, err := db.checkReplica(ctx, r, p)
		switch {
		case errors.Is(err, ErrConnect):
			lost = err
			continue
		case err != nil:
			return err
		}
		reached = true
		for _, f := range found {
			if !slices.Contains(findings, f) {
				findings = append(findings, f)
			}
		}
	}
	if !reached {
		return lost
	}
	if len(findings) > 0 {
		return &Error{Kind: ErrAccount, Message: summary(findings), Findings: findings}
	}
	return nil
}

// silence finds that the policy reads settings which nobody gives.
func (db *DB) silence(p *secureview.Policy) []Finding {
	if p == nil || p.Setup == nil || db.opt.Session != nil {
		return nil
	}
	settings := p.Setup.Settings()
	if len(settings) == 0 {
		return nil
	}
	return []Finding{{Problem: Unsuitable, Object: "Options.Session",
		Message: "the policy's views read " + strings.Join(settings, ", ") + " of a session, and Options.Session is nil: nobody sees what they filter or decrypt"}}
}

// checkReplica looks at one pool, through a connection of now: on an older one, a
// server may still go by the grants that were there when it was made.
func (db *DB) checkReplica(ctx context.Context, r *replica, p *secureview.Policy) (findings []Finding, err error) {
	if !db.replicas.take(r) {
		return nil, &Error{Kind: ErrClosed, Message: "the DB was closed"}
	}
	var patience time.Duration
	if end, ok := ctx.Deadline(); ok && len(db.replicas.all) > 1 {
		patience = min(time.Until(end)/2, connectTime)
	}
	for range r.pool.Stats().Idle {
		conn, err := r.conn(ctx, patience)
		if err != nil {
			break
		}
		discard(conn)
	}
	_, err = db.on(ctx, r, patience, func(ctx context.Context, _ *replica, conn *sql.Conn) (again bool, err error) {
		use(conn, func() (keep bool) {
			found, e := db.engine.Check(ctx, conn, p)
			if findings = found; e != nil {
				err = db.failure(ctx, e)
			}
			return ctx.Err() == nil
		})
		return true, err
	})
	return findings, err
}

// summary tells the first few findings and how many there are.
func summary(findings []Finding) string {
	const most = 3
	told := make([]string, 0, most+1)
	for _, f := range findings[:min(len(findings), most)] {
		told = append(told, strings.TrimSuffix(f.Message, "."))
	}
	if more := len(findings) - most; more > 0 {
		told = append(told, fmt.Sprintf("and %d more", more))
	}
	noun := "findings"
	if len(findings) == 1 {
		noun = "finding"
	}
	return fmt.Sprintf("%d %s: %s", len(findings), noun, strings.Join(told, "; "))
}
