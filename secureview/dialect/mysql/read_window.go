package mysql

import (
	"slices"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/sqlast"
)

func (r *reader) windowCall(f *ast.WindowFuncExpr) sqlast.Expr {
	out := &sqlast.Call{Pos: r.pos(f), Name: ascii.Lower(f.Name), Distinct: f.Distinct}
	construct := ""
	if slices.Contains(r.medians, int(out.Pos)) {
		if out.Name = "median"; r.version != "" && !parseServer(r.version).mariaDB {
			r.fail(sqlast.Unsupported, out.Pos, "MEDIAN", "MySQL has no MEDIAN: "+medianRemedy)
		}
	}
	switch {
	case f.IgnoreNull:
		construct = "IGNORE NULLS"
	case f.FromLast:
		construct = "FROM LAST"
	case out.Name == "group_concat":
		construct = "GROUP_CONCAT .. OVER" // the grammar loses its ORDER BY
	}
	if construct != "" {
		r.unsupported(out.Pos, construct)
		return nil
	}
	r.arguments(out, f.Args)
	out.Over = r.window(&f.Spec)
	out.Over.Pos = out.Pos
	if w := out.Over; out.Name == "median" && (w.Bare || w.Base != "" || w.OrderBy != nil || w.Frame != nil) {
		r.fail(sqlast.Unsupported, out.Pos, "MEDIAN", "MEDIAN takes OVER (PARTITION BY ..) only, without ORDER BY, a frame or the name of a window")
	}
	return out
}

func (r *reader) window(s *ast.WindowSpec) *sqlast.Window {
	out := &sqlast.Window{Pos: sqlast.Pos(r.cursor), Name: s.Name.O, Bare: s.OnlyAlias, Base: s.Ref.O}
	if s.PartitionBy != nil {
		out.PartitionBy = r.groupBy(s.PartitionBy.Items)
	}
	if s.OrderBy != nil {
		out.OrderBy = r.orderBy(s.OrderBy.Items)
	}
	if s.Frame != nil {
		out.Frame = &sqlast.Frame{
			Pos:   out.Pos,
			Unit:  frameUnits[s.Frame.Type],
			Start: r.bound(&s.Frame.Extent.Start),
			End:   r.bound(&s.Frame.Extent.End),
		}
	}
	return out
}

var frameUnits = [...]sqlast.FrameUnit{ast.Rows: sqlast.Rows, ast.Ranges: sqlast.Range, ast.Groups: sqlast.Groups}

func (r *reader) bound(b *ast.FrameBound) sqlast.Bound {
	out := sqlast.Bound{Kind: boundKinds[b.Type]}
	switch {
	case b.UnBounded && b.Type == ast.Preceding:
		out.Kind = sqlast.UnboundedPreceding
	case b.UnBounded:
		out.Kind = sqlast.UnboundedFollowing
	case b.Expr != nil:
		out.X = r.expr(b.Expr)
		if b.Unit != ast.TimeUnitInvalid {
			out.X = &sqlast.Interval{Pos: sqlast.Pos(r.cursor), X: out.X, Unit: b.Unit.String()}
		}
	}
	return out
}

var boundKinds = [...]sqlast.BoundKind{
	ast.Preceding: sqlast.Preceding, ast.CurrentRow: sqlast.CurrentRow, ast.Following: sqlast.Following,
}
