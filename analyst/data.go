package analyst

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/analyst/claims"
	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/emptyresult"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/lru"
	draw "github.com/qedkit/qed/internal/numeric"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/sqldb"
	"github.com/qedkit/qed/sqlproof/proof"
)

// data reads the table. It does not change.
type data struct {
	Data
	cache   *lru.Cache[string, qed.Table] // the results of the last statements, by SQL
	columns []string
	policy  *secureview.Policy // allows Table alone
	guard   *secureview.Guard  // for statements of the model
	source  *secureview.Guard  // for the rows behind them
	opt     Options

	profile *profiled
}

// newCache returns a cache for data that does not change: that of a session with its own
// data, and that of one turn.
func newCache() *lru.Cache[string, qed.Table] { return lru.New[string, qed.Table](32, 0) }

func newData(d Data, o Options) (*data, error) {
	if d.DB == nil || d.Policy == nil || d.Dialect == nil {
		return nil, errors.New("analyst: Data needs DB, Policy and Dialect")
	}
	d.Table = cmp.Or(d.Table, defaultTable)
	if d.DB.Dialect() != d.Dialect.Name() {
		return nil, fmt.Errorf("analyst: the database has the dialect %s, and Data.Dialect is %s",
			d.DB.Dialect(), d.Dialect.Name())
	}
	alone := *d.Policy
	alone.Schemas = nil
	alone.Tables, alone.Views, alone.Filters = map[string][]string{}, map[string]string{}, map[string]string{}
	for _, name := range []string{d.Table, d.Policy.Views[d.Table]} {
		if columns := d.Policy.Tables[name]; len(columns) > 0 {
			alone.Tables[name] = columns
		}
	}
	if filter := d.Policy.Filters[d.Table]; filter != "" {
		alone.Filters[d.Table] = filter
	}
	if view := d.Policy.Views[d.Table]; view != "" {
		alone.Views[d.Table] = view
	}
	if len(alone.Tables) == 0 {
		return nil, fmt.Errorf("analyst: the policy does not allow the table %q: add it to Policy.Tables", d.Table)
	}
	out := &data{Data: d, cache: newCache(), profile: new(profiled), opt: o, policy: &alone}
	var err error
	alone.RowLimit = o.MaxRows
	if out.guard, err = secureview.New(&alone, d.Dialect); err != nil {
		return nil, err
	}
	for _, t := range out.guard.Tables() {
		if t.Name == d.Table {
			out.columns = t.Columns
		}
	}
	// One row more than are read shows that there are more.
	out.source = out.guard.WithRowLimit(maxSourceRows + 1)
	return out, nil
}

// read returns the rows of a statement, and the statement that ran.
func (d *data) read(ctx context.Context, sql string) (*qed.Table, string, error) {
	stmt, err := d.guard.Rewrite(ctx, sql)
	if err != nil {
		return nil, "", err
	}
	if stmt.Invented() {
		return nil, "", &refusal.Error{Package: "analyst", Problems: []refusal.Problem{{
			Code: proof.NoTable, Message: "the statement reads no value of a table, so its numbers prove nothing: read columns of " + d.Table,
		}}}
	}
	if kept, ok := d.cache.Get(stmt.SQL()); ok {
		return &kept, stmt.SQL(), nil
	}
	table, err := d.DB.Query(ctx, stmt)
	if err != nil {
		return nil, stmt.SQL(), err
	}
	d.cache.Add(stmt.SQL(), *table)
	return table, stmt.SQL(), nil
}

// A sample is rows that were drawn at random from the rows behind a statement.
type sample struct {
	rows  *qed.Table
	total int
	all   *claims.Tally // of all rows, for the claim
	query string
}

// Limits of a sample.
const (
	maxSample      = 50_000
	maxSampleBytes = 64 << 20
)

