package sqlast

import "strings"

func (p *printer) call(c *Call) {
	if p.physical && p.CallAs != nil {
		if e := p.CallAs(c); e != nil {
			p.expr(e)
			return
		}
	}
	if p.field(c) {
		return
	}
	if p.physical && p.CallPrefix != nil {
		p.text(p.CallPrefix(c))
	}
	p.text(c.Name)
	p.open()
	if c.Distinct {
		p.text("DISTINCT ")
	}
	if c.Star {
		p.text("*")
	}
	for i, arg := range c.Args {
		if i == 1 && strings.HasPrefix(c.Name, "regexp_") {
			arg = p.pattern(arg, c.Name)
		}
		p.argument(c, i, arg)
	}
	if !c.Within {
		p.orderBy(" ORDER BY ", c.OrderBy)
	}
	if c.IgnoreNulls {
		p.text(" IGNORE NULLS")
	}
	if c.Separator != nil {
		p.text(" SEPARATOR ")
		p.expr(c.Separator)
	}
	p.close()
	if c.Within {
		p.text(" WITHIN GROUP ")
		p.open()
		p.orderBy("ORDER BY ", c.OrderBy)
		p.close()
	}
	filter := c.Filter
	if p.physical && p.Filter != nil {
		if longer := p.Filter(c, p.groupings); longer != filter && p.checkSize(c.Pos, c.Name) {
			filter = longer
		}
	}
	if filter != nil {
		p.text(" FILTER ")
		p.open()
		p.text("WHERE ")
		p.expr(filter)
		p.close()
	}
	if c.Over == nil {
		return
	}
	p.text(" OVER ")
	if c.Over.Bare {
		p.name(c.Over.Name)
	} else {
		p.window(c.Over)
	}
}

// field prints a call as the field of a structure. It reports whether it did.
func (p *printer) field(c *Call) bool {
	if c.Name != p.Field || len(c.Args) != 2 {
		return false
	}
	name, ok := c.Args[1].(*String)
	if !ok || name.Value == "" {
		return false
	}
	if p.physical && c.Name == CompositeField {
		p.compositeField(c.Args[0], name.Value)
		return true
	}
	p.open()
	p.expr(c.Args[0])
	p.close()
	p.text(".")
	p.name(name.Value)
	return true
}

// compositeField prints a field so that it cannot mean anything else. For (x).y without a
// field y PostgreSQL calls the function y, and it looks for a bare y in the queries around.
// The innermost one around has a y that is NULL.
func (p *printer) compositeField(x Expr, field string) {
	p.open()
	p.text("SELECT ")
	p.open()
	p.text("SELECT ")
	p.name(field)
	p.text(" FROM (SELECT ")
	p.open()
	p.expr(x)
	p.close()
	p.text(".*) AS ")
	p.name("the value")
	p.close()
	p.text(" FROM (SELECT NULL AS ")
	p.name(field)
	p.text(") AS ")
	p.name("no value")
	p.close()
}

// argument prints the i-th argument and its separator. An argument next to a
// keyword, as in POSITION(a IN b), must be a primary or in parentheses.
func (p *printer) argument(c *Call, i int, arg Expr) {
	if p.ArgSeparator == nil {
		if i > 0 {
			p.text(", ")
		}
		p.expr(arg)
		return
	}
	before, after := "", ""
	if i > 0 {
		before = p.ArgSeparator(c, i)
	}
	if i+1 < len(c.Args) {
		after = p.ArgSeparator(c, i+1)
	}
	switch {
	case before != "":
		p.text(before)
	case i > 0:
		p.text(", ")
	}
	if before == "" && after == "" {
		p.expr(arg)
	} else {
		p.operand(arg, rankPrimary)
	}
}

// window prints the parentheses of OVER (..) and WINDOW w AS (..).
func (p *printer) window(w *Window) {
	p.open()
	start := len(p.dst)
	if w.Base != "" {
		p.name(w.Base)
	}
	if w.PartitionBy != nil {
		p.clause(start, "PARTITION BY ")
		p.exprs(w.PartitionBy)
	}
	if w.OrderBy != nil {
		p.clause(start, "")
		p.orderBy("ORDER BY ", w.OrderBy)
	}
	if w.Frame != nil {
		p.clause(start, "")
		p.frame(w.Frame)
	}
	p.close()
}

// clause prints a keyword, with a space before it unless it is the first since
// start.
func (p *printer) clause(start int, keyword string) {
	if len(p.dst) > start {
		p.text(" ")
	}
	p.text(keyword)
}

var (
	frameUnits = [...]string{Rows: "ROWS", Range: "RANGE", Groups: "GROUPS"}
	exclusions = [...]string{
		ExcludeNoOthers:   "",
		ExcludeCurrentRow: " EXCLUDE CURRENT ROW",
		ExcludeGroup:      " EXCLUDE GROUP",
		ExcludeTies:       " EXCLUDE TIES",
	}
)

func (p *printer) frame(f *Frame) {
	p.text(frameUnits[f.Unit])
	p.text(" BETWEEN ")
	p.bound(&f.Start)
	p.text(" AND ")
	p.bound(&f.End)
	p.text(exclusions[f.Exclude])
}

func (p *printer) bound(b *Bound) {
	switch b.Kind {
	case UnboundedPreceding:
		p.text("UNBOUNDED PRECEDING")
	case Preceding:
		p.operand(b.X, rankPrimary)
		p.text(" PRECEDING")
	case CurrentRow:
		p.text("CURRENT ROW")
	case Following:
		p.operand(b.X, rankPrimary)
		p.text(" FOLLOWING")
	case UnboundedFollowing:
		p.text("UNBOUNDED FOLLOWING")
	}
}
