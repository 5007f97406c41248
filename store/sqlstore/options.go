package sqlstore

import (
	"database/sql"
	"fmt"
	"strings"
	"time"
)

// Options say how a [Store] works. Nil and zero fields mean the defaults.
type Options struct {
	// Prefix is what the names of the tables begin with: lower-case letters, digits
	// and underscores, at most 32, not a digit first. Empty means "qed_".
	Prefix string

	// RetryAttempts is how often an operation that failed is tried again. 0 means
	// 3 times, a negative number never.
	RetryAttempts int

	// RetryDelay is how long to wait before the first time; then twice as long each
	// time, and always a little more at random. 0 means 100 milliseconds.
	RetryDelay time.Duration

	// MaxAge is how old the last record of a thread gets, by its Time, before the
	// thread is deleted. 0 means 24 hours; with a negative one nothing is deleted.
	MaxAge time.Duration

	// SweepInterval is how often to look for such threads, the first time at once.
	// 0 means every hour.
	SweepInterval time.Duration

	// OnSweep is told how many threads were deleted each time, and of an error, which
	// does not keep the next sweep from coming. It may be nil. It must not
	// close the store.
	OnSweep func(deleted int, err error)

	// Lazy is a second pool on the same SQLite database, whose commits do not wait for
	// the disk (PRAGMA synchronous = NORMAL). The states of graphs are written
	// through it: when the power fails the last of them may be gone, and then their
	// nodes run once more, with the calls that are recorded. Nil means that everything
	// goes through the one pool. It must be nil for other engines.
	Lazy *sql.DB

	// CloseDB has Store.Close close the database as well, and Lazy.
	CloseDB bool
}

func (o *Options) withDefaults() (Options, error) {
	var opt Options
	if o != nil {
		opt = *o
	}
	if opt.Prefix == "" {
		opt.Prefix = "qed_"
	}
	if len(opt.Prefix) > 32 || opt.Prefix[0] >= '0' && opt.Prefix[0] <= '9' ||
		strings.Trim(opt.Prefix, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
		return opt, fmt.Errorf("sqlstore: Options.Prefix is %.40q: it may have at most 32 lower-case letters, digits and underscores, "+
			"and not begin with a digit", opt.Prefix)
	}
	if opt.RetryAttempts == 0 {
		opt.RetryAttempts = 3
	}
	if opt.RetryDelay <= 0 {
		opt.RetryDelay = 100 * time.Millisecond
	}
	if opt.MaxAge == 0 {
		opt.MaxAge = 24 * time.Hour
	}
	if opt.SweepInterval <= 0 {
		opt.SweepInterval = time.Hour
	}
	return opt, nil
}
