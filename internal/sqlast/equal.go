package sqlast

import (
	"bytes"
	"slices"
)

// Equal reports whether two trees are the same query. It ignores positions,
// bindings and the quotes around names.
func Equal(a, b *Query) bool {
	if a == nil || b == nil {
		return a == b
	}
	return equalWith(a.With, b.With) && equalBody(a.Body, b.Body) && equalOrder(a.OrderBy, b.OrderBy) &&
		equalExpr(a.Limit, b.Limit) && a.Ties == b.Ties && equalExpr(a.Offset, b.Offset)
}

func equalWith(a, b *With) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Recursive == b.Recursive && slices.EqualFunc(a.CTEs, b.CTEs, func(a, b *CTE) bool {
		return a.Name == b.Name && slices.Equal(a.Columns, b.Columns) && Equal(a.Query, b.Query)
	})
}

func equalBody(a, b Body) bool {
	switch a := a.(type) {
	case *Query:
		b, ok := b.(*Query)
		return ok && Equal(a, b)
	case *SetOp:
		b, ok := b.(*SetOp)
		return ok && a.Kind == b.Kind && a.All == b.All && equalBody(a.Left, b.Left) && equalBody(a.Right, b.Right)
	case *Values:
		b, ok := b.(*Values)
		return ok && slices.EqualFunc(a.Rows, b.Rows, equalExprs)
	case *Select:
		b, ok := b.(*Select)
		return ok && equalSelect(a, b)
	}
	return a == b
}

func equalSelect(a, b *Select) bool {
	return a.Distinct == b.Distinct && equalExprs(a.DistinctOn, b.DistinctOn) &&
		slices.EqualFunc(a.Items, b.Items, equalItem) &&
		equalRelation(a.From, b.From) && equalExpr(a.Where, b.Where) &&
		equalExprs(a.GroupBy, b.GroupBy) && a.Rollup == b.Rollup && equalExpr(a.Having, b.Having) &&
		equalExpr(a.Qualify, b.Qualify) && a.Sample == b.Sample &&
		slices.EqualFunc(a.Windows, b.Windows, equalWindow)
}

func equalItem(a, b Item) bool { return a.Alias == b.Alias && equalExpr(a.Expr, b.Expr) }

func equalRelation(a, b Relation) bool {
	switch a := a.(type) {
	case *Table:
		b, ok := b.(*Table)
		return ok && a.Schema == b.Schema && a.Name == b.Name && a.Alias == b.Alias && a.Sample == b.Sample
	case *Derived:
		b, ok := b.(*Derived)
		return ok && a.Alias == b.Alias && a.Lateral == b.Lateral &&
			slices.Equal(a.Columns, b.Columns) && Equal(a.Query, b.Query)
	case *TableFunction:
		b, ok := b.(*TableFunction)
		return ok && a.Ordinality == b.Ordinality && a.Alias == b.Alias && slices.Equal(a.Columns, b.Columns) &&
			slices.Equal(a.Types, b.Types) && slices.EqualFunc(a.Calls, b.Calls, equalCall)
	case *Join:
		b, ok := b.(*Join)
		return ok && a.Kind == b.Kind && a.Natural == b.Natural && a.AsOf == b.AsOf && slices.Equal(a.Using, b.Using) &&
			equalRelation(a.Left, b.Left) && equalRelation(a.Right, b.Right) && equalExpr(a.On, b.On)
	}
	return a == b
}

func equalExprs(a, b []Expr) bool { return slices.EqualFunc(a, b, equalExpr) }

func equalOrder(a, b []Order) bool {
	return slices.EqualFunc(a, b, func(a, b Order) bool {
		return a.Desc == b.Desc && a.Nulls == b.Nulls && equalExpr(a.Expr, b.Expr)
	})
}

