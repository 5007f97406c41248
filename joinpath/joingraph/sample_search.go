package joingraph

// search measures pairs of columns of which names say nothing. A key of numbers
// without gaps is searched only for columns that are named like a reference, and
// that have its range.
func (s *sampler) search() {
	in := s.in
	sure, proposed := map[colRef]bool{}, map[refTo]bool{}
	for _, p := range in.proposals {
		proposed[refTo{colRef{p.child, p.column}, p.parent}] = true
		if p.data != nil && p.logit > 2 && (p.data.matching() > 0.8 || p.data.distinct == 0) {
			sure[colRef{p.child, p.column}] = true
		}
	}
	var pairs []candidate
	for parent := range in.x.tables {
		for n, k := range in.x.tables[parent].keys {
			if len(k.columns) != 1 {
				continue
			}
			key, ok := s.columns[colRef{parent, k.columns[0]}]
			if ok && key.distinct >= leastDistinct && key.distinct == key.rows {
				pairs = append(pairs, s.pairs(parent, n, key, sure, proposed)...)
			}
		}
	}
	s.planned = in.out.Statements + len(pairs)
	for _, c := range pairs {
		if m := s.match(c); m != nil && m.matching() >= leastMatching && (!m.chance || m.tight()) {
			p := proposal{candidate: c, rule: ruleData, data: m}
			from, to := &in.x.tables[c.child].columns[c.column], &in.x.tables[c.parent].columns[in.x.parentColumn(c)]
			p.types = compareTypes(in.x.tables[c.child].def.Types[from.name], in.x.tables[c.parent].def.Types[to.name],
				from.class, to.class)
			in.proposals = append(in.proposals, p)
		}
	}
}

const (
	leastDistinct = 3    // values of a key that is searched
	leastMatching = 0.95 // of a pair that only the data shows
)

// refTo is a column and a table that it may refer to.
type refTo struct {
	column colRef
	table  int
}

// pairs returns the columns that can refer to a key by their types and counts.
func (s *sampler) pairs(parent, n int, key counts, sure map[colRef]bool, proposed map[refTo]bool) []candidate {
	in := s.in
	k := &in.x.tables[parent].columns[in.x.tables[parent].keys[n].columns[0]]
	var out []candidate
	for child := range in.x.tables {
		t := &in.x.tables[child]
		for column := range t.columns {
			c := &t.columns[column]
			ref := colRef{child, column}
			from, ok := s.columns[ref]
			switch {
			case !ok, (t.original == parent || in.x.tables[parent].original == child) && c.compact == k.compact,
				child == parent && (c.name == k.name || from.distinct == from.rows), sure[ref], t.taken[c.name],
				key.dense() && from.distinct == from.rows && !from.gappy(),
				from.distinct < 2 || key.rows < sampleRows && from.distinct > key.distinct+key.distinct/20,
				c.class == decimalType, c.class == dateType,
				key.dense() && (c.key == "" || !t.isKey[c.name] && t.owns(c) != notOwn || !fills(from.span, key.span, from.distinct)),
				compareTypes("", "", c.class, k.class) == typesIncompatible,
				proposed[refTo{ref, parent}]:
				continue
			}
			out = append(out, candidate{child: child, column: column, parent: parent, key: n, rule: ruleData})
		}
	}
	return out
}
