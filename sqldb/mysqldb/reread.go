package mysqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	driver "github.com/go-sql-driver/mysql"

	"github.com/qedkit/qed/dialect"
	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/mysqlnote"
	"github.com/qedkit/qed/sqldb"
)

// Numbers of what a server says to EXPLAIN.
const (
	errMayNotExplain = 1345   // a view of the statement stands before tables that the account may not read
	noteUnderstood   = "1003" // the statement, as the server understood it
)

// reread has the server say what a statement would read: nothing but what r names
// and, as the server shows what it finds behind views, what those read. A server
// may leave out what it does not need to read.
func reread(ctx context.Context, conn *sql.Conn, s *server, r *sqldb.Reading, text string) error {
	label, ok := mysqlnote.UnquotedLabel(text)
	if !ok {
		return &sqldb.Error{Kind: sqldb.ErrDenied, Message: "the third reader does not understand the printed statement"}
	}
	if label != "" {
		return &sqldb.Error{Kind: sqldb.ErrDenied, Message: fmt.Sprintf("the alias %s holds a quote or a parenthesis, which the server does not print back as it was: take a plain one", label)}
	}
	note, err := explain(ctx, conn, s, s.mark(r.Tag), text)
	if err != nil || note == "" {
		return err
	}
	found, ok := mysqlnote.Tables(note)
	if !ok && s.mariaDB {
		return &sqldb.Error{Kind: sqldb.ErrDenied, Message: "what the server would read is not understood"}
	}
	if !s.mariaDB {
		found = append(found, mysqlnote.TablesAnywhere(note)...)
	}
	allowed := s.newTableSet()
	for _, o := range r.Objects {
		allowed.add(dialect.TableName{Schema: o.Schema, Name: o.Name})
	}
	beyond := allowed.lacks(found)
	for behind := allowed.list; beyond != nil && len(behind) > 0; beyond = allowed.lacks(found) {
		if behind, err = s.behind(ctx, conn, behind, allowed); err != nil {
			return err
		}
	}
	if beyond == nil {
		return nil
	}
	what := "a table"
	if s.mariaDB { // elsewhere, what looks like its name may be part of a value
		what = beyond.String()
	}
	return &sqldb.Error{Kind: sqldb.ErrDenied, Message: "the server would read " + what + ", which the guard did not see"}
}

// explain answers the statement as the server understood it; empty where the
// account may not know, as its grants are narrower than what views read.
func explain(ctx context.Context, conn *sql.Conn, s *server, mark, text string) (string, error) {
	command := "EXPLAIN FORMAT=TRADITIONAL "
	if s.mariaDB {
		command = "EXPLAIN EXTENDED "
	}
	_, _, err := scan(ctx, conn, mark+command+text)
	var refused *driver.MySQLError
	if errors.As(err, &refused) && refused.Number == errMayNotExplain {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	_, warnings, err := scan(ctx, conn, "SHOW WARNINGS")
	if err != nil {
		return "", err
	}
	for _, w := range warnings {
		if len(w) == 3 && w[1] == noteUnderstood {
			return w[2], nil
		}
	}
	return "", &sqldb.Error{Kind: sqldb.ErrDenied, Message: "the server does not say what it would read: its max_error_count is 0, it is neither MySQL nor MariaDB, or a proxy keeps it back"}
}

// behind adds to allowed what the views among tables read, and answers what was
// new.
func (s *server) behind(ctx context.Context, conn *sql.Conn, tables []dialect.TableName, allowed *tableSet) ([]dialect.TableName, error) {
	var query strings.Builder
	for i, t := range tables {
		if i > 0 {
			query.WriteString(" UNION ALL ")
		}
		// Of a name that is given as a constant, the server opens that view alone.
		fmt.Fprintf(&query, "SELECT VIEW_DEFINITION FROM information_schema.VIEWS WHERE TABLE_SCHEMA = %s AND TABLE_NAME = %s", literalText(t.Schema), literalText(t.Name))
	}
	_, definitions, err := scan(ctx, conn, query.String())
	if err != nil {
		return nil, err
	}
	before := len(allowed.list)
	for _, row := range definitions {
		if read, ok := mysqlnote.Tables(row[0]); ok {
			for _, t := range read {
				allowed.add(t)
			}
		}
	}
	return allowed.list[before:], nil
}

// tableSet is a set of tables, told apart as the server does.
type tableSet struct {
	fold func(string) string
	has  map[dialect.TableName]bool
	list []dialect.TableName
}

func (s *server) newTableSet() *tableSet {
	set := &tableSet{fold: func(name string) string { return name }, has: map[dialect.TableName]bool{}}
	if s.foldsNames {
		set.fold = ascii.Lower
	}
	return set
}

func (set *tableSet) key(t dialect.TableName) dialect.TableName {
	return dialect.TableName{Schema: set.fold(t.Schema), Name: set.fold(t.Name)}
}

func (set *tableSet) add(t dialect.TableName) {
	if key := set.key(t); !set.has[key] {
		set.has[key] = true
		set.list = append(set.list, t)
	}
}

// lacks answers the first of tables that is not in the set.
func (set *tableSet) lacks(tables []dialect.TableName) *dialect.TableName {
	for i, t := range tables {
		if !set.has[set.key(t)] {
			return &tables[i]
		}
	}
	return nil
}
