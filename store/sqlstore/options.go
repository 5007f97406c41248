package sqlstore

import (
	"cmp"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/qedkit/qed/internal/option"
	"github.com/qedkit/qed/retry"
)

// Options configure a [Store]. Nil options and zero fields mean the defaults.
type Options struct {
	// TablePrefix begins the names of the tables. It has at most 32 lower-case
	// letters, digits and underscores, and does not start with a digit. The
	// default is "qed_".
	TablePrefix string

	// Retry is how often an operation that fails with a transient error is
	// attempted, and how long to wait in between. The default is 4 attempts and a
	// Wait of 200 milliseconds, with a MaxWait of 30 seconds.
	Retry retry.Policy

	// MaxAge is the age at which a thread is deleted whose last run was
	// answered, failed or stopped, or which has [store.StatusAttached]. 0 keeps
	// such threads for ever. See [Store.Sweep].
	MaxAge time.Duration

	// MaxUnfinishedAge is the age at which a thread is deleted whose last run is
	// running, has crashed or waits for a reply. 0 keeps such threads for ever,
	// whatever MaxAge is.
	MaxUnfinishedAge time.Duration

	// SweepInterval is the time between two searches for threads that are too
	// old. The first search is made when the store is opened, in the background. 0
	// means one hour.
	SweepInterval time.Duration

	// OnSweep is called after each search, with the number of deleted threads
	// and the error if it failed. The next search is made in any case. OnSweep
	// must not close the store. It may be nil.
	OnSweep func(deleted int, err error)

	// CheckpointDB is a second pool on the same SQLite database, whose commits do
	// not wait for the disk (PRAGMA synchronous = NORMAL). Checkpoints and
	// heartbeats are written through it. If the power fails, the last of them may
	// be lost, and the resumed run repeats their nodes. If CheckpointDB is nil,
	// the first pool writes everything. It must be nil for other engines.
	CheckpointDB *sql.DB

	// CloseDB lets Store.Close close the database and CheckpointDB as well.
	CloseDB bool
}

var defaultRetry = retry.Policy{Attempts: 4, Wait: 200 * time.Millisecond, MaxWait: 30 * time.Second}

const defaultPrefix = "qed_"

func (o *Options) withDefaults() (opt Options, err error) {
	opt = option.Of(o)
	opt.TablePrefix = cmp.Or(opt.TablePrefix, defaultPrefix)
	if !isPrefix(opt.TablePrefix) {
		return opt, fmt.Errorf("sqlstore: Options.TablePrefix is %.40q: it may have at most 32 lower-case letters, "+
			"digits and underscores, and cannot start with a digit", opt.TablePrefix)
	}
	if opt.Retry, err = opt.Retry.WithDefaults("sqlstore: Options.Retry", defaultRetry); err != nil {
		return opt, err
	}
	return opt, errors.Join(
		option.Default("sqlstore: Options.MaxAge", &opt.MaxAge, 0),
		option.Default("sqlstore: Options.MaxUnfinishedAge", &opt.MaxUnfinishedAge, 0),
		option.Default("sqlstore: Options.SweepInterval", &opt.SweepInterval, time.Hour),
	)
}

func isPrefix(s string) bool {
	return len(s) <= 32 && (s[0] < '0' || s[0] > '9') && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
}
