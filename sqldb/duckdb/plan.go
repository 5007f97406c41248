package duckdb

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/duckdb/duckdb-go/v2"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/failure"
	"github.com/qedkit/qed/internal/wordset"
	"github.com/qedkit/qed/sqldb"
)

// reads are the columns that a plan reads, or that a statement may read, by table.
// The names are in lower case.
type reads map[string]map[string]bool

func (r reads) add(table string, columns []string) {
	table = ascii.Lower(table)
	if r[table] == nil {
		r[table] = map[string]bool{}
	}
	for _, c := range columns {
		r[table][ascii.Lower(c)] = true
	}
}

func (r reads) addAll(other reads) {
	for table, columns := range other {
		r.add(table, nil)
		for c := range columns {
			r[table][c] = true
		}
	}
}

// within returns an error of kind [sqldb.ErrDenied] unless everything is allowed.
func (r reads) within(allowed reads) error {
	for table, columns := range r {
		known, ok := allowed[table]
		if !ok {
			return failure.New(sqldb.ErrDenied, "DuckDB would read the table "+table+", which the guard did not see")
		}
		for c := range columns {
			if !hasColumn(known, c) {
				return failure.New(sqldb.ErrDenied, "DuckDB would read the column "+table+"."+c+", which the guard did not see")
			}
		}
	}
	return nil
}

// hasColumn reports whether a column is known. A plan writes a field of a structure
// as column.field.
func hasColumn(known map[string]bool, column string) bool {
	for !known[column] {
		i := strings.LastIndexByte(column, '.')
		if i < 0 {
			return false
		}
		column = column[:i]
	}
	return true
}

// A node is an operator of a plan.
type node struct {
	Name     string                     `json:"name"`
	Children []node                     `json:"children"`
	Info     map[string]json.RawMessage `json:"extra_info"`
}

// planOf returns the plan of a query, and what it reads. It returns an error of kind
// [sqldb.ErrDenied] for an operator that reads anything else than tables.
func planOf(ctx context.Context, conn *sql.Conn, query string) ([]node, reads, error) {
	var key, text string
	if err := conn.QueryRowContext(ctx, "EXPLAIN (FORMAT json) "+query).Scan(&key, &text); err != nil {
		return nil, nil, err
	}
	var plan []node
	if err := json.Unmarshal([]byte(text), &plan); err != nil || len(plan) == 0 {
		return nil, nil, failure.New(sqldb.ErrDenied, "the plan of the statement cannot be read")
	}
	// A plan has no scan of a table that the optimizer left out.
	names, err := duckdb.GetTableNames(conn, query, false)
	if err != nil {
		return nil, nil, err
	}
	r := reads{}
	for _, name := range names {
		r.add(name, nil)
	}
	for i := range plan {
		if err := r.node(&plan[i]); err != nil {
			return nil, nil, err
		}
	}
	return plan, r, nil
}

// operators are the operators that read no table themselves.
var operators = wordset.Of(`
	cte recursive_cte cte_scan recursive_cte_scan rec_cte rec_cte_scan
	recurring_cte_scan delim_scan right_delim_join left_delim_join
	delim_join filter projection window streaming_window hash_join piecewise_merge_join nested_loop_join
	blockwise_nl_join cross_product positional_join iejoin asof_join order_by top_n limit streaming_limit
	limit_percent hash_group_by perfect_hash_group_by ungrouped_aggregate streaming_ungrouped_aggregate
	partitioned_aggregate simple_aggregate
	union unnest inout_function range generate_series dummy_scan column_data_scan empty_result
	result_collector chunk_scan expression_scan
`)

