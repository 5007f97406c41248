package values

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/option"
	"github.com/qedkit/qed/internal/textmatch"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/joinpath/privacy"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/sqldb"
)

// A Database runs statements of a guard. [github.com/qedkit/qed/sqldb.DB] is one.
type Database interface {
	Query(ctx context.Context, stmt *secureview.Statement) (*qed.Table, error)
}

// Options are the options of [NewReader]. Nil and zero fields mean the defaults. A
// negative number is an error.
type Options struct {
	// Columns chooses the columns that are read. Nil means all but those whose
	// names look sensitive. Only columns of text are read.
	Columns *privacy.Columns

	// Owner is the tenant or the user whose values are read. Shared means that all
	// callers may see the same values. If the statements of the database have
	// sessions, one of the two is required, and Owner must be the tenant or the user
	// of the context of [Reader.Read].
	Owner  Caller
	Shared bool

	// MaxValues is how many distinct values a column may have, at most 100,000. 0
	// means 200. The values of a column with more are not kept.
	MaxValues int

	// MaxRows is how many rows are read of each column, without those that are
	// NULL. 0 means 100,000.
	MaxRows int

	// MaxBytes is how many bytes the values of all columns may have together. 0
	// means 8 MiB. A column that does not fit is reported in [Dictionary.Problems].
	MaxBytes int
}

// timeout limits one [Reader.Read].
const timeout = 5 * time.Minute

func (o *Options) withDefaults() (Options, error) {
	v := option.Of(o)
	if v.Shared && v.Owner != (Caller{}) {
		return v, errors.New("values: Options.Shared and Options.Owner exclude each other")
	}
	err := cmp.Or(
		option.Default("values: Options.MaxValues", &v.MaxValues, 200),
		option.Default("values: Options.MaxRows", &v.MaxRows, 100_000),
		option.Default("values: Options.MaxBytes", &v.MaxBytes, 8<<20),
	)
	if err == nil && v.MaxValues > mostValues {
		err = fmt.Errorf("values: Options.MaxValues is %d: the most are %d", v.MaxValues, mostValues)
	}
	return v, err
}

const (
	mostValues   = 100_000 // of a column
	longestValue = 100     // bytes; longer ones are left out
	mostFailures = 3       // failed statements in a row, after which the database is left alone
)

// A Reader reads the values of a database. It is safe for concurrent use.
type Reader struct {
	db      Database
	guard   *secureview.Guard
	opt     Options
	targets []Column // without values
	leftOut []privacy.LeftOut
}

// NewReader returns a reader of the text columns that guard allows and
// [Options.Columns] chooses. The types are those of schema, whose tables are named as
// in the guard's policy or as its views. A column without a type counts as text. A
// name in Options.Columns that the policy does not have is an error.
func NewReader(db Database, guard *secureview.Guard, schema *joinpath.Schema, opt *Options) (*Reader, error) {
	if db == nil || guard == nil || schema == nil {
		return nil, errors.New("values: NewReader needs a database, a guard and a schema")
	}
	o, err := opt.withDefaults()
	if err != nil {
		return nil, err
	}
	if d, ok := db.(interface{ PerSession() bool }); ok && d.PerSession() && !o.Shared && o.Owner == (Caller{}) {
		return nil, errors.New("values: the statements of the database have sessions: set Options.Owner to the " +
			"tenant or user whose values are read, or Options.Shared if all may see the same values")
	}
	r := &Reader{db: db, guard: guard, opt: o}
	visible, err := sqldb.Readable(schema, guard)
	if err != nil {
		return nil, err
	}
	for name, t := range visible.Tables {
		for _, c := range t.Columns {
			if o.Columns.Allows(name, c) && hasTexts(t.Types[c]) {
				r.targets = append(r.targets, Column{Table: name, Column: c})
			}
		}
	}
	slices.SortFunc(r.targets, byName)
	r.targets = slices.CompactFunc(r.targets, func(a, b Column) bool { return byName(a, b) == 0 })
	r.leftOut, err = o.Columns.LeftOut(visible)
	return r, err
}

