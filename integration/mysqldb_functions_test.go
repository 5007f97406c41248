package integration_test

import (
	"errors"
	"strings"
	"testing"

	driver "github.com/go-sql-driver/mysql"

	"github.com/qedkit/qed/integration"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/mysql"
	"github.com/qedkit/qed/sqldb"
)

// mysqlServers are the servers of both brands.
var mysqlServers = map[string]func(testing.TB) *driver.Config{"MariaDB": integration.MariaDB, "MySQL": integration.MySQL}

// A stored function that is named like a safe function of another brand or version
// is not called: not by a dialect without a version, nor by one with the wrong
// version, nor by one with the right one if the server disagrees.
func TestMySQLDBStoredFunctions(t *testing.T) {
	for brand, start := range mysqlServers {
		t.Run(brand, func(t *testing.T) {
			server := start(t)
			name, other, native := "any_value", "8.4", "nvl"
			if brand == "MySQL" {
				name, other, native = "nvl", "10.11-MariaDB", "any_value"
			}
			m := newMaria(t, server, "mysqldb_functions_"+strings.ToLower(brand), "CREATE TABLE t (n INT); INSERT INTO t VALUES (1); CREATE TABLE secret (s TEXT); INSERT INTO secret VALUES ('hidden');"+
				"CREATE FUNCTION `"+name+"`(x INT) RETURNS TEXT READS SQL DATA RETURN (SELECT s FROM secret LIMIT 1);")
			m.grant(t, "SELECT ON t")
			m.grant(t, "EXECUTE ON FUNCTION "+mysqlDialect.Quote(name))
			db := m.open(t, nil)
			var version string
			if err := m.admin.QueryRow("SELECT VERSION()").Scan(&version); err != nil {
				t.Fatal(err)
			}
			query := func(version, call string) error {
				guard, err := secureview.New(&secureview.Policy{Schema: m.name, Tables: map[string][]string{"t": {"n"}}}, mysql.Dialect{Version: version})
				if err != nil {
					t.Fatal(err)
				}
				stmt, err := guard.Rewrite(t.Context(), "SELECT "+call+" AS v FROM t")
				if err != nil {
					return err
				}
				_, err = db.Query(t.Context(), stmt)
				return err
			}
			for _, v := range []string{"", version} {
				if err := query(v, name+"(n)"); !errors.Is(err, secureview.ErrFunction) {
					t.Errorf("%s() with version %q: %v", name, v, err)
				}
			}
			if err := query(other, name+"(n)"); !errors.Is(err, sqldb.ErrArgument) {
				t.Errorf("%s() with version %s: %v", name, other, err)
			}
			for _, v := range []string{"", version} {
				if err := query(v, "max(n)"); err != nil {
					t.Errorf("max() with version %q: %v", v, err)
				}
			}
			args := map[string]string{"any_value": "any_value(n)", "nvl": "nvl(n, 0)"}[native]
			if err := query(version, args); err != nil {
				t.Errorf("%s: %v", args, err)
			}
			mariaExec(t, m.admin, "CREATE FUNCTION `"+native+"`(x INT) RETURNS TEXT READS SQL DATA RETURN (SELECT s FROM secret LIMIT 1)")
			m.grant(t, "EXECUTE ON FUNCTION "+mysqlDialect.Quote(native))
			db = m.open(t, nil)
			if err := query(version, args); !errors.Is(err, sqldb.ErrDenied) {
				t.Errorf("%s with a stored function of that name: %v", args, err)
			}
			if err := query("", "max(n)"); err != nil {
				t.Errorf("max() without a version: %v", err)
			}
		})
	}
}

// The server itself has every function that its dialect calls safe.
func TestMySQLDBNativeFunctions(t *testing.T) {
	for brand, start := range mysqlServers {
		t.Run(brand, func(t *testing.T) {
			m := newMaria(t, start(t), "mysqldb_native_"+strings.ToLower(brand), "")
			var version string
			if err := m.admin.QueryRow("SELECT VERSION()").Scan(&version); err != nil {
				t.Fatal(err)
			}
			found := 0
			for _, call := range mysqlCallNames() {
				for _, v := range []string{"", version} {
					if !(mysql.Dialect{Version: v}).Safe(call) {
						continue
					}
					found++
					// A function of the server has another error for a call
					// without arguments, or none.
					stmt, err := m.admin.Prepare("SELECT " + call + "()")
					var refused *driver.MySQLError
					if errors.As(err, &refused) && refused.Number == 1305 {
						t.Errorf("%s() is safe with version %q: %v", call, v, err)
					}
					if err == nil {
						stmt.Close()
					}
				}
			}
			if found < 100 {
				t.Errorf("%d functions", found)
			}
		})
	}
}

// mysqlCallNames returns the names of the functions that the generator calls, in
// lower case.
func mysqlCallNames() []string {
	var names []string
	for _, list := range [][]string{mysqlCalls, mysqlAggregates, mysqlWindows} {
		for _, call := range list {
			name, _, _ := strings.Cut(call, "(")
			names = append(names, strings.ToLower(name))
		}
	}
	return names
}

// A guard of a database knows the functions of the server's version, unless the database
// has a routine with the name of one.
func TestMySQLDBGuardOfServer(t *testing.T) {
	for brand, start := range mysqlServers {
		t.Run(brand, func(t *testing.T) {
			own, other := []string{"nvl(n, 0)", "md5(n)", "chr(65)"}, "any_value(n)"
			if brand == "MySQL" {
				own, other = []string{"any_value(n)", "is_uuid(n)", "regexp_like(n, '1')"}, "nvl(n, 0)"
			}
			m := newMaria(t, start(t), "mysqldb_guard_"+strings.ToLower(brand), "CREATE TABLE t (n INT); INSERT INTO t VALUES (1);")
			m.grant(t, "SELECT ON t")
			query := func(d mysql.Dialect, call string) error {
				db := m.open(t, nil)
				guard, err := db.Guard(t.Context(), &secureview.Policy{Schema: m.name, Tables: map[string][]string{"t": {"n"}}}, d)
				if err != nil {
					t.Fatal(err)
				}
				_, err = db.QueryText(t.Context(), guard, "SELECT "+call+" AS v FROM t")
				return err
			}
			for _, call := range own {
				if err := query(mysql.Dialect{}, call); err != nil {
					t.Errorf("%s: %v", call, err)
				}
			}
			if err := query(mysql.Dialect{}, other); !errors.Is(err, secureview.ErrFunction) {
				t.Errorf("%s: %v", other, err)
			}
			native, _, _ := strings.Cut(own[0], "(")
			mariaExec(t, m.admin, "CREATE FUNCTION `"+native+"`(x INT) RETURNS INT DETERMINISTIC RETURN 7")
			m.grant(t, "EXECUTE ON FUNCTION "+mysqlDialect.Quote(native))
			if err := query(mysql.Dialect{}, own[0]); !errors.Is(err, secureview.ErrFunction) {
				t.Errorf("%s next to a stored function: %v", own[0], err)
			}
			if err := query(mysql.Dialect{}, "max(n)"); err != nil {
				t.Errorf("max next to a stored function: %v", err)
			}
		})
	}
}
