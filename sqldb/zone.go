package sqldb

import (
	"context"
	"database/sql"
)

// Zone returns the time zone in which statements run, as [Options.Zone] names it.
// Without that option it is the zone that the database gave to the connection of the
// first call: all later statements run in it, also on other replicas and if the
// database's setting changes.
//
// It is empty if the database has no time zones, as SQLite, or if the zone of the
// server has no name, as SYSTEM of a MySQL server whose clock is not in UTC. Set
// [Options.Zone] then.
//
// The error is an [*Error].
func (db *DB) Zone(ctx context.Context) (string, error) {
	if db.zoner == nil {
		return "", nil
	}
	if zone := db.zone.Load(); zone != nil {
		return *zone, nil
	}
	var zone string
	err := db.ask(ctx, func(ctx context.Context, conn *sql.Conn) (err error) {
		zone, err = db.zoner.Zone(ctx, conn)
		return err
	})
	if err != nil {
		return "", err
	}
	db.zone.CompareAndSwap(nil, &zone)
	return *db.zone.Load(), nil
}

// ask calls do with a connection to one of the replicas.
func (db *DB) ask(ctx context.Context, do func(context.Context, *sql.Conn) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, db.opt.Timeout, errTimeLimit)
	defer cancel()
	return db.onAnyReplica(ctx, func(ctx context.Context, _ *replica, conn *sql.Conn) (retry bool, err error) {
		withConn(conn, func() (keep bool) {
			if err = do(ctx, conn); err != nil {
				err = db.failure(ctx, err)
			}
			return ctx.Err() == nil
		})
		return true, err
	})
}
