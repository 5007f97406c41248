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
	known := true
	switch {
	case options&startPrecedingAll != 0:
		f.Start.Kind = sqlast.UnboundedPreceding
	case options&startCurrent != 0:
		f.Start.Kind = sqlast.CurrentRow
	case options&startPreceding != 0:
		f.Start = sqlast.Bound{Kind: sqlast.Preceding, X: r.expr(m.child(6))}
	case options&startFollowing != 0:
		f.Start = sqlast.Bound{Kind: sqlast.Following, X: r.expr(m.child(6))}
	default:
		known = false
	}
	switch {
	case options&endFollowingAll != 0:
		f.End.Kind = sqlast.UnboundedFollowing
	case options&endCurrent != 0:
		f.End.Kind = sqlast.CurrentRow
	case options&endPreceding != 0:
		f.End = sqlast.Bound{Kind: sqlast.Preceding, X: r.expr(m.child(7))}
	case options&endFollowing != 0:
		f.End = sqlast.Bound{Kind: sqlast.Following, X: r.expr(m.child(7))}
	default:
		known = false
	}
	if !known {
		r.unsupported(at, "this frame")
	}
	return f
}
