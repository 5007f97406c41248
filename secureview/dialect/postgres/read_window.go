package postgres

import "github.com/qedkit/qed/internal/sqlast"

// over reads the operand of OVER: a window, or only the name of a window.
func (r *reader) over(m message) *sqlast.Window {
	w := r.window(m)
	w.Bare = w.Name != ""
	return w
}

func (r *reader) window(m message) *sqlast.Window {
	w := &sqlast.Window{
		Pos:         r.pos(m, 8),
		Name:        m.text(1),
		Base:        m.text(2),
		PartitionBy: r.exprs(m.list(3)),
		OrderBy:     r.orderBy(m.list(4)),
	}
	if options := m.number(5); options&frameGiven != 0 {
		w.Frame = r.frame(w.Pos, options, m)
	}
	return w
}

// The bits of the options of a window's frame.
const (
	frameGiven             = 1 << 0
	frameRows              = 1 << 2
	frameGroups            = 1 << 3
	startPrecedingAll      = 1 << 5
	endFollowingAll        = 1 << 8
	startCurrent           = 1 << 9
	endCurrent             = 1 << 10
	startPreceding         = 1 << 11
	endPreceding           = 1 << 12
	startFollowing         = 1 << 13
	endFollowing           = 1 << 14
	frameExcludeCurrentRow = 1 << 15
	frameExcludeGroup      = 1 << 16
	frameExcludeTies       = 1 << 17
)

func (r *reader) frame(at sqlast.Pos, options int, m message) *sqlast.Frame {
	f := &sqlast.Frame{Pos: at, Unit: sqlast.Range}
	switch {
	case options&frameRows != 0:
		f.Unit = sqlast.Rows
	case options&frameGroups != 0:
		f.Unit = sqlast.Groups
	}
	switch {
	case options&frameExcludeCurrentRow != 0:
		f.Exclude = sqlast.ExcludeCurrentRow
	case options&frameExcludeGroup != 0:
		f.Exclude = sqlast.ExcludeGroup
	case options&frameExcludeTies != 0:
		f.Exclude = sqlast.ExcludeTies
	}
	f.Start = r.bound(at, options, startBounds, m.child(6))
	f.End = r.bound(at, options, endBounds, m.child(7))
	return f
}

// The kinds of the bounds of a frame by their bits.
var (
	startBounds = map[int]sqlast.BoundKind{startPrecedingAll: sqlast.UnboundedPreceding,
		startCurrent: sqlast.CurrentRow, startPreceding: sqlast.Preceding, startFollowing: sqlast.Following}
	endBounds = map[int]sqlast.BoundKind{endFollowingAll: sqlast.UnboundedFollowing,
		endCurrent: sqlast.CurrentRow, endPreceding: sqlast.Preceding, endFollowing: sqlast.Following}
)

// bound reads a bound with the offset x, if it has one.
func (r *reader) bound(at sqlast.Pos, options int, kinds map[int]sqlast.BoundKind, x message) sqlast.Bound {
	for bit, kind := range kinds {
		switch {
		case options&bit == 0:
		case kind == sqlast.Preceding || kind == sqlast.Following:
			return sqlast.Bound{Kind: kind, X: r.expr(x)}
		default:
			return sqlast.Bound{Kind: kind}
		}
	}
	r.unsupported(at, "this frame")
	return sqlast.Bound{}
}
