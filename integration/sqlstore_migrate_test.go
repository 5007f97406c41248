package integration_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/qedkit/qed/integration"
	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/store/sqlstore"
)

// Several processes start at once with an empty database.
func TestSQLStoreMigrateAtOnce(t *testing.T) {
	for _, e := range storeEngines {
		t.Run(e.name, func(t *testing.T) {
			pool := e.create(t)
			var group sync.WaitGroup
			for range 6 {
				db := pool("")
				group.Go(func() {
					s, err := sqlstore.New(t.Context(), db, e.dialect, nil)
					if err != nil {
						t.Error(err)
						return
					}
					if _, err := lastOf(t.Context(), s, "thread"); err != nil {
						t.Error(err)
					}
					s.Close()
				})
			}
			group.Wait()
			s := newStore(t, pool(""), e.dialect, nil)
			if err := s.Append(t.Context(), "thread", 0, entry(0, 0)); err != nil {
				t.Error(err)
			}
			var versions int
			err := pool("").QueryRow("SELECT count(*) FROM qed_schema").Scan(&versions)
			if err != nil || versions != 2 {
				t.Errorf("%d rows of versions, %v, want 2", versions, err)
			}
		})
	}
}

// A migration that was interrupted anywhere is completed by the next start.
func TestSQLStoreMigrateAgain(t *testing.T) {
	for _, e := range storeEngines {
		t.Run(e.name, func(t *testing.T) {
			db := e.create(t)("")
			newStore(t, db, e.dialect, nil)
			for _, lost := range []string{"DELETE FROM qed_schema", "DROP TABLE qed_schema", "DROP TABLE qed_records"} {
				mustExec(t, db, lost)
				if lost == "DROP TABLE qed_records" {
					mustExec(t, db, "DELETE FROM qed_schema")
				}
				s := newStore(t, db, e.dialect, nil)
				if err := s.Append(t.Context(), lost, 0, entry(0, 0)); err != nil {
					t.Errorf("after %s: %v", lost, err)
				}
			}
		})
	}
}

// Tables of a newer version are refused and not changed.
func TestSQLStoreNewerSchema(t *testing.T) {
	for _, e := range storeEngines {
		t.Run(e.name, func(t *testing.T) {
			db := e.create(t)("")
			newStore(t, db, e.dialect, nil)
			mustExec(t, db, "INSERT INTO qed_schema (version) VALUES (1000)")
			s, err := sqlstore.New(t.Context(), db, e.dialect, nil)
			if !errors.Is(err, sqlstore.ErrNewerSchema) || s != nil {
				t.Errorf("got %v, %v, want ErrNewerSchema", s, err)
			}
			idle(t, db)
			mustExec(t, db, "DELETE FROM qed_schema WHERE version = 1000")
			newStore(t, db, e.dialect, nil)
		})
	}
}

// Two stores in one database with different prefixes are independent.
func TestSQLStorePrefix(t *testing.T) {
	for _, e := range storeEngines {
		t.Run(e.name, func(t *testing.T) {
			db := e.create(t)("")
			one := newStore(t, db, e.dialect, &sqlstore.Options{TablePrefix: "one_"})
			two := newStore(t, db, e.dialect, &sqlstore.Options{TablePrefix: "two_"})
			for n, s := range []*sqlstore.Store{one, two} {
				if err := s.Append(t.Context(), "thread", 0, entry(n, n)); err != nil {
					t.Error(err)
				}
			}
			if err := one.Delete(t.Context(), "thread"); err != nil {
				t.Error(err)
			}
			if last, err := lastOf(t.Context(), two, "thread"); last != 1 || err != nil {
				t.Errorf("the thread of the other store ends at %d, %v", last, err)
			}
		})
	}
}

