package joingraph

import (
	"cmp"
	"slices"
)

// composites proposes edges to keys of several columns: tables that have all of
// these columns.
func (in *inference) composites() {
	x := in.x
	holders := map[string][]int{} // tables by the compact name of a column
	for i := range x.tables {
		for n := range x.tables[i].columns {
			c := x.tables[i].columns[n].compact
			if list := holders[c]; len(list) == 0 || list[len(list)-1] != i {
				holders[c] = append(list, i)
			}
		}
	}
	for parent := range x.tables {
		for n, k := range x.tables[parent].keys {
			if len(k.columns) < 2 {
				continue
			}
			t := &x.tables[parent]
			// The rarest of the columns bounds the tables to look at.
			of := func(c int) []int { return holders[t.columns[c].compact] }
			rarest := slices.MinFunc(k.columns, func(a, b int) int { return cmp.Compare(len(of(a)), len(of(b))) })
			for _, child := range of(rarest) {
				if child != parent {
					in.composite(child, parent, n)
				}
			}
		}
	}
}

// The weights of composite keys.
const (
	weightComposite      = 0.6
	weightCompositeOwn   = 2.0  // a column of the key is named after its table
	weightCompositeBare  = -2.5 // no column of the key says what it is about
	weightCompositeMany  = -0.8 // the key joins two others, and the columns may refer to these instead
	weightCompositeTwins = -1.5 // both tables have the same key
	weightCompositeOther = -2.0 // the table has a primary key besides
)

func (in *inference) composite(child, parent, number int) {
	x := in.x
	t, other := &x.tables[parent], &x.tables[child]
	p := proposal{candidate: candidate{child: child, parent: parent, key: number, rule: ruleComposite}, rule: ruleComposite,
		types: typesEqual}
	own, bare := false, true
	for _, at := range t.keys[number].columns {
		key := &t.columns[at]
		n := slices.IndexFunc(other.columns, func(c column) bool { return c.compact == key.compact })
		if n < 0 {
			return
		}
		types := compareTypes(other.def.Types[other.columns[n].name], t.def.Types[key.name], other.columns[n].class, key.class)
		switch {
		case types == typesIncompatible:
			return
		case types == typesUnknown, types == typesCompatible && p.types == typesEqual:
			p.types = types
		}
		own = own || len(key.rest) > 0 && t.owns(key) >= partOwn && !in.refers[colRef{parent, at}]
		bare = bare && key.generic
		p.from, p.to = append(p.from, n), append(p.to, at)
	}
	e := in.edge(p, 1)
	if in.known[edgeKey(&e)] {
		return
	}
	p.logit += weightComposite
	if own = own && len(t.columns) > len(p.to); own { // a table of nothing but a key links others
		p.logit += weightCompositeOwn
	} else {
		p.logit += weightCompositeMany
	}
	if t.keys[number].kind != keyPrimary && t.keys[0].kind == keyPrimary {
		p.logit += weightCompositeOther
	}
	if bare {
		p.logit += weightCompositeBare
	}
	if len(other.def.PrimaryKey) == len(p.from) && other.unique(e.FromColumns) {
		if !own && child < parent {
			return // the other direction is the same edge
		}
		p.logit += weightCompositeTwins
	}
	p.addTypes()
	in.proposals = append(in.proposals, p)
}
