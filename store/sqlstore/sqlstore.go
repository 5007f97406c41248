// Package sqlstore keeps conversations in an SQL database: it is a [qed.Store] on
// database/sql.
//
// Which engine for what:
//
//   - SQLite for one machine. It needs no server, and several processes can share
//     a file. Package sqlstore/sqlitestore opens one, with its driver. It is the
//     one to begin with.
//   - PostgreSQL, MySQL or MariaDB for several machines that share the load: any of
//     them takes the next turn of any conversation. The host brings its own pool,
//     with the driver and the settings of its choice; this package imports none.
//
// # What is kept
//
// A thread is a row of one table, and each record of it a row of another. A record
// is written once and never changed, so the thousandth costs what the first did.
// The data of a record are stored as bytes, exactly as they are given; ids, kinds
// and addresses are compared byte by byte, whatever the collation of the database.
// They are not encrypted: who can read the tables can read the conversations.
//
// An append is one transaction, and where the engine can, one statement. Of two
// writers at the same place, in whatever processes, one gets [qed.ErrConflict].
//
// Threads in which nothing was recorded for 24 hours are deleted, those that wait for a
// reply too: see Options.MaxAge. Which threads a user has is for the host to know.
//
// The tables are made and brought up to date by [New]. Any number of processes may
// start at once. A program refuses tables that a newer one has changed.
//
// # What becomes of failures
//
// An operation that fails is tried again, unless the driver says that it is of no
// use: locks, deadlocks and lost connections pass. An append whose answer is lost
// is looked for before it is made again, so it is never made twice. What
// fails for good is an error whose text holds nothing of the database's address, of
// accounts or of data, and which wraps what the driver said.
//
// A record that cannot be read is an error that matches [qed.ErrCorrupt]; the
// [qed.Record] that comes with it has its Seq.
package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"

	"github.com/qedkit/qed/store"
)

// A Store keeps conversations in a database. [New] makes one. It is safe for
// concurrent use, and to be closed when it is no longer used.
type Store struct {
	db      *sql.DB
	engine  engine
	opt     Options
	writing chan struct{} // where the engine takes one writer: a place for him

	lazy *Store // for what need not be on the disk at once; nil: there is no such pool

	mu         sync.Mutex
	statements map[string]*statement // by the text that is written in this package

	life  context.Context // ends when the store is closed
	close context.CancelFunc
	work  sync.WaitGroup
}

var _ store.Store = (*Store)(nil)

// New makes a Store of a database, and its tables where they are missing. It fails
// when the database cannot be reached, or when its tables are of a newer version
// ([ErrSchema]). ctx is for the beginning only.
//
// The account needs to read and write the tables, and to make them the first time and
// after some updates of this package. Nothing is left in the sessions of the pool but
// prepared statements, which Close removes.
//
// A pool for SQLite should wait for locks (PRAGMA busy_timeout) and keep a write-ahead
// log (PRAGMA journal_mode = WAL). A MySQL pool needs a database selected.
func New(ctx context.Context, db *sql.DB, d Dialect, opt *Options) (*Store, error) {
	e := d.engine()
	if db == nil || e == nil {
		return nil, fmt.Errorf("sqlstore: New needs a database, and SQLite, MySQL or PostgreSQL for its dialect, not %v", d)
	}
	s := &Store{db: db, engine: e, writing: make(chan struct{}, 1), statements: map[string]*statement{}}
	var err error
	if s.opt, err = opt.withDefaults(); err != nil {
		return nil, err
	}
	if s.opt.Lazy != nil && d != SQLite {
		return nil, fmt.Errorf("sqlstore: Options.Lazy is for SQLite, not for %v", d)
	}
	s.life, s.close = context.WithCancel(context.Background())
	if err := s.begin(ctx); err != nil {
		s.opt.CloseDB = false // it is still the caller's
		return nil, errors.Join(err, s.Close())
	}
	if s.opt.Lazy != nil {
		s.lazy = &Store{db: s.opt.Lazy, engine: e, opt: s.opt, writing: s.writing, statements: map[string]*statement{}, life: s.life, close: s.close}
	}
	if s.opt.MaxAge > 0 {
		s.work.Go(s.sweeps)
	}
	return s, nil
}

// begin makes the tables, and prepares what is needed often.
func (s *Store) begin(ctx context.Context) error {
	if err := s.migrate(ctx); err != nil {
		return err
	}
	return s.try(ctx, "preparing statements", func() error {
		for _, text := range s.engine.texts().frequent {
			if _, err := (session{s, nil}).statement(ctx, text); err != nil {
				return err
			}
		}
		return nil
	})
}

// Close ends the sweeps, and waits for one that is under way. It does not close the
// database, unless Options.CloseDB says so. Closing again does nothing.
func (s *Store) Close() error {
	if s.life.Err() != nil {
		return nil
	}
	s.close()
	s.work.Wait()
	err := s.leave()
	if s.lazy != nil {
		err = errors.Join(err, s.lazy.leave())
	}
	if err != nil {
		return &failure{"closing", err}
	}
	return nil
}

// leave closes the statements, and the pool if it is the store's own.
func (s *Store) leave() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, known := range s.statements {
		if known.prepared != nil {
			errs = append(errs, known.prepared.Close())
		}
	}
	s.statements = nil
	if s.opt.CloseDB {
		errs = append(errs, s.db.Close())
	}
	return errors.Join(errs...)
}
