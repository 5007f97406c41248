// Package profile computes profiles of the columns of a database table over all
// its rows: ranges, means, quantiles, outliers, frequent values and problems of
// the data.
//
// [Read] reads the table once, through the guard of a policy, and keeps no rows.
// The memory depends on the number of columns only. Figures that would need all
// values of a column are exact while the column has a limited number of different
// values (50,000, or fewer in a table of more than 20 columns), and are estimates
// from random samples beyond that. A Profile marks each estimate.
//
// In an engine that stores a table by column, such as DuckDB, it reads the values of
// each column with the number of their rows instead, in a statement for each column.
// Values that the collation of a column compares as equal are one value there.
//
// Package stats reads the same kinds of columns by the same rules. Its functions
// need the rows in memory; a profile does not.
package profile

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/dialect"
	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/sqldb"
)

// A Source is a table of a database.
type Source struct {
	DB      *sqldb.DB
	Policy  *secureview.Policy // says which columns may be read; its RowLimit does not apply
	Dialect dialect.Dialect    // of DB

	// Table is the name of the table in the policy, with its schema and a point
	// before it if that is not the schema of the policy.
	Table string
}

// Options configures [Read]. A nil pointer and the zero value mean the defaults.
type Options struct {
	// Columns are the columns to profile. Empty means all that the policy lists.
	Columns []string

	// IncludeDistribution adds the most frequent values of each column and the
	// histograms of numbers.
	IncludeDistribution bool

	// OmitNulls leaves out the numbers of nulls.
	OmitNulls bool
}

// A Profile has the profiles of the columns of a table. It has a JSON form.
type Profile struct {
	Table string `json:"table"`
	Rows  int    `json:"rows"`

	// DuplicateRows is the number of rows that are equal to an earlier one. It is
	// nil unless all columns that the policy lists were read.
	DuplicateRows *Figure `json:"duplicate_rows,omitempty"`

	Columns []Column `json:"columns"`
}

// A Figure is a number of rows or values.
type Figure struct {
	Value    int  `json:"value"`
	Estimate bool `json:"estimate,omitempty"` // from a random sample
}

// A Kind is what the values of a column are, by the rules of package stats.
type Kind string

const (
	Empty    Kind = "empty"    // all are missing
	Numbers  Kind = "numbers"  // at least nine of ten
	Times    Kind = "times"    // at least nine of ten
	Booleans Kind = "booleans" // all
	Texts    Kind = "texts"    // everything else
)

// A Column is the profile of a column. Its values are the cells of its Kind.
type Column struct {
	Name string `json:"name"`
	Type string `json:"type,omitempty"` // as the database names it
	Kind Kind   `json:"kind"`

	Values int  `json:"values"`
	Nulls  *int `json:"nulls,omitempty"`  // NULL; nil with Options.OmitNulls
	Blanks int  `json:"blanks,omitempty"` // empty texts and texts of white space
	Other  int  `json:"other,omitempty"`  // of another kind, in a column of numbers or times

	// Distinct is the number of different values.
	Distinct Figure `json:"distinct"`

	// Min and Max are the smallest and the largest value, as numbers, times or
	// texts. They are nil for booleans and for texts among which there are numbers
	// of the database. Long texts are cut.
	Min any `json:"min,omitempty"`
	Max any `json:"max,omitempty"`

	Mean      *float64   `json:"mean,omitempty"`      // of numbers
	Quantiles *Quantiles `json:"quantiles,omitempty"` // of numbers

	// Mode is the most frequent value. It is nil if no value is frequent: each
	// is there once, or its frequency is too low to find it in a column with many
	// different values.
	Mode *Count `json:"mode,omitempty"`

	// OutliersIQR are beyond the fences of Tukey, and OutliersMAD have a modified
	// z-score above 3.5: see stats.Outliers. They are nil if there are fewer than
	// 8 numbers, or if all are equal.
	OutliersIQR *Outliers `json:"outliers_iqr,omitempty"`
	OutliersMAD *Outliers `json:"outliers_mad,omitempty"`

	// Top are the most frequent values, at most 10, and Histogram has 10 bins of
	// numbers of the same width. They need Options.IncludeDistribution.
	Top       []Count `json:"top,omitempty"`
	Histogram []Bin   `json:"histogram,omitempty"`

	Problems []Problem `json:"problems,omitempty"`
}

// Quantiles are quantiles of numbers, interpolated like percentile_cont of SQL.
type Quantiles struct {
	P05    float64 `json:"p05"`
	Q1     float64 `json:"q1"`
	Median float64 `json:"median"`
	Q3     float64 `json:"q3"`
	P95    float64 `json:"p95"`

	// Sample is the size of the random sample that they are estimated from. 0
	// means that they are exact.
	Sample int `json:"sample,omitempty"`
}

// A Count is a value and the number of its rows.
type Count struct {
	Value   any  `json:"value"`
	Rows    int  `json:"rows"`
	AtLeast bool `json:"at_least,omitempty"` // there may be more rows
}

// Outliers are the numbers outside of a range.
type Outliers struct {
	Low      float64 `json:"low"`
	High     float64 `json:"high"`
	Count    int     `json:"count"`
	Estimate bool    `json:"estimate,omitempty"` // Count is from a random sample
}

// A Bin is the numbers from From to To. The last bin includes To.
type Bin struct {
	From     float64 `json:"from"`
	To       float64 `json:"to"`
	Count    int     `json:"count"`
	Estimate bool    `json:"estimate,omitempty"` // Count is from a random sample
}

