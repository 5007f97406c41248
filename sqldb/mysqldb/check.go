package mysqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-sql-driver/mysql"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/failure"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/policycheck"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/sqldb"
)

// Check examines the grants of the account. It also tries to read what the
// policy lists, because a view may fail in spite of a grant.
func (e *engine) Check(
	ctx context.Context, conn *sql.Conn, p *secureview.Policy,
) (findings []sqldb.Finding, err error) {
	if p != nil && (p.Dialect != "" && p.Dialect != e.Dialect() || p.Schema == "") {
		return nil, failure.New(sqldb.ErrArgument,
			"the policy must be for mysql, and name the database as its schema")
	}
	err = e.withSettings(ctx, conn, func(s *server) error {
		findings, err = wrongParameters(ctx, conn)
		if err != nil {
			return err
		}
		if p == nil {
			if err := notEmpty(ctx, conn); err != nil {
				return err
			}
		}
		c := &check{server: s, needs: s.newNeeds(p)}
		if c.visible, err = visible(ctx, conn); err != nil {
			return err
		}
		all, err := grants(ctx, conn, s.mariaDB)
		if err != nil {
			return err
		}
		var account string
		if err := conn.QueryRowContext(ctx, "SELECT CURRENT_USER()").Scan(&account); err != nil {
			return err
		}
		c.account = quoteAccount(account)
		if isAdministrator(account) {
			c.find(sqldb.CanBypassPolicy, account,
				account+" is an administrator of the server: connect as an account of its own, which package secureview/provision creates",
				"")
			findings = append(findings, c.findings...)
			return nil
		}
		for _, g := range all {
			c.grant(g)
		}
		if p != nil {
			if err := c.readAll(ctx, conn); err != nil {
				return err
			}
		}
		findings = append(findings, c.findings...)
		return nil
	})
	return findings, err
}

func notEmpty(ctx context.Context, conn *sql.Conn) error {
	database, err := currentDatabase(ctx, conn)
	if err != nil {
		return err
	}
	query := "SELECT 1 FROM information_schema.TABLES WHERE TABLE_SCHEMA = " + literalText(database) + " LIMIT 1"
	_, found, err := scan(ctx, conn, query)
	if err == nil && len(found) == 0 {
		err = failure.New(sqldb.ErrEmpty,
			"the account sees no tables in the database: check the database in the data source name, and the grants")
	}
	return err
}

// visible returns the tables and views on which the account has any right.
func visible(ctx context.Context, conn *sql.Conn) (tables []dialect.TableName, err error) {
	_, rows, err := scan(ctx, conn, `
		SELECT TABLE_SCHEMA, TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA <> 'information_schema'`)
	for _, row := range rows {
		tables = append(tables, dialect.TableName{Schema: row[0], Name: row[1]})
	}
	return tables, err
}

// isAdministrator reports whether an account is one that servers create
// themselves. Revoking its rights is no fix.
func isAdministrator(account string) bool {
	user := ascii.Lower(account[:max(strings.LastIndexByte(account, '@'), 0)])
	return user == "root" || user == "mariadb.sys" || strings.HasPrefix(user, "mysql.")
}

// quoteAccount quotes the result of CURRENT_USER(). The name may contain an @,
// the host cannot.
func quoteAccount(account string) string {
	at := strings.LastIndexByte(account, '@')
	return quote(account[:max(at, 0)]) + "@" + quote(account[at+1:])
}

// Numbers of the server's errors if a table cannot be read.
const (
	errNoRight       = 1142
	errNoColumnRight = 1143
	errNoTable       = 1146
	errNoDatabase    = 1049
	errNoColumn      = 1054
	errBrokenView    = 1356
	errNoDefiner     = 1449
)

// readAll tries to read each table and view that statements read.
func (c *check) readAll(ctx context.Context, conn *sql.Conn) error {
	for _, o := range c.needs.objects {
		name := quote(o.Schema) + "." + quote(o.Name)
		columns := []string{"1"}
		columns = append(columns, lists.Map(o.Columns, quote)...)
		_, _, err := scan(ctx, conn, "SELECT "+strings.Join(columns, ", ")+" FROM "+name+" LIMIT 0")
		if err == nil {
			continue
		}
		var refused *mysql.MySQLError
		if !errors.As(err, &refused) {
			return err
		}
		f := sqldb.Finding{Kind: sqldb.CannotRead, Object: o.Schema + "." + o.Name}
		var tables []string // that the account sees
		for _, t := range c.visible {
			if t.Schema == o.Schema {
				tables = append(tables, t.Name)
			}
		}
		absent := policycheck.Table(f.Object, o.Name, tables)
		switch refused.Number {
		case errNoRight, errNoColumnRight:
			f.Message = "the account may not read " + f.Object
			if len(absent.Candidates) > 0 && !slices.Contains(tables, o.Name) {
				// The server also answers so if there is no such table.
				f.Message += ", or there is no such table and " + absent.Candidates[0] + " was meant"
				f.Candidates = absent.Candidates
			}
			f.Fix = "GRANT SELECT ON " + name + " TO " + c.account
		case errNoTable, errNoDatabase:
			f = absent
		case errNoColumn:
			found, err := c.missingColumns(ctx, conn, o)
			if err != nil {
				return err
			}
			if c.findings = append(c.findings, found...); len(found) > 0 {
				continue
			}
			f.Message = fmt.Sprintf("%s lacks a column that the policy lists: %s", f.Object, failure.Line(refused.Message))
		case errBrokenView, errNoDefiner:
			f.Message = "the view " + f.Object + " is broken: something that it reads is missing, or its definer may not read it"
		default:
			return err
		}
		c.findings = append(c.findings, f)
	}
	return nil
}

// missingColumns returns the findings about the columns of an object that the
// policy lists and the server does not have.
func (c *check) missingColumns(ctx context.Context, conn *sql.Conn, o sqldb.Object) ([]sqldb.Finding, error) {
	_, rows, err := scan(ctx, conn, "SELECT COLUMN_NAME FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = "+
		literalText(o.Schema)+" AND TABLE_NAME = "+literalText(o.Name))
	known := lists.Map(rows, func(row []string) string { return row[0] })
	return policycheck.Columns(o.Schema+"."+o.Name, o.Columns, known, strings.EqualFold), err
}
