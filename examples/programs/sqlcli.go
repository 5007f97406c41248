package main

import (
	"bufio"
	"context"
	"fmt"
	"io"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
	"github.com/qedkit/qed/sqlagent"
	"github.com/qedkit/qed/sqldb/sqlitedb"
	"github.com/qedkit/qed/store/sqlitestore"
)

// SQLCLI answers each line of in from a SQLite database. The conversation is in the
// file saved: a later line, also of a later process, may refer to an earlier one. An
// empty line resumes a turn that failed.
func SQLCLI(ctx context.Context, model llm.Model, database, saved string, in io.Reader, out io.Writer) error {
	db, err := sqlitedb.Open(database, nil)
	if err != nil {
		return err
	}
	defer db.Close()
	st, err := sqlitestore.Open(saved, nil)
	if err != nil {
		return err
	}
	defer st.Close()
	policy := &secureview.Policy{Dialect: "sqlite", Tables: map[string][]string{"crew": {"id", "name", "hours"}}}
	agent, err := sqlagent.Open(ctx, model, db, policy, sqlite.Dialect{}, &sqlagent.Options{Store: st})
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		turn := qed.Turn{Thread: "cli", Text: lines.Text()}
		if _, err := qed.WriteAnswer(ctx, out, agent, turn); err != nil {
			fmt.Fprint(out, "failed: ", err)
		}
		fmt.Fprintln(out)
	}
	return lines.Err()
}
