package joingraph

import "math"

// scoreData adds what was measured to the proposals.
func (in *inference) scoreData() {
	x := in.x
	for i := range in.proposals {
		p := &in.proposals[i]
		if p.from != nil {
			continue
		}
		if p.rule == ruleData {
			p.logit += weightDataOnly
			switch from := &x.tables[p.child].columns[p.column]; {
			case from.idLike() && !weakKeyWords[from.key]:
				p.logit += weightReference
			case from.key != "":
				p.logit += weightReference / 3
			}
			if child := &x.tables[p.child]; p.data.childUnique() && p.data.chance && child.isKey[child.columns[p.column].name] {
				p.logit += weightGaps
			}
			p.addTypes()
		}
		count := p.rule != ruleData && x.vectorOf(p.candidate)[fPlural] > 0 && p.data != nil && p.data.chance
		for _, w := range p.data.weights(x.tables[p.parent].keys, p.key) {
			if count && w > 0 {
				continue // a count up to the number of rows has the values of a key as well
			}
			if p.rule == ruleBareKey && w > 0 {
				w /= 2 // keys of the same name often have values of the same form
			}
			p.logit += w
		}
	}
}

// matching returns the share that has a match, of values or of rows. Orphans are few
// rows, but each may have a value of its own.
func (m *measured) matching() float64 {
	return max(share(m.matched, m.distinct), share(m.matchedRows, m.notNull))
}

// The weight of an edge that only the data shows, before what was measured.
const (
	weightDataOnly  = -3.2
	weightReference = 0.9 // the column has a key word
	weightTight     = 1.8 // values that match by chance alone seldom fill the range of a key
	weightGaps      = 2.2 // the column is a key, and no counter has made its numbers
)

// tight reports whether the values fill the range of a key of numbers.
func (m *measured) tight() bool { return m.matched >= 5 && m.reach > 0 && fills(m.reach, 1, m.matched) }

// weights returns the evidence of the counts: that of the key, and that of the values.
func (m *measured) weights(keys []key, number int) []float64 {
	if m == nil {
		return nil
	}
	return []float64{m.keyWeight(keys, number), m.valuesWeight()}
}

func (m *measured) keyWeight(keys []key, number int) float64 {
	declared := number >= 0 && (keys[number].kind == keyPrimary || keys[number].kind == keyUnique)
	switch {
	case declared:
		return 0
	case m.parentRepeats() && number < 0: // both columns have duplicates
		return -1.5
	case m.parentRepeats():
		return -3
	case m.parentUnique() && number >= 0:
		return 0.7
	}
	return 0
}

func (m *measured) valuesWeight() float64 {
	in := m.matching()
	d := float64(m.distinct)
	switch {
	case m.distinct == 0 || m.keyDistinct == 0:
		return 0 // no values to compare
	case m.distinct < 3 && in < 1:
		return -1
	case in < 0.4:
		return -5 // most values are missing on the other side
	case in < 0.75:
		return -3 // many are
	case in < 0.9 && m.chance:
		return -1.5 // some are
	case m.chance && m.tight():
		return weightTight // they fill the range of the key
	case m.chance && m.reach > 0 && m.matched >= 20 && !m.partial && m.reach < 0.5:
		return -2.5 // they fill less than half of the range
	case m.chance && m.reach > 0 && m.matched >= 20 && !m.partial:
		return -1.2 // they fill only a part of it
	case m.chance:
		return 0 // they match, as they would by chance
	case m.distinct < 3:
		return 0.4
	default:
		return (in - 0.7) / 0.3 * min(4.8, 0.8*math.Log2(1+d))
	}
}
