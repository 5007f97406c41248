package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"

	"github.com/go-sql-driver/mysql"

	"github.com/qedkit/qed/internal/command/database"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/provision"
)

// setUp prints the script of the policy. It makes the demo company before that, and
// runs the script after that, if the flags say so.
func setUp(
	ctx context.Context, out io.Writer, o *options, p *secureview.Policy, admin, agent *database.Database,
) error {
	script, err := provision.SQL(p)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "-- "+admin.Name)
	if o.demo {
		if err := makeDemo(ctx, admin, o.key); err != nil {
			return fmt.Errorf("%s: %w", admin.Name, err)
		}
		fmt.Fprintln(out, "-- A small company was created in it.")
	}
	fmt.Fprintf(out, "\n%s", script)
	if !o.apply {
		fmt.Fprintf(out, "\n-- None of this was run: -apply runs it.\n")
		return nil
	}
	pool, err := admin.Pool(ctx)
	if err != nil {
		return fmt.Errorf("%s: %w", admin.Name, err)
	}
	defer pool.Close()
	if err := apply(ctx, pool, p, script, agent); err != nil {
		return fmt.Errorf("%s: %w", admin.Name, err)
	}
	fmt.Fprintf(out, "\n-- Statements run: %d.\n", len(script))
	if agent == nil {
		fmt.Fprintf(out, "-- %s cannot log in yet: -as sets its password.\n", p.Setup.Account)
	}
	return nil
}

// apply runs the script and then lets the account log in. In PostgreSQL this is one
// transaction; MySQL commits each statement.
func apply(
	ctx context.Context, pool *sql.DB, p *secureview.Policy, script provision.Script, agent *database.Database,
) error {
	tx, err := pool.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for i, statement := range script {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("statement %d of the script: %w", i+1, err)
		}
	}
	if agent != nil {
		if err := letIn(ctx, tx, p, agent); err != nil {
			return fmt.Errorf("letting %s log in: %w", p.Setup.Account, err)
		}
	}
	return tx.Commit()
}

// letIn sets the password of -as and lets the account log in. The password is not
// printed, and contains no character that needs quoting. PostgreSQL allows an empty
// one.
func letIn(ctx context.Context, tx *sql.Tx, p *secureview.Policy, agent *database.Database) error {
	var login string
	switch {
	case p.Dialect == "mysql" && agent.Password == "":
		return errors.New("-as has no password: mysql://user:password@host/database")
	case p.Dialect == "mysql":
		login = "ALTER USER " + p.Setup.Account + " IDENTIFIED BY '" + agent.Password + "' ACCOUNT UNLOCK"
	case agent.Password == "":
		login = "ALTER ROLE " + agent.Dialect.Quote(p.Setup.Account) + " LOGIN"
	default:
		login = "ALTER ROLE " + agent.Dialect.Quote(p.Setup.Account) + " LOGIN PASSWORD '" + agent.Password + "'"
	}
	if _, err := tx.ExecContext(ctx, login); err != nil {
		return refused(err)
	}
	return nil
}

// refused returns an error with the number of a server's error only: its text can quote
// the statement with the password.
func refused(err error) error {
	var ofMySQL *mysql.MySQLError
	var ofPostgres interface{ SQLState() string }
	switch {
	case errors.As(err, &ofMySQL):
		return fmt.Errorf("the server refused the password with error %d", ofMySQL.Number)
	case errors.As(err, &ofPostgres):
		return fmt.Errorf("the server refused the password with error %s", ofPostgres.SQLState())
	}
	return errors.New("the connection failed")
}
