package analyst

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/qedkit/qed/analyst/profile"
	"github.com/qedkit/qed/internal/column"
)

// DataFacts are what a reader of a report has to know of the table.
type DataFacts struct {
	Table     string          `json:"table"`
	Rows      int             `json:"rows"`
	Columns   int             `json:"columns"`
	Unread    int             `json:"unread,omitempty"` // columns after the first 200, which the rest does not cover
	Duplicate *profile.Figure `json:"duplicateRows,omitempty"`
	Periods   []Period        `json:"periods,omitempty"`
	Missing   []MissingCells  `json:"missing,omitempty"`
}

// A Period is the first and the last day of a column.
type Period struct {
	Column string    `json:"column"`
	From   time.Time `json:"from"`
	To     time.Time `json:"to"`
}

// MissingCells are the cells of a column that are NULL or blank, and those that are not
// of its kind, such as a text among numbers.
type MissingCells struct {
	Column string `json:"column"`
	Cells  int    `json:"cells"`
	Other  int    `json:"other,omitempty"`
}

// profiled has the facts of a table that was profiled.
type profiled struct {
	mu    sync.Mutex
	facts *DataFacts // nil until dataFacts
}

// factsTimeout is how long the facts of a table may take.
const factsTimeout = 10 * time.Second

// dataFacts profiles the table: once for a session with data of its own, and once for a
// turn if the database is shared.
func (d *data) dataFacts(ctx context.Context) (*DataFacts, error) {
	ctx, cancel := context.WithTimeout(ctx, factsTimeout)
	defer cancel()
	d.profile.mu.Lock()
	defer d.profile.mu.Unlock()
	if d.profile.facts != nil {
		return d.profile.facts, nil
	}
	read := d.columns[:min(len(d.columns), maxProfiled)]
	p, err := profile.Read(ctx, d.tableSource(), &profile.Options{Columns: read})
	if err != nil {
		return nil, err
	}
	f := &DataFacts{Table: d.Table, Rows: p.Rows, Columns: len(d.columns), Unread: len(d.columns) - len(read), Duplicate: p.DuplicateRows}
	for _, c := range p.Columns {
		missing := MissingCells{Column: c.Name, Cells: c.Blanks, Other: c.Other}
		if c.Nulls != nil {
			missing.Cells += *c.Nulls
		}
		if missing.Cells+missing.Other > 0 {
			f.Missing = append(f.Missing, missing)
		}
		from, ok1 := dayOf(c.Min)
		to, ok2 := dayOf(c.Max)
		if c.Kind == profile.Times && ok1 && ok2 {
			f.Periods = append(f.Periods, Period{c.Name, from, to})
		}
	}
	d.profile.facts = f
	return f, nil
}

func (d *data) tableSource() profile.Source {
	return profile.Source{DB: d.DB, Policy: d.policy, Dialect: d.Dialect, Table: d.Table}
}

func dayOf(cell any) (time.Time, bool) {
	if at, ok := cell.(time.Time); ok {
		return at, true
	}
	return column.ParseTime(fmt.Sprint(cell))
}