// sample reads the rows behind a statement. If there are many, every row has the
// same chance to be among those that are kept, and the claim's counts and sums are made
// of all.
func (d *data) sample(ctx context.Context, sql string, claim *claims.Claim) (*sample, error) {
	stmt, err := rewriteSource(ctx, d.source, d.Dialect, sql)
	if err != nil {
		return nil, err
	}
	rows := new(qed.Table)
	out := &sample{rows: rows, query: stmt.SQL()}
	opt := sqldb.RowsOptions{
		MaxRows: maxSourceRows, MaxBytes: -1,
		Columns: func(c []qed.Column) { rows.Columns, out.all = c, claims.NewTally(c, claim) },
	}
	drawn := draw.NewReservoir(maxSample, maxSampleBytes)
	for row, err := range d.DB.Rows(ctx, stmt, opt) {
		if errors.Is(err, sqldb.ErrTooLarge) {
			rows.Truncated = true
			break
		}
		if err != nil {
			return nil, err
		}
		drawn.Add(row)
		out.all.Add(row)
	}
	rows.Rows, out.total = drawn.Rows, drawn.Total
	return out, nil
}

// result returns the rows of a statement for a claim about them. A statement with a
// LIMIT may have more.
func (d *data) result(ctx context.Context, sql string) (*qed.Table, error) {
	rows, _, err := d.read(ctx, sql)
	if err != nil {
		return nil, err
	}
	q, err := d.Dialect.Read(sql)
	if err != nil {
		return nil, err
	}
	rows.Truncated = rows.Truncated || q.Limit != nil || q.Offset != nil
	return rows, nil
}

// measure returns the column that a statement adds up, averages or counts under a name,
// or "" if that is another expression.
func (d *data) measure(sql, name string) string {
	q, err := d.Dialect.Read(sql)
	if err != nil {
		return ""
	}
	sel, err := block(q)
	if err != nil {
		return ""
	}
	for _, it := range sel.Items {
		call, ok := it.Expr.(*sqlast.Call)
		if !ok || !ascii.EqualFold(it.Alias, name) || !sqlast.IsAggregate(call) || len(call.Args) != 1 {
			continue
		}
		if c, ok := call.Args[0].(*sqlast.Column); ok {
			return d.column(c.Name)
		}
	}
	return ""
}

// An Overview is what an exploration knows of the table at its start.
type Overview struct {
	Schema      []qed.Column      `json:"schema"`
	ColumnCount int               `json:"columnCount"` // there may be more than in Schema
	RowCount    int64             `json:"rowCount"`
	FirstRows   []json.RawMessage `json:"sampleData"` // each is a list of cells
	Description string            `json:"dataDescription,omitempty"`
	Notes       []string          `json:"notes,omitempty"` // of [Data]
}

const (
	maxFacts       = 32 << 10 // bytes of the facts in the prompt
	maxDescription = 8 << 10
	maxNotes       = 20
	maxNote        = 400 // bytes
)

// describe reads the schema, the number of rows and the first rows.
func (d *data) describe(ctx context.Context) (Overview, error) {
	f := Overview{Description: prompt.Clip(cmp.Or(requestOf(ctx).Description, d.Description), maxDescription)}
	for _, note := range d.Notes[:min(len(d.Notes), maxNotes)] {
		f.Notes = append(f.Notes, prompt.Clip(note, maxNote))
	}
	rows, _, err := d.read(ctx, fmt.Sprintf("SELECT * FROM %s LIMIT %d", d.name(), sampleRows))
	if err != nil {
		return f, err
	}
	f.Schema, f.ColumnCount = rows.Columns, len(rows.Columns)
	for _, row := range rows.Rows {
		raw, err := json.Marshal(row)
		if err != nil {
			return f, fmt.Errorf("analyst: %w", err)
		}
		f.FirstRows = append(f.FirstRows, raw)
	}
	count, _, err := d.read(ctx, "SELECT COUNT(*) AS n FROM "+d.name())
	if err != nil {
		return f, err
	}
	f.RowCount, _ = count.Rows[0][0].(int64)
	return f.fitted()
}

// fitted returns the facts with fewer rows, and then fewer columns, if they are too
// long for a prompt.
func (f Overview) fitted() (Overview, error) {
	for {
		raw, err := json.Marshal(f)
		switch {
		case err != nil || len(raw) <= maxFacts:
			return f, err
		case len(f.FirstRows) > 0:
			f.FirstRows = f.FirstRows[:len(f.FirstRows)/2]
		case len(f.Schema) > 1:
			f.Schema = f.Schema[:len(f.Schema)/2]
		default:
			return f, nil
		}
	}
}

