package mysqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/go-sql-driver/mysql"

	"github.com/qedkit/qed/dialect"
	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/sqldb"
)

// Check looks at the grants of the account, and tries to read what the policy
// lists: a grant alone does not make a view work.
func (e *engine) Check(ctx context.Context, conn *sql.Conn, p *secureview.Policy) (findings []sqldb.Finding, err error) {
	if p != nil && (p.Dialect != "" && p.Dialect != e.Dialect() || p.Schema == "") {
		return nil, &sqldb.Error{Kind: sqldb.ErrArgument, Message: "the policy has to be for mysql, and to name its schema: the database"}
	}
	err = e.own(ctx, conn, func(s *server) error {
		findings, err = unsuitable(ctx, conn)
		if err != nil {
			return err
		}
		if p == nil {
			if err := notEmpty(ctx, conn); err != nil {
				return err
			}
		}
		c := &check{server: s, wanted: s.newWanted(p)}
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
		if administers(account) {
			c.find(sqldb.CanSkipPolicy, account, account+" administers the server: connect as an account of its own, such as provision.SQL makes", "")
			findings = append(findings, c.findings...)
			return nil
		}
		for _, g := range all {
			c.judge(g)
		}
		if p != nil {
			if err := c.tryAll(ctx, conn); err != nil {
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
	_, found, err := scan(ctx, conn, "SELECT 1 FROM information_schema.TABLES WHERE TABLE_SCHEMA = "+literalText(database)+" LIMIT 1")
	if err == nil && len(found) == 0 {
		err = &sqldb.Error{Kind: sqldb.ErrEmpty, Message: "the database has no tables that this account may see: check its name in the data source name, and the grants"}
	}
	return err
}

// visible is the tables and views that the account has any right to.
func visible(ctx context.Context, conn *sql.Conn) (tables []dialect.TableName, err error) {
	_, rows, err := scan(ctx, conn, "SELECT TABLE_SCHEMA, TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA <> 'information_schema'")
	for _, row := range rows {
		tables = append(tables, dialect.TableName{Schema: row[0], Name: row[1]})
	}
	return tables, err
}

// administers reports whether an account is one that servers have of themselves. To
// take its rights away would help nobody.
func administers(account string) bool {
	user := ascii.Lower(account[:max(strings.LastIndexByte(account, '@'), 0)])
	return user == "root" || user == "mariadb.sys" || strings.HasPrefix(user, "mysql.")
}

// quoteAccount quotes what CURRENT_USER() answers: a name may hold an @, a host
// cannot.
func quoteAccount(account string) string {
	at := strings.LastIndexByte(account, '@')
	return quote(account[:max(at, 0)]) + "@" + quote(account[at+1:])
}

// Numbers of what a server says where a table cannot be read.
const (
	errNoRight       = 1142
	errNoColumnRight = 1143
	errNoTable       = 1146
	errNoDatabase    = 1049
	errNoColumn      = 1054
	errBrokenView    = 1356
	errNoDefiner     = 1449
)

// tryAll tries to read each table and view that statements read.
func (c *check) tryAll(ctx context.Context, conn *sql.Conn) error {
	for _, o := range c.wanted.objects {
		name := quote(o.Schema) + "." + quote(o.Name)
		columns := []string{"1"}
		for _, column := range o.Columns {
			columns = append(columns, quote(column))
		}
		_, _, err := scan(ctx, conn, "SELECT "+strings.Join(columns, ", ")+" FROM "+name+" LIMIT 0")
		if err == nil {
			continue
		}
		var refused *mysql.MySQLError
		if !errors.As(err, &refused) {
			return err
		}
		f := sqldb.Finding{Problem: sqldb.CannotRead, Object: o.Schema + "." + o.Name}
		switch refused.Number {
		case errNoRight, errNoColumnRight:
			f.Message = "it may not read " + f.Object
			f.Cure = "GRANT SELECT ON " + name + " TO " + c.account
		case errNoTable, errNoDatabase:
			f.Message = "there is no " + f.Object + ", which the policy lists: create it, or take it off the policy"
		case errNoColumn:
			f.Message = fmt.Sprintf("%s lacks a column that the policy lists: %s", f.Object, clean(refused.Message))
		case errBrokenView, errNoDefiner:
			f.Message = "the view " + f.Object + " is broken: something that it reads is gone, or its definer may not read it"
		default:
			return err
		}
		c.findings = append(c.findings, f)
	}
	return nil
}