func equalExpr(a, b Expr) bool {
	switch a := a.(type) {
	case *Column:
		b, ok := b.(*Column)
		return ok && a.Schema == b.Schema && a.Table == b.Table && a.Name == b.Name && slices.Equal(a.Path, b.Path)
	case *Star:
		b, ok := b.(*Star)
		return ok && a.Schema == b.Schema && a.Table == b.Table && a.Row == b.Row && slices.Equal(a.Exclude, b.Exclude) &&
			slices.EqualFunc(a.Replace, b.Replace, equalItem) && slices.EqualFunc(a.Rename, b.Rename, equalItem)
	case *Null:
		_, ok := b.(*Null)
		return ok
	case *Bool:
		b, ok := b.(*Bool)
		return ok && a.Value == b.Value
	case *Number:
		b, ok := b.(*Number)
		return ok && a.Text == b.Text
	case *String:
		b, ok := b.(*String)
		return ok && a.Value == b.Value
	case *Bytes:
		b, ok := b.(*Bytes)
		return ok && bytes.Equal(a.Value, b.Value)
	case *Now:
		b, ok := b.(*Now)
		return ok && a.Kind == b.Kind && a.Precision == b.Precision
	case *Unit:
		b, ok := b.(*Unit)
		return ok && a.Name == b.Name
	case *Unary:
		b, ok := b.(*Unary)
		return ok && a.Op == b.Op && equalExpr(a.X, b.X)
	case *Binary:
		b, ok := b.(*Binary)
		return ok && a.Op == b.Op && equalExpr(a.X, b.X) && equalExpr(a.Y, b.Y)
	case *Is:
		b, ok := b.(*Is)
		return ok && a.Not == b.Not && a.Test == b.Test && equalExpr(a.X, b.X)
	case *Between:
		b, ok := b.(*Between)
		return ok && a.Not == b.Not && a.Symmetric == b.Symmetric &&
			equalExpr(a.X, b.X) && equalExpr(a.Low, b.Low) && equalExpr(a.High, b.High)
	case *In:
		b, ok := b.(*In)
		return ok && a.Not == b.Not && equalExpr(a.X, b.X) && equalExprs(a.List, b.List) && Equal(a.Query, b.Query)
	case *Like:
		b, ok := b.(*Like)
		return ok && a.Op == b.Op && a.Not == b.Not &&
			equalExpr(a.X, b.X) && equalExpr(a.Pattern, b.Pattern) && equalExpr(a.Escape, b.Escape)
	case *Case:
		b, ok := b.(*Case)
		return ok && equalExpr(a.Operand, b.Operand) && equalExpr(a.Else, b.Else) &&
			slices.EqualFunc(a.Whens, b.Whens, func(a, b When) bool {
				return equalExpr(a.Cond, b.Cond) && equalExpr(a.Result, b.Result)
			})
	case *Cast:
		b, ok := b.(*Cast)
		return ok && a.Type == b.Type && a.Try == b.Try && a.Literal == b.Literal && equalExpr(a.X, b.X)
	case *Collate:
		b, ok := b.(*Collate)
		return ok && a.Name == b.Name && equalExpr(a.X, b.X)
	case *Call:
		b, ok := b.(*Call)
		return ok && equalCall(a, b)
	case *Interval:
		b, ok := b.(*Interval)
		return ok && a.Unit == b.Unit && equalExpr(a.X, b.X)
	case *Exists:
		b, ok := b.(*Exists)
		return ok && Equal(a.Query, b.Query)
	case *Subquery:
		b, ok := b.(*Subquery)
		return ok && Equal(a.Query, b.Query)
	case *Quantified:
		b, ok := b.(*Quantified)
		return ok && a.Op == b.Op && a.All == b.All &&
			equalExpr(a.X, b.X) && Equal(a.Query, b.Query) && equalExpr(a.Array, b.Array)
	case *Row:
		b, ok := b.(*Row)
		return ok && a.Explicit == b.Explicit && equalExprs(a.Items, b.Items)
	case *Array:
		b, ok := b.(*Array)
		return ok && equalExprs(a.Items, b.Items)
	case *ArrayQuery:
		b, ok := b.(*ArrayQuery)
		return ok && Equal(a.Query, b.Query)
	case *Index:
		b, ok := b.(*Index)
		return ok && equalExpr(a.X, b.X) && slices.EqualFunc(a.Subscripts, b.Subscripts, func(a, b Subscript) bool {
			return a.Slice == b.Slice && equalExpr(a.Low, b.Low) && equalExpr(a.High, b.High)
		})
	case *NamedArg:
		b, ok := b.(*NamedArg)
		return ok && a.Name == b.Name && equalExpr(a.X, b.X)
	case *Lambda:
		b, ok := b.(*Lambda)
		return ok && slices.Equal(a.Params, b.Params) && equalExpr(a.X, b.X)
	case *Param:
		b, ok := b.(*Param)
		return ok && a.Name == b.Name
	case *GroupingSet:
		b, ok := b.(*GroupingSet)
		return ok && a.Kind == b.Kind && equalExprs(a.Items, b.Items)
	}
	return a == b
}

func equalCall(a, b *Call) bool {
	return a.Name == b.Name && a.Star == b.Star && a.Distinct == b.Distinct && a.Within == b.Within &&
		a.IgnoreNulls == b.IgnoreNulls &&
		equalExprs(a.Args, b.Args) && equalOrder(a.OrderBy, b.OrderBy) &&
		equalExpr(a.Separator, b.Separator) && equalExpr(a.Filter, b.Filter) && equalWindow(a.Over, b.Over)
}

func equalWindow(a, b *Window) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Name == b.Name && a.Bare == b.Bare && a.Base == b.Base &&
		equalExprs(a.PartitionBy, b.PartitionBy) && equalOrder(a.OrderBy, b.OrderBy) && equalFrame(a.Frame, b.Frame)
}

func equalFrame(a, b *Frame) bool {
	if a == nil || b == nil {
		return a == b
	}
	bound := func(a, b Bound) bool { return a.Kind == b.Kind && equalExpr(a.X, b.X) }
	return a.Unit == b.Unit && a.Exclude == b.Exclude && bound(a.Start, b.Start) && bound(a.End, b.End)
}
