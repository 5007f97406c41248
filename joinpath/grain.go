package joinpath

// FanOut returns the joins that repeat rows of a table, given by its alias, each
// seen on the way from that table: empty where each of its rows appears at most
// once in the result, so that a SUM or COUNT over its columns is right.
//
// To aggregate the columns of several tables in one statement, all of them have
// to come out empty. Two tables that are both on the many side of a third never
// do: aggregate each by itself first.
//
// The error is an [*Error] of kind [ErrUnknownTable].
func (p Plan) FanOut(alias string) ([]Step, error) {
	from, err := p.find(alias)
	if err != nil {
		return nil, err
	}
	// The nodes from the given one up to the root are walked against the
	// order of the plan, all others along it.
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

// Grain returns the aliases whose rows appear at most once in the result. It is
// empty where every table's rows can repeat.
func (p Plan) Grain() []string {
	// Walking from a node's parent to the node changes nothing but which way
	// their own join is seen.
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

// reversed returns the step as seen from its right.
func (s Step) reversed() Step {
	s.Left, s.Right = s.Right, s.Left
	s.LeftTable, s.RightTable = s.RightTable, s.LeftTable
	s.LeftColumns, s.RightColumns = s.RightColumns, s.LeftColumns
	s.Reversed = !s.Reversed
	s.Cardinality = s.Cardinality.Reversed()
	s.FansOut = s.Cardinality.FansOut()
	return s
}
