package sqlast

// Walk calls visit for n and for the nodes below it, roughly in the order of the
// text. If visit returns false, the nodes below that node are skipped. Walk does
// not follow bindings: the query of [Table.CTE] is visited where it is declared.
func Walk(n Node, visit func(Node) bool) {
	var walk func(Node)
	walk = func(n Node) {
		if visit(n) {
			Children(n, walk)
		}
	}
	walk(n)
}

// Children calls f for the nodes that are direct parts of n.
func Children(n Node, f func(Node)) {
	expr := func(e *Expr) {
		if *e != nil {
			f(*e)
		}
	}
	switch n := n.(type) {
	case *Query:
		if n.With != nil {
			f(n.With)
		}
		if n.Body != nil {
			f(n.Body)
		}
		orderSlots(n.OrderBy, expr)
		expr(&n.Limit)
		expr(&n.Offset)
	case *With:
		for _, c := range n.CTEs {
			f(c)
		}
	case *CTE:
		f(n.Query)
	case *SetOp:
		f(n.Left)
		f(n.Right)
	case *Values:
		for _, row := range n.Rows {
			listSlots(row, expr)
		}
	case *Select:
		listSlots(n.DistinctOn, expr)
		for i := range n.Items {
			expr(&n.Items[i].Expr)
		}
		if n.From != nil {
			f(n.From)
		}
		expr(&n.Where)
		listSlots(n.GroupBy, expr)
		expr(&n.Having)
		expr(&n.Qualify)
		for _, w := range n.Windows {
			f(w)
		}
	case *Derived:
		f(n.Query)
	case *TableFunction:
		for _, c := range n.Calls {
			f(c)
		}
	case *Join:
		f(n.Left)
		f(n.Right)
		expr(&n.On)
	case *Window:
		windowSlots(n, expr)
	case Expr:
		slots(n, expr)
		if c, ok := n.(*Call); ok && c.Over != nil {
			f(c.Over)
		}
		if q := QueryOf(n); q != nil {
			f(q)
		}
	}
}

// Any reports whether is returns true for a node of its type that is n or below it. It
// goes where [Walk] goes.
func Any[N Node](n Node, is func(N) bool) (found bool) {
	Walk(n, func(n Node) bool {
		x, ok := n.(N)
		found = found || ok && is(x)
		return !found
	})
	return found
}

// HasQuery reports whether an expression, which may be nil, has a subquery.
func HasQuery(e Expr) bool { return e != nil && Any(e, func(*Query) bool { return true }) }

// Conjuncts returns the conditions that AND connects in e, which may be nil.
func Conjuncts(e Expr) []Expr {
	var all []Expr
	var add func(Expr)
	add = func(e Expr) {
		if and, ok := e.(*Binary); ok && and.Op == And {
			add(and.X)
			add(and.Y)
		} else if e != nil {
			all = append(all, e)
		}
	}
	add(e)
	return all
}

// Conjunction connects conditions by AND. It leaves out those that are nil.
func Conjunction(conditions ...Expr) (all Expr) {
	for _, e := range conditions {
		switch {
		case all == nil:
			all = e
		case e != nil:
			all = &Binary{Pos: e.At(), Op: And, X: all, Y: e}
		}
	}
	return all
}

// Relations returns the relations that a relation joins.
func Relations(r Relation) []Relation {
	if j, ok := r.(*Join); ok {
		return append(Relations(j.Left), Relations(j.Right)...)
	}
	return []Relation{r}
}

// QueryOf returns the query that is a direct part of an expression, or nil.
func QueryOf(e Expr) *Query {
	switch e := e.(type) {
	case *In:
		return e.Query
	case *Exists:
		return e.Query
	case *Subquery:
		return e.Query
	case *Quantified:
		return e.Query
	case *ArrayQuery:
		return e.Query
	}
	return nil
}

// slots calls f with a pointer to every expression that is a direct part of e,
// except those of its window and its query. The expressions are not nil.
func slots(e Expr, f func(*Expr)) {
	switch e := e.(type) {
	case *Unary:
		f(&e.X)
	case *Binary:
		f(&e.X)
		f(&e.Y)
	case *Is:
		f(&e.X)
	case *Between:
		f(&e.X)
		f(&e.Low)
		f(&e.High)
	case *In:
		f(&e.X)
		listSlots(e.List, f)
	case *Like:
		f(&e.X)
		f(&e.Pattern)
		optionalSlot(&e.Escape, f)
	case *Case:
		optionalSlot(&e.Operand, f)
		for i := range e.Whens {
			f(&e.Whens[i].Cond)
			f(&e.Whens[i].Result)
		}
		optionalSlot(&e.Else, f)
	case *Cast:
		f(&e.X)
	case *Collate:
		f(&e.X)
	case *Call:
		listSlots(e.Args, f)
		orderSlots(e.OrderBy, f)
		optionalSlot(&e.Separator, f)
		optionalSlot(&e.Filter, f)
	case *Interval:
		f(&e.X)
	case *Quantified:
		f(&e.X)
		optionalSlot(&e.Array, f)
	case *Row:
		listSlots(e.Items, f)
	case *Array:
		listSlots(e.Items, f)
	case *Index:
		f(&e.X)
		for i := range e.Subscripts {
			optionalSlot(&e.Subscripts[i].Low, f)
			optionalSlot(&e.Subscripts[i].High, f)
		}
	case *NamedArg:
		f(&e.X)
	case *Lambda:
		f(&e.X)
	case *GroupingSet:
		listSlots(e.Items, f)
	}
}

// windowSlots calls f with a pointer to every expression of a window.
func windowSlots(w *Window, f func(*Expr)) {
	listSlots(w.PartitionBy, f)
	orderSlots(w.OrderBy, f)
	if w.Frame != nil {
		optionalSlot(&w.Frame.Start.X, f)
		optionalSlot(&w.Frame.End.X, f)
	}
}

func listSlots(list []Expr, f func(*Expr)) {
	for i := range list {
		f(&list[i])
	}
}

func orderSlots(list []Order, f func(*Expr)) {
	for i := range list {
		f(&list[i].Expr)
	}
}

func optionalSlot(e *Expr, f func(*Expr)) {
	if *e != nil {
		f(e)
	}
}
