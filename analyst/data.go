package analyst

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/sqldb"
)

// data reads the table. It does not change.
type data struct {
	Data
	columns []string
	guard   *secureview.Guard // for statements of the model
	source  *secureview.Guard // for the rows behind them
	opt     Options
}

func newData(d Data, o Options) (*data, error) {
	if d.Table == "" {
		d.Table = defaultTable
	}
	if d.DB.Dialect() != d.Dialect.Name() {
		return nil, fmt.Errorf("analyst: the database has the dialect %s, and Data.Dialect is %s", d.DB.Dialect(), d.Dialect.Name())
	}
	alone := *d.Policy
	alone.Schemas, alone.Setup, alone.Tables, alone.Views = nil, nil, map[string][]string{}, map[string]string{}
	for name, view := range d.Policy.Views {
		if name == d.Table {
			alone.Views[name] = view
			alone.Tables[view] = d.Policy.Tables[view]
		}
	}
	alone.Tables[d.Table] = d.Policy.Tables[d.Table]
	maps.DeleteFunc(alone.Tables, func(_ string, columns []string) bool { return len(columns) == 0 })
	out := &data{Data: d, opt: o}
	for _, columns := range alone.Tables {
		out.columns = columns
	}
	if len(out.columns) == 0 {
		return nil, fmt.Errorf("analyst: the policy does not allow the table %q: add it to Policy.Tables", d.Table)
	}
	var err error
	alone.RowLimit = o.MaxRows
	if out.guard, err = secureview.New(&alone, d.Dialect); err != nil {
		return nil, err
	}
	// One row more than are read shows that there are more.
	alone.RowLimit = o.MaxSourceRows + 1
	out.source, err = secureview.New(&alone, d.Dialect)
	return out, err
}

// read returns the rows of a statement, and the statement that ran.
func (d *data) read(ctx context.Context, sql string) (*qed.Table, string, error) {
	stmt, err := d.guard.Rewrite(ctx, sql)
	if err != nil {
		return nil, "", err
	}
	table, err := d.DB.Query(ctx, stmt)
	return table, stmt.SQL(), err
}

// A sample is rows that were drawn at random from the rows behind a statement.
type sample struct {
	rows    *qed.Table
	total   int
	sampled bool
	query   string
}

const (
	maxSample  = 50_000 // rows
	sampleSeed = 19
)

// sample reads the rows behind a statement. If there are many, every row has the
// same chance to be among those that are kept. The same rows give the same sample.
func (d *data) sample(ctx context.Context, sql string) (*sample, error) {
	stmt, err := d.source.RewriteSource(ctx, sql)
	if err != nil {
		return nil, err
	}
	s := &sample{rows: new(qed.Table), query: stmt.SQL()}
	random := rand.New(rand.NewPCG(sampleSeed, sampleSeed))
	opt := sqldb.RowsOptions{MaxRows: d.opt.MaxSourceRows, MaxBytes: -1, Columns: func(c []qed.Column) { s.rows.Columns = c }}
	for row, err := range d.DB.Rows(ctx, stmt, opt) {
		if errors.Is(err, sqldb.ErrTooLarge) {
			s.rows.Truncated = true
			break
		}
		if err != nil {
			return nil, err
		}
		if s.total++; s.total <= maxSample {
			s.rows.Rows = append(s.rows.Rows, row)
			continue
		}
		s.sampled = true
		if i := random.IntN(s.total); i < maxSample {
			s.rows.Rows[i] = row
		}
	}
	return s, nil
}

// facts are what an exploration knows of the table at its start.
type facts struct {
	Schema      []qed.Column `json:"schema"`
	RowCount    int64        `json:"rowCount"`
	Sample      *qed.Table   `json:"sampleData"`
	Description string       `json:"dataDescription,omitempty"`
}

// describe reads the schema, the number of rows and the first rows.
func (d *data) describe(ctx context.Context) (facts, error) {
	f := facts{Description: d.Description}
	rows, _, err := d.read(ctx, fmt.Sprintf("SELECT * FROM %s LIMIT %d", d.name(), sampleRows))
	if err != nil {
		return f, err
	}
	f.Sample, f.Schema = rows, rows.Columns
	count, _, err := d.read(ctx, "SELECT COUNT(*) AS n FROM "+d.name())
	if err != nil {
		return f, err
	}
	f.RowCount, _ = count.Rows[0][0].(int64)
	return f, nil
}

func (d *data) name() string { return d.Dialect.Quote(d.Table) }

// contextData is the data of the system message.
type contextData struct {
	Table, Dialect, Idiom, Facts string
	MaxRows                      int
}