func (r reads) node(n *node) error {
	name := strings.ReplaceAll(ascii.Lower(strings.TrimSpace(n.Name)), " ", "_")
	switch {
	case name == "seq_scan" || name == "index_scan":
		if err := r.scan(n); err != nil {
			return err
		}
	case !operators[name]:
		return failure.New(sqldb.ErrDenied, "DuckDB would execute "+sqlClip(n.Name)+", which the guard does not know")
	case name == "inout_function":
		if f := ascii.Lower(text(n.Info["Function"])); f != "" && f != "range" && f != "generate_series" && f != "unnest" {
			return failure.New(sqldb.ErrDenied, "DuckDB would call the table function "+sqlClip(f))
		}
	}
	for i := range n.Children {
		if err := r.node(&n.Children[i]); err != nil {
			return err
		}
	}
	return nil
}

// maxCountedGroups is how many groups a statement may be planned to have that keeps
// each value of each group with its count. DuckDB needs half a kilobyte or more for
// each of these, and does not count it against its memory limit.
const maxCountedGroups = 250_000

var countedValues = regexp.MustCompile(`(?i)\b(mode|entropy|histogram)\b"?\(`)

// checkGroups returns an error of kind [sqldb.ErrTooLarge] for an operator with too
// many groups of counted values.
func (n *node) checkGroups() error {
	groups := n.estimate() // a perfect hash has few groups, and no estimate
	call := countedValues.FindStringSubmatch(strings.Join(list(n.Info["Aggregates"]), "\n"))
	if call != nil && groups > maxCountedGroups {
		return failure.New(sqldb.ErrTooLarge, fmt.Sprintf("%s needs much memory for each group, and DuckDB expects %.0f groups "+
			"where at most %d are possible: group by columns with fewer values, narrow the rows, or count the values with "+
			"GROUP BY in a subquery and keep the first by row_number()", ascii.Lower(call[1]), groups, maxCountedGroups))
	}
	for i := range n.Children {
		if err := n.Children[i].checkGroups(); err != nil {
			return err
		}
	}
	return nil
}

// estimate returns how many rows DuckDB expects of an operator, or -1 if the plan does
// not have the number.
func (n *node) estimate() float64 {
	for _, key := range []string{"Estimated Cardinality", "Top"} { // the limit of a TOP_N
		if rows, err := strconv.ParseFloat(text(n.Info[key]), 64); err == nil {
			return rows
		}
	}
	return -1
}

// rows returns the estimate of an operator, or else that of the operators below it.
func (n *node) rows() float64 {
	if rows := n.estimate(); rows >= 0 {
		return rows
	}
	product, most := 1.0, 0.0
	for i := range n.Children {
		rows := n.Children[i].rows()
		product, most = product*rows, max(most, rows)
	}
	if strings.TrimSpace(n.Name) == "CROSS_PRODUCT" {
		return product
	}
	return most
}

// read returns how many rows the operators below and with n read from tables, or the most
// that one of them has.
func (n *node) read() (fromTables, most float64) {
	rows := max(n.rows(), 0)
	if len(n.Children) == 0 {
		return rows, rows
	}
	for i := range n.Children {
		below, mostBelow := n.Children[i].read()
		fromTables, most = fromTables+below, max(most, mostBelow)
	}
	return fromTables, max(most, rows)
}

func (r reads) scan(n *node) error {
	table := text(n.Info["Table"])
	if i := strings.LastIndex(table, "."); i >= 0 {
		table = table[i+1:]
	}
	table = strings.Trim(table, `"`)
	if table == "" {
		return failure.New(sqldb.ErrDenied, "DuckDB would read a table without a name")
	}
	var columns []string
	for _, c := range list(n.Info["Projections"]) {
		if c = strings.TrimSpace(c); c != "" {
			columns = append(columns, c)
		}
	}
	r.add(table, columns)
	return nil
}

func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

func list(raw json.RawMessage) []string {
	if raw == nil {
		return nil
	}
	var out []string
	if json.Unmarshal(raw, &out) == nil {
		return out
	}
	return []string{text(raw)}
}

func sqlClip(s string) string { return failure.Line(fmt.Sprintf("%.80s", s)) }
