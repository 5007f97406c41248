// Package servers makes the URLs of MySQL, MariaDB and PostgreSQL known to package
// database. A program imports it for this effect, as it would import a driver.
package servers

import (
	"database/sql"
	"fmt"
	"time"

	"github.com/qedkit/qed/internal/command/database"
)

func init() {
	database.Register("mysql", parseMySQL)
	database.Register("mariadb", parseMySQL)
	database.Register("postgres", parsePostgres)
	database.Register("postgresql", parsePostgres)
}

// The limits of a pool: up to 15 connections under load, of which 5 stay open, each
// for at most an hour, so that connections to a replaced server end.
const (
	maxOpen     = 15
	maxIdle     = 5
	maxLifetime = time.Hour
)

// limited sets the limits of a pool. sqldb keeps them as long as
// sqldb.Options.MaxOpenConns is 0.
func limited(pool *sql.DB) *sql.DB {
	pool.SetMaxOpenConns(maxOpen)
	pool.SetMaxIdleConns(maxIdle)
	pool.SetConnMaxLifetime(maxLifetime)
	return pool
}

// at returns the name that a user sees of a server's database.
func at(server, name, address, user string) string {
	if user == "" {
		return fmt.Sprintf("%s: %s at %s", server, name, address)
	}
	return fmt.Sprintf("%s: %s at %s, as %s", server, name, address, user)
}
