package integration_test

import (
	"database/sql"
	"testing"

	"github.com/qedkit/qed/integration"
	"github.com/qedkit/qed/internal/qedtest"
	"github.com/qedkit/qed/store/sqlstore"
)

// turnsOn measures turns in a store with a pool of 20 connections. See
// [qedtest.BenchmarkTurns].
func turnsOn(b *testing.B, db *sql.DB, d sqlstore.Dialect, atOnce int) {
	db.SetMaxOpenConns(20)
	db.SetMaxIdleConns(20)
	s, err := sqlstore.New(b.Context(), db, d, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	qedtest.BenchmarkTurns(b, s, atOnce)
}

// postgresDisk opens a database whose commits wait for the disk.
func postgresDisk(b *testing.B) *sql.DB {
	server := integration.PostgreSQLOwn(b, "fsync=on", "full_page_writes=on", "shared_buffers=256MB")
	return postgresStores(b, server.Config())("")
}

// mariaDisk opens a database whose commits wait for the disk.
func mariaDisk(b *testing.B) *sql.DB { return mariaStores(b, integration.MariaDBOwn(b).Config())("") }

func BenchmarkTurns200Postgres(b *testing.B) { turnsOn(b, postgresDisk(b), sqlstore.PostgreSQL, 200) }
func BenchmarkTurns1Postgres(b *testing.B)   { turnsOn(b, postgresDisk(b), sqlstore.PostgreSQL, 1) }
func BenchmarkTurns200MariaDB(b *testing.B)  { turnsOn(b, mariaDisk(b), sqlstore.MySQL, 200) }
func BenchmarkTurns1MariaDB(b *testing.B)    { turnsOn(b, mariaDisk(b), sqlstore.MySQL, 1) }
