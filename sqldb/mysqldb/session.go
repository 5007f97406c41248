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

	"github.com/qedkit/qed/sqldb"
)

// session is the settings of one reading: with a time limit, unless it is 0, and
// with what EXPLAIN needs, if it is to be asked.
func (s *server) session(wanted *sqldb.Session, limit time.Duration, explain bool) (*settings, error) {
	if len(wanted.SearchPath) > 0 {
		return nil, &sqldb.Error{Kind: sqldb.ErrArgument, Message: "the session has a search path, and this server knows none"}
	}
	set := &settings{slices.Clip(s.always.change), slices.Clip(s.always.back)}
	if limit > 0 {
		set.change = append(set.change, s.timeLimit(limit).String())
		set.back = append(set.back, s.limit.String())
	}
	if explain {
		set.change = append(set.change, s.telling.change...)
		set.back = append(set.back, s.telling.back...)
	}
	for _, name := range slices.Sorted(maps.Keys(wanted.Settings)) {
		value, err := literal(name, wanted.Settings[name])
		if err != nil {
			return nil, err
		}
		set.change = append(set.change, "@"+quote(name)+" = "+value)
		set.back = append(set.back, "@"+quote(name)+" = NULL")
	}
	return set, nil
}

func (s *server) timeLimit(limit time.Duration) variable {
	limit = max(limit, time.Millisecond) // 0 would be none
	if s.mariaDB {
		return variable{s.limit.name, strconv.FormatFloat(limit.Seconds(), 'f', 3, 64)}
	}
	return variable{s.limit.name, strconv.FormatInt(limit.Milliseconds(), 10)}
}

// longestName is what a server allows for the name of a user variable.
const longestName = 64

// literal prints a value so that no setting of the session and no byte of the
// value can make anything else of it. Numbers are texts too: in MySQL, a stored
// function takes a variable to the end of a connection for the type that it had
// at its first call there, and then '1abc' for 1.
func literal(name string, value any) (string, error) {
	refuse := func(why string) (string, error) {
		return "", &sqldb.Error{Kind: sqldb.ErrArgument, Message: fmt.Sprintf("the session's setting %s %s", name, why)}
	}
	if len(name) > longestName {
		return refuse(fmt.Sprintf("has a name that is too long for a user variable: %d letters are the most", longestName))
	}
	switch v := value.(type) {
	case nil:
		return "NULL", nil
	case string:
		if !utf8.ValidString(v) {
			return refuse("is a string that is not UTF-8: give it as []byte")
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
			return refuse("is a float64 that is no number")
		}
		return literalText(strconv.FormatFloat(v, 'g', -1, 64)), nil
	}
	return refuse(fmt.Sprintf("is a %T: it can be nil, a string, []byte, bool, int, int64 or float64", value))
}

// enter changes the session, in one statement.
func (s *settings) enter(ctx context.Context, conn *sql.Conn) error {
	return assign(ctx, conn, s.change)
}

// leave changes it back, in one statement.
func (s *settings) leave(ctx context.Context, conn *sql.Conn) error {
	return assign(ctx, conn, s.back)
}

func assign(ctx context.Context, conn *sql.Conn, assignments []string) error {
	if len(assignments) == 0 {
		return nil
	}
	_, err := conn.ExecContext(ctx, "SET "+strings.Join(assignments, ", "))
	return masked(err)
}

// masked takes the text away from what a server says about a SET: it may quote a
// value.
func masked(err error) error {
	var refused *mysql.MySQLError
	if !errors.As(err, &refused) {
		return err
	}
	number := &mysql.MySQLError{Number: refused.Number, SQLState: refused.SQLState}
	if e := classify(number); e.Kind != sqldb.ErrExecution {
		return e
	}
	return &sqldb.Error{Kind: sqldb.ErrArgument, Message: fmt.Sprintf("the server refused the session's settings (its error %d)", refused.Number), Err: number}
}

// setRole takes on a role. No statement names NONE in another way than a role, so
// that one cannot be had.
func setRole(ctx context.Context, conn *sql.Conn, role string) error {
	if strings.EqualFold(role, "NONE") {
		return &sqldb.Error{Kind: sqldb.ErrArgument, Message: "the session's role is NONE, which is no role: leave it empty"}
	}
	_, err := conn.ExecContext(ctx, "SET ROLE "+quote(role))
	var refused *mysql.MySQLError
	if errors.As(err, &refused) && classify(refused).Kind == sqldb.ErrExecution {
		return &sqldb.Error{Kind: sqldb.ErrArgument, Message: "the server refused the session's role: it has to be granted to the account", Err: err}
	}
	return err
}
