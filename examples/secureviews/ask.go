package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/command"
	"github.com/qedkit/qed/internal/command/database"
	"github.com/qedkit/qed/internal/command/provider"
	"github.com/qedkit/qed/internal/command/settings"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/sqlagent"
	"github.com/qedkit/qed/sqldb"
)

// ask checks the account, then runs the statement or asks the question.
func ask(
	ctx context.Context, out io.Writer, o *options, p *secureview.Policy, agent *database.Database, conf *settings.Settings,
) error {
	set := func(context.Context) (map[string]any, error) { return o.set, nil }
	db, err := agent.Reader(sqldb.Options{Session: database.Session(p.Dialect, p, o.key, set)})
	if err != nil {
		return err
	}
	defer db.Close()
	fmt.Fprintf(out, "\n-- %s\n", agent.Name)
	if err := check(ctx, out, db, p); err != nil {
		return fmt.Errorf("%s: %w", agent.Name, err)
	}
	guard, err := secureview.New(p, agent.Dialect)
	if err != nil {
		return err
	}
	model, configured, err := provider.Open(conf)
	if err != nil {
		return err
	}
	if isStatement(o.ask) {
		return read(ctx, out, db, guard, o.ask)
	}
	if !configured {
		return fmt.Errorf("-ask %q is not a SELECT, and a question needs a model: %w", o.ask, settings.ErrNoModel)
	}
	schema, err := db.Introspect(ctx)
	if err != nil {
		return err
	}
	asker, err := sqlagent.New(model, db, guard, schema, &conf.Agent)
	if err != nil {
		return err
	}
	answer, err := qed.Ask(ctx, asker, qed.Turn{Text: o.ask})
	if err != nil {
		return err
	}
	for _, q := range answer.Queries {
		show(out, q.Written, q.Executed)
	}
	if answer.Table != nil {
		if err := answer.Table.WriteText(out); err != nil {
			return err
		}
	}
	fmt.Fprintln(out, command.Visible(answer.Text))
	return nil
}

// check prints everything that is wrong with the account, with the fixes.
func check(ctx context.Context, out io.Writer, db *sqldb.DB, p *secureview.Policy) error {
	err := db.Check(ctx, p)
	var failed *sqldb.Error
	if errors.As(err, &failed) {
		for _, f := range failed.Findings {
			fmt.Fprintf(out, "-- %s: %s\n", f.Kind, command.Visible(f.Message))
			if f.Fix != "" {
				fmt.Fprintln(out, command.Visible(f.Fix)+";")
			}
		}
	}
	if err == nil {
		fmt.Fprintln(out, "-- The account can read what the policy lists, and nothing else.")
	}
	return err
}

// isStatement reports whether a text is SQL and not a question.
func isStatement(text string) bool {
	words := strings.Fields(strings.TrimLeft(text, " \t\n("))
	return len(words) > 0 && (strings.EqualFold(words[0], "SELECT") || strings.EqualFold(words[0], "WITH"))
}

// read runs a statement like one of a model.
func read(ctx context.Context, out io.Writer, db *sqldb.DB, guard *secureview.Guard, text string) error {
	stmt, err := guard.Rewrite(ctx, text)
	if err != nil {
		return err
	}
	rows, err := db.Query(ctx, stmt)
	if err != nil {
		return err
	}
	show(out, text, stmt.SQL())
	return rows.WriteText(out)
}

func show(out io.Writer, written, executed string) {
	fmt.Fprintf(out, "\n-- written\n%s\n-- executed\n%s\n-- rows\n", command.Visible(written), command.Visible(executed))
}
