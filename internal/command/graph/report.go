package graph

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/command"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/joinpath"
)

const (
	doubtful    = 0.8 // joins below are shown with rows
	maxShown    = 20  // doubtful joins and islands that are listed
	exampleRows = 3
)

// report prints what the graph consists of.
func (b *builder) report(ctx context.Context, s *joinpath.Schema) error {
	graph, err := joinpath.New(s, nil)
	if err != nil {
		return err
	}
	fmt.Fprintf(b.out, "%s\n%d tables, %d relationships\n", b.src.Name, len(s.Tables), len(s.Relationships))
	b.counts(s)
	b.views(s)
	b.islands(slices.DeleteFunc(graph.Components(), func(group []string) bool {
		return len(group) == 1 && s.Tables[group[0]].View
	}))
	if err := b.doubtful(ctx, s); err != nil {
		return err
	}
	b.unused()
	return nil
}

// unused prints how much of the files is not used, and lists it on request.
func (b *builder) unused() {
	switch {
	case len(b.problems) == 0:
	case b.o.unused:
		fmt.Fprintf(b.out, "\nNot used: %d\n", len(b.problems))
		for _, p := range b.problems {
			fmt.Fprintln(b.out, " ", command.Visible(p))
		}
	default:
		fmt.Fprintf(b.out, "\nNot used: %d, such as %s (-list-unused lists all)\n", len(b.problems), command.Visible(b.problems[0]))
	}
}

// counts prints the relationships by type and confidence.
func (b *builder) counts(s *joinpath.Schema) {
	type row struct {
		all, sure, likely, weak, dropped int
	}
	rows := map[string]*row{}
	for _, r := range s.Relationships {
		kind := cmp.Or(r.Type, "other")
		if rows[kind] == nil {
			rows[kind] = &row{}
		}
		c := rows[kind]
		c.all++
		switch {
		case r.Confidence == 0:
			c.dropped++
		case r.Confidence < 0.7:
			c.weak++
		case r.Confidence < 0.9:
			c.likely++
		default:
			c.sure++
		}
	}
	fmt.Fprintf(b.out, "\n%-14s %6s %10s %10s %10s %8s\n", "source", "all", "from 0.9", "from 0.7", "below", "dropped")
	for _, kind := range slices.Sorted(maps.Keys(rows)) {
		r := rows[kind]
		fmt.Fprintf(b.out, "%-14s %6d %10d %10d %10d %8d\n", command.Visible(kind), r.all, r.sure, r.likely, r.weak, r.dropped)
	}
}

// views prints the tables that are read through views, and the views that stand for
// no table and have no relationships.
func (b *builder) views(s *joinpath.Schema) {
	joined := map[string]bool{}
	for _, r := range s.Relationships {
		joined[r.FromTable], joined[r.ToTable] = true, true
	}
	var secure, alone []string
	for _, name := range slices.Sorted(maps.Keys(s.Tables)) {
		switch t := s.Tables[name]; {
		case t.SecureView != "":
			secure = append(secure, name+" ("+t.SecureView+")")
		case t.View && !joined[name]:
			alone = append(alone, name)
		}
	}
	for _, list := range []struct {
		title string
		names []string
	}{{"Read through secure views", secure}, {"Views without relationships", alone}} {
		if len(list.names) > 0 {
			fmt.Fprintf(b.out, "\n%s: %s\n", list.title, command.Visible(strings.Join(list.names, ", ")))
		}
	}
}

// islands prints the tables that cannot be joined with the largest group.
func (b *builder) islands(groups [][]string) {
	slices.SortStableFunc(groups, func(x, y []string) int { return cmp.Compare(len(y), len(x)) })
	if len(groups) < 2 {
		return
	}
	fmt.Fprintf(b.out, "\nIslands: %d groups of tables are not connected with the %d largest\n", len(groups)-1, len(groups[0]))
	for i, group := range groups[1:] {
		if i == maxShown {
			fmt.Fprintf(b.out, "  and %d more\n", len(groups)-1-i)
			break
		}
		fmt.Fprintln(b.out, " ", command.Visible(strings.Join(group, ", ")))
	}
}

// doubtful prints the joins of low confidence, each with the reasons and rows.
func (b *builder) doubtful(ctx context.Context, s *joinpath.Schema) error {
	weak := lists.Filter(s.Relationships, func(r joinpath.Relationship) bool {
		return r.Confidence > 0 && r.Confidence < doubtful
	})
	slices.SortStableFunc(weak, func(x, y joinpath.Relationship) int { return cmp.Compare(y.Confidence, x.Confidence) })
	if len(weak) == 0 {
		return nil
	}
	fmt.Fprintf(b.out, "\nDoubtful joins: %d\n", len(weak))
	for i, r := range weak {
		if i == maxShown {
			fmt.Fprintf(b.out, "  and %d more\n", len(weak)-i)
			break
		}
		fmt.Fprintf(b.out, "  %.2f %s\n", r.Confidence, command.Visible(r.String()))
		for _, e := range r.Evidence {
			fmt.Fprintln(b.out, "      ", command.Visible(e))
		}
		if !b.o.count {
			continue
		}
		rows, err := b.rows(ctx, r)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			fmt.Fprintln(b.out, "       no rows:", command.Visible(err.Error()))
		}
		for _, row := range rows {
			fmt.Fprintln(b.out, "      ", command.Visible(row))
		}
	}
	return nil
}

// rows returns example values of a join as lines of text, read through the guard: the
// columns of the from side, and whether the other side has them.
func (b *builder) rows(ctx context.Context, r joinpath.Relationship) ([]string, error) {
	from, to := r.Columns()
	var values, present, on []string
	for i := range from {
		left, right := "f."+b.src.Quote(from[i]), "t."+b.src.Quote(to[i])
		values = append(values, left)
		present = append(present, left+" IS NOT NULL")
		on = append(on, left+" = "+right)
	}
	sql := fmt.Sprintf("SELECT %s, CASE WHEN EXISTS (SELECT 1 FROM %s AS t WHERE %s) THEN 'found' ELSE 'missing' END AS other FROM %s AS f WHERE %s LIMIT %d",
		strings.Join(values, ", "), b.src.Guard.Identifier(r.ToTable), strings.Join(on, " AND "),
		b.src.Guard.Identifier(r.FromTable), strings.Join(present, " AND "), exampleRows)
	stmt, err := b.src.Guard.Rewrite(ctx, sql)
	if err != nil {
		return nil, err
	}
	table, err := b.src.DB.Query(ctx, stmt)
	if err != nil {
		return nil, err
	}
	var text strings.Builder
	if err := table.WriteText(&text); err != nil {
		return nil, err
	}
	return strings.Split(strings.TrimRight(text.String(), "\n"), "\n"), nil
}