// If the tables are up to date, an account needs only to read and write them.
func TestSQLStoreAccount(t *testing.T) {
	check := func(t *testing.T, db *sql.DB, d sqlstore.Dialect) {
		t.Helper()
		s := newStore(t, db, d, nil)
		err := s.Append(t.Context(), "thread", 0, entry(0, 0))
		if err == nil {
			err = s.Append(t.Context(), "thread", 1, entry(0, 1))
		}
		if err == nil {
			err = s.Trim(t.Context(), "thread", 2, store.Message)
		}
		if last, failed := lastOf(t.Context(), s, "thread"); last != 2 {
			err = errors.Join(err, failed, fmt.Errorf("the thread ends at %d, want 2", last))
		}
		if err == nil {
			err = s.Delete(t.Context(), "thread")
		}
		if err != nil {
			t.Error(err)
		}
	}
	t.Run("MariaDB", func(t *testing.T) {
		config := integration.MariaDB(t)
		admin := mariaStores(t, config)("")
		newStore(t, admin, sqlstore.MySQL, nil)
		var name string
		if err := admin.QueryRow("SELECT database()").Scan(&name); err != nil {
			t.Fatal(err)
		}
		mustExec(t, admin, "CREATE USER "+name)
		t.Cleanup(func() { admin.Exec("DROP USER " + name) })
		for _, table := range []string{"qed_threads", "qed_headers", "qed_records"} {
			mustExec(t, admin, "GRANT SELECT, INSERT, UPDATE, DELETE ON "+table+" TO "+name)
		}
		mustExec(t, admin, "GRANT SELECT ON qed_schema TO "+name)
		config.User, config.DBName = name, name
		check(t, connect(t, config), sqlstore.MySQL)
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		config := integration.PostgreSQL(t)
		admin := postgresStores(t, config)("")
		newStore(t, admin, sqlstore.PostgreSQL, nil)
		var name string
		if err := admin.QueryRow("SELECT current_database()").Scan(&name); err != nil {
			t.Fatal(err)
		}
		mustExec(t, admin, "CREATE ROLE "+name+" LOGIN")
		t.Cleanup(func() { admin.Exec("DROP OWNED BY " + name + "; DROP ROLE " + name) })
		mustExec(t, admin, "REVOKE CREATE ON SCHEMA public FROM PUBLIC")
		mustExec(t, admin, "GRANT SELECT, INSERT, UPDATE, DELETE ON qed_threads, qed_headers, qed_records TO "+name)
		mustExec(t, admin, "GRANT SELECT ON qed_schema TO "+name)
		config.User, config.Database = name, name
		check(t, openPGX(t, config), sqlstore.PostgreSQL)
	})
}