// A Problem is what may be wrong with the data of a column.
type Problem struct {
	Kind    ProblemKind `json:"kind"`
	Count   int         `json:"count"`   // the number of cells
	Message string      `json:"message"` // one sentence, without values
}

// A ProblemKind is a kind of Problem.
type ProblemKind string

const (
	AllMissing        ProblemKind = "all_missing"
	Constant          ProblemKind = "constant"           // all values are equal
	MixedTypes        ProblemKind = "mixed_types"        // most values, but not all, are of one kind
	Placeholders      ProblemKind = "placeholders"       // such as N/A
	SuspiciousDates   ProblemKind = "suspicious_dates"   // before 1900 or after 2100
	SurroundingSpaces ProblemKind = "surrounding_spaces" // texts with white space around them
)

// Read reads the table and computes its profile. The limits of Source.DB for the
// time of a statement and the size of a cell apply, those for the size of a result
// do not.
//
// A table or a column that the policy does not list is a *refusal.Error, which has
// candidates. Other errors of the database are a [*sqldb.Error]. If ctx ends, Read
// stops the statement.
func Read(ctx context.Context, s Source, o *Options) (*Profile, error) {
	opt := Options{}
	if o != nil {
		opt = *o
	}
	if s.DB == nil || s.Policy == nil || s.Dialect == nil {
		return nil, errors.New("profile: Source needs DB, Policy and Dialect")
	}
	policy := *s.Policy
	policy.RowLimit = math.MaxInt32
	guard, err := secureview.New(&policy, s.Dialect)
	if err != nil {
		return nil, err
	}
	r := &run{source: s, guard: guard, opt: opt}
	if err := r.find(ctx); err != nil {
		return nil, err
	}
	if by, ok := s.Dialect.(columnar); ok {
		err = r.group(ctx, by)
	} else {
		err = r.scan(ctx)
	}
	if err != nil {
		return nil, err
	}
	p := r.profile()
	return p, r.countOutliers(ctx, p)
}

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
	stmt, err := r.guard.Rewrite(ctx, "SELECT "+strings.Join(r.quoted(), ", ")+" FROM "+r.from)
	if err != nil {
		return err
	}
	r.equal = newSampler[int](maxEqual)
	h := newHasher()
	opt := sqldb.RowsOptions{MaxRows: -1, MaxBytes: -1, Columns: func(columns []qed.Column) {
		for _, c := range columns {
			r.columns = append(r.columns, newCollector(c.Type, r.size(), h))
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

// profile returns the profile without the outliers that are counted afterwards.
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
		column := c.profile(r.opt)
		column.Name = r.names[i]
		p.Columns = append(p.Columns, column)
	}
	return p
}

const perStatement = 20 // columns

// countOutliers counts the outliers of columns whose values are not all known,
// in the database.
func (r *run) countOutliers(ctx context.Context, p *Profile) error {
	var terms []string
	var counts []*int
	for i := range p.Columns {
		c := &p.Columns[i]
		for _, o := range []*Outliers{c.OutliersIQR, c.OutliersMAD} {
			if o != nil && o.Estimate && r.columns[i].comparable() {
				name := r.source.Dialect.Quote(c.Name)
				terms = append(terms, fmt.Sprintf("COUNT(CASE WHEN %s < %v OR %s > %v THEN 1 END)", name, o.Low, name, o.High))
				counts = append(counts, &o.Count)
				o.Estimate = false
			}
		}
	}
	for start := 0; start < len(terms); start += perStatement {
		end := min(start+perStatement, len(terms))
		table, err := r.source.DB.QueryText(ctx, r.guard, "SELECT "+strings.Join(terms[start:end], ", ")+" FROM "+r.from)
		if err != nil {
			return err
		}
		for i, cell := range table.Rows[0] {
			if *counts[start+i], err = number(cell); err != nil {
				return err
			}
		}
	}
	return nil
}

// TableForm returns the profile as a table with a row for each column.
func (p *Profile) TableForm() (*qed.Table, error) {
	t := &qed.Table{}
	for _, name := range []string{"column", "kind", "values", "nulls", "distinct", "min", "max", "mean", "q1", "median", "q3",
		"mode", "mode_rows", "outliers_iqr", "outliers_mad", "problems"} {
		t.Columns = append(t.Columns, qed.Column{Name: name})
	}
	for i := range p.Columns {
		if err := t.Append(p.Columns[i].row()...); err != nil {
			return nil, fmt.Errorf("profile: column %s: %w", p.Columns[i].Name, err)
		}
	}
	return t, nil
}

func (c *Column) row() []any {
	var nulls, mean, q1, median, q3, mode, modeRows, iqr, mad any
	if c.Nulls != nil {
		nulls = *c.Nulls
	}
	if c.Mean != nil {
		mean = *c.Mean
	}
	if q := c.Quantiles; q != nil {
		q1, median, q3 = q.Q1, q.Median, q.Q3
	}
	if c.Mode != nil {
		mode, modeRows = c.Mode.Value, c.Mode.Rows
	}
	if c.OutliersIQR != nil {
		iqr = c.OutliersIQR.Count
	}
	if c.OutliersMAD != nil {
		mad = c.OutliersMAD.Count
	}
	var problems []string
	for _, problem := range c.Problems {
		problems = append(problems, string(problem.Kind))
	}
	return []any{c.Name, string(c.Kind), c.Values, nulls, c.Distinct.Value, c.Min, c.Max, mean, q1, median, q3,
		mode, modeRows, iqr, mad, strings.Join(problems, ", ")}
}
