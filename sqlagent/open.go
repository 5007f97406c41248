package sqlagent

import (
	"context"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/sqldb"
)

// Open returns an agent that answers questions from db within a policy. It checks the
// policy against the database ([sqldb.DB.Check]), reads the schema of the database
// ([sqldb.DB.Introspect], with all schemas of the policy), and calls [New] with a guard of the policy and the dialect
// ([sqldb.DB.Guard]).
// Relationships that the database does not declare, or does not show to the account,
// are those of [Options.Graph].
func Open(
	ctx context.Context, model llm.Model, db *sqldb.DB, p *secureview.Policy, d dialect.Dialect, opt *Options,
) (qed.Agent, error) {
	guard, err := db.Guard(ctx, p, d)
	if err != nil {
		return nil, err
	}
	if err := db.Check(ctx, p); err != nil {
		return nil, err
	}
	schema, err := db.Introspect(ctx, p.SchemaNames()...)
	if err != nil {
		return nil, err
	}
	return New(model, db, guard, schema, opt)
}