// A store does not change the settings of a pool's sessions and leaves no lock.
func TestSQLStoreSessions(t *testing.T) {
	for _, e := range storeEngines {
		t.Run(e.name, func(t *testing.T) {
			db := e.create(t)("")
			db.SetMaxOpenConns(1)
			var question string
			switch e.dialect {
			case sqlstore.SQLite:
				question = `SELECT (SELECT journal_mode FROM pragma_journal_mode)
					|| (SELECT timeout FROM pragma_busy_timeout) || (SELECT synchronous FROM pragma_synchronous)`
			case sqlstore.MySQL:
				question = `SELECT concat_ws(' ', @@autocommit, @@tx_isolation, @@sql_mode, @@character_set_client,
					@@in_transaction, is_free_lock('qed_migration'))`
			case sqlstore.PostgreSQL:
				question = `SELECT (SELECT string_agg(name || setting, ' ' ORDER BY name) FROM pg_settings)
					|| (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory')`
			}
			ask := func() (answer string) {
				t.Helper()
				if err := db.QueryRow(question).Scan(&answer); err != nil {
					t.Fatal(err)
				}
				return answer
			}
			before := ask()
			s := newStore(t, db, e.dialect, nil)
			for after := range int64(3) {
				if err := s.Append(t.Context(), "thread", after, entry(0, 0)); err != nil {
					t.Error(err)
				}
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			for range s.Records(ctx, "thread", store.Range{}) {
				cancel()
			}
			if _, err := s.Sweep(t.Context(), time.Hour, time.Hour); err != nil {
				t.Error(err)
			}
			if after := ask(); after != before {
				t.Errorf("the session was %q and is %q", before, after)
			}
		})
	}
}

// version1 are the tables of the first version, with a thread.
var version1 = map[sqlstore.Dialect][]string{
	sqlstore.SQLite: {
		`CREATE TABLE qed_threads (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE) STRICT`,
		`CREATE TABLE qed_records (place INTEGER PRIMARY KEY, written INTEGER NOT NULL, kind TEXT NOT NULL,
			run INTEGER NOT NULL, address TEXT NOT NULL, data BLOB) STRICT`,
		`INSERT INTO qed_threads VALUES (1, 'old')`,
		`INSERT INTO qed_records VALUES (1 << 32 | 1, 1000, 'began', 1, '', NULL),
			(1 << 32 | 2, 1000, 'memory', 1, 'memory/a', CAST('7' AS BLOB))`,
	},
	sqlstore.MySQL: {
		`CREATE TABLE qed_threads (id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, name VARBINARY(256) NOT NULL,
			head BIGINT NOT NULL, written BIGINT NOT NULL, writer BIGINT NOT NULL, UNIQUE KEY (name)) ENGINE=InnoDB`,
		`CREATE TABLE qed_records (thread BIGINT NOT NULL, seq BIGINT NOT NULL, written BIGINT NOT NULL,
			kind VARBINARY(32) NOT NULL, run BIGINT NOT NULL, address VARBINARY(1000) NOT NULL, data LONGBLOB,
			PRIMARY KEY (thread, seq)) ENGINE=InnoDB`,
		`INSERT INTO qed_threads VALUES (1, 'old', 2, 1000, 5)`,
		`INSERT INTO qed_records VALUES (1, 1, 1000, 'began', 1, '', NULL), (1, 2, 1000, 'memory', 1, 'memory/a', '7')`,
	},
	sqlstore.PostgreSQL: {
		`CREATE TABLE qed_threads (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name bytea NOT NULL UNIQUE,
			head bigint NOT NULL, written bigint NOT NULL, writer bigint NOT NULL) WITH (fillfactor = 80)`,
		`CREATE TABLE qed_records (thread bigint NOT NULL, seq bigint NOT NULL, written bigint NOT NULL,
			kind bytea NOT NULL, run bigint NOT NULL, address bytea NOT NULL, data bytea, PRIMARY KEY (thread, seq))`,
		`INSERT INTO qed_threads (name, head, written, writer) VALUES ('old', 2, 1000, 5)`,
		`INSERT INTO qed_records VALUES (1, 1, 1000, 'began', 1, '', NULL), (1, 2, 1000, 'memory', 1, 'memory/a', '7')`,
	},
}

// Tables of the first version are migrated, by several processes at once. What
// they have can be read and continued, and no sweep deletes it.
func TestSQLStoreMigrateVersion1(t *testing.T) {
	for _, e := range storeEngines {
		t.Run(e.name, func(t *testing.T) {
			pool := e.create(t)
			db := pool("")
			mustExec(t, db, "CREATE TABLE qed_schema (version BIGINT NOT NULL PRIMARY KEY)")
			mustExec(t, db, "INSERT INTO qed_schema VALUES (1)")
			for _, statement := range version1[e.dialect] {
				mustExec(t, db, statement)
			}
			var group sync.WaitGroup
			for range 4 {
				group.Go(func() {
					s, err := sqlstore.New(t.Context(), pool(""), e.dialect, nil)
					if err != nil {
						t.Error(err)
						return
					}
					s.Close()
				})
			}
			group.Wait()
			s := newStore(t, db, e.dialect, nil)
			for _, r := range []store.Range{
				{Under: "memory"}, {Address: "memory/a"}, {Kinds: []store.Kind{store.Memory}}, {From: 2},
			} {
				n := 0
				for rec, err := range s.Records(t.Context(), "old", r) {
					if n++; err != nil || string(rec.Data) != "7" || rec.Seq != 2 {
						t.Errorf("%+v: %+v, %v", r, rec, err)
					}
				}
				if n != 1 {
					t.Errorf("%+v: %d records, want 1", r, n)
				}
			}
			if n, err := s.Sweep(t.Context(), time.Nanosecond, time.Nanosecond); n != 0 || err != nil {
				t.Errorf("a sweep deleted %d threads without a header, %v", n, err)
			}
			next := entry(0, 3)
			next.Header = &store.Header{User: "ann", Status: store.StatusAnswered}
			if err := s.Append(t.Context(), "old", 2, next); err != nil {
				t.Fatal(err)
			}
			if got := listed(t, s); len(got) != 1 || got[0] != "old" {
				t.Errorf("the list is %q", got)
			}
			if err := s.Delete(t.Context(), "old"); err != nil {
				t.Error(err)
			}
			empty(t, db)
		})
	}
}
