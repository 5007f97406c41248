package profile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/column"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/sqldb"
)

// A columnar dialect is one of an engine that stores tables by column. It groups a
// column faster than this package reads its rows.
type columnar interface {
	// HashRow returns an expression that has the same value for equal rows, and with
	// a probability of 2^-64 for others.
	HashRow(columns []string) string
}

// group reads the values of each column with the number of their rows.
func (r *run) group(ctx context.Context, by columnar) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r.columns = make([]*collector, len(r.names))
	seed := maphash.MakeSeed()
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(r.names)) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(r.names) && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				if err := r.groupColumn(ctx, i, seed); err != nil {
					cancel(err)
				}
			}
		})
	}
	workers.Wait()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	r.rows = r.columns[0].rows
	if !r.all {
		return nil
	}
	table, err := r.source.DB.QueryText(ctx, r.guard, "SELECT COUNT(DISTINCT "+by.HashRow(r.quoted())+") FROM "+r.from)
	if errors.Is(err, secureview.ErrTooLarge) { // a very wide table
		r.all = false // duplicates stay unknown
		return nil
	}
	if err != nil {
		return err
	}
	r.different, err = number(table.Rows[0][0])
	return err
}

// groupColumn reads one column.
func (r *run) groupColumn(ctx context.Context, i int, seed maphash.Seed) error {
	name := r.source.Dialect.Quote(r.names[i])
	stmt, err := r.guard.Rewrite(ctx, "SELECT "+name+", COUNT(*) FROM "+r.from+" GROUP BY "+name)
	if err != nil {
		return err
	}
	opt := sqldb.RowsOptions{MaxRows: -1, MaxBytes: -1, Columns: func(columns []qed.Column) {
		r.columns[i] = newCollector(columns[0].Type, r.size(), seed)
		r.columns[i].frequent = make([][]*value, column.Classes)
	}}
	for cells, err := range r.source.DB.Rows(ctx, stmt, opt) {
		if err != nil {
			return err
		}
		count, err := number(cells[1])
		if err == nil {
			err = r.columns[i].addValue(cells[0], count)
		}
		if err != nil {
			return fmt.Errorf("profile: column %s: %w", r.names[i], err)
		}
	}
	return nil
}

// addValue adds all cells of a value.
func (c *collector) addValue(cell any, cells int) error {
	c.rows += cells
	if cell == nil {
		c.nulls += cells
		c.classes[column.CellMissing] += cells
		return nil
	}
	about, err := c.inspect(cell)
	if err != nil {
		return err
	}
	v := value{cell: cell, count: cells, info: about}
	c.first(&v)
	if about.class == column.CellMissing {
		return nil
	}
	top := c.frequent[about.class]
	if at := rank(top, &v); at < topValues {
		top = slices.Insert(top, at, v.copy())
		c.frequent[about.class] = top[:min(len(top), topValues)]
	}
	if hash := hashOf(c.seed, cell); c.values.samples(hash) {
		c.values.add(hash, v.copy())
	}
	return nil
}

// rank returns the place of a value among the most frequent ones.
func rank(top []*value, v *value) int {
	at := len(top)
	for at > 0 && cmp.Or(cmp.Compare(v.count, top[at-1].count), compare(top[at-1].cell, v.cell)) > 0 {
		at--
	}
	return at
}

// quoted returns the names of the columns for a statement.
func (r *run) quoted() []string {
	return lists.Map(r.names, r.source.Dialect.Quote)
}

// number returns a number of rows.
func number(cell any) (int, error) {
	n, ok := cell.(int64)
	if !ok {
		return 0, fmt.Errorf("profile: the database returned a %T for a number of rows", cell)
	}
	return int(n), nil
}
