package sqlast

// Walk calls visit for n and for the nodes below it, roughly in the order of the
// text. If visit returns false, the nodes below that node are skipped. Walk does
// not follow bindings: the query of [Table.CTE] is visited where it is declared.
func Walk(n Node, visit func(Node) bool) {
	w := walker(visit)
	switch n := n.(type) {
	case *Query:
		w.query(n)
	case Body:
		w.body(n)
	case Relation:
		w.relation(n)
	case Expr:
		w.expr(n)
	case *With:
		w.with(n)
	case *Window:
		w.window(n)
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

// Relations returns the relations that a relation joins.
func Relations(r Relation) []Relation {
	if j, ok := r.(*Join); ok {
		return append(Relations(j.Left), Relations(j.Right)...)
	}
	return []Relation{r}
}

type walker func(Node) bool

func (w walker) query(q *Query) {
	if q == nil || !w(q) {
		return
	}
	if q.With != nil {
		w.with(q.With)
	}
	w.body(q.Body)
	w.order(q.OrderBy)
	w.expr(q.Limit)
	w.expr(q.Offset)
}

func (w walker) with(with *With) {
	if !w(with) {
		return
	}
	for _, c := range with.CTEs {
		if w(c) {
			w.query(c.Query)
		}
	}
}

func (w walker) body(b Body) {
	switch b := b.(type) {
	case *Query:
		w.query(b)
	case *SetOp:
		if w(b) {
			w.body(b.Left)
			w.body(b.Right)
		}
	case *Values:
		if w(b) {
			for _, row := range b.Rows {
				w.exprs(row)
			}
		}
	case *Select:
		if w(b) {
			w.selectBlock(b)
		}
	}
}

func (w walker) selectBlock(s *Select) {
	w.exprs(s.DistinctOn)
	for _, it := range s.Items {
		w.expr(it.Expr)
	}
	w.relation(s.From)
	w.expr(s.Where)
	w.exprs(s.GroupBy)
	w.expr(s.Having)
	w.expr(s.Qualify)
	for _, win := range s.Windows {
		w.window(win)
	}
}

func (w walker) relation(r Relation) {
	switch r := r.(type) {
	case *Table:
		w(r)
	case *Derived:
		if w(r) {
			w.query(r.Query)
		}
	case *TableFunction:
		if w(r) {
			for _, c := range r.Calls {
				w.expr(c)
			}
		}
	case *Join:
		if w(r) {
			w.relation(r.Left)
			w.relation(r.Right)
			w.expr(r.On)
		}
	}
}

func (w walker) window(win *Window) {
	if w(win) {
		windowSlots(win, func(e *Expr) { w.expr(*e) })
	}
}

func (w walker) exprs(list []Expr) {
	for _, e := range list {
		w.expr(e)
	}
}

func (w walker) order(list []Order) {
	for _, o := range list {
		w.expr(o.Expr)
	}
}

func (w walker) expr(e Expr) {
	if e == nil || !w(e) {
		return
	}
	slots(e, func(child *Expr) { w.expr(*child) })
	if c, ok := e.(*Call); ok && c.Over != nil {
		w.window(c.Over)
	}
	w.query(QueryOf(e))
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