// LeftOut returns the columns that are not read, because they look sensitive or the
// host hides them.
func (r *Reader) LeftOut() []privacy.LeftOut { return r.leftOut }

// hasTexts reports whether a column of a type can have texts. Unknown types, such as
// the enumerations of PostgreSQL, can.
func hasTexts(typ string) bool {
	typ = ascii.Lower(typ)
	holds := func(part string) bool { return strings.Contains(typ, part) }
	if strings.HasPrefix(typ, "enum") || strings.HasPrefix(typ, "set") || slices.ContainsFunc(textTypes, holds) {
		return !holds("[]")
	}
	return !slices.ContainsFunc(otherTypes, holds)
}

var (
	textTypes  = strings.Fields("char text clob string")
	otherTypes = strings.Fields(`int num dec float double real bool date time json blob byte binary uuid geom inet cidr
		mac xml interval money serial year bit point polygon line path box circle oid vector range hstore []`)
)

// Read returns a dictionary with the columns of the reader. It takes columns that
// were read less than maxAge ago from old, and reads the others. old may be nil. If
// it has another owner, the error matches [ErrCaller].
//
// A statement that fails is reported in [Dictionary.Problems], and the next one runs.
// After three failures in a row Read stops. Columns that were not read have the
// values of old. If ctx ends, its error is returned together with the dictionary.
func (r *Reader) Read(ctx context.Context, old *Dictionary, maxAge time.Duration) (*Dictionary, error) {
	if old != nil && (old.owner != r.opt.Owner || old.shared != r.opt.Shared) {
		return nil, fmt.Errorf("values: %w: the earlier dictionary has another owner than Options.Owner", ErrCaller)
	}
	d := &Dictionary{owner: r.opt.Owner, shared: r.opt.Shared, leftOut: r.leftOut}
	var stale []Column
	for _, t := range r.targets {
		known := old.earlier(t)
		if known != nil && time.Since(known.Read) < maxAge {
			d.columns = append(d.columns, *known)
		} else {
			stale = append(stale, t)
		}
	}
	err := r.read(ctx, d, old, stale)
	slices.SortFunc(d.columns, byName)
	if old != nil && len(stale) == 0 && len(d.columns) == len(old.columns) {
		d.index = old.index // it is of the same columns
	} else {
		d.index = newIndex(d.columns)
	}
	return d, err
}

var errTimeLimit = errors.New("values: the time limit is over: read fewer columns")

func (r *Reader) read(ctx context.Context, d, old *Dictionary, stale []Column) error {
	limited, cancel := context.WithTimeoutCause(ctx, timeout, errTimeLimit)
	defer cancel()
	size := 0
	for _, c := range d.columns {
		size += c.size()
	}
	keep := func(c *Column) {
		if c != nil && size+c.size() <= r.opt.MaxBytes {
			d.columns = append(d.columns, *c)
			size += c.size()
		}
	}
	failed := 0
	for i, t := range stale {
		if failed == mostFailures || limited.Err() != nil {
			message := fmt.Sprintf("%d statements in a row failed: %d columns were not read", mostFailures, len(stale)-i)
			if limited.Err() != nil {
				message = fmt.Sprintf("%v: %d columns were not read", context.Cause(limited), len(stale)-i)
			}
			d.problems = append(d.problems, Problem{Message: message, Err: context.Cause(limited)})
			for _, t := range stale[i:] {
				keep(old.earlier(t))
			}
			break
		}
		c, err := r.column(limited, t)
		switch {
		case err != nil:
			failed++
		case size+c.size() > r.opt.MaxBytes:
			err = fmt.Errorf("values: all values together have more than %d bytes: raise Options.MaxBytes, or hide "+
				"columns with Options.Columns", r.opt.MaxBytes)
		default:
			failed = 0
		}
		if err == nil {
			keep(&c)
			continue
		}
		keep(old.earlier(t))
		d.problems = append(d.problems, Problem{Table: t.Table, Column: t.Column, Message: err.Error(), Err: err})
	}
	if ctx.Err() != nil {
		return fmt.Errorf("values: %w", context.Cause(ctx))
	}
	return nil
}