func (d *data) name() string { return d.Dialect.Quote(d.Table) }

// contextData is the data of the system message.
type contextData struct {
	Table, Dialect, Idiom, Facts string
	MaxRows                      int
}

func (d *data) prompt(f Overview) contextData {
	raw, _ := json.Marshal(f) // it was read from JSON
	dialect := d.Dialect.Name()
	return contextData{Table: d.Table, Dialect: dialect, Idiom: idioms[dialect], Facts: string(raw), MaxRows: d.opt.MaxRows}
}

// idioms are what models get wrong in a dialect.
var idioms = map[string]string{
	"sqlite": "SQLite: months are strftime('%Y-%m', d), the division of integers drops the fraction " +
		"(multiply by 1.0), and there is no median.",
	"duckdb": "DuckDB: months are date_trunc('month', d), the median is median(x) or quantile_cont(x, 0.5), " +
		"and QUALIFY filters windows.",
	"mysql": "MySQL: months are DATE_FORMAT(d, '%Y-%m'), names are quoted with backticks, and there is no FULL JOIN.",
	"postgres": "PostgreSQL: months are date_trunc('month', d), the median is " +
		"percentile_cont(0.5) WITHIN GROUP (ORDER BY x), and round(x, 2) needs numeric.",
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
			parts = append(parts, d.listed())
		case errors.Is(err, secureview.ErrUnknownTable), errors.Is(err, secureview.ErrUnknownSchema):
			parts = append(parts, "The only table is "+d.Table+".")
		case errors.Is(err, secureview.ErrNotSelect):
			parts = append(parts, "Write one SELECT statement.")
		case refused.Package == "secureview":
			parts = append(parts, idioms[d.Dialect.Name()])
		case refused.Package == "claims":
			parts = append(parts, "A claim of the kinds means, shares, correlation and share of an outcome names columns of the "+
				"rows behind relatedQuery, another one those of its result. "+d.listed())
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

// listed returns a sentence with the columns of the table.
func (d *data) listed() string {
	text := "The columns of " + d.Table + " are: " + strings.Join(d.columns[:min(len(d.columns), maxListed)], ", ")
	if n := len(d.columns) - maxListed; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return text + "."
}

const maxListed = 60 // columns

// whyEmpty returns the conditions of a statement that found nothing, with what the data
// has instead.
func (d *data) whyEmpty(ctx context.Context, sql string) []qed.Predicate {
	stmt, err := d.guard.Rewrite(ctx, sql)
	if err != nil {
		return nil
	}
	p := &emptyresult.Prober{
		DB: d.DB, Guard: d.guard, MaxRows: d.opt.MaxRows,
		Allows: func(string, string) bool { return true },
		Type:   func(string, string) string { return "" },
	}
	why, _ := p.Explain(ctx, stmt, new(qed.Table), false)
	return why.Predicates
}

// misspelt returns the conditions that no row meets because a value is spelled in
// another way in the data. They make a claim true that something never happens.
func (d *data) misspelt(ctx context.Context, in validateArguments) (conditions []string) {
	if in.Claim.Kind != claims.Never && !(in.Claim.Kind == claims.Total && in.Claim.Value != nil && *in.Claim.Value == 0) {
		return nil
	}
	for _, q := range d.whyEmpty(ctx, in.RelatedQuery) {
		for _, text := range quoted.FindAllString(q.SQL, -1) {
			text = strings.ReplaceAll(text[1:len(text)-1], "''", "'")
			if emptyresult.IsBlamed(q) && !slices.Contains(q.Nearest, text) && len(refusal.Nearest(text, q.Nearest, 1)) > 0 {
				conditions = lists.Add(conditions, q.SQL)
			}
		}
	}
	return conditions
}

// quoted matches a text of a condition.
var quoted = regexp.MustCompile(`'(?:[^']|'')*'`)

// column returns a column of the table as the policy spells it, or "".
func (d *data) column(name string) string {
	i := slices.IndexFunc(d.columns, func(c string) bool { return ascii.EqualFold(c, name) })
	if i < 0 {
		return ""
	}
	return d.columns[i]
}