func (d *data) prompt(f facts) contextData {
	raw, err := json.Marshal(f)
	if err != nil {
		raw = nil
	}
	return contextData{Table: d.Table, Dialect: d.Dialect.Name(), Idiom: idioms[d.Dialect.Name()], Facts: string(raw), MaxRows: d.opt.MaxRows}
}

// idioms are what models get wrong in a dialect.
var idioms = map[string]string{
	"sqlite":   "SQLite: months are strftime('%Y-%m', d), the division of integers drops the fraction (multiply by 1.0), and there is no median.",
	"duckdb":   "DuckDB: months are date_trunc('month', d), the median is median(x) or quantile_cont(x, 0.5), and QUALIFY filters windows.",
	"mysql":    "MySQL: months are DATE_FORMAT(d, '%Y-%m'), names are quoted with backticks, and there is no FULL JOIN.",
	"postgres": "PostgreSQL: months are date_trunc('month', d), the median is percentile_cont(0.5) WITHIN GROUP (ORDER BY x), and round(x, 2) needs numeric.",
}

// hint returns what the model can do about a failed statement.
func (d *data) hint(err error) string {
	var parts []string
	if refused, ok := errors.AsType[*refusal.Error](err); ok {
		for _, p := range refused.Problems {
			if len(p.Candidates) > 0 {
				parts = append(parts, "Did you mean: "+strings.Join(p.Candidates, ", ")+"?")
			}
		}
		switch {
		case errors.Is(err, secureview.ErrUnknownColumn):
			shown := d.columns[:min(len(d.columns), 60)]
			parts = append(parts, "The columns of "+d.Table+" are: "+strings.Join(shown, ", ")+".")
		case errors.Is(err, secureview.ErrUnknownTable), errors.Is(err, secureview.ErrUnknownSchema):
			parts = append(parts, "The only table is "+d.Table+".")
		case errors.Is(err, secureview.ErrNotSelect):
			parts = append(parts, "Write one SELECT statement.")
		case refused.Package == "secureview":
			parts = append(parts, idioms[d.Dialect.Name()])
		}
	}
	switch {
	case errors.Is(err, sqldb.ErrTimeout):
		parts = append(parts, "Filter with WHERE, group the rows, or add a LIMIT.")
	case errors.Is(err, sqldb.ErrTooLarge):
		parts = append(parts, "Select fewer columns, or group the rows.")
	case errors.Is(err, sqldb.ErrExecution), errors.Is(err, sqldb.ErrDenied):
		parts = append(parts, idioms[d.Dialect.Name()])
	}
	return strings.Join(parts, " ")
}

// An alternative is a value of a column that a literal of a statement may mean.
type alternative struct {
	Column string   `json:"column"`
	Value  string   `json:"value"`
	Near   []string `json:"near"`
}

const (
	maxProbes = 3
	maxNear   = 5
)

// alternatives returns values near the literals that a statement without rows
// compares columns with. It reads them with statements that the guard has checked.
func (d *data) alternatives(ctx context.Context, sql string) []alternative {
	q, err := d.Dialect.Read(sql)
	if err != nil {
		return nil
	}
	var all []alternative
	sqlast.Walk(q, func(n sqlast.Node) bool {
		b, ok := n.(*sqlast.Binary)
		if !ok || b.Op != sqlast.Eq || len(all) == maxProbes {
			return true
		}
		column, isColumn := b.X.(*sqlast.Column)
		text, isText := b.Y.(*sqlast.String)
		if isColumn && isText {
			if name := d.column(column.Name); name != "" {
				all = append(all, alternative{Column: name, Value: text.Value})
			}
		}
		return true
	})
	for i := range all {
		name := d.Dialect.Quote(all[i].Column)
		rows, _, err := d.read(ctx, fmt.Sprintf("SELECT %s AS v, COUNT(*) AS n FROM %s WHERE %s IS NOT NULL GROUP BY %s ORDER BY 2 DESC", name, d.name(), name, name))
		if err != nil {
			continue
		}
		var values []string
		for _, row := range rows.Rows {
			values = append(values, fmt.Sprint(row[0]))
		}
		if all[i].Near = refusal.Nearest(all[i].Value, values, maxNear); len(all[i].Near) == 0 {
			all[i].Near = values[:min(maxNear, len(values))]
		}
	}
	return slices.DeleteFunc(all, func(a alternative) bool { return len(a.Near) == 0 })
}

// column returns a column of the table as the policy spells it, or "".
func (d *data) column(name string) string {
	i := slices.IndexFunc(d.columns, func(c string) bool { return ascii.Lower(c) == ascii.Lower(name) })
	if i < 0 {
		return ""
	}
	return d.columns[i]
}
