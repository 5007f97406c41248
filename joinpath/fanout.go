package joinpath

// FanOut returns the joins that repeat the rows of one table, which is given by
// its alias. Each join is read in the direction away from that table. If there
// are none, each row of the table appears at most once in the result, so that a
// SUM or COUNT over its columns is right.
//
// To aggregate columns of several tables in one statement, FanOut has to be empty
// for each of them. It never is for two tables on the many sides of a third one:
// aggregate each of them in a subquery first.
//
// The error is a [*refusal.Error] of code [ErrUnknownTable].
func (p Plan) FanOut(alias string) ([]Step, error) {
	from, err := p.find(alias)
	if err != nil {
		return nil, err
	}
	// Joins between the given node and the root are read against the order of
	// the plan, all others in its order.
	upward := map[int]bool{}
	for i := from; i > 0; i = int(p.tree.nodes[i].parent) {
		upward[i] = true
	}
	steps := []Step{}
	for i := range p.joined() {
		s := p.step(i + 1)
		if upward[i+1] {
			s = s.reversed()
		}
		if s.FansOut {
			steps = append(steps, s)
		}
	}
	return steps, nil
}

// Grain returns the aliases of the tables whose rows appear at most once in the
// result. It is empty if the rows of every table can repeat.
func (p Plan) Grain() []string {
	// Seen from a node instead of from its parent, only the join between the two
	// has the other direction.
	out := []string{}
	nodes := p.nodes()
	if len(nodes) == 0 {
		return out
	}
	repeats := make([]int, len(nodes))
	for i := range p.joined() {
		if p.step(i + 1).FansOut {
			repeats[0]++
		}
	}
	for i := range p.joined() {
		s := p.step(i + 1)
		n := repeats[nodes[i+1].parent]
		if s.FansOut {
			n--
		}
		if s.reversed().FansOut {
			n++
		}
		repeats[i+1] = n
	}
	for i, n := range nodes {
		if repeats[i] == 0 {
			out = append(out, n.alias)
		}
	}
	return out
}

// reversed returns the step read from right to left.
func (s Step) reversed() Step {
	s.Left, s.Right = s.Right, s.Left
	s.LeftTable, s.RightTable = s.RightTable, s.LeftTable
	s.LeftColumns, s.RightColumns = s.RightColumns, s.LeftColumns
	s.Reversed = !s.Reversed
	s.Cardinality = s.Cardinality.Reversed()
	s.FansOut = s.Cardinality.FansOut()
	return s
}
