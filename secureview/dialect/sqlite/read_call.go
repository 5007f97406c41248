package sqlite

import (
	"strings"

	"github.com/sqlc-dev/meyer/ast"
	"github.com/sqlc-dev/meyer/token"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/internal/sqlread"
)

// maxArguments is the largest number of arguments that SQLite accepts.
const maxArguments = 1000

func (r *reader) call(e *ast.FuncCall) sqlast.Expr {
	if len(e.Args) > maxArguments {
		r.fail(sqlast.TooComplex, e.Pos(), e.Name.Name, "a function has at most 1000 arguments")
		return &sqlast.Call{}
	}
	out := &sqlast.Call{
		Pos:      pos(e),
		Name:     r.function(e.Name),
		Args:     r.exprs(e.Args),
		Star:     e.Star,
		Distinct: e.Distinct,
		OrderBy:  r.orderBy(e.OrderBy),
		Filter:   r.optional(e.Filter),
	}
	if e.Over != nil {
		out.Over = r.window(e.Over)
	}
	switch out.Name {
	case "json_each", "json_tree":
		r.fail(sqlast.Function, e.Pos(), out.Name, out.Name+"() stands in FROM, as in FROM t, "+out.Name+"(t.x) AS e")
	case "highlight", "snippet":
		for i := 2; i < len(out.Args) && i < 5; i++ {
			if !isLiteral(out.Args[i], maxMark) {
				r.fail(sqlast.Function, e.Pos(), out.Name, out.Name+" needs literal texts of at most 16 bytes around what was found")
			}
		}
	}
	return out
}

// function returns the name of a function in lower case. It is printed without
// quotes, so it has to be a word that is a name without them.
func (r *reader) function(id *ast.Ident) string {
	if !sqlread.IsPlainWord(ascii.Lower(id.Name)) || id.Quote != ast.QuoteNone && !token.IsIDJ(token.Lookup(id.Name)) {
		r.fail(sqlast.Function, id.Pos(), id.Name, "there is no function "+sqlast.Clip(id.Name))
	}
	return strings.ToLower(id.Name)
}

func (r *reader) window(w *ast.WindowDef) *sqlast.Window {
	out := &sqlast.Window{
		Pos:         pos(w),
		PartitionBy: r.exprs(w.Partition),
		OrderBy:     r.orderBy(w.OrderBy),
		Frame:       r.frame(w),
	}
	switch {
	case w.NameOnly:
		out.Name, out.Bare = r.name(w.Base), true
		return out
	case w.Base != nil:
		out.Base = r.name(w.Base)
	}
	if w.Name != nil {
		out.Name = r.name(w.Name)
	}
	return out
}

var (
	frameUnits = [...]sqlast.FrameUnit{
		ast.FrameRows:   sqlast.Rows,
		ast.FrameRange:  sqlast.Range,
		ast.FrameGroups: sqlast.Groups,
	}
	boundKinds = [...]sqlast.BoundKind{
		ast.BoundUnboundedPreceding: sqlast.UnboundedPreceding,
		ast.BoundPreceding:          sqlast.Preceding,
		ast.BoundCurrentRow:         sqlast.CurrentRow,
		ast.BoundFollowing:          sqlast.Following,
		ast.BoundUnboundedFollowing: sqlast.UnboundedFollowing,
	}
	exclusions = [...]sqlast.FrameExclude{
		ast.ExcludeNone:       sqlast.ExcludeNoOthers,
		ast.ExcludeNoOthers:   sqlast.ExcludeNoOthers,
		ast.ExcludeCurrentRow: sqlast.ExcludeCurrentRow,
		ast.ExcludeGroup:      sqlast.ExcludeGroup,
		ast.ExcludeTies:       sqlast.ExcludeTies,
	}
)

func (r *reader) frame(w *ast.WindowDef) *sqlast.Frame {
	if w.Frame == ast.FrameNone {
		return nil
	}
	return &sqlast.Frame{
		Pos:     pos(w.StartBound),
		Unit:    frameUnits[w.Frame],
		Start:   r.bound(w.StartBound),
		End:     r.bound(w.EndBound),
		Exclude: exclusions[w.Exclude],
	}
}

// bound reads one end of a frame. In the short form of a frame the second end is
// missing, which means the current row.
func (r *reader) bound(b *ast.FrameBound) sqlast.Bound {
	if b == nil {
		return sqlast.Bound{Kind: sqlast.CurrentRow}
	}
	return sqlast.Bound{Kind: boundKinds[b.Type], X: r.optional(b.Expr)}
}
