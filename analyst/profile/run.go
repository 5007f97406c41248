package profile

import (
	"context"
	"fmt"
	"hash/maphash"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/sqldb"
)

// A run computes one profile.
type run struct {
	source  Source
	guard   *secureview.Guard
	opt     Options
	from    string       // the table, quoted
	names   []string     // of the columns
	all     bool         // the columns are all of the table
	columns []*collector // of the names
	rows    int

	// The rows by their hashes, and without them the number of different rows.
	equal     *sampler[int]
	different int
}

// find resolves the names of the table and the columns.
func (r *run) find(ctx context.Context) error {
	quote := r.source.Dialect.Quote
	r.from = quote(r.source.Table)
	var listed []string
	for _, t := range r.guard.Tables() {
		switch {
		case t.Schema == "" || t.Schema == r.source.Policy.Schema || t.Schema == "main" && r.source.Policy.Schema == "":
			if !ascii.EqualFold(t.Name, r.source.Table) {
				continue
			}
		case ascii.EqualFold(t.Schema+"."+t.Name, r.source.Table):
			r.from = quote(t.Schema) + "." + quote(t.Name)
		default:
			continue
		}
		listed = t.Columns
		break
	}
	if listed == nil { // the guard refuses the name
		_, err := r.guard.Rewrite(ctx, "SELECT * FROM "+r.from)
		if err == nil {
			err = fmt.Errorf("profile: the table %q has no columns", r.source.Table)
		}
		return err
	}
	seen := map[string]bool{}
	for _, name := range r.opt.Columns {
		if !seen[ascii.Lower(name)] {
			r.names = append(r.names, name)
		}
		seen[ascii.Lower(name)] = true
	}
	if len(r.names) == 0 {
		r.names = slices.Clone(listed)
	}
	r.all = len(r.names) == len(listed)
	return nil
}

const (
	maxValues  = 1_000_000 // different values of all columns together
	maxColumn  = 50_000    // of one column
	minColumn  = 500
	maxEqual   = 1 << 20 // different rows
	sampleSeed = 19
)

// size returns how many different values of a column are kept.
func (r *run) size() int { return min(maxColumn, max(minColumn, maxValues/len(r.names))) }

// scan reads all rows.
func (r *run) scan(ctx context.Context) error {
	columns := "*" // the names of a wide table are longer than a statement may be
	if len(r.opt.Columns) > 0 {
		columns = strings.Join(r.quoted(), ", ")
	}
	stmt, err := r.guard.Rewrite(ctx, "SELECT "+columns+" FROM "+r.from)
	if err != nil {
		return err
	}
	r.equal = newSampler[int](maxEqual)
	seed := maphash.MakeSeed()
	opt := sqldb.RowsOptions{MaxRows: -1, MaxBytes: -1, Columns: func(columns []qed.Column) {
		for _, c := range columns {
			r.columns = append(r.columns, newCollector(c.Type, r.size(), seed))
		}
	}}
	var rows batch
	for cells, err := range r.source.DB.Rows(ctx, stmt, opt) {
		if err != nil {
			return err
		}
		if rows.add(cells) {
			if err := r.collect(&rows); err != nil {
				return err
			}
		}
	}
	return r.collect(&rows)
}

const (
	batchRows  = 1024
	batchBytes = 4 << 20
)

// A batch is rows that are collected together, each column on one processor.
type batch struct {
	rows  [][]any
	bytes int
}

// add adds a row and reports whether the batch is full.
func (b *batch) add(cells []any) bool {
	b.rows = append(b.rows, cells)
	for _, cell := range cells {
		text, _ := cell.(string)
		b.bytes += len(text)
	}
	return len(b.rows) == batchRows || b.bytes >= batchBytes
}

// collect adds the rows of a batch to the collectors, and empties it.
func (r *run) collect(b *batch) error {
	workers := min(runtime.GOMAXPROCS(0), len(r.columns))
	hashes := make([][]uint64, len(r.columns))
	errs := make([]error, len(r.columns))
	var group sync.WaitGroup
	for worker := range workers {
		group.Go(func() {
			for i := worker; i < len(r.columns); i += workers {
				hashes[i], errs[i] = r.columns[i].addColumn(b.rows, i)
			}
		})
	}
	group.Wait()
	for i, err := range errs {
		if err != nil {
			return fmt.Errorf("profile: column %s: %w", r.names[i], err)
		}
	}
	r.rows += len(b.rows)
	if r.all {
		for row := range b.rows {
			hash := uint64(0)
			for i := range hashes {
				hash = mix(hash ^ hashes[i][row])
			}
			countRow(r.equal, hash)
		}
	}
	*b = batch{rows: b.rows[:0]}
	return nil
}

// profile returns the profile without the problems of periods.
func (r *run) profile() *Profile {
	p := &Profile{Table: r.source.Table, Rows: r.rows, Columns: []Column{}}
	switch {
	case !r.all:
	case r.equal == nil:
		p.DuplicateRows = &Figure{Value: r.rows - r.different}
	default:
		kept := 0
		for _, n := range r.equal.values {
			kept += n - 1
		}
		p.DuplicateRows = &Figure{Value: min(r.rows, kept<<r.equal.level), Estimate: !r.equal.exact()}
	}
	for i, c := range r.columns {
		p.Columns = append(p.Columns, c.profile(r.names[i], r.opt))
	}
	return p
}
