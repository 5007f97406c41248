package integration_test

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5"

	"github.com/qedkit/qed/integration"
	"github.com/qedkit/qed/internal/poll"
	"github.com/qedkit/qed/retry"
	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/store/sqlstore"
	"github.com/qedkit/qed/store/storetest"
)

// storeEngines are the engines of package sqlstore. create makes an empty database
// whose encoding cannot hold every text. It returns a function that opens a pool
// on the database, as each process would, with one of the settings or with "".
var storeEngines = []struct {
	name     string
	dialect  sqlstore.Dialect
	settings []string
	create   func(t *testing.T) (pool func(setting string) *sql.DB)
}{
	{"SQLite", sqlstore.SQLite, nil, func(t *testing.T) func(string) *sql.DB {
		path := filepath.Join(t.TempDir(), "conversations.db")
		return func(string) *sql.DB {
			db, err := sql.Open("sqlite", "file:"+path+
				"?_pragma=busy_timeout(5000)&_pragma=journal_mode(wal)&_pragma=synchronous(normal)")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { db.Close() })
			return db
		}
	}},
	{"MariaDB", sqlstore.MySQL, []string{"unprepared", "serializable"}, func(t *testing.T) func(string) *sql.DB {
		return mariaStores(t, integration.MariaDB(t))
	}},
	{"PostgreSQL", sqlstore.PostgreSQL, []string{"unprepared", "serializable"}, func(t *testing.T) func(string) *sql.DB {
		return postgresStores(t, integration.PostgreSQL(t))
	}},
}

func mariaStores(t testing.TB, server *mysql.Config) func(setting string) *sql.DB {
	name := fmt.Sprintf("sqlstore_%d", rand.Uint32())
	admin := connect(t, server)
	mustExec(t, admin, "CREATE DATABASE "+name+" CHARACTER SET latin1 COLLATE latin1_swedish_ci")
	t.Cleanup(func() { admin.Exec("DROP DATABASE " + name) })
	return func(setting string) *sql.DB {
		config := server.Clone()
		config.DBName = name
		config.Logger = &mysql.NopLogger{}
		switch setting {
		case "unprepared":
			config.InterpolateParams, config.ClientFoundRows = true, true
		case "read timeout":
			config.ReadTimeout = 3 * time.Second // the driver does not end a commit with a context
		case "serializable":
			config.Params = map[string]string{"tx_isolation": "'SERIALIZABLE'", "sql_mode": "''"}
		}
		return connect(t, config)
	}
}

func postgresStores(t testing.TB, server *pgx.ConnConfig) func(setting string) *sql.DB {
	name := fmt.Sprintf("sqlstore_%d", rand.Uint32())
	admin := openPGX(t, server)
	mustExec(t, admin, "CREATE DATABASE "+name+" TEMPLATE template0 ENCODING SQL_ASCII LOCALE 'C'")
	t.Cleanup(func() { admin.Exec("DROP DATABASE " + name + " WITH (FORCE)") })
	return func(setting string) *sql.DB {
		config := server.Copy()
		config.Database = name
		switch setting {
		case "unprepared": // as needed with a connection pooler
			config.DefaultQueryExecMode = pgx.QueryExecModeExec
		case "serializable":
			config.RuntimeParams["default_transaction_isolation"] = "serializable"
		}
		return openPGX(t, config)
	}
}

// noRetry repeats nothing, and shortWaits repeats without waiting long.
var (
	noRetry    = retry.Policy{Attempts: 1}
	shortWaits = retry.Policy{Wait: time.Millisecond}
)

func newStore(t *testing.T, db *sql.DB, d sqlstore.Dialect, opt *sqlstore.Options) *sqlstore.Store {
	t.Helper()
	s, err := sqlstore.New(t.Context(), db, d, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		idle(t, db)
	})
	return s
}

// idle fails if a connection stays in use. After a context ended in a transaction,
// the pool needs a moment to roll it back.
func idle(t *testing.T, db *sql.DB) {
	t.Helper()
	poll.Until(t, "no connection is in use", func() bool { return db.Stats().InUse == 0 })
}

func TestSQLStore(t *testing.T) {
	for _, e := range storeEngines {
		t.Run(e.name, func(t *testing.T) {
			pool := e.create(t)
			run := func(name, setting string, connections int) {
				t.Run(name, func(t *testing.T) {
					db := pool(setting)
					db.SetMaxOpenConns(connections)
					s := newStore(t, db, e.dialect, nil)
					storetest.Run(t, func(*testing.T) store.Store { return s })
				})
			}
			run("one connection", "", 1)
			run("several connections", "", 4)
			for _, setting := range e.settings {
				run(setting, setting, 4)
			}
		})
	}
}
