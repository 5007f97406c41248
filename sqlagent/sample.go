package sqlagent

import (
	"context"
	"strconv"
	"strings"

	"github.com/qedkit/qed"
)

// sample returns rows of a table as JSON lines, read through the guard like any
// other statement. They are kept for the life of the agent unless another caller
// may see other rows. A resumed run sees the rows that it saw before.
func (a *agent) sample(ctx context.Context, s *state, name string, rows int) (string, error) {
	if rows <= 0 {
		return "", nil
	}
	key := sampleKey{name, rows}
	shared := !s.Personal && !a.perSession
	text, err := qed.Step(ctx, "sample", key.String(), func(ctx context.Context) (string, error) {
		if text, ok := a.samples.Load(key); ok && shared {
			return text.(string), nil
		}
		return a.readSample(ctx, name, rows), nil
	})
	if err != nil {
		return "", err
	}
	if shared {
		a.samples.Store(key, text)
	}
	return text, nil
}

// readSample returns rows of a table with the columns of Options.Columns. It returns
// "" if they cannot be read: a statement that reads the table will report the problem.
func (r *reader) readSample(ctx context.Context, name string, rows int) string {
	quote := r.guard.Dialect().Quote
	var columns []string
	for _, c := range r.catalog.columns[name] {
		if len(columns) < r.opt.Limits.Columns && r.opt.Columns.Allows(name, c) {
			columns = append(columns, quote(c))
		}
	}
	if len(columns) == 0 {
		return ""
	}
	sql := "SELECT " + strings.Join(columns, ", ") + " FROM " + r.guard.Identifier(name) + " LIMIT " + strconv.Itoa(rows)
	stmt, err := r.guard.Rewrite(ctx, sql)
	if err != nil {
		return ""
	}
	table, err := r.db.Query(ctx, stmt)
	if err != nil || table == nil {
		return ""
	}
	text, _ := table.PromptLines(rows, maxSampleBytes)
	return text
}

type sampleKey struct {
	table string
	rows  int
}

func (k sampleKey) String() string { return strconv.Itoa(k.rows) + " of " + k.table }

const maxSampleBytes = 2000