func (c *Column) size() int {
	n := 0
	for _, v := range c.Values {
		n += len(v)
	}
	return n
}

// Unchanged returns d without the columns that have another number of rows now than when
// they were read, so that [Reader.Read] reads them again. To count rows takes less time
// than to read their values. A change that leaves the number, and one of a column with
// Many values, is not seen: that is what maxAge of Read is for.
func (r *Reader) Unchanged(ctx context.Context, d *Dictionary) (*Dictionary, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, errTimeLimit)
	defer cancel()
	kept := *d
	kept.columns = nil
	for _, c := range d.columns {
		if !c.Many && slices.ContainsFunc(r.targets, func(t Column) bool { return byName(t, c) == 0 }) {
			table, err := r.query(ctx, c, "SELECT COUNT(*) AS n, 0 AS zero", "")
			if err != nil {
				return nil, err
			}
			if len(table.Rows) != 1 || table.Rows[0][0] != c.Rows {
				continue
			}
		}
		kept.columns = append(kept.columns, c)
	}
	return &kept, nil
}

// query runs a statement on the rows of a column that have a value v. It returns two
// columns.
func (r *Reader) query(ctx context.Context, c Column, selected, group string) (*qed.Table, error) {
	quote := r.guard.Dialect().Quote
	stmt, err := r.guard.Rewrite(ctx, selected+" FROM (SELECT t."+quote(c.Column)+" AS v FROM "+r.guard.Identifier(c.Table)+
		" AS t WHERE t."+quote(c.Column)+" IS NOT NULL LIMIT "+strconv.Itoa(r.opt.MaxRows)+") AS s"+group)
	if err != nil {
		return nil, err
	}
	table, err := r.db.Query(ctx, stmt)
	if err == nil && (table == nil || len(table.Columns) != 2) {
		err = errors.New("values: the database did not return two columns")
	}
	return table, err
}

// column reads the values of one column.
func (r *Reader) column(ctx context.Context, c Column) (Column, error) {
	limit := min(r.opt.MaxValues+1, r.guard.RowLimit())
	c.Read = time.Now().UTC()
	table, err := r.query(ctx, c, "SELECT s.v AS v, COUNT(*) AS n", " GROUP BY s.v LIMIT "+strconv.Itoa(limit))
	if err != nil {
		return c, err
	}
	switch {
	case len(table.Rows) > r.opt.MaxValues:
		c.Many = true
		return c, nil
	case table.Truncated || limit <= r.opt.MaxValues && len(table.Rows) == limit:
		return c, errors.New("values: the policy or the database returns fewer rows than Options.MaxValues: raise " +
			"RowLimit of the policy and MaxRows of the database, or lower MaxValues")
	}
	for _, row := range table.Rows {
		n, _ := row[1].(int64)
		c.Rows += n
		v, ok := row[0].(string)
		switch {
		case !ok: // a number in a column of SQLite
		case textmatch.Fold(v) == "":
		case len(v) > longestValue || !plain(v):
			c.Skipped++
		default:
			c.Values = append(c.Values, v)
		}
	}
	c.Partial = c.Rows >= int64(r.opt.MaxRows)
	slices.Sort(c.Values)
	c.Values = slices.Compact(c.Values)
	return c, nil
}

// plain reports whether a value is a text on one line.
func plain(v string) bool {
	return utf8.ValidString(v) && !strings.ContainsFunc(v, func(r rune) bool {
		return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029'
	})
}
