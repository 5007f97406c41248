package mysqldb

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	driver "github.com/go-sql-driver/mysql"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/failure"
	"github.com/qedkit/qed/internal/mysqlnote"
	"github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/sqldb"
)

// Numbers of errors and notes of EXPLAIN.
const (
	errMayNotExplain = 1345   // a view in the statement reads tables that the account may not read
	noteRewritten    = "1003" // the statement as the server has understood it
)

// explainTime is the time limit of the EXPLAIN that verifies what a statement reads.
// Honest statements take milliseconds. Servers do not look for interrupts while
// they choose a plan.
const explainTime = 2 * time.Second

// verifyInTime is verifyReads within explainTime. If the server does not reply in
// time, the statement is refused; the cause of the error is
// [context.DeadlineExceeded], because the server may still work on it.
func verifyInTime(ctx context.Context, conn *sql.Conn, s *server, q *sqldb.Query, text string) error {
	limited, cancel := context.WithTimeout(ctx, explainTime)
	defer cancel()
	err := verifyReads(limited, conn, s, q, text)
	if err != nil && ctx.Err() == nil && limited.Err() != nil {
		return failure.Wrap(sqldb.ErrTooLarge, fmt.Sprintf("the server did not plan the statement within %v: "+
			"its tables are locked, or it joins or groups by too much", explainTime), limited.Err())
	}
	return err
}

// verifyReads asks the server what a statement would read, and returns an error
// if that is more than the objects of q and, for views, the tables that they
// read. The server may leave out tables that it does not need to read.
func verifyReads(ctx context.Context, conn *sql.Conn, s *server, q *sqldb.Query, text string) error {
	label, ok := mysqlnote.UnquotedLabel(text)
	if !ok {
		return failure.New(sqldb.ErrDenied, "the printed statement could not be parsed for the check with EXPLAIN")
	}
	if label != "" {
		return failure.Newf(sqldb.ErrDenied,
			"the alias %s contains a quote or a parenthesis, which the server does not print "+
				"unchanged: use letters and digits", label)
	}
	note, err := explain(ctx, conn, s, s.mark(q.Tag), text)
	if err != nil || note == "" {
		return err
	}
	found, ok := mysqlnote.Tables(note)
	if !ok && s.mariaDB {
		return failure.New(sqldb.ErrDenied, "the server's EXPLAIN of the statement could not be parsed")
	}
	if !s.mariaDB {
		found = append(found, mysqlnote.TablesAnywhere(note)...)
	}
	allowed := s.newTableSet()
	for _, o := range q.Objects {
		allowed.add(dialect.TableName{Schema: o.Schema, Name: o.Name})
	}
	unseen := allowed.firstMissing(found)
	for added := allowed.list; unseen != nil && len(added) > 0; unseen = allowed.firstMissing(found) {
		if added, err = s.addViewTables(ctx, conn, added, allowed); err != nil {
			return err
		}
	}
	if unseen == nil {
		return nil
	}
	what := "a table"
	if s.mariaDB { // on MySQL, what looks like a name may be part of a value
		what = unseen.String()
	}
	return failure.New(sqldb.ErrDenied, "the server would read "+what+", which the guard did not see")
}

func (s *server) explainCommand() string {
	if s.mariaDB {
		return "EXPLAIN EXTENDED "
	}
	return "EXPLAIN FORMAT=TRADITIONAL "
}

// explain returns the statement as the server has understood it. It returns ""
// if the account may not see that, because it may not read what the views read.
func explain(ctx context.Context, conn *sql.Conn, s *server, mark, text string) (string, error) {
	_, _, err := scan(ctx, conn, mark+s.explainCommand()+text)
	if refused, ok := errors.AsType[*driver.MySQLError](err); ok && refused.Number == errMayNotExplain {
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
		if len(w) == 3 && w[1] == noteRewritten {
			return w[2], nil
		}
	}
	if shown := explainJSON(ctx, conn, s, mark, text); shown != "" {
		return shown, nil
	}
	return "", failure.New(sqldb.ErrDenied,
		"the server does not show what it would read: it is neither MySQL nor MariaDB, a proxy removes the note, "+
			"or its max_error_count is 0 or less than the number of warnings: avoid conversions of texts to numbers")
}

// explainJSON returns the statement as a MySQL server has understood it, or "" if the
// server does not show that. While a server explains a statement it may execute a
// subquery, whose warnings come before the note and can displace it. Not every account may
// raise the number of warnings that a server keeps. So the statement is read from the
// plan, which has it in MySQL with explain_json_format_version = 2.
func explainJSON(ctx context.Context, conn *sql.Conn, s *server, mark, text string) string {
	if s.mariaDB {
		return ""
	}
	_, rows, err := scan(ctx, conn, mark+"EXPLAIN FORMAT=JSON "+text)
	var plan struct{ Query string }
	if err != nil || len(rows) != 1 || len(rows[0]) != 1 || json.Unmarshal([]byte(rows[0][0]), &plan) != nil {
		return ""
	}
	return plan.Query
}

// addViewTables adds to allowed what the views among tables read, and returns
// the tables that were added.
func (s *server) addViewTables(
	ctx context.Context, conn *sql.Conn, tables []dialect.TableName, allowed *tableSet,
) ([]dialect.TableName, error) {
	var query strings.Builder
	for i, t := range tables {
		if i > 0 {
			query.WriteString(" UNION ALL ")
		}
		// With a constant name, the server opens only that view.
		query.WriteString("SELECT VIEW_DEFINITION FROM information_schema.VIEWS WHERE TABLE_SCHEMA = ")
		query.WriteString(literalText(t.Schema) + " AND TABLE_NAME = " + literalText(t.Name))
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

// A tableSet is a set of tables, whose names are compared as the server does.
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

// firstMissing returns the first of tables that is not in the set.
func (set *tableSet) firstMissing(tables []dialect.TableName) *dialect.TableName {
	for i, t := range tables {
		if !set.has[set.key(t)] {
			return &tables[i]
		}
	}
	return nil
}
