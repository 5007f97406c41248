package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-sql-driver/mysql"

	"github.com/qedkit/qed/internal/command"
	"github.com/qedkit/qed/internal/command/database"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/provision"
	"github.com/qedkit/qed/sqldb"
)

// apply runs the script and then lets the account log in. In PostgreSQL this is one
// transaction; MySQL commits each statement.
func apply(
	ctx context.Context, admin *database.Database, p *secureview.Policy, script provision.Script, agent *database.Database,
) error {
	pool, err := admin.Pool(ctx)
	if err != nil {
		return err
	}
	defer pool.Close()
	tx, err := pool.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := unshared(ctx, tx, admin, p, script); err != nil {
		return err
	}
	for i, statement := range script {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("statement %d of the script: %w", i+1, err)
		}
	}
	if agent != nil {
		if _, err := tx.ExecContext(ctx, login(p, agent)); err != nil {
			return fmt.Errorf("letting %s log in: %w", p.Setup.Account, refused(err))
		}
	}
	return tx.Commit()
}

// readers has the queries for the accounts that may read a view, but for its owner, as a
// script quotes them.
var readers = map[string]string{
	"mysql": `SELECT GRANTEE FROM information_schema.TABLE_PRIVILEGES WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?
		UNION SELECT GRANTEE FROM information_schema.COLUMN_PRIVILEGES WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?`,
	"postgres": `SELECT DISTINCT '"' || replace(grantee, '"', '""') || '"' FROM information_schema.column_privileges
		WHERE table_schema = $1 AND table_name = $2 AND grantee <> grantor`,
}

// unshared returns an error if the script replaces a view that an account reads which it does
// not name: the policy of that account may show other rows.
func unshared(ctx context.Context, tx *sql.Tx, admin *database.Database, p *secureview.Policy, script provision.Script) error {
	tables, err := p.ReadableTables()
	if err != nil {
		return err
	}
	says := func(text string) bool {
		return slices.ContainsFunc(script, func(s string) bool { return strings.Contains(s, text) })
	}
	for _, t := range tables {
		if !says("VIEW " + admin.Dialect.Quote(t.Schema) + "." + admin.Dialect.Quote(t.View) + " ") {
			continue
		}
		args := []any{t.Schema, t.View}
		if p.Dialect == "mysql" {
			args = append(args, args...)
		}
		rows, err := tx.QueryContext(ctx, readers[p.Dialect], args...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var account string
			if err := rows.Scan(&account); err != nil {
				return err
			}
			if !says(account) {
				return fmt.Errorf("the view %s is read by %s too, which would see the rows of this policy: "+
					"name another view in the policy, or revoke the right of %s", t.View, account, account)
			}
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			return err
		}
	}
	return nil
}

// login returns the statement that sets the password of -as and lets the account log in.
// It is not printed. The password contains no character that needs quoting; in PostgreSQL
// it can be empty.
func login(p *secureview.Policy, agent *database.Database) string {
	switch {
	case p.Dialect == "mysql":
		return "ALTER USER " + p.Setup.Account + " IDENTIFIED BY '" + agent.Password + "' ACCOUNT UNLOCK"
	case agent.Password == "":
		return "ALTER ROLE " + agent.Dialect.Quote(p.Setup.Account) + " LOGIN"
	}
	return "ALTER ROLE " + agent.Dialect.Quote(p.Setup.Account) + " LOGIN PASSWORD '" + agent.Password + "'"
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

// check logs in as the account, and prints everything that is wrong with its rights, with
// the fixes.
func check(ctx context.Context, out io.Writer, agent *database.Database, p *secureview.Policy) error {
	db, err := agent.Reader(sqldb.Options{Session: database.Session(p.Dialect, p, "", nil)})
	if err != nil {
		return err
	}
	defer db.Close()
	err = db.Check(ctx, p)
	if failed, ok := errors.AsType[*sqldb.Error](err); ok {
		for _, f := range failed.Findings {
			fmt.Fprintf(out, "-- %s: %s\n", f.Kind, command.Visible(f.Message))
			if f.Fix != "" {
				fmt.Fprintln(out, command.Visible(f.Fix)+";")
			}
		}
	}
	if err == nil {
		fmt.Fprintf(out, "-- %s can read what the policy lists, and nothing else.\n", p.Setup.Account)
	}
	return err
}
