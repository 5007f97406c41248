package mysqldb

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-sql-driver/mysql"

	"github.com/qedkit/qed/internal/failure"
	"github.com/qedkit/qed/sqldb"
)

// session returns the settings of one query. limit is the time limit, or 0 for
// none; further are changes for this query alone.
func (s *server) session(wanted *sqldb.Session, limit time.Duration, further ...settings) (*settings, error) {
	if len(wanted.SearchPath) > 0 {
		return nil, failure.New(sqldb.ErrArgument,
			"the session has a search path, which this server does not support")
	}
	set := &settings{slices.Clip(s.always.change), slices.Clip(s.always.undo)}
	if limit > 0 {
		set.change = append(set.change, s.timeLimit(limit).String())
		set.undo = append(set.undo, s.limit.String())
	}
	for _, f := range further {
		set.change = append(set.change, f.change...)
		set.undo = append(set.undo, f.undo...)
	}
	for _, name := range slices.Sorted(maps.Keys(wanted.Settings)) {
		value, err := literal(name, wanted.Settings[name])
		if err != nil {
			return nil, err
		}
		set.change = append(set.change, "@"+quote(name)+" = "+value)
		set.undo = append(set.undo, "@"+quote(name)+" = NULL")
	}
	return set, nil
}

func (s *server) timeLimit(limit time.Duration) variable {
	limit = max(limit, time.Millisecond) // 0 would mean no limit
	if s.mariaDB {
		return variable{s.limit.name, strconv.FormatFloat(limit.Seconds(), 'f', 3, 64)}
	}
	return variable{s.limit.name, strconv.FormatInt(limit.Milliseconds(), 10)}
}

// longestName is the maximum length of the name of a user variable.
const longestName = 64

// literal returns a value as SQL, in a form whose meaning depends neither on
// the settings of the session nor on the bytes of the value. Numbers are
// written as texts: until the end of a connection, a stored function of MySQL
// reads a variable as the type that it had at the first call, and with a number
// it would read '1abc' as 1.
func literal(name string, value any) (string, error) {
	refuse := func(why string) (string, error) {
		return "", failure.Newf(sqldb.ErrArgument, "the session's setting %s %s", name, why)
	}
	if len(name) > longestName {
		return refuse(fmt.Sprintf("has a name that is too long for a user variable: the maximum is %d letters", longestName))
	}
	switch v := value.(type) {
	case nil:
		return "NULL", nil
	case string:
		if !utf8.ValidString(v) {
			return refuse("is a string that is not UTF-8: use []byte")
		}
		return literalText(v), nil
	case []byte:
		return "_binary X'" + hex.EncodeToString(v) + "'", nil
	case bool:
		if v {
			return literalText("1"), nil
		}
		return literalText("0"), nil
	case int:
		return literalText(strconv.Itoa(v)), nil
	case int64:
		return literalText(strconv.FormatInt(v, 10)), nil
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return refuse("is a float64 that is not a finite number")
		}
		return literalText(strconv.FormatFloat(v, 'g', -1, 64)), nil
	}
	return refuse(fmt.Sprintf("is a %T: it can be nil, a string, []byte, bool, int, int64 or float64", value))
}

// apply changes the session, in one statement.
func (s *settings) apply(ctx context.Context, conn *sql.Conn) error {
	return assign(ctx, conn, s.change)
}

// revert undoes the change, in one statement.
func (s *settings) revert(ctx context.Context, conn *sql.Conn) error {
	return assign(ctx, conn, s.undo)
}

func assign(ctx context.Context, conn *sql.Conn, assignments []string) error {
	if len(assignments) == 0 {
		return nil
	}
	_, err := conn.ExecContext(ctx, "SET "+strings.Join(assignments, ", "))
	return masked(err)
}

// masked removes the text from the server's error about a SET, because it may
// quote a value.
func masked(err error) error {
	var refused *mysql.MySQLError
	if !errors.As(err, &refused) {
		return err
	}
	number := &mysql.MySQLError{Number: refused.Number, SQLState: refused.SQLState}
	if e := classify(number); e.Kind != sqldb.ErrExecution {
		return e
	}
	return failure.Wrap(sqldb.ErrArgument,
		fmt.Sprintf("the server refused the session's settings (its error %d)", refused.Number), number)
}

// setRole sets the role of the session. A role with the name NONE cannot be
// set, because SET ROLE NONE means no role.
func setRole(ctx context.Context, conn *sql.Conn, role string) error {
	if strings.EqualFold(role, "NONE") {
		return failure.New(sqldb.ErrArgument, "the session's role is NONE: leave it empty for no role")
	}
	_, err := conn.ExecContext(ctx, "SET ROLE "+quote(role))
	if refused, ok := errors.AsType[*mysql.MySQLError](err); ok && classify(refused).Kind == sqldb.ErrExecution {
		return failure.Wrap(sqldb.ErrArgument, "the server refused the session's role: grant it to the account", err)
	}
	return err
}
