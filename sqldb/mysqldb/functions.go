package mysqldb

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	"github.com/qedkit/qed/internal/failure"
	"github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/sqldb"
)

// ForServer returns the dialect for the version of the server. If the database has a stored
// routine with the name of a function that only some servers have, it returns d: with the
// version, every statement would be refused.
func (*engine) ForServer(ctx context.Context, conn *sql.Conn, d dialect.Dialect) (dialect.Dialect, error) {
	versions, ok := d.(interface {
		OfServer(version string) dialect.Dialect
	})
	if !ok {
		return d, nil
	}
	_, rows, err := scan(ctx, conn, "SELECT VERSION()")
	if err != nil {
		return nil, err
	}
	own := versions.OfServer(rows[0][0])
	err = checkFunctions(ctx, conn, poolVersion{version: rows[0][0], dialect: own})
	if errors.Is(err, sqldb.ErrDenied) {
		return d, nil
	}
	return own, err
}

// Functions returns the functions of the dialect, of which only MariaDB has MEDIAN, and
// "member of" if the server has that operator. The servers have no list of their functions.
func (*engine) Functions(ctx context.Context, conn *sql.Conn, d dialect.Dialect) (map[string]bool, error) {
	_, rows, err := scan(ctx, conn, "SELECT VERSION()")
	if err != nil {
		return nil, err
	}
	has := map[string]bool{}
	for name := range d.Bounds().Functions {
		has[name] = d.Safe(name)
	}
	has["median"] = strings.Contains(strings.ToLower(rows[0][0]), "mariadb")
	has["member of"] = !has["median"]
	return has, nil
}

// checkFunctions returns an error if a statement of the dialect could call a stored
// function of the database instead of one of the server: the server's version is
// not the dialect's, or a stored function has the name of a function that only some
// servers have. The server compares the names, as in a call.
func checkFunctions(ctx context.Context, conn *sql.Conn, key poolVersion) error {
	d, ok := key.dialect.(interface {
		ServerFunctions(version string) ([]string, error)
	})
	if !ok {
		return nil
	}
	names, err := d.ServerFunctions(key.version)
	if err != nil {
		return failure.Wrap(sqldb.ErrArgument, "the guard's dialect is for another server: "+err.Error(), err)
	}
	if len(names) == 0 {
		return nil
	}
	for i, name := range names {
		names[i] = literalText(name)
	}
	_, stored, err := scan(ctx, conn, "SELECT ROUTINE_NAME FROM information_schema.ROUTINES"+
		" WHERE ROUTINE_SCHEMA = DATABASE() AND ROUTINE_NAME IN ("+strings.Join(names, ", ")+")")
	if err == nil && len(stored) > 0 {
		err = failure.Newf(sqldb.ErrDenied, "the database has a stored routine %s, which has the name of a "+
			"function of the server: rename the routine", stored[0][0])
	}
	return err
}
