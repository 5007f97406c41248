package assistant

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/qedkit/qed/internal/command/database"
	"github.com/qedkit/qed/sqlagent/values"
	"github.com/qedkit/qed/sqldb"
)

const (
	valuesAge   = 24 * time.Hour // after which the values of a column are read again
	valuesCheck = time.Hour      // how often their age is looked at

	valuesOfColumn = 100_000
	valuesBytes    = 64 << 20 // about four million values
)

// A dictionary has the values of the database's columns, in a file and in memory. They
// are read again when they are old or have changed.
type dictionary struct {
	path    string
	db      *sqldb.DB
	reader  *values.Reader
	current atomic.Pointer[values.Dictionary]
	stop    context.CancelFunc
	stopped sync.WaitGroup
}

// openDictionary returns the dictionary of a file, which need not exist. Columns that the
// file lacks, or has for too long, are read before openDictionary returns.
func openDictionary(
	ctx context.Context, path string, src *database.Source, note func(format string, args ...any),
) (_ *dictionary, err error) {
	if src.PerRequest() {
		return nil, errors.New("-values cannot be used with -session: the values that one user may see would be shown to " +
			"others (a Go program can have a dictionary for each tenant: sqlagent.Options.Values)")
	}
	d := &dictionary{path: path}
	if d.db, err = src.Reopen(sqldb.Options{MaxRows: valuesOfColumn + 1, MaxBytes: valuesBytes}); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			d.db.Close()
		}
	}()
	d.reader, err = values.NewReader(d.db, src.Guard.WithRowLimit(valuesOfColumn+1), src.Schema, &values.Options{
		Shared: true, MaxValues: valuesOfColumn, MaxRows: 10 * valuesOfColumn, MaxBytes: valuesBytes,
	})
	if err != nil {
		return nil, err
	}
	old, err := values.Load(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		note("The values are read again: %v", err)
	}
	if err := d.refresh(ctx, old); err != nil {
		return nil, err
	}
	now := d.current.Load()
	columns := now.Columns()
	kept := slices.DeleteFunc(slices.Clone(columns), func(c values.Column) bool { return c.Many })
	note("Values of %d columns are kept in %s.", len(kept), path)
	for _, c := range columns {
		if c.Many {
			note("Values: %s %s: more than %d, so none is kept", c.Table, c.Column, valuesOfColumn)
		}
	}
	for _, p := range now.Problems() {
		note("Values: %s %s: %s", p.Table, p.Column, p.Message)
	}
	ctx, d.stop = context.WithCancel(context.WithoutCancel(ctx))
	d.stopped.Go(func() { d.watch(ctx) })
	return d, nil
}

// refresh reads what is old or has another number of rows, and saves it if anything was
// read.
func (d *dictionary) refresh(ctx context.Context, old *values.Dictionary) (err error) {
	if old != nil {
		if old, err = d.reader.Unchanged(ctx, old); err != nil {
			return err
		}
	}
	next, err := d.reader.Read(ctx, old, valuesAge)
	if err != nil {
		return err
	}
	d.current.Store(next)
	if old != nil && slices.EqualFunc(old.Columns(), next.Columns(), func(a, b values.Column) bool {
		return a.Table == b.Table && a.Column == b.Column && a.Read.Equal(b.Read)
	}) {
		return nil
	}
	if err := next.Save(d.path); err != nil {
		return fmt.Errorf("-values: %w", err)
	}
	return nil
}

func (d *dictionary) watch(ctx context.Context) {
	tick := time.NewTicker(valuesCheck)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := d.refresh(ctx, d.current.Load()); err != nil && ctx.Err() == nil {
			slog.Error("the values of the database cannot be refreshed", "err", err)
		}
	}
}

// get returns the dictionary for [sqlagent.Options].
func (d *dictionary) get(context.Context) (*values.Dictionary, error) { return d.current.Load(), nil }

func (d *dictionary) close() {
	d.stop()
	d.stopped.Wait()
	d.db.Close()
}
