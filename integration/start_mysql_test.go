package integration

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/go-sql-driver/mysql"
)

// MySQL starts the shared MySQL server, unless it runs already, and returns how its
// administrator connects. It is the server of QED_MYSQL, a directory with
// usr/sbin/mysqld or bin/mysqld, or else the one that .ci/engines unpacks. MariaDB
// has a program of the same name, so PATH is not searched.
func MySQL(tb testing.TB) *mysql.Config {
	tb.Helper()
	command := mySQLProgram(tb)
	mySQLOnce.Do(func() {
		if mySQLShared, mySQLErr = startMySQL(command); mySQLErr == nil {
			running.add(mySQLShared.remove)
		}
	})
	if mySQLErr != nil {
		tb.Fatalf("mysql: %v", mySQLErr)
	}
	return mySQLShared.Config()
}

// MySQLOwn starts a MySQL server for one test, which may kill it and start it again, with
// further options.
func MySQLOwn(tb testing.TB, options ...string) *MariaDBServer {
	tb.Helper()
	s, err := startMySQL(mySQLProgram(tb), options...)
	if err != nil {
		tb.Fatalf("mysql: %v", err)
	}
	tb.Cleanup(s.remove)
	return s
}

func mySQLProgram(tb testing.TB) []string {
	tb.Helper()
	dir := os.Getenv("QED_MYSQL")
	if dir == "" {
		dir = cached("mysql-9.7")
	}
	command, err := mySQLCommand(dir)
	if err != nil {
		missing(tb, "mysql", err, ".ci/engines")
	}
	return command
}

var (
	mySQLOnce   sync.Once
	mySQLShared *MariaDBServer
	mySQLErr    error
)

// mySQLCommand returns the command that runs the server of a directory, with the
// options that find its files.
func mySQLCommand(dir string) ([]string, error) {
	for _, base := range []string{dir, filepath.Join(dir, "usr")} {
		for _, sub := range []string{"sbin", "bin"} {
			server := filepath.Join(base, sub, "mysqld")
			if _, err := os.Stat(server); err != nil {
				continue
			}
			var command []string
			loader := filepath.Join(base, "lib64", "ld-linux-x86-64.so.2")
			if _, err := os.Stat(loader); err == nil {
				command = []string{loader, "--library-path", filepath.Join(base, "lib", "x86_64-linux-gnu")}
			}
			return append(command, server, "--no-defaults", "--basedir="+base, "--lc-messages-dir="+filepath.Join(base, "share", "mysql"),
				"--plugin-dir="+filepath.Join(base, "lib", "mysql", "plugin"), "--secure-file-priv=NULL", "--mysqlx=OFF"), nil
		}
	}
	return nil, fmt.Errorf("%s has no mysqld", dir)
}

func startMySQL(command []string, options ...string) (*MariaDBServer, error) {
	common := slices.Concat(command[1:], []string{"--lower-case-table-names=1"}, options)
	return startServer(command[0], common, []string{command[0], "--initialize-insecure"})
}
