// Package sqlstore keeps conversations in an SQL database. [New] makes a
// [store.Store] of a *sql.DB.
//
//	st, err := sqlstore.New(ctx, db, sqlstore.PostgreSQL, nil)
//
// Which engine to choose:
//
//   - SQLite for one machine. It needs no server, and several processes can
//     share a file. sqlitestore.Open opens a file, with its driver. Start with
//     it.
//   - PostgreSQL, MySQL or MariaDB for several machines: each of them can take
//     the next turn of any conversation. The program opens the pool, with the
//     driver and the settings of its choice; this package imports no driver.
//
// # What is stored
//
// A thread is a row of one table, each of its records is a row of a second one,
// and its entry in a list of threads is a row of a third one. A record is
// written once and never changed, so an append costs the same however long the
// thread is.
//
//   - The data of a record are stored as the same bytes. They are not encrypted:
//     everybody who can read the tables can read the conversations, unless
//     package [sealed] encrypts them before.
//   - Ids, kinds and addresses are compared byte by byte, whatever the collation
//     of the database is.
//   - An append is one transaction, and on most paths one statement. Appends to
//     several threads that are called at the same time share a transaction. Of
//     two writers that append after the same record, in any processes, one gets
//     [store.ErrConflict].
//   - Threads are kept for ever, unless [Options].MaxAge or MaxUnfinishedAge says
//     otherwise. Retention is by the clock of the database server. The store
//     lists the threads of a user: see [store.Lister].
//   - [New] creates the tables and migrates them. Any number of processes may
//     start at once. Tables of a newer version are refused.
//
// # Failures
//
// A failed operation is repeated unless the error of the driver is permanent.
// Locks, deadlocks and lost connections are transient. If the reply to an
// append was lost, the store first checks whether the append was made, so it is
// never made twice. The text of an error holds no address of the database, no
// account and no data; the error wraps that of the driver.
//
// A record that cannot be read is an error that matches [store.ErrCorrupt]. The
// record that is yielded with it has its Seq.
//
// [sealed]: https://pkg.go.dev/github.com/qedkit/qed/store/sealed
package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"

	"github.com/qedkit/qed/store"
)

// A Store keeps conversations in a database. Make one with [New], and close it
// when it is no longer used. It is safe for concurrent use.
type Store struct {
	db     *sql.DB
	engine engine
	opt    Options

	// writing is a lock for engines with a single writer. It is a channel, so
	// that waiting for it ends with a context.
	writing chan struct{}

	queue queue // of appends

	// checkpoints writes through Options.CheckpointDB. It is nil without one.
	checkpoints *Store

	mu         sync.Mutex
	statements map[string]*statement // by their text in this package

	open  context.Context // done when the store is closed
	close context.CancelFunc
	sweep sync.WaitGroup
}

var _ store.Store = (*Store)(nil)

// New makes a Store of a database, and creates or migrates its tables.
//
//   - Nothing is deleted by age unless the options say so.
//   - It returns an error if an option is invalid, such as a negative age, or if
//     the database cannot be reached. If the tables are of a newer version, the
//     error matches [ErrNewerSchema].
//   - ctx is for the call only: the store is not closed when ctx is done.
//   - The account must be able to read and write the tables. To create them the
//     first time, and after some updates of this package, it must also be able
//     to change the schema.
//   - A store leaves nothing in the sessions of the pool except prepared
//     statements, which Close removes.
//   - A pool for SQLite should wait for locks (PRAGMA busy_timeout) and use a
//     write-ahead log (PRAGMA journal_mode = WAL). A pool for MySQL must have a
//     database selected, and should have a read timeout: its driver does not end
//     a commit with a context.
//   - A pool for a server should keep its connections (SetMaxIdleConns): new
//     ones take longer than an append.
func New(ctx context.Context, db *sql.DB, d Dialect, opt *Options) (*Store, error) {
	e := d.engine()
	if db == nil || e == nil {
		return nil, fmt.Errorf("sqlstore: New needs a database and the dialect SQLite, MySQL or PostgreSQL, not %v", d)
	}
	own, err := opt.withDefaults()
	if err != nil {
		return nil, err
	}
	if own.CheckpointDB != nil && d != SQLite {
		return nil, fmt.Errorf("sqlstore: Options.CheckpointDB is only for SQLite, not for %v", d)
	}
	s := &Store{
		db: db, engine: e, opt: own,
		writing: make(chan struct{}, 1), statements: map[string]*statement{},
	}
	s.queue.s = s
	s.open, s.close = context.WithCancel(context.Background())
	if own.CheckpointDB != nil {
		s.checkpoints = &Store{
			db: own.CheckpointDB, engine: e, opt: own,
			writing: s.writing, statements: map[string]*statement{}, open: s.open, close: s.close,
		}
	}
	if err := s.prepare(ctx); err != nil {
		s.opt.CloseDB = false // the pools still belong to the caller
		return nil, errors.Join(err, s.Close())
	}
	if own.MaxAge > 0 || own.MaxUnfinishedAge > 0 {
		s.sweep.Go(s.sweepUntilClosed)
	}
	return s, nil
}

// prepare migrates the tables and prepares the frequent statements.
func (s *Store) prepare(ctx context.Context) error {
	if err := s.migrate(ctx); err != nil {
		return err
	}
	return s.try(ctx, "preparing statements", func() error {
		for _, w := range []*Store{s, s.checkpoints} {
			for _, text := range s.engine.texts().frequent {
				if w == nil {
					continue
				}
				if _, err := (session{s: w}).statement(ctx, text); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// Close ends the sweeps, waiting for one that is running, and closes the pools
// if Options.CloseDB is set. Further calls do nothing.
func (s *Store) Close() error {
	if s.open.Err() != nil {
		return nil
	}
	s.close()
	s.queue.close()
	s.sweep.Wait()
	err := s.release(s.opt.CloseDB)
	if s.checkpoints != nil {
		err = errors.Join(err, s.checkpoints.release(s.opt.CloseDB))
	}
	if err != nil {
		return &failure{op: "closing", err: err}
	}
	return nil
}

// release closes the prepared statements, and the pool if closeDB is set.
func (s *Store) release(closeDB bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, st := range s.statements {
		if st.prepared != nil {
			errs = append(errs, st.prepared.Close())
		}
	}
	s.statements = nil
	if closeDB {
		errs = append(errs, s.db.Close())
	}
	return errors.Join(errs...)
}
